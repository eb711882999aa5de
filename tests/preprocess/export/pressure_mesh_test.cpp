#include <Eigen/Geometry>
#include <array>
#include <fstream>
#include <map>
#include <set>

#include "tests/preprocess/export/simulator_set.h"

// What Drake's documentation asks of a compliant mesh's tetrahedra, counted from the file alone.
namespace {

using namespace abut::test;

struct Vtk {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 4>> tetrahedra;
  std::vector<double> extent;
};

Vtk read(const std::filesystem::path& file) {
  std::ifstream in(file);
  Vtk vtk;
  std::string word;
  std::size_t count = 0;
  while (in >> word) {
    if (word == "POINTS") {
      in >> count >> word;
      vtk.points.resize(count);
      for (Eigen::Vector3d& p : vtk.points) in >> p[0] >> p[1] >> p[2];
    } else if (word == "CELLS") {
      in >> count >> word;
      vtk.tetrahedra.resize(count);
      for (auto& t : vtk.tetrahedra) in >> word >> t[0] >> t[1] >> t[2] >> t[3];
    } else if (word == "LOOKUP_TABLE") {
      in >> word;
      vtk.extent.resize(vtk.points.size());
      for (double& e : vtk.extent) in >> e;
    }
  }
  EXPECT_TRUE(in.eof()) << file;
  return vtk;
}

TEST(DrakeExport, TetrahedraArePositiveReachInsideAndTheFieldIsPositiveThere) {
  for (const std::string& name : exports().names) {
    const Vtk vtk = read(exports().folder / "drake" / name / "volume.vtk");
    ASSERT_GT(vtk.tetrahedra.size(), 100U) << name;
    std::map<std::array<int, 3>, int> faces;
    for (const auto& t : vtk.tetrahedra)
      for (int k = 0; k < 4; ++k) {
        std::array<int, 3> face{t[(k + 1) % 4], t[(k + 2) % 4], t[(k + 3) % 4]};
        std::sort(face.begin(), face.end());
        ++faces[face];
      }
    std::set<int> surface;
    for (const auto& [face, uses] : faces) {
      EXPECT_LE(uses, 2);
      if (uses == 1) surface.insert(face.begin(), face.end());
    }
    int flat = 0, outside = 0;
    for (const auto& t : vtk.tetrahedra) {
      const Eigen::Vector3d a = vtk.points[static_cast<std::size_t>(t[0])];
      const auto edge = [&](int k) {
        return Eigen::Vector3d(vtk.points[static_cast<std::size_t>(t[k])] - a);
      };
      flat += !(edge(1).cross(edge(2)).dot(edge(3)) > 0);
      outside += std::all_of(t.begin(), t.end(), [&](int v) { return surface.contains(v); });
    }
    EXPECT_EQ(flat, 0) << name;
    EXPECT_EQ(outside, 0) << name;
    for (std::size_t v = 0; v < vtk.extent.size(); ++v) {
      if (surface.contains(static_cast<int>(v)))
        EXPECT_EQ(vtk.extent[v], 0) << name << " vertex " << v;
      else
        EXPECT_GT(vtk.extent[v], 0) << name << " vertex " << v;
    }
  }
}

}  // namespace
