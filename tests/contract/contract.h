#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "runtime/asset/pair.h"
#include "runtime/core/random.h"
#include "runtime/math/adjoint.h"
#include "tests/support/allocations.h"
#include "tests/support/hulls.h"

// What the contract tests of estimators and contact models share: the pairs they run on and how frames are
// changed.
namespace abut::test {

struct NamedAsset {
  std::string name;
  asset::Asset asset;
  double size;  // m: half the diagonal of the bounding box
};

// Code-made assets, then two real objects where real_assets() finds them.
const std::vector<NamedAsset>& contract_assets();

// Convex hulls of objects of the YCB set by folder name; those that are missing are left out, all of them
// where the preprocess library is not built.
std::vector<NamedAsset> real_assets(const std::vector<std::string>& names);

// Code-made only: the two fine ellipsoids that stand for smooth shapes, with their semi-axes (m) and the
// asset.
struct SmoothAsset {
  Vec3<double> semi_axes;
  asset::Asset asset;
};
const std::vector<SmoothAsset>& smooth_assets();

// A random pose whose centres are so far apart that the bodies overlap, touch or are near: `reach` in units
// of the sum of the sizes.
inline Pose<double> random_pose(Random& random, double sizes, double reach) {
  Vec3<double> p(random.normal(), random.normal(), random.normal());
  return {random_rotation(random), p.normalized() * (reach * sizes)};
}

inline Vec6<double> random_vector6(Random& random, double scale) {
  Vec6<double> v;
  for (int i = 0; i < 6; ++i) v[i] = scale * random.normal();
  return v;
}

// The same convex body described in another frame: vertices p_N = X_NO p_O.
inline asset::Asset in_frame(const asset::Asset& old, const Pose<double>& X_NO) {
  const asset::ConvexView hull = asset::view(old.convex.front());
  std::vector<Vec3<double>> vertices;
  for (int i = 0; i < hull.vertex_count; ++i)
    vertices.push_back(X_NO * Vec3<double>(hull.x[i], hull.y[i], hull.z[i]));
  Triangles triangles;
  for (int t = 0; t < hull.triangle_count; ++t) {
    triangles.push_back({hull.triangles[3 * t], hull.triangles[3 * t + 1], hull.triangles[3 * t + 2]});
  }
  return convex_asset(make_piece(vertices, triangles));
}

// Name of a table row as the name of a test.
template <class Row>
std::string row_name(const testing::TestParamInfo<Row>& info) {
  return std::string(info.param.name);
}

// Largest absolute difference of two matrices over the size of the second (at least `floor`).
template <class X, class Y>
double relative_gap(const X& x, const Y& y, double floor) {
  return (x - y).cwiseAbs().maxCoeff() / std::max(floor, y.cwiseAbs().maxCoeff());
}

}  // namespace abut::test
