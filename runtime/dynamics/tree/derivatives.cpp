#include "runtime/dynamics/tree/derivatives.h"

#include "runtime/core/simd.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/recursions.h"

// A unit tangent of degree of freedom j, of link J with parent P, turns and shifts all that J carries by the
// twist s = axis_j. In axes that go with it, link K of these sees the change of twist psi_dot = V_P x s and
// of acceleration psi_ddot = A_P x s + V_P x psi_dot, and of the force on it
//   dF_K = s x* F_K + I_K psi_ddot + 2 B_K psi_dot,
// a unit velocity dF_K = I_K (psi_dot + V_J x s) + 2 B_K s [Singh2022, Eq. 35 to 47]. For a rigid body,
//   2 B = V x* I - I V x + (I V) x* = [T 0; -2 [p] 0],  p its momentum,
//   T = 2 [w] I - tr(I) [w] - 2 u h' + 2 (u.h) 1,  V = (w; u), I and h as in SpatialInertia.
// As T and p add up over the links that one carries, so does B: twelve numbers in place of 36.
namespace abut::dynamics {
namespace {

using detail::at;
using detail::dof;

// T, above.
template <class S>
Mat3<S> turn_moment(const detail::SpatialInertia<S>& inertia, const Vec6<S>& V) {
  const Vec3<S> w = V.template head<3>(), u = V.template tail<3>();
  Mat3<S> T = -2 * u * inertia.h.transpose();
  for (int k = 0; k < 3; ++k) T.col(k) += 2 * w.cross(inertia.I.col(k));
  T -= skew<S>(inertia.I.trace() * w);
  T.diagonal().array() += 2 * u.dot(inertia.h);
  return T;
}

template <class S>
Vec6<S> twice_B_times(const Mat3<S>& T, const Vec3<S>& p, const Vec3<S>& w) {
  Vec6<S> result;
  result.template head<3>() = T * w;
  result.template tail<3>() = 2 * w.cross(p);
  return result;
}

// Columns of the joint of link i: psi_ddot, psi_dot and the rate of the axis.
template <class S>
void begin_columns(const Tree& tree, int i, const Vec6<S>& A_W, BasicTreeScratch<S>& scratch) {
  const int parent = tree.link(i).parent;
  const Vec6<S> V_P = parent >= 0 ? at(scratch, parent).V : Vec6<S>::Zero().eval();
  const Vec6<S>& A_P = parent >= 0 ? at(scratch, parent).A : A_W;
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
    const Vec6<S>& axis = dof(scratch, d).axis;
    const Vec6<S> psi_dot = detail::cross_motion(V_P, axis);
    const Vec6<S> psi_ddot = detail::cross_motion(A_P, axis) + detail::cross_motion(V_P, psi_dot);
    const Vec6<S> by_v = psi_dot + detail::cross_motion(at(scratch, i).V, axis);
    auto& column = scratch.derivatives[static_cast<std::size_t>(d)].column;
    for (std::size_t c = 0; c < 6; ++c)
      column[c] = {psi_ddot[static_cast<int>(c)], by_v[static_cast<int>(c)]};
    for (std::size_t c = 0; c < 3; ++c)
      column[6 + c] = {psi_dot[static_cast<int>(c)], axis[static_cast<int>(c)]};
  }
}

// Forces on all that link i carries by unit changes of its joint, and the row that meets other columns.
template <class S>
void begin_rows(const Tree& tree, int i, BasicTreeScratch<S>& scratch) {
  const auto& here = at(scratch, i);
  const Mat3<S>& T = here.turn_moment;
  const Vec3<S>& p = here.momentum;
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
    const Vec6<S>& axis = dof(scratch, d).axis;
    auto& of = scratch.derivatives[static_cast<std::size_t>(d)];
    Vec6<S> psi_ddot, by_v;
    Vec3<S> psi_dot;
    for (std::size_t c = 0; c < 6; ++c) {
      psi_ddot[static_cast<int>(c)] = of.column[c][0];
      by_v[static_cast<int>(c)] = of.column[c][1];
    }
    for (std::size_t c = 0; c < 3; ++c) psi_dot[static_cast<int>(c)] = of.column[6 + c][0];
    const Vec6<S> F_a = here.composite * axis;
    const Vec6<S> F_q =
        detail::cross_force<S>(axis, here.F) + here.composite * psi_ddot + twice_B_times<S>(T, p, psi_dot);
    const Vec6<S> F_v = here.composite * by_v + twice_B_times<S>(T, p, axis.template head<3>());
    const Vec3<S> G = T.transpose() * axis.template head<3>() - 2 * axis.template tail<3>().cross(p);
    for (std::size_t c = 0; c < 6; ++c) {
      of.force[c] = {F_a[static_cast<int>(c)], F_q[static_cast<int>(c)], F_v[static_cast<int>(c)], S(0)};
      of.row[c] = F_a[static_cast<int>(c)];
    }
    for (std::size_t c = 0; c < 3; ++c) of.row[6 + c] = G[static_cast<int>(c)];
  }
}

