#include "runtime/dynamics/frictional/asset_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/bvh/traversal.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/dynamics/frictional/contact_reduction.h"

namespace abut::dynamics {
namespace {

constexpr std::uint16_t kOfA = 0x8000;  // feature bit: a sample of A against B's distance
constexpr double kRoom = 4;             // horizon of a list, in margins: a margin is about a step's travel
constexpr double kFar = 2;              // margins within which a distance is of interest
constexpr double kRounding = 1e-9;      // of a distance, over the shape's size

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

// Signed distance of a shape at a point, both in the shape's frame; NaN where it is an asset whose surface is
// not within `reach`.
Distance shape_distance(const PlacedShape& shape, const Vec3<double>& p,
                        double reach = std::numeric_limits<double>::infinity()) {
  switch (shape.shape.kind) {
    case ShapeKind::kBox:
      return box_distance(shape.half, p);
    case ShapeKind::kCylinder:
      return cylinder_distance(shape.half, p);
    case ShapeKind::kSphere: {
      const double length = p.norm();
      return {length - shape.half[0], length > 0 ? Vec3<double>(p / length) : Vec3<double>::UnitZ()};
    }
    case ShapeKind::kPlane:
      return {p.z(), Vec3<double>::UnitZ()};
    case ShapeKind::kAsset: {
      const auto found = distance::signed_distance<double>(shape.shape.asset->surface, p, reach);
      return {found.distance, found.gradient};
    }
  }
  return {std::numeric_limits<double>::quiet_NaN(), Vec3<double>::Zero()};
}

// A bound from below on the signed distance of a shape over a box (centre, half sizes) in the shape's frame:
// from the shape's own box, and where it is an asset from the distance at the centre, which no point of the
// box falls short of by more than the half diagonal; for a plane, exact. Beyond `enough` any bound will do.
double least_distance(const PlacedShape& shape, const Vec3<double>& center, const Mat3<double>& R,
                      const Vec3<double>& half, double enough) {
  const Vec3<double> reach = R.cwiseAbs() * half;
  if (shape.shape.kind == ShapeKind::kPlane) return center.z() - reach.z();
  const double apart = ((center - shape.p_SCenter).cwiseAbs() - reach - shape.half).maxCoeff();
  if (shape.shape.kind != ShapeKind::kAsset || apart > enough) return apart;
  return std::max(apart, shape_distance(shape, center).value - half.norm());
}

class Search {
 public:
  // Of the samples of `of` against `shape`.
  Search(const PlacedShape& of, const PlacedShape& shape, double margin, NearSamples& memory,
         std::vector<NearSamples::Sample>& met)
      : of_(of), shape_(shape), margin_(margin), memory_(memory), X_SO_(shape.X_WS.inverse() * of.X_WS) {
    if (of.shape.kind != ShapeKind::kBox && of.shape.kind != ShapeKind::kAsset) return;
    travel();
    if (!(memory.travelled + margin + kRounding * size() <= memory.horizon)) list_samples(met);
  }

  // Calls found(index, p_O, distance) for the samples within the margin, by index.
  template <class Found>
  void visit(Found&& found) {
    const double touching = memory_.travelled + margin_ + kRounding * size();
    for (NearSamples::Sample& sample : memory_.samples) {
      if (sample.reach > touching) continue;
      const Vec3<double> p_O = position(sample.index);
      // One that is outside for sure may be too far to be of interest.
      const bool outside = sample.reach > memory_.travelled + kRounding * size();
      const double enough = outside ? kFar * margin_ : std::numeric_limits<double>::infinity();
      Distance d = shape_distance(shape_, X_SO_ * p_O, enough);
      if (std::isnan(d.value)) d.value = enough;
      sample.reach = memory_.travelled + d.value;
      if (d.value <= margin_) found(sample.index, p_O, d);
    }
  }

 private:
  bool box() const { return of_.shape.kind == ShapeKind::kBox; }
  double size() const { return of_.half.norm(); }

  Vec3<double> position(std::int32_t index) const {
    if (!box()) return of_.samples[index];
    return {index & 1 ? -of_.half.x() : of_.half.x(), index & 2 ? -of_.half.y() : of_.half.y(),
            index & 4 ? -of_.half.z() : of_.half.z()};
  }

  // A signed distance changes no faster than its point moves.
  void travel() {
    const double turned = (X_SO_.R - memory_.X_SO.R).norm() * size();
    memory_.travelled += (X_SO_ * of_.p_SCenter - memory_.X_SO * of_.p_SCenter).norm() + turned;
    memory_.X_SO = X_SO_;
  }

  void list_samples(std::vector<NearSamples::Sample>& met) {
    memory_.travelled = 0;
    if (box()) {
      memory_.horizon = std::numeric_limits<double>::infinity();
      memory_.samples.clear();
      for (std::int32_t k = 0; k < 8; ++k) memory_.samples.push_back({k, 0});
      return;
    }
    memory_.horizon = kRoom * margin_;
    met.clear();
    double least = 0;  // over the box met last
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
    // A sample is met with every face about it; its best bound comes first.
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
      .visit([&](std::int32_t index, const Vec3<double>& p_O, const Distance& d) {
        const Vec3<double> outward = shape.X_WS.R * d.gradient;
        const Vec3<double> p_W = of.X_WS * p_O - d.value / 2 * outward;
        const auto feature = static_cast<std::uint16_t>((index & 0x7fff) | (of_A ? kOfA : 0));
        points.push_back({p_W, of_A ? Vec3<double>(-outward) : outward, d.value, 0.0, feature});
      });
}

}  // namespace

void asset_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory& memory,
                  AssetWorkspace& workspace, std::vector<SurfacePoint>& points) {
  const std::size_t first = points.size();
  add_points(B, A, false, margin, memory.of_B, workspace, points);
  if (A.shape.kind != ShapeKind::kPlane) add_points(A, B, true, margin, memory.of_A, workspace, points);
  const double length = B.shape.kind == ShapeKind::kAsset ? B.half.norm() : A.half.norm();
  keep_spread(points, first, kMostAssetPoints, length, workspace.spread);
}

}  // namespace abut::dynamics
