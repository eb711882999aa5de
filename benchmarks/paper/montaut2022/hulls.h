#pragma once

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/support/data.h"
#include "preprocess/index/index.h"
#include "preprocess/mesh/read.h"
#include "runtime/body/body.h"

namespace abut::benchmarks {

struct NamedHull {
  std::string name;
  asset::ConvexPiece piece;
};

// Convex hulls of the objects in a folder of the YCB layout, in the order of their names.
inline std::vector<NamedHull> read_ycb_hulls(const std::filesystem::path& folder) {
  std::vector<NamedHull> hulls;
  if (!std::filesystem::exists(folder)) return hulls;
  std::set<std::filesystem::path> objects;  // in the same order on every machine
  for (const auto& entry : std::filesystem::directory_iterator(folder)) objects.insert(entry.path());
  for (const auto& object : objects) {
    const auto file = object / "google_16k" / "textured.obj";
    if (!std::filesystem::exists(file)) continue;
    preprocess::Report report;
    const auto mesh = preprocess::read_mesh(file, 1.0, report);
    hulls.push_back({object.filename().string(), preprocess::build_convex_piece(mesh.vertices)});
  }
  return hulls;
}

// Half the longest edge of the bounding box, m.
inline double half_extent(const asset::ConvexView& hull) {
  double longest = 0;
  for (const double* axis : {hull.x, hull.y, hull.z}) {
    const auto [low, high] = std::minmax_element(axis, axis + hull.vertex_count);
    longest = std::max(longest, *high - *low);
  }
  return longest / 2;
}

// Mean of the half extents of two bodies' hulls, m.
inline double half_size(const body::Body& A, const body::Body& B) {
  return (half_extent(A.geometry.convex()) + half_extent(B.geometry.convex())) / 2;
}

}  // namespace abut::benchmarks
