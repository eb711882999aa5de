#include "runtime/derivative/soft_bodies.h"

#include <algorithm>
#include <cmath>

#include "runtime/witness/support.h"

namespace abut::derivative {

namespace {

// Calls visit(r, a) for the vertices, r relative to `origin` (the highest vertex along n), whose weight a =
// exp(<r, n> / t) is not negligible in a sum with the weight 1 of the highest vertex.
template <class S, class Visit>
void visit_weights(const SoftHull<S>& body, const Vec3<S>& n, const Vec3<S>& origin, Visit&& visit) {
  using std::exp, std::log;
  const S least = log(std::numeric_limits<S>::epsilon()) - 5;
  const double *const x = body.hull.x, *const y = body.hull.y, *const z = body.hull.z;
  for (std::int32_t i = 0; i < body.hull.vertex_count; ++i) {
    const Vec3<S> r(S(x[i]) - origin.x(), S(y[i]) - origin.y(), S(z[i]) - origin.z());
    const S exponent = r.dot(n) / body.temperature;
    if (exponent > least) visit(r, exp(exponent));
  }
}

// Third derivatives of h_t, m, with respect to n: matrix k is the bilinear form (a, b) -> D^2 s_k [a, b].
template <class S>
struct ThirdDerivative {
  std::array<Mat3<S>, 3> of;

