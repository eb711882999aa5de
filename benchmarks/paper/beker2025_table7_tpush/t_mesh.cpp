#include "benchmarks/paper/beker2025_table7_tpush/t_mesh.h"

#include <fmt/format.h>

#include <filesystem>

#include "benchmarks/support/soft_contact.h"
#include "preprocess/mesh/write.h"

namespace abut::tpush {
namespace {

// Bar and stem of the T as one closed surface.
preprocess::TriangleMesh t_mesh() {
  const double outline[8][2] = {{-0.125, 0.0125}, {-0.025, 0.0125}, {-0.025, -0.1375}, {0.025, -0.1375},
                                {0.025, 0.0125},  {0.125, 0.0125},  {0.125, 0.0625},   {-0.125, 0.0625}};
  constexpr int kTop[6][3] = {{6, 7, 0}, {6, 0, 1}, {6, 1, 4}, {6, 4, 5}, {1, 2, 3}, {1, 3, 4}};
  preprocess::TriangleMesh mesh;
  for (const double z : {-0.02, 0.02})
    for (const auto& p : outline) mesh.vertices.emplace_back(p[0], p[1], z);
  for (const auto& t : kTop) {
    mesh.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
    mesh.triangles.push_back({t[2], t[1], t[0]});
  }
  for (int i = 0; i < 8; ++i) {
    const int next = (i + 1) % 8;
    mesh.triangles.push_back({i, next, next + 8});
    mesh.triangles.push_back({i, next + 8, i + 8});
  }
  return mesh;
}

}  // namespace

body::Geometry meshed_t(int quads) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("abut_t_{}.obj", quads);
  preprocess::write_mesh(t_mesh(), file);
  asset::Asset asset = preprocess::make_asset({.name = "T", .file = file, .metres_per_unit = 1, .notes = {}},
                                              benchmarks::points_and_grid({quads}), {});
  std::filesystem::remove(file);
  return body::Geometry(std::move(asset));
}

}  // namespace abut::tpush
