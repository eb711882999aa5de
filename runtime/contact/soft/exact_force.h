#pragma once

#include "runtime/body/primitive_distance.h"
#include "runtime/contact/soft/plane_force.h"
#include "runtime/math/jet.h"

// The force between a moving point and a primitive, by its exact distance, and its derivatives in the point's
// position and velocity: the force of plane_force.h for a single plane at the nearest point of the surface,
// whose height is the distance and whose normal is the distance's gradient.
namespace abut::contact::internal {

// 1 / sqrt(t^2 + stiction^2) for a slip t, m/s.
template <int kOrder, class S>
Jet<S, 6, kOrder> inverse_root(const Jet<S, 6, kOrder>* t, S stiction) {
  using J = Jet<S, 6, kOrder>;
  const S slip[3] = {t[0].value, t[1].value, t[2].value};
  S unit;
  unit_of_squares<S, S>(slip, unit);
  J root2((stiction * unit) * (stiction * unit));
  for (int k = 0; k < 3; ++k) {
    const J scaled = unit * t[k];
    root2 = root2 + scaled * scaled;
  }
  return unit * inverse(sqrt(root2));
}

// Computes the force from the distance `d`, which needs one derivative more than kOrder. v: velocity of the
// point over the primitive.
template <int kOrder, class S>
void exact_force(const body::PrimitiveDistance<S>& d, const Vec3<S>& v, const SoftMinimumParameters<S>& with,
                 PointForce<S>& out) {
  using J = Jet<S, 6, kOrder>;  // with respect to position and velocity
  const auto function_of_position = [](S value, const Vec3<S>& slope, const Mat3<S>& bend) {
    J f(value);
    if constexpr (kOrder > 0)
      for (int k = 0; k < 3; ++k) f.first[k] = slope[k];
    J::for_second([&](int m, int i, int j) {
      if (j < 3) f.second[m] = bend(i, j);
    });
    return f;
  };
  J n[3], velocity[3], speed;
  for (int k = 0; k < 3; ++k) {
    n[k] = function_of_position(d.gradient[k], d.hessian.col(k), d.third[k]);
    velocity[k] = J::parameter(v[k], 3 + k);
    speed = speed + n[k] * velocity[k];
  }
  J t[3];
  for (int k = 0; k < 3; ++k) t[k] = velocity[k] - speed * n[k];
  const J slide = with.friction * inverse_root(t, with.stiction_velocity);
  Spring<S> c;
  spring<S, S>(d.value, with, c);
  const S rate = S(1) / with.dissipation_velocity;
  Damping<S> damped;
  damping<S, S>(speed.value * rate, with.damping, damped);
  const J push = function_of_position(d.value, d.gradient, d.hessian).composed(c.c, c.c1, c.c2) *
                 speed.composed(damped.d, damped.d1 * rate, damped.d2 * rate * rate);
  out.distance = {d.value, d.gradient, d.hessian, Status::kOk};
  for (int a = 0; a < 3; ++a) {
    const J f = push * (n[a] - slide * t[a]);
    out.force[a] = f.value;
    if constexpr (kOrder > 0)
      for (int k = 0; k < 3; ++k) {
        out.by_y(a, k) = f.first[k];
        out.by_v(a, k) = f.first[3 + k];
      }
    J::for_second([&](int m, int i, int j) {
      if (j < 3)
        out.by_yy[a](i, j) = out.by_yy[a](j, i) = f.second[m];
      else if (i < 3)
        out.by_yv[a](i, j - 3) = f.second[m];
      else
        out.by_vv[a](i - 3, j - 3) = out.by_vv[a](j - 3, i - 3) = f.second[m];
    });
  }
}

// Computes the force at p with derivatives up to `order`.
template <class S>
void exact_force(const body::Primitive& primitive, const Vec3<S>& p, const Vec3<S>& v,
                 const SoftMinimumParameters<S>& with, ssdf::Order order, PointForce<S>& out) {
  const auto d = body::primitive_distance<S>(primitive, p, static_cast<int>(order) + 1);
  if (order == ssdf::Order::kValue)
    exact_force<0>(d, v, with, out);
  else if (order == ssdf::Order::kGradient)
    exact_force<1>(d, v, with, out);
  else
    exact_force<2>(d, v, with, out);
}

}  // namespace abut::contact::internal
