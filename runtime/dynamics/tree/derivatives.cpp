#include "runtime/dynamics/tree/derivatives.h"

#include "runtime/core/simd.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/recursions.h"

// A unit tangent of degree of freedom j, of link J with parent P, moves all that J carries by the twist
// s = axis_j. In axes that move along, each link K that J carries changes its twist by psi_dot = V_P x s and
// its acceleration by psi_ddot = A_P x s + V_P x psi_dot, and the force on it changes by
//   dF_K = s x* F_K + I_K psi_ddot + 2 B_K psi_dot;
// a unit velocity changes it by dF_K = I_K (psi_dot + V_J x s) + 2 B_K s [Singh2022, Eq. 35 to 47]. For a
// rigid body with twist V = (w; u), linear momentum p, and I and h as in SpatialInertia,
//   2 B = V x* I - I V x + (I V) x* = [T 0; -2 [p] 0],
//   T = 2 [w] I - tr(I) [w] - 2 u h' + 2 (u.h) 1.
// T and p add up over the links that a link carries, and so does B: twelve numbers in place of 36.
namespace abut::dynamics {
namespace {

using detail::at;
using detail::dof;

// T as defined above.
template <class S>
Mat3<S> turn_moment(const detail::SpatialInertia<S>& inertia, const Vec6<S>& V) {
  const Vec3<S> w = V.template head<3>(), u = V.template tail<3>();
  Mat3<S> T = -2 * u * inertia.h.transpose();
  for (int k = 0; k < 3; ++k) T.col(k) += 2 * w.cross(inertia.I.col(k));
  T -= skew<S>(inertia.I.trace() * w);
  T.diagonal().array() += 2 * u.dot(inertia.h);
  return T;
}

// Sets `motion` of the joint of link i. The rate of the axis is V_J x axis = psi_dot + V_PJ x axis.
template <class S>
void begin_columns(const Tree& tree, int i, const Vec6<S>& A_W, BasicTreeScratch<S>& scratch) {
  const int parent = tree.link(i).parent;
  const Vec6<S> V_P = parent >= 0 ? at(scratch, parent).V : Vec6<S>::Zero().eval();
  const Vec6<S>& A_P = parent >= 0 ? at(scratch, parent).A : A_W;
  const bool turns_itself = tree.end_v(i) - tree.first_v(i) > 1;  // else V_PJ x axis = 0
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
    const Vec6<S>& axis = dof(scratch, d).axis;
    const Vec6<S> psi_dot = detail::cross_motion(V_P, axis);
    const Vec6<S> psi_ddot = detail::cross_motion(A_P, axis) + detail::cross_motion(V_P, psi_dot);
    Vec6<S> by_v = 2 * psi_dot;
    if (turns_itself) by_v += detail::cross_motion(at(scratch, i).V_PL, axis);
    auto& motion = scratch.derivatives[static_cast<std::size_t>(d)].motion;
    for (int c = 0; c < 6; ++c) {
      motion[c][0] = psi_ddot[c];
      motion[c][1] = by_v[c];
      motion[c][2] = psi_dot[c];
      motion[c][3] = axis[c];
    }
  }
}

// Computes force = inertia motion, four columns at a time.
template <class S>
ABUT_INLINE void weigh(const detail::SpatialInertia<S>& inertia, const S (&motion)[6][4], S (&force)[6][4]) {
  const S* const I = inertia.I.data();  // symmetric
  const S m = inertia.m, x = inertia.h.data()[0], y = inertia.h.data()[1], z = inertia.h.data()[2];
  for (int k = 0; k < 4; ++k) {
    const S a = motion[0][k], b = motion[1][k], c = motion[2][k];
    const S d = motion[3][k], e = motion[4][k], f = motion[5][k];
    force[0][k] = I[0] * a + I[1] * b + I[2] * c + (y * f - z * e);
    force[1][k] = I[1] * a + I[4] * b + I[5] * c + (z * d - x * f);
    force[2][k] = I[2] * a + I[5] * b + I[8] * c + (x * e - y * d);
    force[3][k] = m * d - (y * c - z * b);
    force[4][k] = m * e - (z * a - x * c);
    force[5][k] = m * f - (x * b - y * a);
  }
}

// Adds 2 B motion to force: 2 B psi_dot to the column by q, 2 B axis to that by velocity.
template <class S>
ABUT_INLINE void add_turns(const S* T, const S* p, const S (&motion)[6][4], S (&force)[6][4]) {
  for (int k = 0; k < 2; ++k) {
    const S a = motion[0][2 + k], b = motion[1][2 + k], c = motion[2][2 + k];
    force[0][k] += T[0] * a + T[3] * b + T[6] * c;
    force[1][k] += T[1] * a + T[4] * b + T[7] * c;
    force[2][k] += T[2] * a + T[5] * b + T[8] * c;
    force[3][k] += 2 * (b * p[2] - c * p[1]);
    force[4][k] += 2 * (c * p[0] - a * p[2]);
    force[5][k] += 2 * (a * p[1] - b * p[0]);
  }
}

// Adds axis x* F to the column of force by q.
template <class S>
ABUT_INLINE void add_transport(const S* F, const S (&motion)[6][4], S (&force)[6][4]) {
  const S a = motion[0][3], b = motion[1][3], c = motion[2][3];
  const S d = motion[3][3], e = motion[4][3], f = motion[5][3];
  force[0][0] += (b * F[2] - c * F[1]) + (e * F[5] - f * F[4]);
  force[1][0] += (c * F[0] - a * F[2]) + (f * F[3] - d * F[5]);
  force[2][0] += (a * F[1] - b * F[0]) + (d * F[4] - e * F[3]);
  force[3][0] += b * F[5] - c * F[4];
  force[4][0] += c * F[3] - a * F[5];
  force[5][0] += a * F[4] - b * F[3];
}

// Computes the forces on all that link i carries due to unit changes of its joint, and the row 2 B' axis,
// which is multiplied by the columns of other joints.
template <class S>
ABUT_INLINE void begin_rows(const Tree& tree, int i, BasicTreeScratch<S>& scratch) {
  const auto& here = scratch.links[static_cast<std::size_t>(i)];
  const S* const T = here.turn_moment.data();
  const S* const p = here.momentum.data();
  for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
    auto& of = scratch.derivatives[static_cast<std::size_t>(d)];
    weigh(here.composite, of.motion, of.force);
    add_turns(T, p, of.motion, of.force);
    add_transport(here.F.data(), of.motion, of.force);
    const S a = of.motion[0][3], b = of.motion[1][3], c = of.motion[2][3];
    const S u = of.motion[3][3], v = of.motion[4][3], w = of.motion[5][3];
    of.row[0] = T[0] * a + T[1] * b + T[2] * c - 2 * (v * p[2] - w * p[1]);
    of.row[1] = T[3] * a + T[4] * b + T[5] * c - 2 * (w * p[0] - u * p[2]);
    of.row[2] = T[6] * a + T[7] * b + T[8] * c - 2 * (u * p[1] - v * p[0]);
  }
}

