#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// A small z-buffer renderer: enough to look at meshes. Orthographic, supersampled, the same bits on every
// run.
namespace abut::preprocess {

using Color = Eigen::Vector3f;  // red, green, blue in [0, 1]

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // (height, width, 3), top row first
};

// The bytes of an 8-bit PNG. Throws IoError where there is no memory for it.
std::string png_bytes(const Image& image);

// Writes it, whole or not at all. Throws IoError naming the file.
void write_png(const Image& image, const std::filesystem::path& file);

// Images of one height side by side.
Image beside(const std::vector<Image>& panels);

// Where the viewer stands: `toward` points from the object to the viewer, z is up.
struct Camera {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  // in the middle of the image, m
  double radius = 1;                                 // half the height of what is seen, m
  Eigen::Vector3d toward = Eigen::Vector3d(1.0, -1.6, 0.9);
};

// Sees all the points, with a small margin.
Camera camera_for(const std::vector<Eigen::Vector3d>& points);

class Canvas {
 public:
  // A square image of `pixels` x `pixels`.
  Canvas(const Camera& camera, int pixels);

  // A triangle lit by its plane's normal (both sides alike), or by the corners' normals where given.
  void triangle(const Eigen::Vector3d corners[3], const Color& color,
                const Eigen::Vector3d* normals = nullptr);

  // A triangle in the colours of the scale for the values at its corners, linear in between; unlit, so that
  // the colours are those of the scale.
  void scalar_triangle(const Eigen::Vector3d corners[3], const double values[3]);

  // A line that lies on surfaces: it wins over what is up to `lift` (a share of the radius) nearer to the
  // viewer.
  void line(const Eigen::Vector3d& from, const Eigen::Vector3d& to, const Color& color, double pixels = 1,
            double lift = 4e-3);

  Image image() const;

 private:
  Eigen::Vector3d project(
      const Eigen::Vector3d& p) const;  // x right, y down in samples; z toward the viewer, m
  Color shade(const Eigen::Vector3d& normal, const Color& color) const;
  // Calls color_at(a, b, c) with the barycentric coordinates of each covered sample.
  template <class ColorAt>
  void fill_triangle(const Eigen::Vector3d corners[3], ColorAt&& color_at);
  void put(int x, int y, float depth, const Color& color);

  Camera camera_;
  int pixels_, samples_;
  Eigen::Matrix3d axes_;  // rows: right, down, toward the viewer
  std::vector<float> depth_;
  std::vector<Color> color_;
};

// From blue (0) over green to yellow (1), equal steps looking equal: for extents and pressures.
Color scale_color(double value);

}  // namespace abut::preprocess