// (dtau_j/dq_k, dtau_j/dv_k): k carries j, or is of the same joint.
template <class S>
ABUT_INLINE std::array<S, 2> row_times_column(const std::array<S, 9>& row,
                                              const std::array<std::array<S, 2>, 9>& column) {
  std::array<S, 2> sum{};
  for (std::size_t c = 0; c < 9; ++c)
    for (std::size_t k = 0; k < 2; ++k) sum[k] += row[c] * column[c][k];
  return sum;
}

// Entries (j, k) and (k, j) of the three matrices for a degree of freedom j and all k that carry it.
template <class S>
ABUT_INLINE void pair_up(const Tree& tree, int j, BasicTreeScratch<S>& scratch) {
  const auto n = static_cast<std::size_t>(tree.nv());
  const auto row_j = static_cast<std::size_t>(j);
  const auto& of = scratch.derivatives[row_j];
  S* const M = scratch.mass_matrix.data();
  S* const dtau = scratch.dtau_dx.data();
  for (int k = j; k >= 0; k = tree.parent_dof(k)) {
    const auto row_k = static_cast<std::size_t>(k);
    const S* const axis = scratch.dofs[row_k].axis.data();
    std::array<S, 4> sum{};
    for (std::size_t c = 0; c < 6; ++c)
      for (std::size_t m = 0; m < 4; ++m) sum[m] += axis[c] * of.force[c][m];
    M[row_j * n + row_k] = M[row_k * n + row_j] = sum[0];
    dtau[row_k * 2 * n + row_j] = sum[1];
    dtau[row_k * 2 * n + n + row_j] = sum[2];
    const std::array<S, 2> entry = row_times_column<S>(of.row, scratch.derivatives[row_k].column);
    dtau[row_j * 2 * n + row_k] = entry[0];
    dtau[row_j * 2 * n + n + row_k] = entry[1];
  }
}

template <class S>
ABUT_INLINE void pair_up_all(const Tree& tree, BasicTreeScratch<S>& scratch) {
  for (int i = 0; i < tree.link_count(); ++i) {
    const int first = tree.first_v(i), end = tree.end_v(i);
    for (int d = first; d < end; ++d) pair_up(tree, d, scratch);
    // Within a joint all degrees of freedom turn together: entries above the diagonal follow the same form.
    for (int d = first; d < end; ++d) {
      for (int e = d + 1; e < end; ++e)
        scratch.dtau_dx(d, e) =
            row_times_column<S>(scratch.derivatives[static_cast<std::size_t>(d)].row,
                                scratch.derivatives[static_cast<std::size_t>(e)].column)[0];
      scratch.mass_matrix(d, d) += S(tree.link(i).joint.armature);
    }
  }
}

ABUT_CLONES void pair_up_branches(const Tree& tree, BasicTreeScratch<double>& scratch) {
  pair_up_all(tree, scratch);
}
void pair_up_branches(const Tree& tree, BasicTreeScratch<long double>& scratch) {
  pair_up_all(tree, scratch);
}

// to[c] -= factor from[c] for c in [begin, end)
template <class S>
ABUT_INLINE void subtract(S factor, const S* from, S* to, int begin, int end) {
  for (int c = begin; c < end; ++c) to[c] -= factor * from[c];
}

// X = L'^-1 X. Row i of X is zero but in the columns of those that carry it and of those that it carries.
template <class S>
ABUT_INLINE void solve_upwards(const Tree& tree, BasicTreeScratch<S>& scratch) {
  const int n = tree.nv();
  S* const X = scratch.dacceleration_dx.data();
  for (int i = n; i-- > 0;) {
    int count = 0;
    for (int k = tree.parent_dof(i); k >= 0; k = tree.parent_dof(k))
      scratch.ancestors[static_cast<std::size_t>(count++)] = k;
    const S* const row = X + static_cast<std::ptrdiff_t>(i) * 2 * n;
    const S* const L = scratch.factor.data() + static_cast<std::ptrdiff_t>(i) * n;
    const int end = tree.end_of_subtree(i);
    for (int a = 0; a < count; ++a) {
      const int k = scratch.ancestors[static_cast<std::size_t>(a)];
      S* const to = X + static_cast<std::ptrdiff_t>(k) * 2 * n;
      const S factor = L[k];
      subtract(factor, row, to, i, end);
      subtract(factor, row, to, n + i, n + end);
      for (int b = 0; b < count; ++b) {
        const int c = scratch.ancestors[static_cast<std::size_t>(b)];
        to[c] -= factor * row[c];
        to[n + c] -= factor * row[n + c];
      }
    }
  }
}

