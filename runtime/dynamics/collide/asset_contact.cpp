#include "runtime/dynamics/collide/asset_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/body/primitive_distance.h"
#include "runtime/bvh/traversal.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/dynamics/collide/contact_reduction.h"
#include "runtime/dynamics/collide/primitive_samples.h"

namespace abut::dynamics {
namespace {

constexpr std::uint64_t kOfA = std::uint64_t{1} << 32;  // feature bit: a sample of A against B's distance
constexpr double kRoom = 4;         // horizon of a list, in margins; a margin is about the travel of a step
constexpr double kFar = 2;          // in margins: up to here the exact distance of a sample is computed
constexpr double kRounding = 1e-9;  // rounding of a distance, relative to the shape's size

struct Distance {
  double value;           // m
  Vec3<double> gradient;  // unit, outward
};

Distance box_distance(const Vec3<double>& half, const Vec3<double>& p) {
  const Vec3<double> outside = p.cwiseAbs() - half;
  int k;
  const double most = outside.maxCoeff(&k);
  if (most <= 0) return {most, std::copysign(1.0, p[k]) * Vec3<double>::Unit(k)};
  const Vec3<double> away = outside.cwiseMax(0.0);
  const double distance = away.norm();
  return {distance, (away / distance).cwiseProduct(p.cwiseSign())};
}

// Distance of a hull of two rims of equal radius.
Distance cylinder_distance(const Vec3<double>& half, const Vec3<double>& p) {
  const double across = std::hypot(p.x(), p.y());
  const Vec3<double> radial =
      across > 0 ? Vec3<double>(p.x() / across, p.y() / across, 0) : Vec3<double>::UnitX();
  const Vec3<double> up = std::copysign(1.0, p.z()) * Vec3<double>::UnitZ();
  const double side = across - half[0], end = std::abs(p.z()) - half[2];
  if (side <= 0 && end <= 0) return side > end ? Distance{side, radial} : Distance{end, up};
  if (side <= 0) return {end, up};
  if (end <= 0) return {side, radial};
  const double distance = std::hypot(side, end);
  return {distance, (side * radial + end * up) / distance};
}

Distance primitive_distance(const PlacedShape& shape, const Vec3<double>& p) {
  const body::SweptCore<double>& core = shape.core;
  const auto swept = [&core](const Distance& d) { return Distance{d.value - core.swept_radius, d.gradient}; };
  if (shape.kind == ShapeKind::kBox) return swept(box_distance(core.size, p));
  if (shape.kind == ShapeKind::kRims && core.size.x() == core.top_radius)
    return swept(cylinder_distance(core.size, p));
  if (shape.kind == ShapeKind::kPoint) {
    const double length = p.norm();
    return swept({length, length > 0 ? Vec3<double>(p / length) : Vec3<double>::UnitZ()});
  }
  const auto found = body::primitive_distance<double>(*shape.body.geometry.primitive(), p, 1);
  return {found.value, found.gradient};
}

// Signed distance of a shape at a point p, with the gradient, in the shape's frame; NaN for an asset whose
// surface is not within `reach`, m.
Distance shape_distance(const PlacedShape& shape, const Vec3<double>& p,
                        double reach = std::numeric_limits<double>::infinity()) {
  switch (shape.kind) {
    case ShapeKind::kPlane:
      return {p.z(), Vec3<double>::UnitZ()};
    case ShapeKind::kAsset: {
      const auto found = distance::signed_distance<double>(shape.body.geometry.surface(), p, reach);
      return {found.distance, found.gradient};
    }
    case ShapeKind::kPieces:  // piece_contact.h
      return {std::numeric_limits<double>::quiet_NaN(), Vec3<double>::Zero()};
    default:
      return primitive_distance(shape, p);
  }
}

// Lower bound of the signed distance of a shape over a box with this centre, rotation R in the shape's frame
// and half sizes. It comes from the shape's bounding box and, for an asset, from the distance at the centre
// minus the half diagonal; for a plane it is exact. Returns the first bound that exceeds `enough`.
double least_distance(const PlacedShape& shape, const Vec3<double>& center, const Mat3<double>& R,
                      const Vec3<double>& half, double enough) {
  const Vec3<double> reach = R.cwiseAbs() * half;
  if (shape.kind == ShapeKind::kPlane) return center.z() - reach.z();
  const double apart = ((center - shape.p_SCenter).cwiseAbs() - reach - shape.half).maxCoeff();
  if (shape.kind != ShapeKind::kAsset || apart > enough) return apart;
  return std::max(apart, shape_distance(shape, center).value - half.norm());
}

// Plus the number of a rim: index of the rim's sample that faces the other shape.
constexpr std::int32_t kFacingRim = 1 << 30;

// A sample of one shape and the signed distance of the other one there.
struct Sampled {
  Ball ball;
  Distance d;    // of the ball's surface; infinite where the sample is not distinct from others
  double least;  // lower bound of d.value at the same pose, m: the sample may be anywhere on a rim
};

// Returns the sample of a rim that faces the shape, where the distance is stationary along the rim. With the
// gradient g at the sample p, its projection Pg onto the rim's plane, the rim's centre c and radius r this is
// p = c - r Pg / |Pg|, which is iterated from the gradient at c: one turn suffices for a flat surface. Of the
// turns the nearest is taken. A rim that is flat on the surface has no such sample. Beyond the distance
// `enough`, m, only `least` is set.
Sampled facing_rim(const PlacedShape& of, const PlacedShape& shape, const Pose<double>& X_SO, const Rim& rim,
                   double enough) {
  constexpr int kTurns = 3;
  constexpr double kFlat = 1e-4;   // sine of the tilt; the corners of the rim are within 0.08 r of it
  constexpr double kSame = 1e-12;  // relative to the radius
  const double swept = of.core.swept_radius;
  Sampled nearest{
      {Vec3<double>(rim.radius, 0, rim.z), swept}, {std::numeric_limits<double>::infinity(), {}}, 0};
  Vec3<double> last(0, 0, rim.z);
  Distance d = shape_distance(shape, X_SO * last, enough + rim.radius + swept);
  nearest.least = std::isnan(d.value) ? enough : d.value - rim.radius - swept;
  for (int turn = 0; turn < kTurns && nearest.least < enough; ++turn) {
    const Vec3<double> down = X_SO.R.transpose() * -d.gradient;
    const double across = std::hypot(down.x(), down.y());
    if (!(across > kFlat)) break;
    const Ball ball{{rim.radius * down.x() / across, rim.radius * down.y() / across, rim.z}, swept};
    if ((ball.center - last).norm() < kSame * rim.radius) break;
    last = ball.center;
    d = shape_distance(shape, X_SO * ball.center);
    if (d.value - swept < nearest.d.value) {
      nearest.ball = ball;
      nearest.d = {d.value - swept, d.gradient};
    }
  }
  return nearest;
}

// Returns the sample of `of` with this index and the distance of `shape` there, at least `enough`, m, where
// it exceeds that.
Sampled sampled(const PlacedShape& of, const PlacedShape& shape, const Pose<double>& X_SO, std::int32_t index,
                double enough = std::numeric_limits<double>::infinity()) {
  const bool asset = of.kind == ShapeKind::kAsset;
  if (!asset && index >= kFacingRim)
    return facing_rim(of, shape, X_SO, rim_of_core(of.core, index - kFacingRim), enough);
  const Ball ball = asset ? Ball{of.samples[index]} : sample_of_core(of.core, index);
  Distance d = shape_distance(shape, X_SO * ball.center, enough + ball.radius);
  d.value = std::isnan(d.value) ? enough : d.value - ball.radius;
  return {ball, d, d.value};
}

// Returns the contact point of a sample of `of` at the distance d from `shape`.
SurfacePoint point_of(const PlacedShape& of, const PlacedShape& shape, bool of_A, std::int32_t index,
                      const Ball& ball, const Distance& d) {
  const Vec3<double> outward = shape.X_WS.R * d.gradient;
  const Vec3<double> p_W = of.X_WS * ball.center - (ball.radius + d.value / 2) * outward;
  const std::uint64_t feature = static_cast<std::uint32_t>(index) | (of_A ? kOfA : 0);
  return {p_W, of_A ? Vec3<double>(-outward) : outward, d.value, 0.0, feature};
}

class Search {
 public:
  // Searches the samples of `of` near `shape`; one of the two is an asset.
  Search(const PlacedShape& of, const PlacedShape& shape, double margin, NearSamples& memory,
         std::vector<NearSamples::Sample>& met)
      : of_(of), shape_(shape), margin_(margin), memory_(memory), X_SO_(shape.X_WS.inverse() * of.X_WS) {
    if (of.kind == ShapeKind::kPlane) return;
    travel();
    if (!(memory.travelled + margin + kRounding * size() <= memory.horizon)) list_samples(met);
  }

