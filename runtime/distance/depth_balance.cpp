#include "runtime/distance/depth_balance.h"

#include <algorithm>
#include <cmath>

#include "runtime/bvh/traversal.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/math/two_unknowns.h"

namespace abut::distance {
namespace {

constexpr double kSame = 1e-7;  // relative to the depth: closest points this near to one another are one

using Pull = Eigen::Vector2d;

// Computes the weights w of one to three pulls under which their weighted sum is shortest, and returns its
// length; infinite if a weight would not be positive.
double balance(const Pull* u, int count, std::array<double, 3>& w) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (count == 1) {
    w = {1, 0, 0};
    return u[0].norm();
  }
  if (count == 2) {
    const Pull way = u[0] - u[1];
    const double share = -u[1].dot(way) / way.squaredNorm();  // weight of the first
    if (!(share > 0 && share < 1)) return kNone;
    w = {share, 1 - share, 0};
    return (u[1] + share * way).norm();
  }
  const auto area = [](const Pull& a, const Pull& b) { return a.x() * b.y() - a.y() * b.x(); };
  w = {area(u[1], u[2]), area(u[2], u[0]), area(u[0], u[1])};
  const double sum = w[0] + w[1] + w[2];
  for (double& x : w)
    if (!((x /= sum) > 0)) return kNone;
  return 0;
}

}  // namespace

NearFeatures near_features(const asset::SurfaceView& surface, const Vec3<double>& p, double beyond) {
  NearFeatures result;
  TrianglePoint<double> nearest;
  const std::int32_t first =
      nearest_triangle<double>(surface, p, std::numeric_limits<double>::infinity(), nearest);
  if (first < 0) return result;
  const double reach = std::sqrt(nearest.distance2) + beyond, same = kSame * reach,
               rounding = 8 * std::numeric_limits<double>::epsilon() * reach;
  const auto add = [&](std::int32_t t) {
    const TrianglePoint<double> at = closest_on_triangle<double>(internal::corner<double>(surface, t, 0),
                                                                 internal::corner<double>(surface, t, 1),
                                                                 internal::corner<double>(surface, t, 2), p);
    const double depth = std::sqrt(at.distance2);
    if (!(depth <= reach)) return;
    const Vec3<double> pseudonormal = internal::pseudonormal<double>(surface, t, at.feature);
    const NearFeature found{depth, at.closest,
                            internal::gradient<double>(surface, t, at, pseudonormal, depth, -1.0), t,
                            at.feature};
    auto* const begin = result.feature.data();
    auto* const end = begin + result.count;
    for (auto* f = begin; f != end; ++f)
      if ((f->nearest - found.nearest).norm() <= same) {
        const double nearer = f->depth - found.depth;
        if (nearer > rounding || (nearer >= -rounding && t < f->triangle)) *f = found;
        return;
      }
    if (result.count < NearFeatures::kMax)
      result.feature[result.count++] = found;
    else if (auto* farthest =
                 std::max_element(begin, end, [](auto& a, auto& b) { return a.depth < b.depth; });
             found.depth < farthest->depth)
      *farthest = found;
  };
  bvh::visit_boxes(
      surface.tree,
      [&](const Vec3<double>& low, const Vec3<double>& high) {
        return (low - p).cwiseMax(p - high).cwiseMax(0).norm() <= reach;
      },
      [&](std::int32_t from, std::int32_t count) {
        for (std::int32_t t = from; t < from + count; ++t) add(t);
      });
  std::sort(result.feature.begin(), result.feature.begin() + result.count, [](auto& a, auto& b) {
    return std::pair{a.depth, a.triangle} < std::pair{b.depth, b.triangle};
  });
  return result;
}

FlatBasis flat_basis(const Triangle<double>& triangle, const Vec3<double>& weights) {
  FlatBasis flat;
  int first = -1;
  for (int k = 0; k < 3; ++k) {
    if (weights[k] == 0) continue;
    if (first < 0) {
      first = k;
      continue;
    }
    Vec3<double> way = triangle[k] - triangle[first];
    const double length = way.norm();
    if (flat.dimension > 0) way -= flat.along[0].dot(way) * flat.along[0];
    if (way.norm() > std::sqrt(std::numeric_limits<double>::epsilon()) * length)
      flat.along[flat.dimension++] = way.normalized();
  }
  return flat;
}

Balance balance_depths(const NearFeatures& near, const FlatBasis& flat, double tie, std::span<Balance> others,
                       int* other_count, double residual) {
  std::array<Pull, NearFeatures::kMax> u;
  for (int i = 0; i < near.count; ++i)
    u[i] = {flat.along[0].dot(near.feature[i].normal), flat.along[1].dot(near.feature[i].normal)};
  const auto visit = [&](auto&& take) {
    const auto consider = [&](std::initializer_list<int> which) {
      Balance found;
      Pull some[3];
      for (const int i : which) some[found.count] = u[i], found.feature[found.count++] = i;
      if (!(balance(some, found.count, found.weight) <= residual)) return;
      for (int k = 0; k < found.count; ++k)
        found.depth += found.weight[k] * near.feature[found.feature[k]].depth;
      take(found);
    };
    for (int i = 0; i < near.count; ++i) {
      consider({i});
      for (int j = 0; j < i && flat.dimension > 0; ++j) {
        consider({j, i});
        for (int k = 0; k < j && flat.dimension > 1; ++k) consider({k, j, i});
      }
    }
  };
  Balance best;
  visit([&](const Balance& found) {
    if (best.count == 0 || found.depth < best.depth) best = found;
  });
  if (other_count != nullptr) {
    *other_count = 0;
    visit([&](const Balance& found) {
      if (found.depth <= best.depth + tie && *other_count < static_cast<int>(others.size()))
        others[(*other_count)++] = found;
    });
  }
  return best;
}

Pulls pulls(const NearFeatures& near, const FlatBasis& flat, std::span<const int> features) {
  Pulls P = Pulls::Zero(static_cast<Eigen::Index>(features.size()), 2);
  for (Eigen::Index k = 0; k < P.rows(); ++k)
    for (int j = 0; j < flat.dimension; ++j) P(k, j) = near.feature[features[k]].normal.dot(flat.along[j]);
  return P;
}

Eigen::Matrix<double, 2, Eigen::Dynamic, 0, 2, 6> shortest_move(const Pulls& pulls, const Shares& right,
                                                                int* rank) {
  if (pulls.squaredNorm() > kBalanced * kBalanced)
    return shortest_least_squares(pulls, right, kBalanced, rank);
  if (rank != nullptr) *rank = 0;
  return Eigen::Matrix<double, 2, Eigen::Dynamic, 0, 2, 6>::Zero(2, right.cols());
}

}  // namespace abut::distance
