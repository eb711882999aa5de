#pragma once

#include <cmath>
#include <string>

#include "preprocess/draw/canvas.h"
#include "preprocess/draw/label.h"
#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"
#include "runtime/witness/support.h"

namespace abut::benchmarks {

// One panel of a picture: hulls and dots. A dot that a body hides shines through at half its strength, since
// witness points of touching bodies lie between them.
class Stage {
 public:
  Stage(const preprocess::Camera& camera, int pixels)
      : solid_(camera, pixels), dots_(camera, pixels), pixels_(pixels), length_(camera.radius) {}

  void body(const asset::ConvexView& hull, const Pose<double>& X_WB, const preprocess::Color& color) {
    const preprocess::Color edge = color * 0.6F;
    for (std::int32_t t = 0; t < hull.triangle_count; ++t) {
      Vec3<double> corners[3];
      for (int k = 0; k < 3; ++k)
        corners[k] = X_WB * witness::core_vertex<double>(hull, hull.triangles[3 * t + k]);
      solid_.triangle(corners, color);
      for (int k = 0; k < 3; ++k) solid_.line(corners[k], corners[(k + 1) % 3], edge, 0.3);
    }
  }

  // A ball about p; its radius is given as a share of half the panel.
  void dot(const Vec3<double>& p, double share, const preprocess::Color& color) {
    constexpr int kRows = 8, kColumns = 16;
    constexpr double kPi = 3.14159265358979323846;
    const auto direction = [](int i, int j) {
      const double a = kPi * i / kRows, b = 2 * kPi * j / kColumns;
      return Vec3<double>(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a));
    };
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) {
        const Vec3<double> d[4] = {direction(i, j), direction(i + 1, j), direction(i + 1, j + 1),
                                   direction(i, j + 1)};
        for (const int k : {1, 2}) {
          const Vec3<double> normals[3] = {d[0], d[k], d[k + 1]};
          Vec3<double> corners[3];
          for (int c = 0; c < 3; ++c) corners[c] = p + share * length_ * normals[c];
          solid_.triangle(corners, color, normals);
          dots_.triangle(corners, color, normals);
        }
      }
  }

  // With a line of text below.
  preprocess::Image image(const std::string& caption) const {
    preprocess::Image image = solid_.image();
    const preprocess::Image dots = dots_.image();
    for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3) {
      const std::uint8_t* const c = dots.rgb.data() + i;
      if (c[0] == 255 && c[1] == 255 && c[2] == 255) continue;  // background
      for (std::size_t k = i; k < i + 3; ++k)
        image.rgb[k] = static_cast<std::uint8_t>((image.rgb[k] + dots.rgb[k]) / 2);
    }
    constexpr int kCaption = 30, kDot = 2;  // pixels
    image.height += kCaption;
    image.rgb.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3, 255);
    preprocess::label(image, 10, pixels_ + 4, caption, preprocess::Color(0.15F, 0.17F, 0.20F), kDot);
    return image;
  }

 private:
  preprocess::Canvas solid_, dots_;
  int pixels_;
  double length_;
};

}  // namespace abut::benchmarks