  // Calls found(index, ball, distance) for the samples within the margin, in the order of their indices.
  template <class Found>
  void visit(Found&& found) {
    const double touching = memory_.travelled + margin_ + kRounding * size();
    for (NearSamples::Sample& sample : memory_.samples) {
      if (sample.reach > touching) continue;
      // For a sample that is certainly outside, the distance is computed only up to kFar margins.
      const bool outside = sample.reach > memory_.travelled + kRounding * size();
      const double enough = outside ? kFar * margin_ : std::numeric_limits<double>::infinity();
      const Sampled at = sampled(of_, shape_, X_SO_, sample.index, enough);
      sample.reach = memory_.travelled + at.least;
      if (at.d.value <= margin_) found(sample.index, at.ball, at.d);
    }
  }

 private:
  double size() const { return of_.half.norm(); }

  // Updates `travelled`, which bounds the change of distances: a signed distance changes no faster than its
  // point moves.
  void travel() {
    const double turned = (X_SO_.R - memory_.X_SO.R).norm() * size();
    memory_.travelled += (X_SO_ * of_.p_SCenter - memory_.X_SO * of_.p_SCenter).norm() + turned;
    memory_.X_SO = X_SO_;
  }

  void list_samples(std::vector<NearSamples::Sample>& met) {
    memory_.travelled = 0;
    if (of_.kind != ShapeKind::kAsset) {
      memory_.horizon = std::numeric_limits<double>::infinity();
      memory_.samples.clear();
      const std::int32_t count = samples_of_core(of_.core);
      for (std::int32_t k = 0; k < count; ++k) memory_.samples.push_back({k, 0});
      for (const std::int32_t k : {0, 1})
        if (rim_of_core(of_.core, k).radius > 0) memory_.samples.push_back({kFacingRim + k, 0});
      return;
    }
    memory_.horizon = kRoom * margin_;
    met.clear();
    double least = 0;  // lower bound over the last box visited
    const auto near = [&](const Vec3<double>& low, const Vec3<double>& high) {
      const Vec3<double> half = ((high - low) / 2).array() + of_.samples.overhang;
      least = least_distance(shape_, X_SO_ * Vec3<double>((low + high) / 2), X_SO_.R, half, memory_.horizon);
      return least <= memory_.horizon;
    };
    bvh::visit_boxes(of_.samples.tree, near, [&](std::int32_t first, std::int32_t count) {
      const std::ptrdiff_t corners = of_.samples.corners;
      for (std::ptrdiff_t i = corners * first; i < corners * (first + count); ++i)
        met.push_back({of_.samples.faces[i], least});
    });
    // A sample is found with every face around it; the largest bound comes first and is kept.
    std::sort(met.begin(), met.end(), [](const auto& x, const auto& y) {
      return x.index != y.index ? x.index < y.index : x.reach > y.reach;
    });
    const auto same = [](const auto& x, const auto& y) { return x.index == y.index; };
    memory_.samples.assign(met.begin(), std::unique(met.begin(), met.end(), same));
  }

