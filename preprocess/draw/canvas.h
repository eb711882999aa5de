#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// A small z-buffer renderer for images of meshes. Orthographic, supersampled, bit-identical on every run.
namespace abut::preprocess {

using Color = Eigen::Vector3f;  // red, green, blue in [0, 1]

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // (height, width, 3), top row first
};

// Encodes an 8-bit PNG. Throws IoError if memory runs out.
std::string png_bytes(const Image& image);

// Writes an image as PNG, completely or not at all. Throws IoError naming the file.
void write_png(const Image& image, const std::filesystem::path& file);

// Joins images of equal height side by side.
Image beside(const std::vector<Image>& panels);

// The viewer's position: `toward` points from the object to the viewer; z is up.
struct Camera {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  // at the centre of the image, m
  double radius = 1;                                 // half the height of the view, m
  Eigen::Vector3d toward = Eigen::Vector3d(1.0, -1.6, 0.9);
};

// A camera that sees all the points, with a small margin.
Camera camera_for(const std::vector<Eigen::Vector3d>& points);

class Canvas {
 public:
  // A square image of `pixels` x `pixels`.
  Canvas(const Camera& camera, int pixels);

  // Draws a triangle, shaded by its plane's normal (both sides equally), or by the corners' normals if given.
  void triangle(const Eigen::Vector3d corners[3], const Color& color,
                const Eigen::Vector3d* normals = nullptr);

  // Draws a triangle in the colours of scale_color() for the values at its corners, interpolated linearly;
  // unshaded, so that the colours match the scale.
  void scalar_triangle(const Eigen::Vector3d corners[3], const double values[3]);

  // Draws a line that lies on surfaces: it covers surfaces up to `lift` (a fraction of the radius) closer to
  // the viewer.
  void line(const Eigen::Vector3d& from, const Eigen::Vector3d& to, const Color& color, double pixels = 1,
            double lift = 4e-3);

  Image image() const;

 private:
  Eigen::Vector3d project(
      const Eigen::Vector3d& p) const;  // x right, y down, in samples; z toward the viewer, m
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

// Colour scale for extents and pressures, from blue (0) over green to yellow (1), perceptually uniform.
Color scale_color(double value);

}  // namespace abut::preprocess
