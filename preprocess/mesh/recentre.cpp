#include "preprocess/mesh/recentre.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// Largest ratio of the coordinates' rounding to the median edge; above it a surface's shape is lost:
// triangles turn by degrees, and neighbours fold over.
constexpr double kCoarsest = 0.02;
constexpr std::size_t kFewVertices = 64;  // with fewer vertices round coordinates may be intended
constexpr int kFewDigits = 7;             // significant digits that single precision or printf's %g keeps

// The smallest step between decimal numbers of this magnitude with so many significant digits.
double decimal_step(double largest, int digits) {
  return std::pow(10, std::floor(std::log10(largest)) - digits + 1);
}

double ulp(double x) { return std::nextafter(x, std::numeric_limits<double>::infinity()) - x; }

bool all_multiples(const TriangleMesh& mesh, int axis, double step, double tolerance) {
  return std::all_of(mesh.vertices.begin(), mesh.vertices.end(), [&](const Eigen::Vector3d& v) {
    return std::abs(v[axis] - step * std::round(v[axis] / step)) <= tolerance;
  });
}

bool all_single(const TriangleMesh& mesh, int axis) {
  return std::all_of(mesh.vertices.begin(), mesh.vertices.end(), [&](const Eigen::Vector3d& v) {
    return static_cast<double>(static_cast<float>(v[axis])) == v[axis];
  });
}

// Rounding of an axis's coordinates, m, the largest having the magnitude `largest`: that of doubles, of
// single precision if all coordinates are representable in it, of decimals if all have few digits.
double rounding(const TriangleMesh& mesh, int axis, double largest) {
  const double least = ulp(largest);
  double step = least;
  if (all_single(mesh, axis)) {
    const auto x = static_cast<float>(largest);
    step = std::max<double>(step, std::nextafter(x, std::numeric_limits<float>::infinity()) - x);
  }
  if (mesh.vertices.size() < kFewVertices) return step;
  for (int digits = 1; digits <= kFewDigits; ++digits) {
    const double decimal = decimal_step(largest, digits);
    if (all_multiples(mesh, axis, decimal, 4 * least)) return std::max(step, decimal);
  }
  return step;
}

// Median length of the edges; edges that rounding reduced to zero count with that length.
double median_edge(const TriangleMesh& mesh) {
  std::vector<double> lengths;
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k)
      lengths.push_back((mesh.vertices[t[(k + 1) % 3]] - mesh.vertices[t[k]]).norm());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

}  // namespace

void recentre(TriangleMesh& mesh, Report& report) {
  const Eigen::AlignedBox3d box = mesh.box_of_faces();
  const double diagonal = box.diagonal().norm();
  const Eigen::Vector3d reach = box.min().cwiseAbs().cwiseMax(box.max().cwiseAbs());
  const double largest = reach.maxCoeff();
  if (!(largest > kFarthest * diagonal) || !(largest > 0)) return;
  double step = 0;
  for (int k = 0; k < 3; ++k)
    if (reach[k] > kFarthest * diagonal) step = std::max(step, rounding(mesh, k, reach[k]));
  const double edge = median_edge(mesh);
  if (!(step <= kCoarsest * edge))
    throw InvalidInput(fmt::format(
        "the object lies {:.3g} m from the origin, where its coordinates are rounded to {:.2g} m: too coarse "
        "for its edges of {:.2g} m; move it to the origin in the program that made it",
        largest, step, edge));
  const double grid = std::exp2(std::ceil(std::log2(diagonal)));
  const Eigen::Vector3d shift = grid * (box.center() / grid).array().round().matrix();
  for (Eigen::Vector3d& v : mesh.vertices) v -= shift;
  for (int k = 0; k < 3; ++k) report.measures[fmt::format("recentred_{}_m", "xyz"[k])] = shift[k];
  report.warnings.push_back(fmt::format(
      "the object lies {:.3g} m from the origin, {:.2g} times its size: recentred; the asset's origin is the "
      "file's point ({}, {}, {}) m",
      largest, largest / diagonal, shift.x(), shift.y(), shift.z()));
}

}  // namespace abut::preprocess
