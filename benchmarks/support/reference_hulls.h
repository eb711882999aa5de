#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/support/data.h"
#include "preprocess/index/index.h"
#include "preprocess/mesh/read.h"
#include "runtime/asset/asset.h"
#include "tests/support/reference_queries.h"

namespace abut::benchmark_support {

// The reference queries of one file with the hulls they are about, in the file's order.
struct HullQueries {
  struct Query {
    asset::ConvexView A, B;
    Pose<double> X_AB;
    double distance;  // the reference's signed distance, m, good to 1e-6
  };
  std::map<std::string, asset::ConvexPiece> hulls;
  std::vector<Query> queries;
};

// Convex hull of a reference object, from its mesh. Throws where the mesh cannot be read.
inline asset::ConvexPiece build_hull(const std::string& object) {
  preprocess::Report report;
  const auto folder = benchmarks::require_reference("ycb") / object / "google_16k";
  return preprocess::build_convex_piece(preprocess::read_mesh(folder / "textured.obj", 1.0, report).vertices);
}

// The rows of data/queries/<file>, with each object's hull from `hull_of`. Throws InvalidInput without the
// reference data.
inline HullQueries read_hull_queries(
    const std::string& file,
    const std::function<asset::ConvexPiece(const std::string&)>& hull_of = build_hull) {
  benchmarks::require_reference("queries/" + file);
  HullQueries result;
  const auto hull = [&](const std::string& object) {
    const auto [at, fresh] = result.hulls.try_emplace(object);
    if (fresh) at->second = hull_of(object);
    return asset::view(at->second);
  };
  for (const test::ReferenceQuery& row : test::read_reference_queries(file)) {
    const asset::ConvexView A = hull(row.object_A), B = hull(row.object_B);
    result.queries.push_back({A, B, row.X_AB, row.distance});
  }
  return result;
}

}  // namespace abut::benchmark_support
