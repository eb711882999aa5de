#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "preprocess/index/index.h"
#include "preprocess/pressure/volume.h"
#include "runtime/body/body.h"
#include "runtime/math/adjoint.h"
#include "tests/support/bodies.h"

// The reference poses, tetrahedra and wrenches of data/pressure_field in the shared folder.
namespace abut::test {

inline std::filesystem::path pressure_field_folder() {
  return std::filesystem::path(ABUT_SHARED_DIR) / "data/pressure_field";
}

// The faces without a neighbour, from outside.
inline preprocess::TriangleMesh boundary(const asset::Volume& volume) {
  preprocess::TriangleMesh mesh;
  for (std::size_t i = 0; i < volume.vertices.size(); i += 3)
    mesh.vertices.emplace_back(volume.vertices[i], volume.vertices[i + 1], volume.vertices[i + 2]);
  for (std::size_t i = 0; i < volume.neighbours.size(); ++i) {
    if (volume.neighbours[i] >= 0) continue;
    const std::int32_t* tet = &volume.tetrahedra[i - i % 4];
    const auto& face = preprocess::kFaces[i % 4];  // from inside
    mesh.triangles.push_back({tet[face[0]], tet[face[2]], tet[face[1]]});
  }
  return mesh;
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
  result.surfaces.push_back(preprocess::build_surface(boundary(result.volumes.front())));
  return result;
}

struct PressureFieldQuery {
  std::string object_A, object_B;
  Pose<double> X_AB;
  double area = 0;       // m^2
  Vec6<double> F_AAo_A;  // torque, force on A about Ao, in A, at a modulus of 1 Pa
  // The same without the faces that the reference's filter drops, and with that filter and B rigid.
  double filtered_area = 0, rigid_area = 0;
  Vec6<double> F_AAo_A_filtered, F_AAo_A_rigid;
};

// Area, and the wrench from the columns area, fx, fy, fz, tx, ty, tz that begin at `column`.
inline double parse_wrench(const std::string& line, std::size_t column, Vec6<double>& wrench) {
  std::istringstream fields(line);
  std::vector<std::string> cells;
  for (std::string cell; std::getline(fields, cell, ',');) cells.push_back(cell);
  for (std::size_t k = 0; k < 3; ++k) {
    wrench[static_cast<int>(3 + k)] = std::stod(cells.at(column + 1 + k));
    wrench[static_cast<int>(k)] = std::stod(cells.at(column + 4 + k));
  }
  return std::stod(cells.at(column));
}

// poses.txt beside the reference wrenches; none where the folder is missing.
inline std::vector<PressureFieldQuery> read_pressure_field_queries() {
  std::ifstream poses(pressure_field_folder() / "poses.txt");
  std::ifstream wrenches(pressure_field_folder() / "reference_wrench.csv");
  std::ifstream filtered(pressure_field_folder() / "reference_wrench_filtered.csv");
  std::ifstream rigid(pressure_field_folder() / "reference_wrench_rigid.csv");
  std::vector<PressureFieldQuery> queries;
  std::string pose, wrench, filtered_wrench, rigid_wrench;
  std::getline(poses, pose);
  std::getline(wrenches, wrench);
  std::getline(filtered, filtered_wrench);
  std::getline(rigid, rigid_wrench);
  while (std::getline(poses, pose) && std::getline(wrenches, wrench) &&
         std::getline(filtered, filtered_wrench) && std::getline(rigid, rigid_wrench)) {
    PressureFieldQuery query;
    std::istringstream in(pose);
    std::string word;
    double q[4];
    in >> word >> query.object_A >> query.object_B >> word >> word >> q[0] >> q[1] >> q[2] >> q[3];
    in >> query.X_AB.p.x() >> query.X_AB.p.y() >> query.X_AB.p.z();
    query.X_AB.R = rotation_from_quaternion(q[0], q[1], q[2], q[3]);
    query.area = parse_wrench(wrench, 10, query.F_AAo_A);
    query.filtered_area = parse_wrench(filtered_wrench, 10, query.F_AAo_A_filtered);
    query.rigid_area = parse_wrench(rigid_wrench, 5, query.F_AAo_A_rigid);
    if (!in) throw std::runtime_error("cannot read reference pose " + pose);
    queries.push_back(query);
  }
  return queries;
}

// The objects that the queries name, at one level.
class ReferenceVolumes {
 public:
  explicit ReferenceVolumes(int level) : level_(level) {}

  const asset::AssetView& operator[](const std::string& object) { return find(object).view; }

  // The object as a body.
  body::Body body(const std::string& object, const body::Material& material = {}) {
    return {find(object).geometry, material};
  }

 private:
  struct Object {
    asset::Asset asset;
    asset::AssetView view = asset::view(asset);
    body::Geometry geometry = body_of(asset).geometry;

    explicit Object(asset::Asset read) : asset(std::move(read)) {}
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
  };

  const Object& find(const std::string& name) {
    const auto found = objects_.find(name);
    if (found != objects_.end()) return found->second;
    return objects_.try_emplace(name, read_reference_volume(name, level_)).first->second;
  }

  int level_;
  std::map<std::string, Object> objects_;
};

}  // namespace abut::test
