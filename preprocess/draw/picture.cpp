#include "preprocess/draw/picture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "preprocess/draw/cut.h"
#include "preprocess/draw/label.h"
#include "runtime/core/counted.h"

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

// Flat shading makes the triangles visible.
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

// Draws quads as two triangles each with the quad's own normal, so that the diagonals are not visible.
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

std::vector<Eigen::Vector3d> points_of(const asset::AssetView& asset) {
  std::vector<Eigen::Vector3d> points;
  points.reserve(static_cast<std::size_t>(asset.surface.vertex_count) +
                 static_cast<std::size_t>(asset.convex.vertex_count));
  for (std::int32_t v = 0; v < asset.surface.vertex_count; ++v) points.push_back(vertex(asset.surface, v));
  for (std::int32_t v = 0; v < asset.convex.vertex_count; ++v) points.push_back(vertex(asset.convex, v));
  return points;
}

// --- panels: a square image with a line of text below ---

// The parts of an asset that the panels show.
struct Shown : asset::AssetView {
  std::vector<asset::ConvexView> pieces;
  const asset::SphereSet* spheres = nullptr;  // null if absent
};

constexpr int kDot = 2;             // pixels for each dot of the letters
constexpr int kMargin = 16;         // pixels
constexpr int kCaptionHeight = 44;  // pixels

Image with_caption(const Image& square, const std::string& text) {
  Image image{square.width, square.height + kCaptionHeight, square.rgb};
  image.rgb.resize(static_cast<std::size_t>(image.width) * image.height * 3, 255);
  label(image, kMargin, square.height + kMargin / 2, text, kEdgeColor, kDot);
  return image;
}

Image surface_panel(const Shown& asset, const Camera& camera, int pixels) {
  Canvas canvas(camera, pixels);
  draw_triangles(canvas, asset.surface, kSurfaceColor);
  return with_caption(canvas.image(), "surface: " + counted(asset.surface.triangle_count, "triangle"));
}

Image hull_panel(const Shown& asset, const Camera& camera, int pixels) {
  Canvas canvas(camera, pixels);
  draw_triangles(canvas, asset.convex, kHullColor);
  draw_edges(canvas, asset.convex, kEdgeColor, 0.3);
  return with_caption(canvas.image(),
                      "convex hull: " + counted(asset.convex.vertex_count, "vertex", "vertices"));
}

// Distinct colours: hues by the golden ratio, in three levels of brightness.
Color piece_color(std::size_t number) {
  constexpr double kGolden = 0.618033988749895;
  const double hue = 6 * std::fmod(kGolden * static_cast<double>(number), 1.0);
  const double value = 0.95 - 0.15 * static_cast<double>(number % 3), pale = 0.35;
  Color color;
  for (int k = 0; k < 3; ++k) {
    const double away = std::abs(std::fmod(hue + 6 - 2 * k, 6.0) - 3);  // 3 at the channel's own hue
    color[k] = static_cast<float>(value * (pale + (1 - pale) * std::clamp(away - 1, 0.0, 1.0)));
  }
  return color;
}

Image pieces_panel(const Shown& asset, const Camera& camera, int pixels) {
  Canvas canvas(camera, pixels);
  for (std::size_t i = 0; i < asset.pieces.size(); ++i) {
    draw_triangles(canvas, asset.pieces[i], piece_color(i));
    draw_edges(canvas, asset.pieces[i], kEdgeColor, 0.3);
  }
  return with_caption(canvas.image(), counted(asset.pieces.size(), "convex piece"));
}

// Draws a ball as facets between circles of latitude and longitude, shaded smoothly.
void draw_ball(Canvas& canvas, const Eigen::Vector3d& center, double radius, const Color& color) {
  constexpr int kRings = 12;
  const auto outward = [](int ring, int step) {
    const double polar = ring * std::numbers::pi / kRings, turn = step * std::numbers::pi / kRings;
    return Eigen::Vector3d(std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn),
                           std::cos(polar));
  };
  for (int ring = 0; ring < kRings; ++ring) {
    for (int step = 0; step < 2 * kRings; ++step) {
      const Eigen::Vector3d n[] = {outward(ring, step), outward(ring + 1, step), outward(ring + 1, step + 1),
                                   outward(ring, step + 1)};
      for (const auto& [j, k] : {std::pair{1, 2}, {2, 3}}) {
        const Eigen::Vector3d normals[] = {n[0], n[j], n[k]};
        const Eigen::Vector3d corners[] = {center + radius * n[0], center + radius * n[j],
                                           center + radius * n[k]};
        canvas.triangle(corners, color, normals);
      }
    }
  }
}

