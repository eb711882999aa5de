#pragma once

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

}  // namespace abut::benchmarks
