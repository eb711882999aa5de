#pragma once

#include "runtime/contact/pressure_field/facet.h"

// The friction of a facet on which the other body spins, in closed form. Internal to the pressure-field
// model.
//
// In the facet's plane the slip is a rotation about a centre o at the rate w = n . omega: at o + rho it is
// w n x rho, and the shear traction on B is
//   -mu q sign(w) n x rho / R,   R = sqrt(|rho|^2 + e^2),   e = stiction_speed / |w|,
// where q = p f is the pressure with dissipation (facet_traction.h), quadratic in the plane. With
// y = x - c, c any point of the plane, force and moment about c are
//   -mu sign(w) n x I,   I = int q rho / R = ring q R m - int R grad q,
//   -mu sign(w) n J,     J = int q y . rho / R = ring q R y . m - int R (2 q + y . grad q),
// since rho / R = grad R; ring: along the edges, m their outward unit normal. The same theorem leaves nothing
// but edges of the rest:
//   int 1/R = ring rho . m / (R + e),                       int R rho = ring R^3/3 m,
//   int R = (ring R rho . m + e^2 int 1/R) / 3,             int R^3 = (ring R^3 rho . m + 3 e^2 int R) / 5,
//   int R (g . rho)(k . rho) = ring (k . rho) R^3/3 g . m - g . k int R^3/3.
namespace abut::contact {

// Along an edge rho(t) = middle + t along, -1/2 <= t <= 1/2, the integrals over t of 1 / (R + e), t^j R
// (j = 0, 1, 2) and t^j R^3 (j = 0, 1).
template <class T>
struct EdgeIntegrals {
  T inverse = T(0);
  std::array<T, 3> root = {T(0), T(0), T(0)};
  std::array<T, 2> cube = {T(0), T(0)};
};

// The integrals of an edge that is short beside its distance from o, or where e is large, by the eight-point
// rule of Gauss: to rounding if |along| <= R(0) / 2.
template <class T>
EdgeIntegrals<T> short_edge(const Vec3<T>& middle, const Vec3<T>& along, const T& e) {
  using std::sqrt;
  constexpr double kNodes[] = {0.09171732124782490, 0.26276620495816450, 0.39833323870681335,
                               0.48014492824876810};
  constexpr double kWeights[] = {0.18134189168918100, 0.15685332293894365, 0.11119051722668725,
                                 0.05061426814518815};
  EdgeIntegrals<T> sums;
  for (int k = 0; k < 8; ++k) {
    const T t(k % 2 == 0 ? kNodes[k / 2] : -kNodes[k / 2]), weight(kWeights[k / 2]);
    const T square = (middle + t * along).squaredNorm() + e * e, R = sqrt(square);
    const T root = weight * R, cube = root * square;
    sums.inverse += weight / (R + e);
    sums.root[0] += root;
    sums.root[1] += t * root;
    sums.root[2] += t * t * root;
    sums.cube[0] += cube;
    sums.cube[1] += t * cube;
  }
  return sums;
}

// The same of any edge, in closed form: with s the length along the edge from the foot of o on its line, d
// the distance of that line and D^2 = d^2 + e^2,
//   int ds / (R + e) = L - e/d (atan2(s d, d^2 + e (R + e))),   int R ds = (s R + D^2 L) / 2,
//   int s R ds = R^3/3,   int s^2 R ds = (s R^3 - D^2 int R ds) / 4,   int s R^3 ds = R^5/5,
// with L = asinh(s / D) and R^3 = R (s^2 + D^2). For short edges the differences lose digits.
template <class T>
EdgeIntegrals<T> long_edge(const Vec3<T>& middle, const Vec3<T>& along, const T& e) {
  using std::atan, std::log, std::sqrt;
  const T length = sqrt(along.squaredNorm()), s = middle.dot(along) / length;
  const Vec3<T> foot = middle - s / length * along;
  const T d_square = foot.squaredNorm(), D_square = d_square + e * e, half = length / T(2);
  const T a = s - half, b = s + half, R_a = sqrt(a * a + D_square), R_b = sqrt(b * b + D_square);
  const T cube_a = R_a * R_a * R_a, cube_b = R_b * R_b * R_b;
  // asinh(b / D) - asinh(a / D); R + |s| loses no digits.
  T rise(0);
  if (a > T(0))
    rise = log((b + R_b) / (a + R_a));
  else if (b < T(0))
    rise = log((R_a - a) / (R_b - b));
  else if (D_square > T(0))
    rise = log((b + R_b) * (R_a - a) / D_square);
  const T root = (b * R_b - a * R_a + D_square * rise) / T(2);
  const T by_s = (cube_b - cube_a) / T(3);
  const T by_square = (b * cube_b - a * cube_a - D_square * root) / T(4);
  const T cube = by_square + D_square * root;
  const T cube_by_s = (cube_b * R_b * R_b - cube_a * R_a * R_a) / T(5);
  EdgeIntegrals<T> sums;
  sums.inverse = rise / length;
  if (d_square > T(0)) {
    const T d = sqrt(d_square);
    const T turn = atan(b * d / (d_square + e * (R_b + e))) - atan(a * d / (d_square + e * (R_a + e)));
    sums.inverse -= e * turn / (d * length);
  }
  sums.root = {root / length, (by_s - s * root) / (length * length),
               (by_square - T(2) * s * by_s + s * s * root) / (length * length * length)};
  sums.cube = {cube / length, (cube_by_s - s * cube) / (length * length)};
  return sums;
}

template <class T>
EdgeIntegrals<T> edge_integrals(const Vec3<T>& middle, const Vec3<T>& along, const T& e) {
  const bool is_short = T(4) * along.squaredNorm() <= middle.squaredNorm() + e * e;
  return is_short ? short_edge<T>(middle, along, e) : long_edge<T>(middle, along, e);
}

// Whether the slip turns so much within a facet around `middle` that its friction needs the closed form:
// elsewhere the rule of facet_traction.h is as exact.
template <class S>
bool spins(const Polygon<S>& polygon, const Vec3<S>& middle, const Vec3<S>& n, const RateLaw& law,
           const Vec6<S>& V) {
  constexpr double kStraight = 1e-3;
  const S spin = n.dot(V.template head<3>());
  if (law.friction == 0 || spin == 0) return false;
  S reach = 0;  // squared, m^2
  for (int i = 0; i < polygon.size; ++i) reach = std::max(reach, (polygon.corners[i] - middle).squaredNorm());
  const Vec3<S> u = V.template tail<3>() + V.template head<3>().cross(middle);
  const S slip = (u - n.dot(u) * n).squaredNorm() + S(law.stiction_speed) * S(law.stiction_speed);
  return spin * spin * reach > S(kStraight) * slip;
}

// The wrench on B of the friction of a facet that spins, about Bo. c: any point in its plane. turn: 1 if its
// corners turn around n, -1 if against it.
template <class T>
Vec6<T> spinning_friction(const Facet<T>& facet, double turn, const Vec3<T>& c, const RateLaw& law,
                          const Vec6<T>& V) {
  const Vec3<T>& n = facet.n;
  const auto in_plane = [&](const Vec3<T>& x) { return Vec3<T>(x - n.dot(x) * n); };
  const Vec3<T> omega = V.template head<3>(), u = V.template tail<3>() + omega.cross(c);
  const T spin = n.dot(omega), sign(spin < T(0) ? -1 : 1), e = T(law.stiction_speed) / (sign * spin);
  const Vec3<T> from_o = -n.cross(u) / spin;  // c - o
  // At y: p = p_c + g . y, f = f_c + k . y.
  const Vec3<T> g = in_plane(facet.pressure.gradient), k = facet.damping * n.cross(omega);
  const T p_c = facet.pressure(c), f_c = T(1) + facet.damping * n.dot(u);

  Vec3<T> I = Vec3<T>::Zero(), R_rho = Vec3<T>::Zero();
  T J(0), inverse(0), R_1(0), R_3(0), R_gk(0);
  for (int i = 0; i < facet.polygon.size; ++i) {
    const Vec3<T>&x = facet.polygon.corners[i], &next = facet.polygon.corners[(i + 1) % facet.polygon.size];
    const Vec3<T> along = next - x, y = T(0.5) * (x + next) - c, rho = y + from_o;
    const Vec3<T> outward = T(turn) * along.cross(n);  // m times the edge's length
    const EdgeIntegrals<T> edge = edge_integrals<T>(rho, along, e);
    const T p = p_c + g.dot(y), p_rise = g.dot(along), f = f_c + k.dot(y), f_rise = k.dot(along);
    const T q_R =
        p * f * edge.root[0] + (p * f_rise + p_rise * f) * edge.root[1] + p_rise * f_rise * edge.root[2];
    const T out = rho.dot(outward);
    I += q_R * outward;
    J += q_R * y.dot(outward);
    inverse += out * edge.inverse;
    R_1 += out * edge.root[0];
    R_3 += out * edge.cube[0];
    R_rho += edge.cube[0] / T(3) * outward;
    R_gk += g.dot(outward) / T(3) * (k.dot(rho) * edge.cube[0] + k.dot(along) * edge.cube[1]);
  }
  R_1 = (R_1 + e * e * inverse) / T(3);
  R_3 = (R_3 + T(3) * e * e * R_1) / T(5);
  R_gk -= g.dot(k) * R_3 / T(3);
  // From rho to y = rho - from_o.
  const Vec3<T> R_y = R_rho - R_1 * from_o;
  const T g_o = g.dot(from_o), k_o = k.dot(from_o);
  const T R_gk_y = R_gk - g_o * k.dot(R_rho) - k_o * g.dot(R_rho) + g_o * k_o * R_1;
  I -= (f_c * R_1 + k.dot(R_y)) * g + (p_c * R_1 + g.dot(R_y)) * k;
  J -= T(2) * p_c * f_c * R_1 + T(3) * (p_c * k.dot(R_y) + f_c * g.dot(R_y)) + T(4) * R_gk_y;

  const T pushed = -sign * T(law.friction * facet.polygon.weight()) * facet.share;
  const Vec3<T> force = pushed * n.cross(I);
  Vec6<T> F;
  F << pushed * J * n + c.cross(force), force;
  return F;
}

}  // namespace abut::contact
