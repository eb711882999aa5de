#pragma once

#include <string>
#include <vector>

#include "preprocess/draw/canvas.h"
#include "preprocess/draw/label.h"
#include "runtime/body/tessellation.h"
#include "runtime/dynamics/system/scene.h"
#include "runtime/dynamics/system/state.h"

// Pictures of scenes in motion, side by side.
namespace abut::benchmarks {

// What a shape's surface looks like, in its own frame: triangles, corner after corner; none of a half-space.
inline std::vector<Vec3<double>> triangles_of(const body::Geometry& geometry) {
  constexpr double kDeviation = 0.01;  // of the radius
  std::vector<Vec3<double>> corners;
  if (geometry.half_space()) return corners;
  if (const body::Primitive* primitive = geometry.primitive()) {
    const body::TriangleMesh mesh = body::triangulate(*primitive, kDeviation);
    for (const auto& triangle : mesh.triangles)
      for (const std::int32_t v : triangle) corners.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
    return corners;
  }
  const asset::SurfaceView& surface = geometry.surface();
  for (std::int64_t k = 0; k < 3LL * surface.triangle_count; ++k)
    corners.push_back(Vec3<double>::Map(surface.vertices + 3LL * surface.triangles[k]));
  return corners;
}

// Panels of one scene seen from one place.
class SceneStrip {
 public:
  SceneStrip(const dynamics::Scene& scene, const preprocess::Camera& camera, int pixels = 300)
      : scene_(scene), camera_(camera), pixels_(pixels) {}

  // Where the bodies are now, with a caption of a few words.
  void add(std::span<const dynamics::BodyState> states, const std::string& caption) {
    preprocess::Canvas canvas(camera_, pixels_);
    for (const dynamics::Shape& shape : scene_.fixed) draw(shape, {}, {0.80F, 0.80F, 0.80F}, canvas);
    for (std::size_t i = 0; i < states.size(); ++i)
      for (const dynamics::Shape& shape : scene_.bodies[i].shapes)
        draw(shape, {states[i].q_WB.toRotationMatrix(), states[i].p_WB}, color_of(i), canvas);
    panels_.push_back(canvas.image());
    preprocess::label(panels_.back(), 8, 8, caption, {0.15F, 0.17F, 0.20F}, 2);
  }

  preprocess::Image image() const { return preprocess::beside(panels_); }

 private:
  static preprocess::Color color_of(std::size_t body) {
    static const preprocess::Color kColors[] = {
        {0.95F, 0.75F, 0.45F}, {0.60F, 0.75F, 0.92F}, {0.70F, 0.86F, 0.66F}, {0.90F, 0.62F, 0.62F}};
    return kColors[body % std::size(kColors)];
  }
  static void draw(const dynamics::Shape& shape, const Pose<double>& X_WB, const preprocess::Color& color,
                   preprocess::Canvas& canvas) {
    const Pose<double> X_WS = X_WB * shape.X_BS;
    const std::vector<Vec3<double>> corners = triangles_of(shape.geometry);
    for (std::size_t k = 0; k < corners.size(); k += 3) {
      const Vec3<double> placed[3] = {X_WS * corners[k], X_WS * corners[k + 1], X_WS * corners[k + 2]};
      canvas.triangle(placed, color);
    }
  }

  const dynamics::Scene& scene_;
  preprocess::Camera camera_;
  int pixels_;
  std::vector<preprocess::Image> panels_;
};

}  // namespace abut::benchmarks
