#pragma once

#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/rims.h"

// Exact curvatures of shapes in closed form: what witness_derivative.h needs. Each at the unit normal n and
// the witness point p, both in the shape's frame: where a side, a slope or a disc touches, p says whether it
// is that or its rim.
namespace abut::derivative {

// At unit n, in the sphere's frame: H = r (I - n n').
template <class S>
Curvature<S> curvature(const witness::Sphere<S>& sphere, const Vec3<S>& n, const Vec3<S>& = Vec3<S>::Zero()) {
  return {sphere.radius * (Mat3<S>::Identity() - n * n.transpose())};
}

// At unit n, in the ellipsoid's frame: H = (D^2 - s s') / h with D = diag(semi-axes), h = |D n|, s = D^2 n /
// h.
template <class S>
Curvature<S> curvature(const witness::Ellipsoid<S>& ellipsoid, const Vec3<S>& n,
                       const Vec3<S>& = Vec3<S>::Zero()) {
  return {witness::core_hessian<S>(ellipsoid, n)};
}

namespace detail {

// Sine of the angle within which a normal counts as that of a side, a slope or a disc.
template <class S>
inline constexpr S kFlat = static_cast<S>(1e-9 > 64 * std::numeric_limits<S>::epsilon()
                                              ? 1e-9
                                              : 64 * std::numeric_limits<S>::epsilon());

// Hull of two rims. On the line between them the direction of that line is flat; on a disc the whole plane
// is; elsewhere the rim turns with n: H = (radius / |n across|) t t', t along the rim.
template <class S, class Shape>
Curvature<S> rims_curvature(const Shape& shape, const Vec3<S>& n, const Vec3<S>& p) {
  using std::abs, std::hypot;
  const witness::Rim<S> top = witness::rim<S>(shape, 0), bottom = witness::rim<S>(shape, 1);
  const S across = hypot(n.x(), n.y());
  const auto flat = [](std::initializer_list<Vec3<S>> directions) {
    Curvature<S> H;
    for (const Vec3<S>& a : directions) H.flat[static_cast<std::size_t>(H.flat_count++)] = a;
    return H;
  };
  if (across <= kFlat<S>) {
    const bool disc = hypot(p.x(), p.y()) < (n.z() > 0 ? top : bottom).radius;
    return disc ? flat({Vec3<S>::UnitX(), Vec3<S>::UnitY()}) : flat({});
  }
  const Vec3<S> u(n.x() / across, n.y() / across, 0);
  const Vec3<S> line((top.radius - bottom.radius) * u.x(), (top.radius - bottom.radius) * u.y(),
                     top.z - bottom.z);
  const bool between = p.z() > bottom.z && p.z() < top.z && abs(n.dot(line)) <= kFlat<S> * line.norm();
  Curvature<S> H = between ? flat({line.normalized()}) : flat({});
  const Vec3<S> t(-u.y(), u.x(), 0);
  H.H = (hypot(p.x(), p.y()) / across) * (t * t.transpose());
  return H;
}

}  // namespace detail

template <class S>
Curvature<S> curvature(const witness::Cylinder<S>& cylinder, const Vec3<S>& n, const Vec3<S>& p) {
  return detail::rims_curvature(cylinder, n, p);
}
template <class S>
Curvature<S> curvature(const witness::Cone<S>& cone, const Vec3<S>& n, const Vec3<S>& p) {
  return detail::rims_curvature(cone, n, p);
}

// Its side is flat along the axis, its ends are spheres.
template <class S>
Curvature<S> curvature(const witness::Capsule<S>& capsule, const Vec3<S>& n, const Vec3<S>& p) {
  using std::abs;
  Curvature<S> H = curvature(witness::Sphere<S>{capsule.radius}, n);
  if (abs(n.z()) <= detail::kFlat<S> && abs(p.z()) < capsule.half_length) {
    H.flat_count = 1;
    H.flat[0] = Vec3<S>::UnitZ();
  }
  return H;
}

// A half-space has no curvature and no freedom to turn: flat in its plane.
template <class S>
Curvature<S> curvature(const witness::HalfSpace<S>&, const Vec3<S>&, const Vec3<S>&) {
  return {Mat3<S>::Zero(), 2, {Vec3<S>::UnitX(), Vec3<S>::UnitY()}};
}

// The ball's radius adds to every radius of curvature.
template <class S, class Shape>
Curvature<S> curvature(const witness::Swept<S, Shape>& swept, const Vec3<S>& n, const Vec3<S>& p) {
  Curvature<S> H = curvature(swept.shape, n, Vec3<S>(p - swept.radius * n));
  H.H += swept.radius * (Mat3<S>::Identity() - n * n.transpose());
  return H;
}

template <class S>
S shape_size(const witness::Sphere<S>& sphere) {
  return sphere.radius;
}
template <class S>
S shape_size(const witness::Ellipsoid<S>& ellipsoid) {
  return ellipsoid.semi_axes.maxCoeff();
}

template <class S>
S shape_size(const witness::Capsule<S>& capsule) {
  return capsule.half_length + capsule.radius;
}
template <class S>
S shape_size(const witness::Cylinder<S>& cylinder) {
  return cylinder.half_length + cylinder.radius;
}
template <class S>
S shape_size(const witness::Cone<S>& cone) {
  return cone.half_length + cone.radius;
}
template <class S>
S shape_size(const witness::HalfSpace<S>&) {
  return 0;
}
template <class S, class Shape>
S shape_size(const witness::Swept<S, Shape>& swept) {
  return shape_size<S>(swept.shape) + swept.radius;
}

// Exact derivative of the witness points of two shapes of this file, from their witness. Never throws.
template <class S, class ShapeA, class ShapeB>
WitnessDerivative<S> smooth_derivative(const ShapeA& A, const ShapeB& B, const Pose<S>& X_AB,
                                       const witness::Witness<S>& witness, const Clamp& clamp = {}) {
  const Vec3<S> m_B = -(X_AB.R.transpose() * witness.n);
  const Vec3<S> p2_B = X_AB.R.transpose() * (witness.p2 - X_AB.p);
  return differentiate<S>(witness, X_AB, curvature(A, witness.n, witness.p1), curvature(B, m_B, p2_B),
                          shape_size(A) + shape_size(B), clamp);
}

}  // namespace abut::derivative
