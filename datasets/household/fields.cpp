// The implicit shapes of the household set. The distance functions and the way to join them are from the
// collection of Quilez, https://iquilezles.org/articles/distfunctions.
#include <algorithm>
#include <cmath>

#include "datasets/household/shapes.h"

namespace abut::datasets::household {
namespace {
using Eigen::Vector2d;
using Eigen::Vector3d;

// min(a, b) with the crease rounded over a width of k: adds at most k / 4.
double join(double a, double b, double k) {
  const double h = std::max(k - std::abs(a - b), 0.0) / k;
  return std::min(a, b) - h * h * k / 4;
}

double cut(double a, double b, double k) { return -join(-a, b, k); }  // a without b

// Rounded boxes in two and three dimensions; `half` are the half sizes including the rounding.
template <class Vector>
double rounded_box(const Vector& p, const Vector& half, double round) {
  const Vector q = p.cwiseAbs() - half + Vector::Constant(round);
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0) - round;
}

// A solid cylinder about z; `half` is half its height.
double cylinder(const Vector3d& p, double radius, double half, double round) {
  return rounded_box(Vector2d(p.head<2>().norm(), p.z()), Vector2d(radius, half), round);
}

double torus(const Vector3d& p, double major, double minor) {  // about z
  return Vector2d(p.head<2>().norm() - major, p.z()).norm() - minor;
}

// The convex hull of two discs: radius r0 at the origin, r1 < r0 at x = length.
double taper(const Vector2d& p, double length, double r0, double r1) {
  const double b = (r0 - r1) / length, a = std::sqrt(1 - b * b);
  const double x = p.x(), y = std::abs(p.y());
  const double k = x * a - y * b;  // along the slanted side, whose normal is (b, a)
  if (k < 0) return p.norm() - r0;
  if (k > a * length) return Vector2d(x - length, y).norm() - r1;
  return x * b + y * a - r0;
}

// A flat part with the given outline, 2 `half` thick.
double extrude(double outline, double z, double half, double round) {
  const Vector2d q(outline + round, std::abs(z) - half + round);
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0) - round;
}

Vector2d turn(const Vector2d& p, double angle) {  // p in axes rotated by `angle`
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * p.x() + s * p.y(), -s * p.x() + c * p.y()};
}

// Blade, shank and ring of one half; the blade points along x from the pivot at the origin, the ring lies
// behind it.
double half_scissors(const Vector2d& p, double z) {
  const double blade = extrude(taper(p, 0.090, 0.0075, 0.0022), z, 0.0018, 0.0008);
  const Vector2d ring_center(-0.078, -0.012);
  const double shank = extrude(taper(Vector2d(-p.x(), p.y()), 0.056, 0.0065, 0.0048), z, 0.0018, 0.0008);
  const Vector3d q(p.x() - ring_center.x(), (p.y() - ring_center.y()) * 1.15, z);
  return join(join(blade, shank, 0.001), torus(q, 0.0225, 0.0045), 0.003);
}

}  // namespace

// Body 85 mm high and 82 mm wide, wall 4.5 mm, floor 6 mm; the handle is a ring 11 mm thick.
double mug_field(const Vector3d& p) {
  const double r = p.head<2>().norm();
  const double outer = rounded_box(Vector2d(r, p.z() - 0.0425), Vector2d(0.041, 0.0425), 0.003);
  const double cavity = rounded_box(Vector2d(r, p.z() - 0.066), Vector2d(0.0365, 0.060), 0.008);
  const double body = cut(outer, cavity, 0.0015);
  const double ring = torus(Vector3d(p.x() - 0.043, p.z() - 0.0425, p.y()), 0.024, 0.0055);
  return join(body, std::max(ring, 0.0388 - r), 0.003);
}

// A screw clamp: a C of square bar with an anvil, and a screw with pad and handle through a nut at its lower
// end.
double clamp_field(const Vector3d& p) {
  const Vector3d q(p.x() - 0.068, p.y(), p.z());  // relative to the screw's axis
  const auto at = [&](double z) { return Vector3d(q.x(), q.y(), q.z() - z); };
  double frame = rounded_box(p, Vector3d(0.008, 0.008, 0.070), 0.002);
  frame =
      join(frame, rounded_box(Vector3d(p - Vector3d(0.036, 0, 0.062)), Vector3d(0.044, 0.008, 0.008), 0.002),
           0.004);
  frame =
      join(frame, rounded_box(Vector3d(p - Vector3d(0.036, 0, -0.062)), Vector3d(0.044, 0.008, 0.008), 0.002),
           0.004);
  const double anvil = cylinder(at(0.050), 0.0075, 0.012, 0.001);
  const double nut = cylinder(at(-0.062), 0.0110, 0.012, 0.001);
  const double screw = cylinder(at(-0.057), 0.0050, 0.055, 0.001);
  const double pad = cylinder(at(-0.003), 0.0100, 0.004, 0.001);
  const Vector3d along(q.x(), q.z() + 0.107, q.y());
  const double handle = cylinder(along, 0.0042, 0.032, 0.002);
  double d = join(frame, anvil, 0.002);
  d = join(join(d, nut, 0.002), join(screw, pad, 0.002), 0.001);
  return join(d, handle, 0.002);
}

// Two flat halves, one above the other, that cross at the pivot; open by 24 degrees.
double scissors_field(const Vector3d& p) {
  constexpr double kHalfOpening = 0.21, kLift = 0.0014;
  const double upper = half_scissors(turn(p.head<2>(), kHalfOpening), p.z() - kLift);
  const double lower = half_scissors(turn({p.x(), -p.y()}, kHalfOpening), p.z() + kLift);
  const double pivot = cylinder(p, 0.0045, 0.0045, 0.001);
  return join(join(upper, lower, 0.001), pivot, 0.001);
}

}  // namespace abut::datasets::household