  Vec3<S> operator()(const Vec3<S>& a, const Vec3<S>& b) const {
    return {a.dot(of[0] * b), a.dot(of[1] * b), a.dot(of[2] * b)};
  }
};

// Computes them as the third central moment of the vertices over t^2.
template <class S>
ThirdDerivative<S> third_derivative(const SoftHull<S>& body, const Vec3<S>& n, const Vec3<S>& mean) {
  const Vec3<S> origin = witness::support<S>(body.hull, n).point;
  ThirdDerivative<S> result;
  result.of.fill(Mat3<S>::Zero());
  S weight = 0;
  visit_weights(body, n, origin, [&](const Vec3<S>& r, S a) {
    const Vec3<S> c = r - (mean - origin);
    const Mat3<S> square = a * c * c.transpose();
    weight += a;
    for (int k = 0; k < 3; ++k) result.of[k] += c[k] * square;
  });
  for (Mat3<S>& matrix : result.of) matrix /= weight * body.temperature * body.temperature;
  return result;
}

// Evaluates the soft bodies at the normal n: their support points, heights, curvatures and distance.
template <class S>
SoftWitness<S> along(const SoftHull<S>& A, const SoftHull<S>& B, const Pose<S>& X_AB, const Vec3<S>& n) {
  SoftWitness<S> result{{}, soft_support(A, n), soft_support(B, Vec3<S>(-(X_AB.R.transpose() * n)))};
  witness::Witness<S>& w = result.witness;
  w.n = n;
  w.p1 = result.A.point;
  w.p2 = X_AB * result.B.point;
  w.distance = w.lower_bound = w.upper_bound = n.dot(w.p2 - w.p1);
  w.status = Status::kOk;
  w.simplex_size = 0;
  for (std::int32_t* vertices : {w.vertex_A, w.vertex_B}) std::fill(vertices, vertices + 3, -1);
  return result;
}

// Returns Newton's step on the sphere, an ascent direction even where g is not concave, at most half a radian
// long.
template <class S>
Vec2<S> newton_step(const SoftWitness<S>& at, const Mat2<S>& H, const Vec2<S>& gradient) {
  using std::abs;
  constexpr S kFlat = S(1e-3), kLongest = S(0.5);  // least curvature relative to |d| + trace H; rad
  const S d = at.witness.distance;
  Vec2<S> values;
  const Mat2<S> Q = eigenvectors<S>(H + d * Mat2<S>::Identity(), values);
  const S floor = std::max(kFlat * (abs(d) + H.trace()), std::numeric_limits<S>::min());
  const Vec2<S> step =
      Q * values.cwiseAbs().cwiseMax(floor).cwiseInverse().asDiagonal() * (Q.transpose() * gradient);
  return step * std::min(S(1), kLongest / std::max(step.norm(), kLongest));
}

// Returns H_D = H_A + R H_B R', in A.
template <class S>
Mat3<S> both(const Mat3<S>& H_A, const Mat3<S>& H_B, const Pose<S>& X_AB) {
  return H_A + X_AB.R * H_B * X_AB.R.transpose();
}

// First derivatives and the intermediate quantities that second derivatives reuse.
template <class S>
struct Linear {
  Mat32<S> T;
  Mat3<S> H_A, H_B;  // raised where clamped, each in its body's frame
  Mat2<S> inverse;   // of d I + T'H_D T
  WitnessDerivative<S> derivative;
};

template <class S>
Linear<S> linearize(const SoftWitness<S>& soft, const Pose<S>& X_AB, S size, const Clamp& clamp) {
  using std::abs;
  const witness::Witness<S>& w = soft.witness;
  Linear<S> result{tangent_basis(w.n), soft.A.H, soft.B.H, {}, {}};
  const Mat32<S>& T = result.T;
  WitnessDerivative<S>& d = result.derivative;
  d.clamped_count = 0;
  d.clamped_A.fill(Vec3<S>::Zero());
  d.status = w.status;

  const Mat2<S> H = T.transpose() * both(soft.A.H, soft.B.H, X_AB) * T;
  Vec2<S> values;
  const Mat2<S> Q = eigenvectors<S>(w.distance * Mat2<S>::Identity() + H, values);
  const S bound = S(clamp.relative) * std::min(abs(w.distance) + H.trace(), size) + S(clamp.absolute) * size;
  for (int k = 0; k < 2; ++k) {
    if (values[k] >= bound) continue;
    const Vec3<S> direction = T * Q.col(k), direction_B = X_AB.R.transpose() * direction;
    result.H_A += (bound - values[k]) / 2 * direction * direction.transpose();
    result.H_B += (bound - values[k]) / 2 * direction_B * direction_B.transpose();
    values[k] = bound;
    d.clamped_A[d.clamped_count++] = direction;
  }
  if (d.clamped_count > 0 && w.status != Status::kNotConverged) d.status = Status::kClamped;
  result.inverse = Q * values.cwiseInverse().asDiagonal() * Q.transpose();

  const Vec3<S> m_B = -(X_AB.R.transpose() * w.n);
  Mat36<S> held;  // dp2 while n is held fixed
  held << X_AB.R * (result.H_B * skew(m_B) - skew(soft.B.point)), X_AB.R;
  d.dn_A_dxi_B = T * (result.inverse * (T.transpose() * held));
  d.dp1_A_dxi_B = result.H_A * d.dn_A_dxi_B;
  d.dp2_A_dxi_B = held - X_AB.R * (result.H_B * (X_AB.R.transpose() * d.dn_A_dxi_B));
  d.dd_dxi_B = w.n.transpose() * (d.dp2_A_dxi_B - d.dp1_A_dxi_B);
  if (!detail::finite(d)) d = detail::invalid_derivative<S>();
  return result;
}

// Motion along one direction of xi: w and v in B, and the resulting dn in A, dn in B, dm and ds_B.
template <class S>
struct Motion {
  Vec3<S> w, v, n, n_B, m, s;
};

// Second derivative of p2 along the directions i and j of xi, in B, without the term of the second derivative
// of n.
template <class S>
Vec3<S> second_of_B(const Motion<S>& i, const Motion<S>& j, const Vec3<S>& n_B, const Vec3<S>& s,
                    const Mat3<S>& H_B, const ThirdDerivative<S>& third) {
  const auto turned_twice = [&](const Vec3<S>& x) -> Vec3<S> {
    return (i.w.cross(j.w.cross(x)) + j.w.cross(i.w.cross(x))) / 2;
  };
  const Vec3<S> m_ij = i.w.cross(j.n_B) + j.w.cross(i.n_B) - turned_twice(n_B);
  const Vec3<S> s_ij = third(i.m, j.m) + H_B * m_ij;
  return (i.w.cross(j.v) + j.w.cross(i.v)) / 2 + turned_twice(s) + i.w.cross(j.s) + j.w.cross(i.s) + s_ij;
}

}  // namespace

template <class S>
SoftSupport<S> soft_support(const SoftHull<S>& body, const Vec3<S>& n) {
  using std::log;
  const Vec3<S> origin = witness::support<S>(body.hull, n).point;
  S weight = 0;
  Vec3<S> first = Vec3<S>::Zero();
  Mat3<S> second = Mat3<S>::Zero();
  visit_weights(body, n, origin, [&](const Vec3<S>& r, S a) {
    const Vec3<S> ar = a * r;
    weight += a;
    first += ar;
    second += ar * r.transpose();
  });
  const Vec3<S> mean = first / weight;
  return {origin + mean, (second / weight - mean * mean.transpose()) / body.temperature,
          origin.dot(n) + body.temperature * log(weight)};
}

template <class S>
SoftWitness<S> soft_witness(const SoftHull<S>& A, const SoftHull<S>& B, const Pose<S>& X_AB,
                            const Vec3<S>& n) {
  constexpr int kMaxSteps = 60, kMaxHalvings = 30;
  constexpr S kRise = S(1e-4), kNear = S(1e-6);  // share of the rise that the slope predicts; rad
  constexpr S kRounding = std::numeric_limits<S>::epsilon();
  const auto value = [&](const SoftWitness<S>& at) {
    return at.witness.n.dot(X_AB.p) - at.A.height - at.B.height;
  };
  SoftWitness<S> at = along(A, B, X_AB, n);
  S residual = 0, tolerance = 0;
  for (int k = 0;; ++k) {
    const Mat32<S> T = tangent_basis(at.witness.n);
    const Vec2<S> gradient = T.transpose() * (at.witness.p2 - at.witness.p1);
    residual = gradient.norm();
    tolerance = 4 * kRounding * (at.witness.p1.norm() + at.witness.p2.norm() + X_AB.p.norm());
    at.witness.iterations = k;
    if (!(residual > tolerance) || k == kMaxSteps) break;
    Vec2<S> step = newton_step<S>(at, T.transpose() * both(at.A.H, at.B.H, X_AB) * T, gradient);
    bool better = false;
    for (int j = 0; j < kMaxHalvings && !better; ++j, step /= 2) {
      const SoftWitness<S> next = along(A, B, X_AB, Vec3<S>((at.witness.n + T * step).normalized()));
      better = value(next) - value(at) > kRise * gradient.dot(step);
      // The rise of a short step is lost in rounding: instead, the part of p2 - p1 orthogonal to the normal
      // must shrink.
      if (!better && step.norm() < kNear) {
        const Vec3<S> gap = next.witness.p2 - next.witness.p1;
        better = (gap - next.witness.n.dot(gap) * next.witness.n).norm() < residual / 2;
      }
      if (better) at = next;
    }
    if (!better) break;
  }
  // If no step improves because of rounding, the result is as exact as it can be; accept it within kEnough
  // tolerances.
  constexpr S kEnough = S(1e5);
  if (!(residual <= kEnough * tolerance)) at.witness.status = Status::kNotConverged;
  return at;
}

template <class S>
WitnessDerivative<S> soft_derivative(const SoftWitness<S>& soft, const Pose<S>& X_AB, S size,
                                     const Clamp& clamp) {
  return linearize(soft, X_AB, size, clamp).derivative;
}

template <class S>
WitnessHessian<S> soft_hessian(const SoftHull<S>& A, const SoftHull<S>& B, const SoftWitness<S>& soft,
                               const Pose<S>& X_AB, S size, const Clamp& clamp) {
  const Linear<S> first = linearize(soft, X_AB, size, clamp);
  const WitnessDerivative<S>& d = first.derivative;
  const Mat3<S>& R = X_AB.R;
  const Vec3<S>& n = soft.witness.n;
  const Vec3<S> n_B = R.transpose() * n;
  const ThirdDerivative<S> third_A = third_derivative(A, n, soft.A.point),
                           third_B = third_derivative(B, Vec3<S>(-n_B), soft.B.point);
  const Mat3<S> H_D = both(first.H_A, first.H_B, X_AB);
  std::array<Motion<S>, 6> motions;
  for (int i = 0; i < 6; ++i) {
    Motion<S>& motion = motions[i];
    motion.w = i < 3 ? Vec3<S>(Vec3<S>::Unit(i)) : Vec3<S>(Vec3<S>::Zero());
    motion.v = i < 3 ? Vec3<S>(Vec3<S>::Zero()) : Vec3<S>(Vec3<S>::Unit(i - 3));
    motion.n = d.dn_A_dxi_B.col(i);
    motion.n_B = R.transpose() * motion.n;
    motion.m = motion.w.cross(n_B) - motion.n_B;
    motion.s = first.H_B * motion.m;
  }
  WitnessHessian<S> result;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) {
      const Motion<S>&a = motions[i], &b = motions[j];
      const S turn = a.n.dot(b.n);  // n'd2n = -turn
      const Vec3<S> of_B = R * second_of_B(a, b, n_B, soft.B.point, first.H_B, third_B);
      const Vec3<S> of_A = third_A(a.n, b.n);
      // from d2p2 - d2p1 = d2d n + dd_i n_j + dd_j n_i + d d2n, the second derivative of p2 - p1 = d n
      const Vec3<S> pushed = of_B - of_A - d.dd_dxi_B[i] * b.n - d.dd_dxi_B[j] * a.n + turn * (H_D * n);
      const Vec3<S> d2n = first.T * (first.inverse * (first.T.transpose() * pushed)) - turn * n;
      const Vec3<S> d2p1 = of_A + first.H_A * d2n;
      const Vec3<S> d2p2 = of_B - R * (first.H_B * (R.transpose() * d2n));
      for (int k = 0; k < 3; ++k) {
        result.p1_A[k](i, j) = result.p1_A[k](j, i) = d2p1[k];
        result.p2_A[k](i, j) = result.p2_A[k](j, i) = d2p2[k];
        result.n_A[k](i, j) = result.n_A[k](j, i) = d2n[k];
      }
      result.d(i, j) = result.d(j, i) = n.dot(d2p2 - d2p1) + soft.witness.distance * turn;
    }
  return result;
}

#define ABUT_INSTANTIATE(S)                                                                              \
  template SoftSupport<S> soft_support(const SoftHull<S>&, const Vec3<S>&);                              \
  template SoftWitness<S> soft_witness(const SoftHull<S>&, const SoftHull<S>&, const Pose<S>&,           \
                                       const Vec3<S>&);                                                  \
  template WitnessDerivative<S> soft_derivative(const SoftWitness<S>&, const Pose<S>&, S, const Clamp&); \
  template WitnessHessian<S> soft_hessian(const SoftHull<S>&, const SoftHull<S>&, const SoftWitness<S>&, \
                                          const Pose<S>&, S, const Clamp&);
ABUT_INSTANTIATE(double)
ABUT_INSTANTIATE(long double)
#undef ABUT_INSTANTIATE

}  // namespace abut::derivative