// (dtau_j/dq_k, dtau_j/dv_k), where k carries j or belongs to the same joint.
template <class S>
struct Entry {
  S by_q = S(0), by_v = S(0);
};
template <class S>
ABUT_INLINE Entry<S> row_times_column(const typename BasicTreeScratch<S>::Derivative& j,
                                      const typename BasicTreeScratch<S>::Derivative& k) {
  S sum[2] = {};
  for (int c = 0; c < 6; ++c)
    for (int m = 0; m < 2; ++m) sum[m] += j.force[c][3] * k.motion[c][m];
  for (int c = 0; c < 3; ++c)
    for (int m = 0; m < 2; ++m) sum[m] += j.row[c] * k.motion[c][2 + m];
  return {sum[0], sum[1]};
}

// Computes the entries (j, k) and (k, j) of the three matrices for a degree of freedom j and all k that carry
// it.
template <class S>
ABUT_INLINE void pair_up(const Tree& tree, int j, BasicTreeScratch<S>& scratch) {
  const std::ptrdiff_t n = tree.nv();
  const auto& of = scratch.derivatives[static_cast<std::size_t>(j)];
  S* const M = scratch.mass_matrix.data();
  S* const dtau = scratch.dtau_dx.data();
  for (int k = j; k >= 0; k = tree.parent_dof(k)) {
    const auto& other = scratch.derivatives[static_cast<std::size_t>(k)];
    S sum[4] = {};
    for (int c = 0; c < 6; ++c)
      for (int m = 0; m < 4; ++m) sum[m] += other.motion[c][3] * of.force[c][m];
    M[j * n + k] = M[k * n + j] = sum[3];
    dtau[k * 2 * n + j] = sum[0];
    dtau[k * 2 * n + n + j] = sum[1];
    const Entry<S> entry = row_times_column<S>(of, other);
    dtau[j * 2 * n + k] = entry.by_q;
    dtau[j * 2 * n + n + k] = entry.by_v;
  }
}

