#include "runtime/dynamics/collide/placed_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/distance/surface_distance.h"

namespace abut::dynamics {

SurfaceSamples surface_samples(const body::Geometry& asset) {
  const asset::SurfaceView& surface = asset.surface();
  const asset::PointsView& quads = asset.points();
  const bool of_quads = quads.vertex_count > 0;
  const double* const from = of_quads ? quads.vertices : surface.vertices;
  std::vector<Vec3<double>> points(
      static_cast<std::size_t>(of_quads ? quads.vertex_count : surface.vertex_count));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = Vec3<double>::Map(from + 3 * i);
  if (of_quads) {
    for (Vec3<double>& p : points) {
      const auto nearest = distance::signed_distance<double>(surface, p);
      if (nearest.closest.allFinite()) p = nearest.closest;
    }
  }
  SurfaceSamples samples;
  samples.points = std::make_shared<const std::vector<Vec3<double>>>(std::move(points));
  samples.faces = of_quads ? quads.quads : surface.triangles;
  samples.corners = of_quads ? 4 : 3;
  samples.tree = of_quads ? quads.tree : surface.tree;
  if (!of_quads) return samples;
  for (std::int32_t i = 0; i < quads.point_count; ++i) {
    const Vec3<double> middle(quads.x[i], quads.y[i], quads.z[i]);  // the tree's boxes contain these points
    for (std::ptrdiff_t k = 4 * std::ptrdiff_t(i); k < 4 * std::ptrdiff_t(i) + 4; ++k)
      samples.overhang = std::max(samples.overhang, (samples[quads.quads[k]] - middle).cwiseAbs().maxCoeff());
  }
  return samples;
}

PlacedShape::PlacedShape(const Shape& shape) : body{shape.geometry, shape.material}, X_BS(shape.X_BS) {
  if (shape.geometry.primitive() == nullptr) {
    samples = surface_samples(shape.geometry);
    bound_asset();
  } else if (const auto* box = shape.geometry.as<body::Box<double>>()) {
    kind = ShapeKind::kBox;
    half = box->half;
  } else if (const auto* cylinder = shape.geometry.as<body::Cylinder<double>>()) {
    kind = ShapeKind::kCylinder;
    half = {cylinder->radius, cylinder->radius, cylinder->half_length};
  } else if (const auto* sphere = shape.geometry.as<body::Sphere<double>>()) {
    kind = ShapeKind::kSphere;
    half.setConstant(sphere->radius);
  } else {
    kind = ShapeKind::kPlane;
  }
}

PlacedShape::PlacedShape(const Shape& shape, const SurfaceSamples& of_asset)
    : body{shape.geometry, shape.material}, X_BS(shape.X_BS), samples(of_asset) {
  bound_asset();
}

PlacedShape::PlacedShape(const Shape& shape, std::shared_ptr<const PieceFaces> of_pieces)
    : body{shape.geometry, shape.material},
      X_BS(shape.X_BS),
      kind(ShapeKind::kPieces),
      faces(std::move(of_pieces)) {
  bound_pieces();
}

void PlacedShape::bound_pieces() {
  const asset::PiecesView& pieces = body.geometry.pieces();
  Vec3<double> low = Vec3<double>::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (std::int32_t i = 0; i < pieces.piece_count; ++i) {
    const double* const rows[] = {pieces.convex[i].x, pieces.convex[i].y, pieces.convex[i].z};
    for (int k = 0; k < 3; ++k) {
      const Eigen::Map<const Eigen::VectorXd> along(rows[k], pieces.convex[i].vertex_count);
      low[k] = std::min(low[k], along.minCoeff());
      high[k] = std::max(high[k], along.maxCoeff());
    }
  }
  p_SCenter = (low + high) / 2;
  half = (high - low) / 2;
}

// The box of the surface's vertices also contains the samples, which lie on the surface.
void PlacedShape::bound_asset() {
  const asset::SurfaceView& surface = body.geometry.surface();
  const Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices, 3, surface.vertex_count);
  const Vec3<double> low = vertices.rowwise().minCoeff(), high = vertices.rowwise().maxCoeff();
  p_SCenter = (low + high) / 2;
  half = (high - low) / 2;
}

void PlacedShape::place(const Pose<double>& X_WB, double margin) {
  X_WS = X_WB * X_BS;
  if (kind == ShapeKind::kPlane) {
    bounds.high.setConstant(std::numeric_limits<double>::infinity());
    bounds.low = -bounds.high;
    return;
  }
  Vec3<double> reach;
  if (kind == ShapeKind::kSphere) {
    reach = half;
  } else if (kind == ShapeKind::kCylinder) {
    for (int k = 0; k < 3; ++k) {
      const double along = X_WS.R(k, 2);
      reach[k] = std::abs(along) * half[2] + std::sqrt(std::max(0.0, 1 - along * along)) * half[0];
    }
  } else {
    reach = X_WS.R.cwiseAbs() * half;
  }
  const Vec3<double> center = X_WS * p_SCenter;
  bounds = {center - reach, center + reach};
  bounds.grow(margin);
}

}  // namespace abut::dynamics
