#include "runtime/derivative/smooth.h"

#include <algorithm>
#include <cmath>

namespace abut::derivative {

namespace {

// Sine of the angle within which a normal counts as that of a face, a side, a slope or a disc.
template <class S>
inline constexpr S kFlat = std::max(S(1e-9), 64 * std::numeric_limits<S>::epsilon());

template <class S>
void add_flat(const Vec3<S>& direction, Curvature<S>& curvature) {
  curvature.flat[static_cast<std::size_t>(curvature.flat_count++)] = direction;
}

// Curvature of a box: flat along each axis to which n is perpendicular and along which p is not at an end:
// two axes on a face, one on an edge. A capsule's segment is a box without width.
template <class S>
Curvature<S> box_curvature(const Vec3<S>& half, const Vec3<S>& n, const Vec3<S>& p, S rounding) {
  Curvature<S> result;
  for (int k = 0; k < 3 && result.flat_count < 2; ++k) {
    if (std::abs(n[k]) <= kFlat<S> && std::abs(p[k]) < half[k] - rounding)
      add_flat<S>(Vec3<S>::Unit(k), result);
  }
  return result;
}

// Curvature of the convex hull of two rims (cylinder or cone). On the line between the rims the direction of
// that line is flat; on a disc both directions are. Elsewhere the point moves along the rim as n turns: H =
// (radius / |n across|) t t', with t along the rim, n across the part of n orthogonal to the axis.
template <class S>
Curvature<S> rims_curvature(const witness::Rim<S>& top, const witness::Rim<S>& bottom, const Vec3<S>& n,
                            const Vec3<S>& p, S rounding) {
  Curvature<S> result;
  const S across = std::hypot(n.x(), n.y()), off_axis = std::hypot(p.x(), p.y());
  if (across <= kFlat<S>) {
    if (!(off_axis < (n.z() > 0 ? top : bottom).radius - rounding)) return result;
    add_flat<S>(Vec3<S>::UnitX(), result);
    add_flat<S>(Vec3<S>::UnitY(), result);
    return result;
  }
  const Vec3<S> u(n.x() / across, n.y() / across, 0);
  const Vec3<S> line((top.radius - bottom.radius) * u.x(), (top.radius - bottom.radius) * u.y(),
                     top.z - bottom.z);
  const bool between = p.z() > bottom.z + rounding && p.z() < top.z - rounding;
  if (between && std::abs(n.dot(line)) <= kFlat<S> * line.norm()) add_flat<S>(line.normalized(), result);
  const Vec3<S> t(-u.y(), u.x(), 0);
  result.H = (off_axis / across) * (t * t.transpose());
  return result;
}

template <class S>
Curvature<S> core_curvature(const witness::Core<S>& core, const Vec3<S>& n, const Vec3<S>& p, S rounding) {
  using Kind = typename witness::Core<S>::Kind;
  switch (core.kind()) {
    case Kind::kEllipsoid:
      return {witness::core_hessian(core, n)};
    case Kind::kRims:
      return rims_curvature(core.rim(0), core.rim(1), n, p, rounding);
    case Kind::kPlane:
      return {Mat3<S>::Zero(), 2, {Vec3<S>::UnitX(), Vec3<S>::UnitY()}, true};
    case Kind::kBox:
    case Kind::kSegment:
      return box_curvature(core.size(), n, p, rounding);
    default:
      return {};
  }
}

}  // namespace

// The radius of the swept ball adds to every radius of curvature.
template <class S>
Curvature<S> curvature(const witness::Core<S>& shape, const Vec3<S>& n, const Vec3<S>& p, S rounding) {
  const S radius = shape.swept_radius();
  Curvature<S> result = core_curvature(shape, n, Vec3<S>(p - radius * n), rounding);
  result.H += radius * (Mat3<S>::Identity() - n * n.transpose());
  return result;
}

template <class S>
S shape_size(const witness::Core<S>& shape) {
  const Vec3<S>& half = shape.size();
  const S core = shape.has_rims() ? half.x() + half.z() : half.maxCoeff();
  return core + shape.swept_radius();
}

template <class S>
WitnessDerivative<S> smooth_derivative(const witness::Core<S>& A, const witness::Core<S>& B,
                                       const Pose<S>& X_AB, const witness::Witness<S>& witness,
                                       const Clamp& clamp) {
  constexpr auto kHull = witness::Core<S>::Kind::kHull;
  if (A.kind() == kHull || B.kind() == kHull) return detail::invalid_derivative<S>();
  const Vec3<S> m_B = -(X_AB.R.transpose() * witness.n);
  const Vec3<S> p2_B = X_AB.R.transpose() * (witness.p2 - X_AB.p);
  const S rounding = point_rounding(witness, X_AB);
  return differentiate<S>(witness, X_AB, curvature(A, witness.n, witness.p1, rounding),
                          curvature(B, m_B, p2_B, rounding), shape_size(A) + shape_size(B), clamp);
}

template Curvature<double> curvature(const witness::Core<double>&, const Vec3<double>&, const Vec3<double>&,
                                     double);
template double shape_size(const witness::Core<double>&);
template WitnessDerivative<double> smooth_derivative(const witness::Core<double>&,
                                                     const witness::Core<double>&, const Pose<double>&,
                                                     const witness::Witness<double>&, const Clamp&);
template Curvature<long double> curvature(const witness::Core<long double>&, const Vec3<long double>&,
                                          const Vec3<long double>&, long double);
template long double shape_size(const witness::Core<long double>&);
template WitnessDerivative<long double> smooth_derivative(const witness::Core<long double>&,
                                                          const witness::Core<long double>&,
                                                          const Pose<long double>&,
                                                          const witness::Witness<long double>&, const Clamp&);

}  // namespace abut::derivative
