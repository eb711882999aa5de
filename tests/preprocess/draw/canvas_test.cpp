#include "preprocess/draw/canvas.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "preprocess/draw/cut.h"
#include "preprocess/draw/label.h"
#include "preprocess/draw/picture.h"
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

TEST(Canvas, WhatLeadsFarOutOfThePictureIsCut) {
  Camera camera;
  camera.toward = Eigen::Vector3d::UnitX();
  Canvas far(camera, 100), near(camera, 100);
  far.line({0, -1e15, 0}, {0, 1e15, 0}, kBlue, 2);
  near.line({0, -2, 0}, {0, 2, 0}, kBlue, 2);
  EXPECT_GT(share(near.image(), 2), 0.01);
  EXPECT_NEAR(share(far.image(), 2), share(near.image(), 2), 0.3 * share(near.image(), 2));
  const Image before = far.image();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {1e15, 1e300, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    far.line({0, x, x}, {0, x, 2 * x}, kRed);
    far.line({0, 2, 0}, {x, 3, 0}, kRed);
    const Eigen::Vector3d corners[3] = {{0, x, x}, {0, 2 * x, x}, {0, x, 2 * x}};
    far.triangle(corners, kRed);
  }
  EXPECT_EQ(far.image().rgb, before.rgb);
  const Eigen::Vector3d all[3] = {{0, -1e15, -1e15}, {0, 1e15, -1e15}, {0, 0, 1e15}};
  far.triangle(all, kRed);
  EXPECT_NEAR(share(far.image(), 0), 1, 0.05);
}

TEST(Canvas, AScalarTriangleHasTheColoursOfItsValues) {
  Camera camera;
  camera.toward = Eigen::Vector3d::UnitX();  // y to the right
  Canvas canvas(camera, 200);
  const Eigen::Vector3d corners[3] = {{0, -1, -1}, {0, 1, -1}, {0, 0, 1}};
  const double values[3] = {0, 1, 0.5};
  canvas.scalar_triangle(corners, values);
  const Image image = canvas.image();
  // The value is (1 + y) / 2 all over: that of a column, whatever the row.
  for (const int x : {60, 100, 140}) {
    const Color expected = abut::preprocess::scale_color((x + 0.5) / 200);
    for (const int y : {120, 190})
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(image.rgb[(static_cast<std::size_t>(y) * 200 + x) * 3 + k], 255 * expected[k], 2)
            << x << " " << y;
  }
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

// Dark pixels in some columns, below the row `top`.
int ink(const Image& image, int left, int width, int top) {
  int count = 0;
  for (int y = top; y < image.height; ++y)
    for (int x = left; x < left + width; ++x)
      count += image.rgb[(static_cast<std::size_t>(y) * image.width + x) * 3] < 128;
  return count;
}

TEST(Picture, CaptionsCountInGoodEnglish) {
  abut::asset::ConvexPiece corner;
  corner.vertices = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  corner.triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  abut::asset::Asset asset;
  asset.convex = {corner, corner};
  asset.pieces.resize(1);
  asset.spheres = {{{0, 0, 0}, {1}, {0}}};
  constexpr int kPixels = 300, kDot = 2;
  const Image picture = abut::preprocess::picture(asset, kPixels);
  int left = 0;
  for (const char* text : {"convex hull: 4 vertices", "1 convex piece", "1 sphere"}) {
    Image expected{kPixels, 40, std::vector<std::uint8_t>(3 * kPixels * 40, 255)};
    label(expected, 0, 0, text, Color(0, 0, 0), kDot);
    EXPECT_EQ(ink(picture, left, kPixels, kPixels), ink(expected, 0, kPixels, 0)) << text;
    left += kPixels;
  }
}

// Also a sphere that reaches far beyond the object is seen whole.
TEST(Picture, SpheresAreWithinTheirPanel) {
  abut::asset::Asset asset;
  asset.convex.resize(1);
  asset.convex[0].vertices = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  asset.convex[0].triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  asset.spheres = {{{0, 0, 0}, {4}, {0}}};
  constexpr int kPixels = 100;
  const Image picture = abut::preprocess::picture(asset, kPixels);
  ASSERT_EQ(picture.width, 2 * kPixels);
  const auto white = [&](int x, int y) {
    const auto at = 3 * (static_cast<std::size_t>(y) * 2 * kPixels + static_cast<std::size_t>(x));
    return picture.rgb[at] == 255 && picture.rgb[at + 1] == 255 && picture.rgb[at + 2] == 255;
  };
  for (int y = 0; y < kPixels; ++y) EXPECT_TRUE(white(kPixels, y) && white(2 * kPixels - 1, y)) << y;
  EXPECT_FALSE(white(kPixels + kPixels / 2, kPixels / 2));
}

// A volume of one tetrahedron whose corner 3 is inside.
struct OneTetrahedron {
  std::vector<double> vertices = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2}, extent = {0, 0, 0, 1};
  std::vector<std::int32_t> tetrahedra = {0, 1, 2, 3}, neighbours = {-1, -1, -1, -1};

  abut::asset::VolumeView view() const {
    abut::asset::VolumeView v;
    v.vertices = vertices.data();
    v.tetrahedra = tetrahedra.data();
    v.neighbours = neighbours.data();
    v.extent = extent.data();
    v.vertex_count = 4;
    v.tetrahedron_count = 1;
    return v;
  }
};