// X = L^-1 D^-1 X, a block of columns at a time, held in registers while the rows that carry i are taken off.
template <class S>
ABUT_INLINE void solve_downwards(const Tree& tree, BasicTreeScratch<S>& scratch) {
  constexpr int kBlock = 16;  // columns: four registers of four doubles
  const int n = tree.nv();
  S* const X = scratch.dacceleration_dx.data();
  for (int i = 0; i < n; ++i) {
    S* const row = X + static_cast<std::ptrdiff_t>(i) * 2 * n;
    const S* const L = scratch.factor.data() + static_cast<std::ptrdiff_t>(i) * n;
    const S inverse_D = L[i];
    const int parent = tree.parent_dof(i);
    int begin = 0;
    for (; begin + kBlock <= 2 * n; begin += kBlock) {
      S sum[kBlock];
      for (int c = 0; c < kBlock; ++c) sum[c] = row[begin + c] * inverse_D;
      for (int k = parent; k >= 0; k = tree.parent_dof(k))
        subtract(L[k], X + static_cast<std::ptrdiff_t>(k) * 2 * n + begin, sum, 0, kBlock);
      for (int c = 0; c < kBlock; ++c) row[begin + c] = sum[c];
    }
    for (int c = begin; c < 2 * n; ++c) row[c] *= inverse_D;
    for (int k = parent; k >= 0; k = tree.parent_dof(k))
      subtract(L[k], X + static_cast<std::ptrdiff_t>(k) * 2 * n, row, begin, 2 * n);
  }
}

ABUT_CLONES void solve_columns(const Tree& tree, BasicTreeScratch<double>& scratch) {
  solve_upwards(tree, scratch);
  solve_downwards(tree, scratch);
}
void solve_columns(const Tree& tree, BasicTreeScratch<long double>& scratch) {
  solve_upwards(tree, scratch);
  solve_downwards(tree, scratch);
}

// Poses, twists and inertias of the links are known.
template <class S>
void differentiate(const Tree& tree, const S* a, BasicTreeScratch<S>& scratch) {
  const Vec6<S> A_W = detail::gravity_as_acceleration<S>(tree);
  for (int i = 0; i < tree.link_count(); ++i) {
    detail::accelerate_link(tree, i, a, A_W, scratch);
    begin_columns(tree, i, A_W, scratch);
    auto& here = at(scratch, i);
    const Vec6<S> momentum = here.inertia * here.V;
    here.F = here.inertia * here.A + detail::cross_force<S>(here.V, momentum);
    here.composite = here.inertia;
    here.turn_moment = turn_moment(here.inertia, here.V);
    here.momentum = momentum.template tail<3>();
  }
  for (int i = tree.link_count(); i-- > 0;) {
    begin_rows(tree, i, scratch);
    const int parent = tree.link(i).parent;
    if (parent < 0) continue;
    const auto& here = at(scratch, i);
    auto& below = at(scratch, parent);
    below.F += here.F;
    below.composite += here.composite;
    below.turn_moment += here.turn_moment;
    below.momentum += here.momentum;
  }
  pair_up_branches(tree, scratch);
}

}  // namespace

template <class S>
const MatX<S>& inverse_dynamics_derivatives(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a,
                                            BasicTreeScratch<S>& scratch) {
  detail::require_size("coordinates", q.size(), tree.nq());
  detail::require_size("velocities", v.size(), tree.nv());
  detail::require_size("accelerations", a.size(), tree.nv());
  for (int i = 0; i < tree.link_count(); ++i) {
    detail::place_link(tree, i, q.data(), scratch);
    detail::twist_link(tree, i, v.data(), scratch);
    detail::weigh_link(tree, i, scratch);
  }
  differentiate(tree, a.data(), scratch);
  return scratch.dtau_dx;
}

template <class S>
const MatX<S>& forward_dynamics_derivatives(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> tau,
                                            BasicTreeScratch<S>& scratch) {
  forward_dynamics<S>(tree, q, v, tau, scratch);
  differentiate(tree, scratch.acceleration.data(), scratch);
  factor_mass_matrix(tree, scratch);
  scratch.dacceleration_dx = -scratch.dtau_dx;
  solve_columns(tree, scratch);
  return scratch.dacceleration_dx;
}

#define ABUT_INSTANTIATE(S)                                                                       \
  template const MatX<S>& inverse_dynamics_derivatives(const Tree&, InVec<S>, InVec<S>, InVec<S>, \
                                                       BasicTreeScratch<S>&);                     \
  template const MatX<S>& forward_dynamics_derivatives(const Tree&, InVec<S>, InVec<S>, InVec<S>, \
                                                       BasicTreeScratch<S>&);
ABUT_INSTANTIATE(double)
ABUT_INSTANTIATE(long double)
#undef ABUT_INSTANTIATE

}  // namespace abut::dynamics
