#pragma once

#include "runtime/dynamics/tree/tree.h"

// The joints of a tree whose configurations do not simply add up.
namespace abut::dynamics::detail {

using Subspace = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
using GroupVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;  // a joint's velocities

// Calls visit(first, S) for the joints of several degrees of freedom: where their velocities begin, and the
// orthonormal columns of their subspace of twists, which is a subalgebra.
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

// A twist, or a tangent, by parts.
struct Parts {
  Vec3<double> w, v;
  explicit Parts(const Vec6<double>& V) : w(V.head<3>()), v(V.tail<3>()) {}
};

// The part of a joint's tangent that shifts its link.
inline GroupVector shift_of(const Subspace& S, const GroupVector& tangent) {
  return S.bottomRows<3>().transpose() * (S.bottomRows<3>() * tangent);
}

inline Mat6<double> blocks(const Mat3<double>& ww, const Mat3<double>& wv, const Mat3<double>& vw,
                           const Mat3<double>& vv) {
  Mat6<double> m;
  m << ww, wv, vw, vv;
  return m;
}

// Sets one joint's block from its slope in all six dimensions.
inline void set_block(const Subspace& S, int first, const Mat6<double>& slope, MatX<double>& to) {
  to.block(first, first, S.cols(), S.cols()) = S.transpose() * slope * S;
}

// Jr(xi) of exp(xi), (6, 6): sum over k of (-ad(xi))^k / (k + 1)!, to rounding whatever the turn.
Mat6<double> right_jacobian(const Vec6<double>& xi);
Mat3<double> right_jacobian_of_turn(const Vec3<double>& turn);  // the same of turns alone

}  // namespace abut::dynamics::detail