TEST(Cut, ShowsTheSectionInTheColoursOfTheExtent) {
  const OneTetrahedron one;
  Camera camera;
  camera.toward = -Eigen::Vector3d::UnitY();  // x to the right, z up
  Canvas canvas(camera, 200);
  draw_cut(canvas, one.view(), {-Eigen::Vector3d::UnitY(), -1}, kRed);  // keeps y >= 1
  const Image image = canvas.image();
  // The section at y = 1 is the triangle x, z >= 0, x + z <= 1; the extent there is z / 2.
  const auto at = [&](double x, double z, int k) {
    const int column = static_cast<int>(100 + 100 * x), row = static_cast<int>(100 - 100 * z);
    return image.rgb[(static_cast<std::size_t>(row) * 200 + column) * 3 + k];
  };
  for (const double z : {0.1, 0.4, 0.8})
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(at(0.1, z, k), 255 * abut::preprocess::scale_color(z / 2)[k], 4) << z;
  EXPECT_EQ(at(0.6, 0.6, 0), 255);
  EXPECT_EQ(at(-0.1, 0.1, 0), 255);
}

TEST(Cut, IsThroughTheCentreAcrossTheLargestSection) {
  OneTetrahedron one;
  one.vertices = {0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 5};  // thinnest along y
  const abut::preprocess::CutPlane plane =
      abut::preprocess::choose_cut(one.view(), -Eigen::Vector3d::UnitY());
  EXPECT_LT(plane.normal.y(), -0.9);
  EXPECT_NEAR(plane.normal.dot(Eigen::Vector3d(2.25, 0.25, 1.25)), plane.offset, 1e-12);
}

TEST(Label, WritesAndLeavesTheRestAlone) {
  Image image{40, 20, std::vector<std::uint8_t>(40 * 20 * 3, 255)};
  abut::preprocess::label(image, 30, 2, "li", kRed, 2);  // clipped at the right
  const Image clipped = image;
  abut::preprocess::label(image, 2, 2, "1", kBlue, 2);
  const auto count = [](const Image& picture, int zero, int full) {
    int pixels = 0;
    for (std::size_t i = 0; i < picture.rgb.size(); i += 3)
      pixels += picture.rgb[i + zero] == 0 && picture.rgb[i + full] == 255;
    return pixels;
  };
  EXPECT_EQ(count(image, 0, 2), 4 * 10);  // ten dots in a one
  EXPECT_EQ(count(image, 2, 0), count(clipped, 2, 0));
  EXPECT_GT(count(image, 2, 0), 0);
}

}  // namespace