  const PlacedShape &of_, &shape_;
  double margin_;
  NearSamples& memory_;
  Pose<double> X_SO_;
};

void add_points(const PlacedShape& of, const PlacedShape& shape, bool of_A, double margin,
                NearSamples& memory, AssetWorkspace& workspace, std::vector<SurfacePoint>& points) {
  Search(of, shape, margin, memory, workspace.met)
      .visit([&](std::int32_t index, const Ball& ball, const Distance& d) {
        points.push_back(point_of(of, shape, of_A, index, ball, d));
      });
}

}  // namespace

void asset_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory& memory,
                  AssetWorkspace& workspace, std::vector<SurfacePoint>& points) {
  const std::size_t first = points.size();
  add_points(B, A, false, margin, memory.of_B, workspace, points);
  if (A.kind != ShapeKind::kPlane) add_points(A, B, true, margin, memory.of_A, workspace, points);
  const double length = B.kind == ShapeKind::kAsset ? B.half.norm() : A.half.norm();
  keep_spread(points, first, kMaxAssetPoints, length, workspace.spread);
}

SurfacePoint asset_point(const PlacedShape& A, const PlacedShape& B, std::uint64_t feature) {
  const bool of_A = (feature & kOfA) != 0;
  const PlacedShape &of = of_A ? A : B, &shape = of_A ? B : A;
  const auto index = static_cast<std::int32_t>(feature & ~kOfA);
  const Pose<double> X_SO = shape.X_WS.inverse() * of.X_WS;
  Sampled at = sampled(of, shape, X_SO, index);
  // A rim that is flat here faces the shape everywhere.
  if (std::isinf(at.d.value)) {
    at.d = shape_distance(shape, X_SO * at.ball.center);
    at.d.value -= at.ball.radius;
  }
  return point_of(of, shape, of_A, index, at.ball, at.d);
}

}  // namespace abut::dynamics
