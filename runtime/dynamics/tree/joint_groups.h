#pragma once

#include "runtime/dynamics/tree/tree.h"

// The joints of a tree whose configurations do not simply add up.
namespace abut::dynamics::detail {

using Subspace = Eigen::Matrix<double, 6, Eigen::Dynamic>;

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

// Jr(xi) of exp(xi), (6, 6): sum over k of (-ad(xi))^k / (k + 1)!, to rounding whatever the turn.
Mat6<double> right_jacobian(const Vec6<double>& xi);

}  // namespace abut::dynamics::detail
