#include "preprocess/draw/canvas.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "runtime/core/error.h"

namespace {

using abut::preprocess::Camera;
using abut::preprocess::Canvas;
using abut::preprocess::Color;
using abut::preprocess::Image;

const Color kRed(1, 0, 0), kBlue(0, 0, 1);

// Share of the pixels whose strongest channel is `channel` and that are not background.
double share(const Image& image, int channel) {
  int count = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    const auto* p = &image.rgb[i];
    const bool other = p[(channel + 1) % 3] > 60 || p[(channel + 2) % 3] > 60;
    count += p[channel] > 60 && !other;
  }
  return 3.0 * count / static_cast<double>(image.rgb.size());
}

// A right triangle with legs 1 in the plane orthogonal to x, at x = depth, seen along x.
void draw(Canvas& canvas, double depth, const Color& color) {
  const Eigen::Vector3d corners[3] = {{depth, 0, 0}, {depth, 1, 0}, {depth, 0, 1}};
  canvas.triangle(corners, color);
}

TEST(Canvas, CoversTheAreaThatGeometrySays) {
  Camera camera;
  camera.toward = Eigen::Vector3d::UnitX();
  Canvas canvas(camera, 300);
  draw(canvas, 0, kRed);
  EXPECT_NEAR(share(canvas.image(), 0), 0.5 / 4, 2e-3);  // half a unit square of a 2 x 2 view
}

TEST(Canvas, TheNearerTriangleWinsInAnyOrder) {
  Camera camera;
  camera.toward = Eigen::Vector3d::UnitX();
  for (const bool near_first : {true, false}) {
    Canvas canvas(camera, 100);
    if (near_first) draw(canvas, 0.5, kRed);
    draw(canvas, -0.5, kBlue);
    if (!near_first) draw(canvas, 0.5, kRed);
    EXPECT_NEAR(share(canvas.image(), 0), 0.125, 5e-3);
    EXPECT_EQ(share(canvas.image(), 2), 0);
  }
}

TEST(Canvas, UpIsUpAndRightIsRight) {
  Camera camera;
  camera.toward = -Eigen::Vector3d::UnitY();  // x to the right, z up
  Canvas canvas(camera, 100);
  const Eigen::Vector3d corners[3] = {{0.5, 0, 0.5}, {0.9, 0, 0.5}, {0.5, 0, 0.9}};
  canvas.triangle(corners, kRed);
  const Image image = canvas.image();
  const auto at = [&](int x, int y) { return image.rgb[(static_cast<std::size_t>(y) * 100 + x) * 3 + 1]; };
  EXPECT_LT(at(77, 22), 60);   // right of the middle, in the upper half
  EXPECT_EQ(at(22, 77), 255);  // background
}

TEST(Canvas, LinesAreDrawnOverTheSurfaceTheyLieOn) {
  Camera camera;
  camera.toward = Eigen::Vector3d::UnitX();
  Canvas canvas(camera, 100);
  draw(canvas, 0, kRed);
  canvas.line({0, 0.1, 0.1}, {0, 0.4, 0.4}, kBlue, 2);
  EXPECT_GT(share(canvas.image(), 2), 0.002);
}

TEST(Canvas, AnUnwritablePictureIsNamed) {
  const Image image{2, 2, std::vector<std::uint8_t>(12, 255)};
  try {
    write_png(image, "/nonexistent/picture.png");
    FAIL() << "written";
  } catch (const abut::IoError& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/picture.png"), std::string::npos);
  }
}

TEST(Canvas, PanelsStandSideBySide) {
  const Image a{1, 2, {1, 2, 3, 4, 5, 6}}, b{1, 1, {7, 8, 9}};
  const Image both = abut::preprocess::beside({a, b});
  EXPECT_EQ(both.width, 2);
  EXPECT_EQ(both.height, 2);
  EXPECT_EQ(both.rgb, (std::vector<std::uint8_t>{1, 2, 3, 7, 8, 9, 4, 5, 6, 255, 255, 255}));
}

}  // namespace
