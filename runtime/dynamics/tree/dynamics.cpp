#include "runtime/dynamics/tree/dynamics.h"

#include "runtime/dynamics/tree/kinematics.h"
#include "runtime/dynamics/tree/recursions.h"

namespace abut::dynamics {
namespace {

using detail::at;
using detail::dof;

// Rate of the momentum of link i, by Newton's and Euler's equations at its centre of mass, Euler's in the
// link's axes.
template <class S>
Vec6<S> force_on_link(const Tree& tree, int i, const typename BasicTreeScratch<S>::Link& here) {
  const LinkInertia& inertia = tree.link(i).inertia;
  const Mat3<S>& R = here.X_CL.R;
  const auto& I_cm = inertia.I_LLcm_L.template cast<S>();
  const Vec3<S> w = here.V.template head<3>(), u = here.V.template tail<3>(),
                alpha = here.A.template head<3>();
  const Vec3<S> p_Ccm = here.X_CL * Vec3<S>(inertia.p_LLcm.template cast<S>());
  const Vec3<S> acceleration = here.A.template tail<3>() + alpha.cross(p_Ccm) + w.cross(u + w.cross(p_Ccm));
  const Vec3<S> f = S(inertia.mass) * acceleration;
  const Vec3<S> w_L = R.transpose() * w, alpha_L = R.transpose() * alpha;
  const Vec3<S> n_L = I_cm * alpha_L + w_L.cross(I_cm * w_L);
  Vec6<S> F;
  F.template head<3>() = R * n_L + p_Ccm.cross(f);
  F.template tail<3>() = f;
  return F;
}

template <class S>
void newton_euler(const Tree& tree, const S* q, const S* v, const S* a, BasicTreeScratch<S>& scratch) {
  const Vec6<S> A_W = detail::gravity_as_acceleration<S>(tree);
  for (int i = 0; i < tree.link_count(); ++i) {
    detail::place_link(tree, i, q, scratch);
    detail::twist_link(tree, i, v, scratch);
    detail::accelerate_link(tree, i, a, A_W, scratch);
    at(scratch, i).F = force_on_link<S>(tree, i, at(scratch, i));
  }
  for (int i = tree.link_count(); i-- > 0;) {
    const auto& here = at(scratch, i);
    for (int d = tree.first_v(i); d < tree.end_v(i); ++d)
      scratch.tau[d] = dof(scratch, d).axis.dot(here.F) + S(tree.link(i).joint.armature) * a[d];
    if (const int parent = tree.link(i).parent; parent >= 0) at(scratch, parent).F += here.F;
  }
}

// Eliminates the joint of link i, whose articulated inertia and bias force are complete: subtracts the
// joint's share, one degree of freedom after the other, and adds the rest to the parent.
template <class S>
void eliminate_joint(const Tree& tree, int i, const S* tau, BasicTreeScratch<S>& scratch) {
  auto& here = at(scratch, i);
  Mat6<S>& articulated = scratch.articulated[static_cast<std::size_t>(i)];
  for (int d = tree.end_v(i); d-- > tree.first_v(i);) {
    auto& joint = dof(scratch, d);
    joint.U.noalias() = articulated * joint.axis;
    joint.inverse_D = 1 / (joint.axis.dot(joint.U) + S(tree.link(i).joint.armature));
    joint.u = tau[d] - joint.axis.dot(here.F);
    const Vec6<S> share = joint.U * joint.inverse_D;
    articulated.noalias() -= share * joint.U.transpose();
    here.F += share * joint.u;
  }
  const int parent = tree.link(i).parent;
  if (parent < 0) return;
  auto& below = at(scratch, parent);
  below.F += here.F + articulated * detail::cross_motion(here.V, here.V_PL);
  scratch.articulated[static_cast<std::size_t>(parent)] += articulated;
}

}  // namespace

template <class S>
const VecX<S>& inverse_dynamics(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a,
                                BasicTreeScratch<S>& scratch) {
  detail::require_size("coordinates", q.size(), tree.nq());
  detail::require_size("velocities", v.size(), tree.nv());
  detail::require_size("accelerations", a.size(), tree.nv());
  newton_euler(tree, q.data(), v.data(), a.data(), scratch);
  return scratch.tau;
}

template <class S>
const VecX<S>& bias_force(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch) {
  scratch.acceleration.setZero();
  return inverse_dynamics<S>(tree, q, v, scratch.acceleration, scratch);
}

template <class S>
const MatX<S>& mass_matrix(const Tree& tree, InVec<S> q, BasicTreeScratch<S>& scratch) {
  detail::require_size("coordinates", q.size(), tree.nq());
  for (int i = 0; i < tree.link_count(); ++i) {
    detail::place_link(tree, i, q.data(), scratch);
    detail::weigh_link(tree, i, scratch);
    at(scratch, i).composite = at(scratch, i).inertia;
  }
  for (int i = tree.link_count(); i-- > 0;) {
    const auto& here = at(scratch, i);
    if (const int parent = tree.link(i).parent; parent >= 0) at(scratch, parent).composite += here.composite;
    for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
      const Vec6<S> F = here.composite * dof(scratch, d).axis;
      for (int e = d; e >= 0; e = tree.parent_dof(e)) {
        const S entry = dof(scratch, e).axis.dot(F);
        scratch.mass_matrix(d, e) = entry;
        scratch.mass_matrix(e, d) = entry;
      }
      scratch.mass_matrix(d, d) += S(tree.link(i).joint.armature);
    }
  }
  return scratch.mass_matrix;
}

