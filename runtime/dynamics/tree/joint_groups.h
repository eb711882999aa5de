#pragma once

#include "runtime/dynamics/tree/tree.h"

// Tools for the joints of several degrees of freedom, whose tangents cannot simply be added to coordinates.
namespace abut::dynamics::detail {

using Subspace = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
using GroupVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;  // a joint's velocities

// Calls visit(first, S) for each joint of several degrees of freedom: `first` is the index of its first
// velocity, S the orthonormal basis of its motion subspace, which is a subalgebra of the twists.
template <class Visit>
void for_each_group(const Tree& tree, Visit&& visit) {
  for (int i = 0; i < tree.link_count(); ++i) {
    const int first = tree.first_v(i), count = tree.end_v(i) - first;
    if (count < 2) continue;
    Subspace S(6, count);
    for (int d = 0; d < count; ++d) S.col(d) = tree.subspace(first + d);
    visit(first, S);
  }
}

// A twist or a tangent, split into its angular part w and its linear part v.
struct Parts {
  Vec3<double> w, v;
  explicit Parts(const Vec6<double>& V) : w(V.head<3>()), v(V.tail<3>()) {}
};

// Returns the part of a joint's tangent that translates its link.
inline GroupVector shift_of(const Subspace& S, const GroupVector& tangent) {
  return S.bottomRows<3>().transpose() * (S.bottomRows<3>() * tangent);
}

inline Mat6<double> blocks(const Mat3<double>& ww, const Mat3<double>& wv, const Mat3<double>& vw,
                           const Mat3<double>& vv) {
  Mat6<double> m;
  m << ww, wv, vw, vv;
  return m;
}

// Sets one joint's block of `to` from the (6, 6) derivative between twists.
inline void set_block(const Subspace& S, int first, const Mat6<double>& slope, MatX<double>& to) {
  to.block(first, first, S.cols(), S.cols()) = S.transpose() * slope * S;
}

// Right Jacobian Jr(xi) of exp(xi), the sum over k of (-ad(xi))^k / (k + 1)!, exact to rounding for any
// rotation.
Mat6<double> right_jacobian(const Vec6<double>& xi);
Mat3<double> right_jacobian_of_turn(const Vec3<double>& turn);  // the same for a rotation vector

}  // namespace abut::dynamics::detail
