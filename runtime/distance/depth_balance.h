#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/asset/asset.h"
#include "runtime/distance/triangle_pair.h"
#include "runtime/distance/triangle_point.h"

// The features of a surface that are equally near to its deepest point, and the weights under which their
// normals cancel. If the point moves by U z in a flat (U orthonormal, of up to two columns) and feature i,
// with outward normal n_i, is depth_i away, then to first order the depth is min_i (depth_i - n_i' U z). At
// its maximum over z there are weights w_i >= 0 with sum 1, non-zero for at most one feature more than U has
// columns, such that
//   sum w_i U' n_i = 0,
// and the maximal depth is sum w_i depth_i, the least over all such weights (linear programming duality).
namespace abut::distance {

// A feature of a surface as seen from a point inside it.
struct NearFeature {
  double depth;           // m
  Vec3<double> nearest;   // closest point of the feature, m
  Vec3<double> normal;    // unit, outward: the depth grows against it
  std::int32_t triangle;  // triangle of the surface that has the feature
  Feature feature;        // face, edge or vertex of that triangle
};

// The features near a point, nearest first, each closest point once.
struct NearFeatures {
  static constexpr int kMax = 16;         // capacity; farther features are left out
  std::array<NearFeature, kMax> feature;  // (count) sorted by depth
  int count = 0;                          // number of features within the distance, at most kMax
};

// Returns the features of a surface whose distance from the point p inside it exceeds the least one by at
// most `beyond` (m), or the kMax nearest of them.
NearFeatures near_features(const asset::SurfaceView& surface, const Vec3<double>& p, double beyond);

// Orthonormal basis of the directions in which a point can move within the feature of a triangle that
// carries it: the plane of the face, the line of an edge, or none for a corner.
struct FlatBasis {
  int dimension = 0;  // 0 to 2
  // Unit, orthogonal; zero beyond `dimension`.
  std::array<Vec3<double>, 2> along = {Vec3<double>::Zero(), Vec3<double>::Zero()};
};
// Computes the basis from the point's barycentric weights: corners with weight 0 do not carry it.
FlatBasis flat_basis(const Triangle<double>& triangle, const Vec3<double>& weights);

// Up to three features and the weights under which their normals cancel along a flat.
struct Balance {
  int count = 0;                              // 0: no such weights exist
  std::array<int, 3> feature = {-1, -1, -1};  // indices into NearFeatures::feature; -1 beyond count
  std::array<double, 3> weight = {0, 0, 0};   // sum to 1
  double depth = 0;                           // m: weighted mean of the features' depths

  // Weight of the feature with index f; 0 if it is not one of these.
  double weight_of(int f) const {
    for (int k = 0; k < count; ++k)
      if (feature[k] == f) return weight[k];
    return 0;
  }
};

inline constexpr double kBalanced = 1e-7;  // a sum of unit vectors of at most this length counts as zero

// Returns the balance of least depth. If `others` is not empty, writes to it all balances within `tie` (m)
// of that depth, the least one included, and their number to `other_count`. Normals cancel if the length of
// their weighted sum along the flat is at most `residual`.
Balance balance_depths(const NearFeatures& near, const FlatBasis& flat, double tie = 0,
                       std::span<Balance> others = {}, int* other_count = nullptr,
                       double residual = kBalanced);

// Pulls U' n_i (the normals along the flat), one feature a row.
using Pulls = Eigen::Matrix<double, Eigen::Dynamic, 2, 0, NearFeatures::kMax, 2>;
// Returns the pulls U' n_i of the features with these indices.
Pulls pulls(const NearFeatures& near, const FlatBasis& flat, std::span<const int> features);

// Right-hand sides of P z = right: a row for each feature, a column for each case.
using Shares = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, NearFeatures::kMax, 6>;

// Returns, for each column of `right`, the shortest least-squares solution z of P z = right, where P is a
// matrix of pulls. Writes the rank of P, at most 2, to `rank` unless it is null.
Eigen::Matrix<double, 2, Eigen::Dynamic, 0, 2, 6> shortest_move(const Pulls& pulls, const Shares& right,
                                                                int* rank = nullptr);

}  // namespace abut::distance
