#include "runtime/dynamics/frictional/asset_contact.h"

#include <cmath>
#include <limits>

#include "runtime/bvh/traversal.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/dynamics/frictional/contact_reduction.h"

namespace abut::dynamics {
namespace {

constexpr std::uint16_t kOfA = 0x8000;  // feature bit: a vertex of A against B's distance

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

// Signed distance of a shape at a point, both in the shape's frame.
Distance shape_distance(const PlacedShape& shape, const Vec3<double>& p) {
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
      const auto found = distance::signed_distance<double>(shape.shape.asset->surface, p);
      return {found.distance, found.gradient};
    }
  }
  return {std::numeric_limits<double>::quiet_NaN(), Vec3<double>::Zero()};
}

// Whether a box (centre, half sizes) in another shape's frame may come within the margin of that shape: by
// its own box, and where it is an asset by the distance at the centre, which no point of the box falls short
// of by more than the half diagonal; for a plane, exactly.
bool may_touch(const PlacedShape& shape, const Vec3<double>& center, const Mat3<double>& R,
               const Vec3<double>& half, double margin) {
  const Vec3<double> reach = R.cwiseAbs() * half;
  if (shape.shape.kind == ShapeKind::kPlane) return center.z() - reach.z() <= margin;
  const Vec3<double> apart = (center - shape.p_SCenter).cwiseAbs() - reach - shape.half;
  if (apart.maxCoeff() > margin) return false;
  return shape.shape.kind != ShapeKind::kAsset || shape_distance(shape, center).value <= margin + half.norm();
}

// Calls leaf(first, count) for the triangles of `of` in boxes that may come within the margin of `shape`,
// X_SO: pose of `of` in the shape's frame.
template <class Leaf>
void visit_near(const bvh::TreeView& tree, const PlacedShape& shape, const Pose<double>& X_SO, double margin,
                Leaf&& leaf) {
  const auto near = [&](const Vec3<double>& low, const Vec3<double>& high) {
    return may_touch(shape, X_SO * Vec3<double>((low + high) / 2), X_SO.R, (high - low) / 2, margin);
  };
  bvh::visit_boxes(tree, near, leaf);
}

class Collector {
 public:
  Collector(double margin, AssetWorkspace& workspace, std::vector<SurfacePoint>& points)
      : margin_(margin), work_(workspace), points_(points) {}

  // The vertices of `of` against `shape`; `of_A`: those of the pair's first shape.
  void add(const PlacedShape& of, const PlacedShape& shape, bool of_A) {
    const Pose<double> X_SO = shape.X_WS.inverse() * of.X_WS;
    const auto test = [&](std::int32_t index, const Vec3<double>& p_O) {
      const Distance d = shape_distance(shape, X_SO * p_O);
      if (!(d.value <= margin_)) return;
      const Vec3<double> outward = shape.X_WS.R * d.gradient;
      const Vec3<double> p_W = of.X_WS * p_O - d.value / 2 * outward;
      const auto feature = static_cast<std::uint16_t>((index & 0x7fff) | (of_A ? kOfA : 0));
      points_.push_back({p_W, of_A ? Vec3<double>(-outward) : outward, d.value, 0.0, feature});
    };
    if (of.shape.kind == ShapeKind::kBox) {
      for (int k = 0; k < 8; ++k)
        test(k, {k & 1 ? -of.half.x() : of.half.x(), k & 2 ? -of.half.y() : of.half.y(),
                 k & 4 ? -of.half.z() : of.half.z()});
    } else if (of.shape.kind == ShapeKind::kAsset) {
      add_surface(of.shape.asset->surface, shape, X_SO, test);
    }
  }

 private:
  template <class Test>
  void add_surface(const asset::SurfaceView& surface, const PlacedShape& shape, const Pose<double>& X_SO,
                   Test&& test) {
    const auto count = static_cast<std::size_t>(surface.vertex_count);
    if (work_.seen.size() < count) work_.seen.resize(count, 0);
    if (++work_.query == 0) {  // wrapped
      std::fill(work_.seen.begin(), work_.seen.end(), 0);
      work_.query = 1;
    }
    visit_near(surface.tree, shape, X_SO, margin_, [&](std::int32_t first, std::int32_t triangles) {
      for (std::ptrdiff_t i = 3 * std::ptrdiff_t(first); i < 3 * std::ptrdiff_t(first + triangles); ++i) {
        const std::int32_t vertex = surface.triangles[i];
        std::uint32_t& seen = work_.seen[static_cast<std::size_t>(vertex)];
        if (seen == work_.query) continue;
        seen = work_.query;
        const double* v = surface.vertices + std::ptrdiff_t(3) * vertex;
        test(vertex, {v[0], v[1], v[2]});
      }
    });
  }

  double margin_;
  AssetWorkspace& work_;
  std::vector<SurfacePoint>& points_;
};

}  // namespace

void asset_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetWorkspace& workspace,
                  std::vector<SurfacePoint>& points) {
  const std::size_t first = points.size();
  Collector collector(margin, workspace, points);
  collector.add(B, A, false);
  if (A.shape.kind != ShapeKind::kPlane) collector.add(A, B, true);
  const double length = B.shape.kind == ShapeKind::kAsset ? B.half.norm() : A.half.norm();
  keep_spread(points, first, kMostAssetPoints, length, workspace.spread);
}

}  // namespace abut::dynamics