template <class S>
ABUT_INLINE void pair_up_all(const Tree& tree, BasicTreeScratch<S>& scratch) {
  for (int i = 0; i < tree.link_count(); ++i) begin_rows(tree, i, scratch);
  for (int i = 0; i < tree.link_count(); ++i) {
    const int first = tree.first_v(i), end = tree.end_v(i);
    for (int d = first; d < end; ++d) pair_up(tree, d, scratch);
    // The degrees of freedom of one joint move together, so entries above the diagonal have the same form.
    for (int d = first; d < end; ++d) {
      for (int e = d + 1; e < end; ++e)
        scratch.dtau_dx(d, e) = row_times_column<S>(scratch.derivatives[static_cast<std::size_t>(d)],
                                                    scratch.derivatives[static_cast<std::size_t>(e)])
                                    .by_q;
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

// to[c] -= factor from[c] for c in [begin, end).
template <class S>
ABUT_INLINE void subtract(S factor, const S* from, S* to, int begin, int end) {
  for (int c = begin; c < end; ++c) to[c] -= factor * from[c];
}

// Computes X = L'^-1 X in place. Row i of X is zero except in the columns of the degrees of freedom that
// carry i and of those that i carries.
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

// Computes columns [begin, end) of row i of X = L^-1 D^-1 X. A block of columns is held in registers while
// the rows of the degrees of freedom that carry i are subtracted.
template <class S>
ABUT_INLINE void solve_row(const Tree& tree, int i, int begin, int end, BasicTreeScratch<S>& scratch) {
  const std::ptrdiff_t n = tree.nv();
  S* const X = scratch.dacceleration_dx.data();
  S* const row = X + i * 2 * n;
  const S* const L = scratch.factor.data() + i * n;
  const int parent = tree.parent_dof(i);
  if constexpr (std::is_same_v<S, double>) {
    constexpr int kFours = 4, kBlock = 4 * kFours;
    for (; begin + kBlock <= end; begin += kBlock) {
      simd::Four sum[kFours], other;
      for (int c = 0; c < kFours; ++c) {
        simd::load(row + begin + 4 * c, sum[c]);
        sum[c] *= L[i];
      }
      for (int k = parent; k >= 0; k = tree.parent_dof(k))
        for (int c = 0; c < kFours; ++c) {
          simd::load(X + k * 2 * n + begin + 4 * c, other);
          sum[c] -= L[k] * other;
        }
      for (int c = 0; c < kFours; ++c) simd::store(sum[c], row + begin + 4 * c);
    }
  }
  for (int c = begin; c < end; ++c) row[c] *= L[i];
  for (int k = parent; k >= 0; k = tree.parent_dof(k)) subtract(L[k], X + k * 2 * n, row, begin, end);
}

// Computes X = L^-1 D^-1 X in place. Columns of other branches stay zero.
template <class S>
ABUT_INLINE void solve_downwards(const Tree& tree, BasicTreeScratch<S>& scratch) {
  const int n = tree.nv();
  for (int i = 0; i < n; ++i) {
    int root = i;
    while (tree.parent_dof(root) >= 0) root = tree.parent_dof(root);
    const int end = tree.end_of_subtree(root);
    if (root == 0 && end == n) {
      solve_row(tree, i, 0, 2 * n, scratch);
    } else {
      solve_row(tree, i, root, end, scratch);
      solve_row(tree, i, n + root, n + end, scratch);
    }
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

// Computes dtau_dx and the mass matrix, given poses, twists and inertias of the links in scratch.
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
  detail::require_size("accelerations", a.size(), tree.nv());
  detail::set_state<S>(tree, q, v, scratch);
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
