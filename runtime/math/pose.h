#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <limits>

// Poses, twists and their tangents. Conventions (docs/conventions.md):
//   X_AB = pose of frame B in frame A: p_A = R_AB p_B + p_AB, metres; X_AC = X_AB * X_BC.
//   A twist is V = (w; v), a wrench is F = (tau; f): angular part first.
//   Tangent of a pose: X_AB exp(xi), xi = (w; v) expressed in B (right perturbation). Derivatives with
//   respect to a pose are 6 wide in that order.
namespace abut {

static_assert(EIGEN_MAX_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16,
              "what the library exchanges is laid out otherwise: compile with -DEIGEN_MAX_ALIGN_BYTES=16 "
              "-DEIGEN_MALLOC_ALREADY_ALIGNED=1, as find_package(abut) and pkg-config --cflags abut say");

// A point (m), a vector or a unit normal.
template <class S>
using Vec3 = Eigen::Matrix<S, 3, 1>;
// A twist (w; v), a wrench (tau; f) or the tangent xi of a pose.
template <class S>
using Vec6 = Eigen::Matrix<S, 6, 1>;
// A rotation, or a linear map of vectors.
template <class S>
using Mat3 = Eigen::Matrix<S, 3, 3>;
// Derivative of a vector with respect to the tangent of a pose.
template <class S>
using Mat36 = Eigen::Matrix<S, 3, 6>;
// Derivative of a twist or a wrench with respect to the tangent of a pose; a spatial inertia.
template <class S>
using Mat6 = Eigen::Matrix<S, 6, 6>;
// Derivative of a scalar with respect to the tangent of a pose.
template <class S>
using Row6 = Eigen::Matrix<S, 1, 6>;

// [a], the skew matrix of a: [a] b = a x b.
template <class S>
Mat3<S> skew(const Vec3<S>& a) {
  Mat3<S> m;
  m << S(0), -a.z(), a.y(), a.z(), S(0), -a.x(), -a.y(), a.x(), S(0);
  return m;
}

// Pose X_AB: rotation R_AB and origin p_AB, m, of frame B in frame A.
template <class S>
struct Pose {
  Mat3<S> R = Mat3<S>::Identity();  // R_AB
  Vec3<S> p = Vec3<S>::Zero();      // p_AB, m

  Vec3<S> operator*(const Vec3<S>& p_B) const { return R * p_B + p; }              // p_A = X_AB p_B, m
  Pose operator*(const Pose& X_BC) const { return {R * X_BC.R, R * X_BC.p + p}; }  // X_AC = X_AB X_BC
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }           // X_BA, R being a rotation
  bool finite() const { return R.allFinite() && p.allFinite(); }  // no entry is infinite or NaN

  // The same pose with scalars of type T.
  template <class T>
  Pose<T> cast() const {
    return {R.template cast<T>(), p.template cast<T>()};
  }
};

// Rotation matrix of a quaternion (w, x, y, z), which is normalised first; NaN for a quaternion of length
// zero.
template <class S>
Mat3<S> rotation_from_quaternion(S w, S x, S y, S z) {
  Eigen::Quaternion<S> q(w, x, y, z);
  q.coeffs() /= q.coeffs().stableNorm();
  return q.toRotationMatrix();
}

// Largest absolute entry of R'R - I, which is 0 for a rotation; infinity for a reflection or where R has NaN.
template <class S>
S rotation_error(const Mat3<S>& R) {
  const S error = (R.transpose() * R - Mat3<S>::Identity()).cwiseAbs().maxCoeff();
  return R.determinant() > S(0) && std::isfinite(error) ? error : std::numeric_limits<S>::infinity();
}

// Smallest rotation that takes the unit vector a to the unit vector b. Where they are opposite to within the
// square root of machine epsilon, a half turn about some axis perpendicular to a.
template <class S>
Mat3<S> shortest_rotation(const Vec3<S>& a, const Vec3<S>& b) {
  using std::sqrt;
  const Vec3<S> sum = a + b;
  if (!(sum.squaredNorm() > std::numeric_limits<S>::epsilon())) {
    const Vec3<S> axis = a.unitOrthogonal();
    return 2 * axis * axis.transpose() - Mat3<S>::Identity();
  }
  const Vec3<S> axis = a.cross(b);
  return rotation_from_quaternion<S>(sum.squaredNorm() / 2, axis.x(), axis.y(), axis.z());
}

// Exponential of a rotation vector w (rad) by Rodrigues' formula, accurate to rounding also near zero.
template <class S>
Mat3<S> exp_rotation(const Vec3<S>& w) {
  using std::cos, std::sin, std::sqrt;
  const S t2 = w.squaredNorm();
  const S t = sqrt(t2);
  // sin(t)/t and (1 - cos t)/t^2, by series near zero, where the quotients lose digits
  const S a = t2 < S(1e-6) ? S(1) - t2 / 6 * (S(1) - t2 / 20 * (S(1) - t2 / 42)) : sin(t) / t;
  const S h = t2 < S(1e-6) ? S(0) : sin(t / 2) / t;
  const S b = t2 < S(1e-6) ? S(0.5) * (S(1) - t2 / 12 * (S(1) - t2 / 30 * (S(1) - t2 / 56))) : 2 * h * h;
  const Mat3<S> W = skew(w);
  return Mat3<S>::Identity() + a * W + b * (W * W);
}

// Exponential of a twist xi = (w; v): X_AB * exp(xi) is X_AB moved by xi, which is expressed in B.
template <class S>
Pose<S> exp(const Vec6<S>& xi) {
  using std::sin, std::sqrt;
  const Vec3<S> w = xi.template head<3>();
  const Vec3<S> v = xi.template tail<3>();
  const S t2 = w.squaredNorm();
  const S t = sqrt(t2);
  const S h = t2 < S(1e-6) ? S(0) : sin(t / 2) / t;
  const S b = t2 < S(1e-6) ? S(0.5) * (S(1) - t2 / 12 * (S(1) - t2 / 30 * (S(1) - t2 / 56))) : 2 * h * h;
  const S c =
      t2 < S(1e-6) ? (S(1) - t2 / 20 * (S(1) - t2 / 42 * (S(1) - t2 / 72))) / 6 : (t - sin(t)) / (t2 * t);
  const Mat3<S> W = skew(w);
  return {exp_rotation(w), (Mat3<S>::Identity() + b * W + c * (W * W)) * v};
}

}  // namespace abut
