#include "runtime/dynamics/frictional/placed_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::dynamics {

SurfaceSamples surface_samples(const asset::AssetView& asset) {
  const asset::SurfaceView& surface = asset.surface;
  const asset::PointsView& quads = asset.points;
  if (quads.vertex_count == 0)
    return {surface.vertices, surface.triangles, 3, surface.vertex_count, surface.tree, 0};
  SurfaceSamples samples{quads.vertices, quads.quads, 4, quads.vertex_count, quads.tree, 0};
  for (std::int32_t i = 0; i < quads.point_count; ++i) {
    const Vec3<double> middle(quads.x[i], quads.y[i], quads.z[i]);  // what the tree's boxes are about
    for (std::ptrdiff_t k = 4 * std::ptrdiff_t(i); k < 4 * std::ptrdiff_t(i) + 4; ++k)
      samples.overhang = std::max(samples.overhang, (samples[quads.quads[k]] - middle).cwiseAbs().maxCoeff());
  }
  return samples;
}

PlacedShape::PlacedShape(const Shape& placed) : shape(placed) {
  switch (shape.kind) {
    case ShapeKind::kBox:
      half = shape.size;
      break;
    case ShapeKind::kCylinder:
      half = {shape.size[0], shape.size[0], shape.size[1]};
      break;
    case ShapeKind::kSphere:
      half.setConstant(shape.size[0]);
      break;
    case ShapeKind::kPlane:
      break;
    case ShapeKind::kAsset: {
      const asset::SurfaceView& surface = shape.asset->surface;
      samples = surface_samples(*shape.asset);
      using Points = Eigen::Map<const Eigen::Matrix3Xd>;
      const Points vertices(surface.vertices, 3, surface.vertex_count);
      const Points tested(samples.points, 3, samples.count);
      const Vec3<double> low = vertices.rowwise().minCoeff().cwiseMin(tested.rowwise().minCoeff());
      const Vec3<double> high = vertices.rowwise().maxCoeff().cwiseMax(tested.rowwise().maxCoeff());
      p_SCenter = (low + high) / 2;
      half = (high - low) / 2;
      break;
    }
  }
}

void PlacedShape::place(const Pose<double>& X_WB, double margin) {
  X_WS = X_WB * shape.X_BS;
  if (shape.kind == ShapeKind::kPlane) {
    bounds.high.setConstant(std::numeric_limits<double>::infinity());
    bounds.low = -bounds.high;
    return;
  }
  Vec3<double> reach;
  if (shape.kind == ShapeKind::kSphere) {
    reach = half;
  } else if (shape.kind == ShapeKind::kCylinder) {
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
