#pragma once

#include <algorithm>

#include "runtime/contact/equal_pressure.h"
#include "runtime/math/dual.h"

// A plane piece of the contact surface and what it adds to the wrench, in B's frame. T may be a dual number.
namespace abut::contact {

template <class T>
struct Facet {
  Polygon<T> polygon;
  Vec3<T> n;                   // unit normal into A
  LinearPressure<T> pressure;  // at rest
  // With s(x; g) = (x x g; g), the wrench changes by the integral of s(x; slope_B) s(x; slope_A)' xi. They
  // are the pressures' gradients, one of them over |grad(pA - pB)|; of a rigid body, whose gradient has no
  // bound, the limit of that quotient: its outward normal, reversed for B.
  Vec3<T> slope_A, slope_B;
  Vec3<T> gradient_A = Vec3<T>::Zero(), gradient_B = Vec3<T>::Zero();  // of the pressures; 0: rigid, Pa/m
  T damping;  // by how much of itself the pressure rises per speed of approach, s/m
  T share;    // of the pressure that acts: 1, or faded()
};

// What the motion of the bodies adds.
struct RateLaw {
  // chi_A / E_A + chi_B / E_B, s/Pa. A body's extent rises at the contact surface by (3) of [Elandt2019] with
  // the speed of that surface in it. With kA = n . grad pA, kB = -n . grad pB and an approach at speed a the
  // surface enters A at a kB / (kA + kB) and B at a kA / (kA + kB), so the pressure rises by
  //   p a (chi_A / E_A + chi_B / E_B) kA kB / (kA + kB),
  // whichever body is called A. Differs from [Elandt2019]: there the speed is that of approach, which leaves
  // open whose gradient is meant; for a rigid partner both are the same. Where a gradient has the wrong sign
  // (after punch-through) the term is zero, so that it never feeds energy in.
  double dissipation = 0;
  double friction = 0;        // mu, of the pair
  double stiction_speed = 1;  // m/s: the shear traction is mu p u / sqrt(u^2 + stiction_speed^2)
  bool fade_pulls = false;    // PressureFieldConfig

  bool any() const { return dissipation > 0 || friction > 0 || fade_pulls; }
};

// The damping of two compliant bodies from n . grad pA and -n . grad pB, Pa/m.
template <class T>
T damping(const RateLaw& law, const T& k_A, const T& k_B) {
  using S = decltype(law.dissipation);
  if (!(k_A > T(0)) || !(k_B > T(0))) return T(0);
  return T(S(law.dissipation)) * k_A * k_B / (k_A + k_B);
}

// ... and of one that meets a rigid body.
template <class T>
T damping(const RateLaw& law, const T& k) {
  return k > T(0) ? T(law.dissipation) * k : T(0);
}

// What is left of a facet whose normal makes an angle of this cosine with the pressure's gradient of a body,
// taken the way that body pushes: all where it is at most 90 degrees, nothing from 5 pi / 8 on, where Drake
// drops facets at once, and a smooth step between. The normal of two tetrahedra depends on their rotation
// alone, so no force jumps.
template <class T>
T faded(const T& cosine) {
  constexpr double kNothing = -0.38268343236508977;  // cos(5 pi / 8)
  if (!(cosine < T(0))) return T(1);
  if (!(cosine > T(kNothing))) return T(0);
  const T s = T(1) - cosine / T(kNothing);
  return s * s * (T(3) - T(2) * s);
}

// The part of a facet that counts, by the gradients of the pressures that it has.
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

// About which point a polygon is cut into triangles: its centroid, which moves continuously with it
// [Elandt2019, Fig. 5]. Where rounding makes up its area the quotient says nothing; any corner
// will do.
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
