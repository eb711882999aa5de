#pragma once

#include "runtime/math/pose.h"

// Spatial algebra of the recursions over a tree, on 6-vectors with the angular part first [Featherstone2008,
// Ch. 2].
namespace abut::dynamics::detail {

// V x m: rate of a motion vector m that moves with the twist V.
template <class S>
Vec6<S> cross_motion(const Vec6<S>& V, const Vec6<S>& m) {
  const Vec3<S> w = V.template head<3>(), u = V.template tail<3>();
  const Vec3<S> a = m.template head<3>(), b = m.template tail<3>();
  Vec6<S> result;
  result.template head<3>() = w.cross(a);
  result.template tail<3>() = w.cross(b) + u.cross(a);
  return result;
}

// V x* F: rate of a force vector F that moves with the twist V.
template <class S>
Vec6<S> cross_force(const Vec6<S>& V, const Vec6<S>& F) {
  const Vec3<S> w = V.template head<3>(), u = V.template tail<3>();
  const Vec3<S> n = F.template head<3>(), f = F.template tail<3>();
  Vec6<S> result;
  result.template head<3>() = w.cross(n) + u.cross(f);
  result.template tail<3>() = w.cross(f);
  return result;
}

// Inertia of a rigid body about the origin of a frame, in the frame's axes: the matrix [I [h]; -[h] m].
template <class S>
struct SpatialInertia {
  S m = S(0);                   // kg
  Vec3<S> h = Vec3<S>::Zero();  // m times the position of the centre of mass, kg m
  Mat3<S> I = Mat3<S>::Zero();  // kg m^2

  Vec6<S> operator*(const Vec6<S>& V) const {
    const Vec3<S> w = V.template head<3>(), u = V.template tail<3>();
    Vec6<S> result;
    result.template head<3>() = I * w + h.cross(u);
    result.template tail<3>() = m * u - h.cross(w);
    return result;
  }
  SpatialInertia& operator+=(const SpatialInertia& other) {
    m += other.m;
    h += other.h;
    I += other.I;
    return *this;
  }
  Mat6<S> matrix() const {
    Mat6<S> M = Mat6<S>::Zero();
    M.template topLeftCorner<3, 3>() = I;
    M.template topRightCorner<3, 3>() = skew(h);
    M.template bottomLeftCorner<3, 3>() = M.template topRightCorner<3, 3>().transpose();
    M.diagonal().template tail<3>().setConstant(m);
    return M;
  }
};

// Computes the spatial inertia about A's origin, in A's axes, of a body with mass m, kg, its centre of mass
// in p_BBcm, m, and the rotational inertia I_cm about the centre of mass in B's axes, kg m^2.
template <class S>
SpatialInertia<S> inertia_seen_from(const Pose<S>& X_AB, S m, const Vec3<S>& p_BBcm, const Mat3<S>& I_cm) {
  const Vec3<S> c = X_AB * p_BBcm;
  SpatialInertia<S> inertia{m, m * c, X_AB.R * I_cm * X_AB.R.transpose()};
  inertia.I.noalias() -= inertia.h * c.transpose();
  inertia.I.diagonal().array() += inertia.h.dot(c);
  return inertia;
}

// A spatial vector and its rate along a direction in which the state of a tree moves. The rate is taken in
// axes that move with a link, where the link's inertia and the axes of its joint are constant.
template <class S>
struct Moving {
  Vec6<S> value = Vec6<S>::Zero();
  Vec6<S> rate = Vec6<S>::Zero();

  Moving& operator+=(const Moving& other) {
    value += other.value;
    rate += other.rate;
    return *this;
  }
  friend Moving operator+(const Moving& a, const Moving& b) { return {a.value + b.value, a.rate + b.rate}; }
  friend Moving operator-(const Moving& a, const Moving& b) { return {a.value - b.value, a.rate - b.rate}; }
  friend Moving operator*(const SpatialInertia<S>& I, const Moving& V) { return {I * V.value, I * V.rate}; }
};
template <class S>
Moving<S> cross_motion(const Moving<S>& V, const Moving<S>& m) {
  return {cross_motion(V.value, m.value), cross_motion(V.rate, m.value) + cross_motion(V.value, m.rate)};
}
template <class S>
Moving<S> cross_force(const Moving<S>& V, const Moving<S>& F) {
  return {cross_force(V.value, F.value), cross_force(V.rate, F.value) + cross_force(V.value, F.rate)};
}

}  // namespace abut::dynamics::detail
