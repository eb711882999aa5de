#include "runtime/witness/smooth_pair.h"

#include "runtime/witness/closed_form.h"
#include "runtime/witness/midpoint.h"

namespace abut::witness {

namespace {

// An ellipsoid or point, with its orientation in frame A, given by its support function h(n) = |D R' n|
// about its centre, D the diagonal matrix of semi-axes.
template <class S>
struct Body {
  Mat3<S> R;
  Vec3<S> semi_axes;  // m
  S h = 0;            // m
  Vec3<S> s{};        // support point, m

  void look(const Vec3<S>& n) {
    const Vec3<S> Dm = semi_axes.cwiseProduct(R.transpose() * n);
    h = Dm.norm();
    s = h > 0 ? Vec3<S>(R * semi_axes.cwiseProduct(Dm / h)) : Vec3<S>::Zero();
  }

  // Adds T' H T, H = (R D^2 R' - s s') / h the Hessian of h.
  void add_hessian(const Vec3<S> (&T)[2], S& a, S& b, S& c) const {
    if (!(h > 0)) return;
    const Vec3<S> u = semi_axes.cwiseProduct(R.transpose() * T[0]),
                  v = semi_axes.cwiseProduct(R.transpose() * T[1]);
    const S su = s.dot(T[0]), sv = s.dot(T[1]);
    a += (u.squaredNorm() - su * su) / h;
    b += (u.dot(v) - su * sv) / h;
    c += (v.squaredNorm() - sv * sv) / h;
  }
};

template <class S>
class SmoothPair {
 public:
  SmoothPair(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB)
      : A_{Mat3<S>::Identity(), A.size()},
        B_{X_AB.R, B.size()},
        p_(X_AB.p),
        rho_(ball_within(A) + ball_within(B)) {}

  bool run(Vec3<S> n, S tolerance, Witness<S>& result) {
    constexpr int kMaxSteps = 30;
    // Squared rotation of n whose own square is rounding.
    constexpr S kLast = std::numeric_limits<S>::epsilon() / 4;
    Vec3<S> turn = Vec3<S>::Zero(), from = n;
    S before = -std::numeric_limits<S>::infinity();
    bool last = false;
    n.normalize();
    for (int i = 1; i <= kMaxSteps; ++i) {
      look(n);
      if (last && certify(n, i, tolerance, result)) return true;
      if (g_ < before - tolerance) {  // overshoot
        turn /= 2;
        n = (from + turn).normalized();
        continue;
      }
      before = g_;
      from = n;
      turn = step(n);
      last = turn.squaredNorm() <= kLast;
      n = (n + turn).normalized();
    }
    return false;
  }

 private:
  void look(const Vec3<S>& n) {
    A_.look(n);
    B_.look(n);
    w_ = p_ - A_.s - B_.s;
    g_ = n.dot(p_) - A_.h - B_.h;
  }

  // Solves (g I + H) dn = w in the tangent plane. Where g is below -rho it is replaced by -rho, so that the
  // matrix stays definite.
  Vec3<S> step(const Vec3<S>& n) const {
    const Vec3<S> t = n.unitOrthogonal(), T[2] = {t, n.cross(t)};
    S a = std::max(g_, -rho_), b = 0, c = a;
    A_.add_hessian(T, a, b, c);
    B_.add_hessian(T, a, b, c);
    const S r0 = T[0].dot(w_), r1 = T[1].dot(w_), det = a * c - b * b;
    return ((c * r0 - b * r1) * T[0] + (a * r1 - b * r0) * T[1]) / det;
  }

  bool certify(const Vec3<S>& n, int iterations, S tolerance, Witness<S>& result) const {
    const Vec3<S> middle = (A_.s + p_ - B_.s) / 2, half = g_ / 2 * n;
    result = detail::witness_at<S>(middle - half, middle + half, n, g_);
    result.upper_bound = (w_ + rho_ * n).norm() - rho_;
    result.iterations = iterations;
    return g_ > -rho_ && std::abs(result.upper_bound - g_) <= tolerance;
  }

  Body<S> A_, B_;
  Vec3<S> p_;  // from the centre of A to that of B, m
  S rho_;      // m
  Vec3<S> w_;
  S g_ = 0;
};

}  // namespace

template <class S>
bool answer_by_normal(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, const Vec3<S>& n, S tolerance,
                      Witness<S>& result) {
  return n.squaredNorm() > 0 && SmoothPair<S>(A, B, X_AB).run(n, tolerance, result);
}

template bool answer_by_normal(const Core<double>&, const Core<double>&, const Pose<double>&,
                               const Vec3<double>&, double, Witness<double>&);
template bool answer_by_normal(const Core<long double>&, const Core<long double>&, const Pose<long double>&,
                               const Vec3<long double>&, long double, Witness<long double>&);

}  // namespace abut::witness