// From further away than the other panels where spheres reach out of their view.
Image spheres_panel(const Shown& asset, const Camera& camera, int pixels) {
  const asset::SphereSet& spheres = *asset.spheres;
  const auto center = [&](std::size_t i) { return Eigen::Vector3d::Map(spheres.centers.data() + 3 * i); };
  Camera wide = camera;
  for (std::size_t i = 0; i < spheres.radii.size(); ++i)
    wide.radius = std::max(wide.radius, 1.04 * ((center(i) - camera.center).norm() + spheres.radii[i]));
  Canvas canvas(wide, pixels);
  for (std::size_t i = 0; i < spheres.radii.size(); ++i)
    draw_ball(canvas, center(i), spheres.radii[i], piece_color(i));
  return with_caption(canvas.image(), counted(spheres.radii.size(), "sphere"));
}

Image quads_panel(const Shown& asset, const Camera& camera, int pixels) {
  Canvas canvas(camera, pixels);
  draw_quads(canvas, asset.points);
  return with_caption(canvas.image(), "oriented points: " + counted(asset.points.point_count, "quad"));
}

// Draws the colour scale at the right of the caption, with its limits.
void draw_scale(Image& image, int top) {
  constexpr int kWidth = 96, kHeight = 9 * kDot;
  const int digit = label_width("0", kDot);
  const int right = image.width - kMargin - digit, left = right - kWidth;
  for (int x = 0; x < kWidth; ++x) fill(image, left + x, top, 1, kHeight, scale_color((x + 0.5) / kWidth));
  label(image, right + digit / 2, top + kDot, "1", kEdgeColor, kDot);
  const std::string_view text = "extent 0";
  label(image, left - digit / 2 - label_width(text, kDot), top + kDot, text, kEdgeColor, kDot);
}

// The cut volume, viewed nearly along the normal of the cut.
Image volume_panel(const Shown& asset, const Camera& camera, int pixels) {
  constexpr double kTilt = 0.5;  // rad
  const Eigen::Vector3d toward = camera.toward.normalized();
  const CutPlane plane = choose_cut(asset.volume, toward);
  Camera facing = camera;
  const Eigen::Vector3d sideways = toward - toward.dot(plane.normal) * plane.normal;
  if (sideways.norm() > kTilt)
    facing.toward = std::cos(kTilt) * plane.normal + std::sin(kTilt) * sideways.normalized();
  Canvas canvas(facing, pixels);
  draw_cut(canvas, asset.volume, plane, kSurfaceColor);
  Image image =
      with_caption(canvas.image(), counted(asset.volume.tetrahedron_count, "tetrahedron", "tetrahedra"));
  draw_scale(image, pixels + kMargin / 2 - kDot);
  return image;
}

// A panel: whether the asset has the part, and how it is drawn.
struct Panel {
  bool (*present)(const Shown&);
  Image (*draw)(const Shown&, const Camera&, int pixels);
};

constexpr Panel kPanels[] = {
    {[](const Shown& a) { return a.surface.triangle_count > 0; }, surface_panel},
    {[](const Shown& a) { return a.convex.triangle_count > 0; }, hull_panel},
    {[](const Shown& a) { return !a.pieces.empty(); }, pieces_panel},
    {[](const Shown& a) { return a.spheres != nullptr; }, spheres_panel},
    {[](const Shown& a) { return a.points.point_count > 0; }, quads_panel},
    {[](const Shown& a) { return a.volume.tetrahedron_count > 0; }, volume_panel},
};

}  // namespace

Image thumbnail(const asset::AssetView& asset, int pixels) {
  Canvas canvas(camera_for(points_of(asset)), pixels);
  draw_triangles(canvas, asset.surface, kSurfaceColor);
  return canvas.image();
}

Image picture(const asset::Asset& whole, int panel_pixels) {
  Shown asset{asset::view(whole), {}, whole.spheres.empty() ? nullptr : whole.spheres.data()};
  for (std::size_t i = 1; !whole.pieces.empty() && i < whole.convex.size(); ++i)
    asset.pieces.push_back(asset::view(whole.convex[i]));
  const Camera camera = camera_for(points_of(asset));
  std::vector<Image> panels;
  for (const Panel& panel : kPanels)
    if (panel.present(asset)) panels.push_back(panel.draw(asset, camera, panel_pixels));
  return beside(panels);
}

}  // namespace abut::preprocess
