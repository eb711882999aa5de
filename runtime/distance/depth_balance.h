#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/asset/asset.h"
#include "runtime/distance/triangle_pair.h"
#include "runtime/distance/triangle_point.h"

// The features of a surface that are equally near to its deepest point, and the weights under which their
// pulls cancel. Where a point moves by U z in a flat (an orthonormal U of up to two columns) and feature i,
// with outward normal n_i, is depth_i away, the depth is to first order min_i (depth_i - n_i' U z). Where
// that is greatest, weights w_i >= 0 with sum 1 of at most one feature more than U has columns hold
//   sum w_i U' n_i = 0,
// and the greatest depth is sum w_i depth_i: of all such weights the least (duality of linear programs).
namespace abut::distance {

// As seen from a point inside.
struct NearFeature {
  double depth;           // m
  Vec3<double> nearest;   // of the feature, m
  Vec3<double> normal;    // unit, outward: the depth grows against it
  std::int32_t triangle;  // that has it
  Feature feature;        // of that triangle
};

// Nearest first, every nearest point once.
struct NearFeatures {
  static constexpr int kMax = 16;         // more are left out
  std::array<NearFeature, kMax> feature;  // (count) nearest first
  int count = 0;                          // of those within the distance, kMax at most
};

// The features of a surface whose distance from the point p inside it is within `beyond` (m) of the least, or
// kMax of them.
NearFeatures near_features(const asset::SurfaceView& surface, const Vec3<double>& p, double beyond);

// An orthonormal basis of the directions in which the point of these weights may move within a triangle: of
// its plane, of an edge, none.
struct FlatBasis {
  int dimension = 0;  // 0 to 2
  // Unit, orthogonal; zero beyond `dimension`.
  std::array<Vec3<double>, 2> along = {Vec3<double>::Zero(), Vec3<double>::Zero()};
};
// From the barycentric weights of the point: corners with weight 0 do not carry it.
FlatBasis flat_basis(const Triangle<double>& triangle, const Vec3<double>& weights);

// Features and weights under which their pulls cancel.
struct Balance {
  int count = 0;                              // 0: no weights under which the pulls cancel
  std::array<int, 3> feature = {-1, -1, -1};  // indices of NearFeatures; -1 beyond count
  std::array<double, 3> weight = {0, 0, 0};   // sum to 1
  double depth = 0;                           // m: their weighted mean

  // Of a feature by its index; 0 of one that it has not.
  double weight_of(int f) const {
    for (int k = 0; k < count; ++k)
      if (feature[k] == f) return weight[k];
    return 0;
  }
};

inline constexpr double kBalanced = 1e-7;  // length of a sum of unit vectors that is none

// That of least depth. If `others` is not empty, those that are within `tie` (m) of it go there,
// `other_count` of them. `residual`: length of the sum of pulls up to which they cancel.
Balance balance_depths(const NearFeatures& near, const FlatBasis& flat, double tie = 0,
                       std::span<Balance> others = {}, int* other_count = nullptr,
                       double residual = kBalanced);

// A feature's pull a row.
using Pulls = Eigen::Matrix<double, Eigen::Dynamic, 2, 0, NearFeatures::kMax, 2>;
// U' n_i of some features, by their indices.
Pulls pulls(const NearFeatures& near, const FlatBasis& flat, std::span<const int> features);

// What a move is to do to features, a row each, a column for each way.
using Shares = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, NearFeatures::kMax, 6>;

// The shortest move z with P z = right, P a matrix of pulls, in the sense of least squares: rank of P is
// told, 2 at most.
Eigen::Matrix<double, 2, Eigen::Dynamic, 0, 2, 6> shortest_move(const Pulls& pulls, const Shares& right,
                                                                int* rank = nullptr);

}  // namespace abut::distance