template <class S>
void factor_mass_matrix(const Tree& tree, BasicTreeScratch<S>& scratch) {
  const int n = tree.nv();
  MatX<S>& H = scratch.factor;
  for (int k = 0; k < n; ++k)
    for (int j = k; j >= 0; j = tree.parent_dof(j)) H(k, j) = scratch.mass_matrix(k, j);
  for (int k = n; k-- > 0;) {
    H(k, k) = 1 / H(k, k);
    for (int i = tree.parent_dof(k); i >= 0; i = tree.parent_dof(i)) {
      const S a = H(k, i) * H(k, k);
      for (int j = i; j >= 0; j = tree.parent_dof(j)) H(i, j) -= a * H(k, j);
      H(k, i) = a;
    }
  }
}

template <class S>
void solve_mass_matrix(const Tree& tree, const BasicTreeScratch<S>& scratch, OutVec<S> x) {
  detail::require_size("unknowns", x.size(), tree.nv());
  const MatX<S>& H = scratch.factor;
  for (int i = tree.nv(); i-- > 0;)
    for (int j = tree.parent_dof(i); j >= 0; j = tree.parent_dof(j)) x[j] -= H(i, j) * x[i];
  for (int i = 0; i < tree.nv(); ++i) {
    x[i] *= H(i, i);
    for (int j = tree.parent_dof(i); j >= 0; j = tree.parent_dof(j)) x[i] -= H(i, j) * x[j];
  }
}

template <class S>
const VecX<S>& forward_dynamics(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> tau,
                                BasicTreeScratch<S>& scratch) {
  move_links<S>(tree, q, v, scratch);
  return forward_dynamics<S>(tree, tau, scratch);
}

template <class S>
const VecX<S>& forward_dynamics(const Tree& tree, InVec<S> tau, BasicTreeScratch<S>& scratch) {
  detail::require_size("generalised forces", tau.size(), tree.nv());
  for (int i = 0; i < tree.link_count(); ++i) {
    detail::weigh_link(tree, i, scratch);
    auto& here = at(scratch, i);
    scratch.articulated[static_cast<std::size_t>(i)] = here.inertia.matrix();
    here.F = detail::cross_force<S>(here.V, here.inertia * here.V);
  }
  for (int i = tree.link_count(); i-- > 0;) eliminate_joint(tree, i, tau.data(), scratch);
  const Vec6<S> A_W = detail::gravity_as_acceleration<S>(tree);
  for (int i = 0; i < tree.link_count(); ++i) {
    auto& here = at(scratch, i);
    const int parent = tree.link(i).parent;
    here.A = (parent >= 0 ? at(scratch, parent).A : A_W) + detail::cross_motion(here.V, here.V_PL);
    for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
      const auto& joint = dof(scratch, d);
      scratch.acceleration[d] = (joint.u - joint.U.dot(here.A)) * joint.inverse_D;
      here.A += joint.axis * scratch.acceleration[d];
    }
  }
  return scratch.acceleration;
}

#define ABUT_INSTANTIATE(S)                                                                                  \
  template const VecX<S>& inverse_dynamics(const Tree&, InVec<S>, InVec<S>, InVec<S>, BasicTreeScratch<S>&); \
  template const VecX<S>& bias_force(const Tree&, InVec<S>, InVec<S>, BasicTreeScratch<S>&);                 \
  template const MatX<S>& mass_matrix(const Tree&, InVec<S>, BasicTreeScratch<S>&);                          \
  template void factor_mass_matrix(const Tree&, BasicTreeScratch<S>&);                                       \
  template void solve_mass_matrix(const Tree&, const BasicTreeScratch<S>&, OutVec<S>);                       \
  template const VecX<S>& forward_dynamics(const Tree&, InVec<S>, InVec<S>, InVec<S>, BasicTreeScratch<S>&); \
  template const VecX<S>& forward_dynamics(const Tree&, InVec<S>, BasicTreeScratch<S>&);
ABUT_INSTANTIATE(double)
ABUT_INSTANTIATE(long double)
#undef ABUT_INSTANTIATE

}  // namespace abut::dynamics
