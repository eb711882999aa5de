#include "preprocess/draw/picture.h"

namespace abut::preprocess {
namespace {

const Color kSurfaceColor(0.74F, 0.82F, 0.93F);
const Color kHullColor(1.00F, 0.90F, 0.72F);
const Color kQuadColor(0.80F, 0.90F, 0.78F);
const Color kEdgeColor(0.15F, 0.17F, 0.20F);

Eigen::Vector3d vertex(const asset::SurfaceView& s, std::int32_t v) {
  return Eigen::Vector3d(s.vertices + 3 * v);
}
Eigen::Vector3d vertex(const asset::ConvexView& c, std::int32_t v) { return {c.x[v], c.y[v], c.z[v]}; }
Eigen::Vector3d vertex(const asset::PointsView& p, std::int32_t v) {
  return Eigen::Vector3d(p.vertices + 3 * v);
}

// Flat shading: what the triangles are is what is seen.
template <class Part>
void draw_triangles(Canvas& canvas, const Part& part, const Color& color) {
  for (std::int32_t t = 0; t < part.triangle_count; ++t) {
    const std::int32_t* v = part.triangles + 3 * t;
    const Eigen::Vector3d corners[3] = {vertex(part, v[0]), vertex(part, v[1]), vertex(part, v[2])};
    canvas.triangle(corners, color);
  }
}

template <class Part>
void draw_edges(Canvas& canvas, const Part& part, const Color& color, double pixels) {
  for (std::int32_t t = 0; t < part.triangle_count; ++t)
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = part.triangles[3 * t + k], b = part.triangles[3 * t + (k + 1) % 3];
      if (a < b) canvas.line(vertex(part, a), vertex(part, b), color, pixels);
    }
}

// Quads in two triangles with the quad's own normal, so that only what is seen of its edges divides them.
void draw_quads(Canvas& canvas, const asset::PointsView& points) {
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    const std::int32_t* q = points.quads + std::ptrdiff_t(4) * i;
    const Eigen::Vector3d corners[4] = {vertex(points, q[0]), vertex(points, q[1]), vertex(points, q[2]),
                                        vertex(points, q[3])};
    const Eigen::Vector3d n(points.nx[i], points.ny[i], points.nz[i]);
    const Eigen::Vector3d normals[3] = {n, n, n};
    for (const int k : {1, 2}) {
      const Eigen::Vector3d half[3] = {corners[0], corners[k], corners[k + 1]};
      canvas.triangle(half, kQuadColor, normals);
    }
    for (int k = 0; k < 4; ++k)
      if (q[k] < q[(k + 1) % 4]) canvas.line(corners[k], corners[(k + 1) % 4], kEdgeColor, 0.3);
  }
}

}  // namespace

Image picture(const asset::AssetView& asset, int panel_pixels) {
  std::vector<Eigen::Vector3d> points;
  points.reserve(static_cast<std::size_t>(asset.surface.vertex_count) +
                 static_cast<std::size_t>(asset.convex.vertex_count));
  for (std::int32_t v = 0; v < asset.surface.vertex_count; ++v) points.push_back(vertex(asset.surface, v));
  for (std::int32_t v = 0; v < asset.convex.vertex_count; ++v) points.push_back(vertex(asset.convex, v));
  const Camera camera = camera_for(points);
  std::vector<Image> panels;
  if (asset.surface.triangle_count > 0) {
    Canvas canvas(camera, panel_pixels);
    draw_triangles(canvas, asset.surface, kSurfaceColor);
    panels.push_back(canvas.image());
  }
  if (asset.convex.triangle_count > 0) {
    Canvas canvas(camera, panel_pixels);
    draw_triangles(canvas, asset.convex, kHullColor);
    draw_edges(canvas, asset.convex, kEdgeColor, 0.3);
    panels.push_back(canvas.image());
  }
  if (asset.points.point_count > 0) {
    Canvas canvas(camera, panel_pixels);
    draw_quads(canvas, asset.points);
    panels.push_back(canvas.image());
  }
  return beside(panels);
}

}  // namespace abut::preprocess
