#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "preprocess/pressure/volume.h"
#include "runtime/math/adjoint.h"

// The reference poses, tetrahedra and wrenches of data/pressure_field in the shared folder.
namespace abut::test {

inline std::filesystem::path pressure_field_folder() {
  return std::filesystem::path(ABUT_SHARED_DIR) / "data/pressure_field";
}

// <object>_<level>.tet: the field is the pressure at a modulus of 1 Pa.
inline asset::Asset read_reference_volume(const std::string& object, int level) {
  std::ifstream file(pressure_field_folder() / (object + "_" + std::to_string(level) + ".tet"));
  std::size_t vertices = 0, tetrahedra = 0;
  file >> vertices >> tetrahedra;
  preprocess::TetrahedralMesh mesh;
  std::vector<double> extent(vertices);
  mesh.vertices.resize(vertices);
  mesh.tetrahedra.resize(tetrahedra);
  for (std::size_t v = 0; v < vertices; ++v) {
    for (int k = 0; k < 3; ++k) file >> mesh.vertices[v][k];
    file >> extent[v];
  }
  for (preprocess::Tetrahedron& t : mesh.tetrahedra)
    for (std::int32_t& corner : t) file >> corner;
  if (!file) throw std::runtime_error("cannot read the reference tetrahedra of " + object);
  asset::Asset result;
  result.name = object;
  result.volumes.push_back(
      preprocess::build_volume(mesh, preprocess::with_gradients(mesh, std::move(extent))));
  return result;
}

struct PressureFieldQuery {
  std::string object_A, object_B;
  Pose<double> X_AB;
  double area = 0;       // m^2
  Vec6<double> F_AAo_A;  // torque, force on A about Ao, in A, at a modulus of 1 Pa
};

// poses.txt beside reference_wrench.csv; none where the folder is missing.
inline std::vector<PressureFieldQuery> read_pressure_field_queries() {
  std::ifstream poses(pressure_field_folder() / "poses.txt");
  std::ifstream wrenches(pressure_field_folder() / "reference_wrench.csv");
  std::vector<PressureFieldQuery> queries;
  std::string pose, wrench;
  std::getline(poses, pose);
  std::getline(wrenches, wrench);
  while (std::getline(poses, pose) && std::getline(wrenches, wrench)) {
    PressureFieldQuery query;
    std::istringstream in(pose);
    std::string word;
    double q[4];
    in >> word >> query.object_A >> query.object_B >> word >> word >> q[0] >> q[1] >> q[2] >> q[3];
    in >> query.X_AB.p.x() >> query.X_AB.p.y() >> query.X_AB.p.z();
    query.X_AB.R = rotation_from_quaternion(q[0], q[1], q[2], q[3]);
    std::istringstream fields(wrench);
    std::vector<std::string> cells;
    while (std::getline(fields, word, ',')) cells.push_back(word);
    query.area = std::stod(cells.at(10));
    for (int k = 0; k < 3; ++k) {
      query.F_AAo_A[3 + k] = std::stod(cells.at(11 + k));
      query.F_AAo_A[k] = std::stod(cells.at(14 + k));
    }
    if (!in) throw std::runtime_error("cannot read reference pose " + pose);
    queries.push_back(query);
  }
  return queries;
}

// The objects that the queries name, at one level.
class ReferenceVolumes {
 public:
  explicit ReferenceVolumes(int level) : level_(level) {}

  const asset::AssetView& operator[](const std::string& object) {
    auto found = assets_.find(object);
    if (found == assets_.end()) {
      found = assets_.emplace(object, read_reference_volume(object, level_)).first;
      views_[object] = asset::view(found->second);
    }
    return views_[object];
  }

 private:
  int level_;
  std::map<std::string, asset::Asset> assets_;
  std::map<std::string, asset::AssetView> views_;
};

}  // namespace abut::test
