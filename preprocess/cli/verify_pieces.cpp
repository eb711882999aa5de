#include "preprocess/cli/verify_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/witness/separation.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr int kSamples = 4000;  // of the solid's box, and of all pieces
constexpr std::uint64_t kSeed = 11;
constexpr double kRounding = 1e-9;  // over the size

std::vector<asset::ConvexView> views_of(const asset::Asset& asset) {
  std::vector<asset::ConvexView> views;
  for (std::size_t i = 1; i < asset.convex.size(); ++i) views.push_back(asset::view(asset.convex[i]));
  return views;
}

bool adjacency_is_mutual(const asset::Pieces& pieces) {
  const auto row = [&](std::int32_t i) {
    return std::pair{pieces.adjacency.begin() + pieces.adjacency_offsets[static_cast<std::size_t>(i)],
                     pieces.adjacency.begin() + pieces.adjacency_offsets[static_cast<std::size_t>(i) + 1]};
  };
  for (std::int32_t i = 0; i + 1 < static_cast<std::int32_t>(pieces.adjacency_offsets.size()); ++i) {
    const auto [begin, end] = row(i);
    if (!std::is_sorted(begin, end)) return false;
    for (auto j = begin; j != end; ++j) {
      const auto [first, last] = row(*j);
      if (*j == i || !std::binary_search(first, last, i)) return false;
    }
  }
  return true;
}

// Distance to the pieces by GJK, as computed in the runtime.
double distance_to(const std::vector<asset::ConvexView>& pieces, const Vector3d& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const asset::ConvexView& piece : pieces) {
    Pose<double> X;
    X.p = p;
    least = std::min(least, witness::separation(piece, witness::Sphere<double>{0}, X).distance);
  }
  return std::max(0.0, least);
}

// A random point of the piece: a mean of its vertices with random weights; every second sample is a vertex.
Vector3d point_of(const asset::ConvexView& piece, int sample, Random& random) {
  Vector3d sum = Vector3d::Zero();
  double weights = 0;
  const auto add = [&](std::int32_t v, double weight) {
    sum += weight * Vector3d(piece.x[v], piece.y[v], piece.z[v]);
    weights += weight;
  };
  const auto any = [&](std::int32_t count) {
    return std::min(count - 1, static_cast<std::int32_t>(random.uniform(0, count)));
  };
  if (sample % 2 == 0) {
    add(any(piece.vertex_count), 1);
  } else {
    const std::int32_t* const corners = piece.triangles + 3 * any(piece.triangle_count);
    for (int k = 0; k < 3; ++k) add(corners[k], random.uniform(0, 1));
  }
  return sum / weights;
}

}  // namespace

std::vector<std::string> piece_problems(const asset::Asset& asset) {
  const asset::Pieces& pieces = asset.pieces.front();
  const asset::SurfaceView surface = asset::view(asset.surfaces.front());
  const std::vector<asset::ConvexView> convex = views_of(asset);
  std::vector<std::string> problems;
  if (!adjacency_is_mutual(pieces)) problems.emplace_back("adjacency: is not mutual or not ascending");
  const Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices, 3, surface.vertex_count);
  const Vector3d low = vertices.rowwise().minCoeff(), high = vertices.rowwise().maxCoeff();
  const double rounding = kRounding * (high - low).norm();
  Random random(kSeed, 0);
  double outward = 0, inward = 0;
  for (int i = 0; i < kSamples; ++i) {
    const Vector3d q = point_of(convex[static_cast<std::size_t>(i) % convex.size()], i, random);
    outward = std::max(outward, distance::signed_distance<double>(surface, q).distance);
    Vector3d p;
    for (int axis = 0; axis < 3; ++axis) p[axis] = random.uniform(low[axis], high[axis]);
    const auto nearest = distance::signed_distance<double>(surface, p);
    inward = std::max(inward, distance_to(convex, nearest.distance < 0 && i % 2 == 0 ? p : nearest.closest));
  }
  if (!(outward <= pieces.errors[0] + rounding))
    problems.push_back(
        fmt::format("errors: they reach {:.3g} m outside, not {:.3g} m", outward, pieces.errors[0]));
  if (!(inward <= pieces.errors[1] + rounding))
    problems.push_back(
        fmt::format("errors: they leave out {:.3g} m, not {:.3g} m", inward, pieces.errors[1]));
  return problems;
}

}  // namespace abut::preprocess
