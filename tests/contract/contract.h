#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/core/random.h"
#include "runtime/math/adjoint.h"
#include "tests/support/allocations.h"
#include "tests/support/bodies.h"
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

// A body made of one of them, or of a primitive.
struct NamedBody {
  std::string name;
  body::Body body;
  double size;  // as above; 0: a half-space
};
using NamedPair = std::pair<NamedBody, NamedBody>;

std::vector<NamedBody> contract_hulls(const body::Material& material = {});

// Box, sphere, cylinder and half-space. A half turn about the z axis takes each, and its triangles, into
// itself.
std::vector<NamedBody> contract_primitives(const body::Material& material = {});

// Every hull with every hull.
std::vector<NamedPair> hull_pairs(const std::vector<NamedBody>& hulls);

// Every hull with every primitive, in either order.
std::vector<NamedPair> mixed_pairs(const std::vector<NamedBody>& hulls,
                                   const std::vector<NamedBody>& primitives);

// Every primitive with every primitive, but no two half-spaces.
std::vector<NamedPair> primitive_pairs(const std::vector<NamedBody>& primitives);

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
inline asset::Asset in_frame(const asset::ConvexView& hull, const Pose<double>& X_NO) {
  std::vector<Vec3<double>> vertices;
  for (int i = 0; i < hull.vertex_count; ++i)
    vertices.push_back(X_NO * Vec3<double>(hull.x[i], hull.y[i], hull.z[i]));
  Triangles triangles;
  for (int t = 0; t < hull.triangle_count; ++t) {
    triangles.push_back({hull.triangles[3 * t], hull.triangles[3 * t + 1], hull.triangles[3 * t + 2]});
  }
  return convex_asset(make_piece(vertices, triangles));
}

// A body in another frame N: a hull in any, a primitive in one of those that its shape cannot tell.
struct Reframed {
  body::Body body;
  Pose<double> X_NO;
};
inline Reframed in_random_frame(const body::Body& old, Random& random) {
  if (old.geometry.primitive() == nullptr) {
    const Pose<double> X_NO = random_pose(random, 1, 0.2);
    return {{body::Geometry(in_frame(old.geometry.convex(), X_NO)), old.material}, X_NO};
  }
  Pose<double> X_NO;
  X_NO.R.diagonal() << -1, -1, 1;
  if (old.geometry.half_space() != nullptr) X_NO.p << random.normal(), random.normal(), 0;
  return {old, X_NO};
}

// Counts of passed trials, some poses having no derivative to compare with: of pairs of hulls and of those
// with a primitive, each by itself.
class Tally {
 public:
  void add(const NamedBody& A, const NamedBody& B, bool ok) {
    Count& count = counts_[A.body.geometry.primitive() || B.body.geometry.primitive() ? 1 : 0];
    count.good += ok, ++count.all;
  }

  // The lesser share of those that had trials.
  double share() const {
    double least = counts_[0].all + counts_[1].all > 0 ? 1 : 0;
    for (const Count& count : counts_)
      if (count.all > 0) least = std::min(least, double(count.good) / count.all);
    return least;
  }

 private:
  struct Count {
    int good = 0, all = 0;
  } counts_[2];
};

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
