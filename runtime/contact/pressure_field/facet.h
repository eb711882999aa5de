#pragma once

#include <algorithm>

#include "runtime/contact/pressure_field/equal_pressure.h"
#include "runtime/math/dual.h"

// A plane piece of the contact surface and what it contributes to the wrench, in B's frame. T may be a dual
// number.
namespace abut::contact {

template <class T>
struct Facet {
  Polygon<T> polygon;
  Vec3<T> n;                   // unit normal into A
  LinearPressure<T> pressure;  // at rest
  // With s(x; g) = (x x g; g), the wrench changes by the integral of s(x; slope_B) s(x; slope_A)' xi. The
  // slopes are the pressures' gradients, one of them divided by |grad(pA - pB)|. For a rigid body, whose
  // gradient is infinite, its slope is the limit of that quotient: its outward normal, reversed for B.
  Vec3<T> slope_A, slope_B;
  Vec3<T> gradient_A = Vec3<T>::Zero(), gradient_B = Vec3<T>::Zero();  // of the pressures, Pa/m; 0: rigid
  T damping;  // relative rise of the pressure per approach speed, s/m
  T share;    // fraction of the pressure that acts: 1, or faded()
};

// Parameters of what depends on the bodies' motion, and of fading.
struct RateLaw {
  // chi_A / E_A + chi_B / E_B, s/Pa. A body's extent at the contact surface rises by [Elandt2019, Eq. 3] with
  // the speed of that surface in the body. With kA = n . grad pA, kB = -n . grad pB and the approach speed a,
  // the surface enters A at a kB / (kA + kB) and B at a kA / (kA + kB), so the pressure rises by
  //   p a (chi_A / E_A + chi_B / E_B) kA kB / (kA + kB),
  // which is symmetric in the bodies. Differs from [Elandt2019], which uses the approach speed and leaves
  // open whose gradient is meant; for a rigid partner both are the same. Where a gradient has the wrong sign
  // (after punch-through) the term is zero, so that it never adds energy.
  double dissipation = 0;
  double friction = 0;        // mu of the pair
  double stiction_speed = 1;  // m/s: the shear traction is mu p u / sqrt(u^2 + stiction_speed^2)
  bool fade_pulls = false;    // as in PressureFieldConfig
  // Parts per side into which the triangles of a facet's quadrature are divided where it spins. A constant of
  // the pair, so that the wrench does not jump.
  int divisions = 1;

  bool any() const { return dissipation > 0 || friction > 0 || fade_pulls; }
};

// The damping of two compliant bodies, from k_A = n . grad pA and k_B = -n . grad pB, Pa/m.
template <class T>
T damping(const RateLaw& law, const T& k_A, const T& k_B) {
  using S = decltype(law.dissipation);
  if (!(k_A > T(0)) || !(k_B > T(0))) return T(0);
  return T(S(law.dissipation)) * k_A * k_B / (k_A + k_B);
}

// The damping of one compliant body that meets a rigid one.
template <class T>
T damping(const RateLaw& law, const T& k) {
  return k > T(0) ? T(law.dissipation) * k : T(0);
}

// The fraction of a facet's pressure that remains, given the cosine of the angle between the normal and the
// gradient of a body's pressure, taken in the direction in which that body pushes: all of it up to 90
// degrees, nothing from 5 pi / 8 on, where Drake drops facets abruptly, and a smooth step in between. The
// normal of two tetrahedra depends only on their relative rotation, so the force does not jump.
template <class T>
T faded(const T& cosine) {
  constexpr double kNothing = -0.38268343236508977;  // cos(5 pi / 8)
  if (!(cosine < T(0))) return T(1);
  if (!(cosine > T(kNothing))) return T(0);
  const T s = T(1) - cosine / T(kNothing);
  return s * s * (T(3) - T(2) * s);
}

// The share of a facet: the product of what each body's gradient leaves; 1 without fade_pulls.
template <class T>
T pushing_share(const RateLaw& law, const Vec3<T>& n, const Vec3<T>& gradient_A, const Vec3<T>& gradient_B) {
  using std::sqrt;
  T share(1);
  if (!law.fade_pulls) return share;
  const T a = gradient_A.squaredNorm(), b = gradient_B.squaredNorm();
  if (a > T(0)) share = share * faded<T>(n.dot(gradient_A) / sqrt(a));
  if (b > T(0)) share = share * faded<T>(-n.dot(gradient_B) / sqrt(b));
  return share;
}

// The point around which a polygon is cut into triangles: its centroid, which moves continuously with it
// [Elandt2019, Fig. 5]. Where the area is mere rounding, the quotient is meaningless and the first corner is
// used.
template <class T>
Vec3<T> middle(const Polygon<T>& polygon, const PolygonMoments<T>& m) {
  const Vec3<T>& o = polygon.corners[0];
  T size(0);
  for (int i = 1; i < polygon.size; ++i)
    size = std::max(size, T((polygon.corners[i] - o).cwiseAbs().maxCoeff()));
  const T rounding = T(64) * Eigen::NumTraits<T>::epsilon() * (o.cwiseAbs().maxCoeff() + size);
  return m.area > rounding * size ? Vec3<T>(o + m.first / m.area) : o;
}

}  // namespace abut::contact
