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

namespace {

ShapeKind kind_of(body::CoreKind core) {
  switch (core) {
    case body::CoreKind::kPoint:
      return ShapeKind::kPoint;
    case body::CoreKind::kSegment:
      return ShapeKind::kSegment;
    case body::CoreKind::kBox:
      return ShapeKind::kBox;
    case body::CoreKind::kEllipsoid:
      return ShapeKind::kEllipsoid;
    case body::CoreKind::kRims:
      return ShapeKind::kRims;
    case body::CoreKind::kPlane:
      return ShapeKind::kPlane;
    case body::CoreKind::kHull:
      break;
  }
  return ShapeKind::kAsset;
}

}  // namespace

Vec3<double> half_sizes(const body::SweptCore<double>& core) {
  Vec3<double> half = core.size.array() + core.swept_radius;
  if (core.kind == body::CoreKind::kRims)
    half[0] = half[1] = std::max(core.size.x(), core.top_radius) + core.swept_radius;
  return half;
}

PlacedShape::PlacedShape(const Shape& shape) : body{shape.geometry, shape.material}, X_BS(shape.X_BS) {
  if (shape.geometry.primitive() == nullptr) {
    samples = surface_samples(shape.geometry);
    bound_asset();
  } else {
    core =
        std::visit([](const auto& primitive) { return swept_core(primitive); }, *shape.geometry.primitive());
    kind = kind_of(core.kind);
    half = half_sizes(core);
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

// A hull of two rims has those of the cylinder around it.
Vec3<double> PlacedShape::half_extents() const {
  const auto along_axes = [this](const auto& of_core) -> Vec3<double> {
    const auto& R = X_WS.R;
    return Vec3<double>(of_core(R.row(0)), of_core(R.row(1)), of_core(R.row(2))).array() + core.swept_radius;
  };
  switch (kind) {
    case ShapeKind::kPoint:
      return half;
    case ShapeKind::kSegment:
      return along_axes([this](const auto& d) { return std::abs(d[2]) * core.size[2]; });
    case ShapeKind::kEllipsoid:
      return along_axes([this](const auto& d) { return core.size.cwiseProduct(d.transpose()).norm(); });
    case ShapeKind::kRims:
      return along_axes([radius = half[0] - core.swept_radius, height = core.size[2]](const auto& d) {
        return std::abs(d[2]) * height + std::sqrt(std::max(0.0, 1 - d[2] * d[2])) * radius;
      });
    case ShapeKind::kBox:
      return (X_WS.R.cwiseAbs() * core.size).array() + core.swept_radius;
    default:
      return X_WS.R.cwiseAbs() * half;
  }
}

void PlacedShape::place(const Pose<double>& X_WB, double margin) {
  X_WS = X_WB * X_BS;
  if (kind == ShapeKind::kPlane) {
    bounds.high.setConstant(std::numeric_limits<double>::infinity());
    bounds.low = -bounds.high;
    return;
  }
  const Vec3<double> reach = half_extents();
  const Vec3<double> center = X_WS * p_SCenter;
  bounds = {center - reach, center + reach};
  bounds.grow(margin);
}

}  // namespace abut::dynamics
