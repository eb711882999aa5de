#include "runtime/dynamics/tree/kinematics.h"

#include "runtime/dynamics/tree/recursions.h"
#include "runtime/math/adjoint.h"

namespace abut::dynamics {

template <class S>
BasicTreeScratch<S>::BasicTreeScratch(const Tree& tree)
    : links(static_cast<std::size_t>(tree.link_count())),
      articulated(links.size(), Mat6<S>::Zero()),
      dofs(static_cast<std::size_t>(tree.nv())),
      derivatives(static_cast<std::size_t>(tree.nv())),
      products(links.size()),
      ancestors(static_cast<std::size_t>(tree.nv())),
      none(VecX<S>::Zero(tree.nv())),
      tau(VecX<S>::Zero(tree.nv())),
      acceleration(VecX<S>::Zero(tree.nv())),
      mass_matrix(MatX<S>::Zero(tree.nv(), tree.nv())),
      factor(MatX<S>::Zero(tree.nv(), tree.nv())),
      jacobian(MatX<S>::Zero(6, tree.nv())),
      dtau_dx(MatX<S>::Zero(tree.nv(), 2 * tree.nv())),
      dacceleration_dx(MatX<S>::Zero(tree.nv(), 2 * tree.nv())),
      gradient(VecX<S>::Zero(3 * tree.nv())),
      hessian_product(VecX<S>::Zero(3 * tree.nv())),
      solved_weights(VecX<S>::Zero(tree.nv())),
      weights_rate(VecX<S>::Zero(tree.nv())),
      acceleration_rate(VecX<S>::Zero(tree.nv())) {}

template <class S>
void place_links(const Tree& tree, InVec<S> q, BasicTreeScratch<S>& scratch) {
  detail::require_size("coordinates", q.size(), tree.nq());
  for (int i = 0; i < tree.link_count(); ++i) detail::place_link(tree, i, q.data(), scratch);
}

template <class S>
void move_links(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch) {
  detail::require_size("coordinates", q.size(), tree.nq());
  detail::require_size("velocities", v.size(), tree.nv());
  for (int i = 0; i < tree.link_count(); ++i) {
    detail::place_link(tree, i, q.data(), scratch);
    detail::twist_link(tree, i, v.data(), scratch);
  }
}

template <class S>
void move_links(const Tree& tree, InVec<S> q, InVec<S> v, InVec<S> a, BasicTreeScratch<S>& scratch) {
  detail::require_size("accelerations", a.size(), tree.nv());
  move_links<S>(tree, q, v, scratch);
  for (int i = 0; i < tree.link_count(); ++i)
    detail::accelerate_link<S>(tree, i, a.data(), Vec6<S>::Zero(), scratch);
}

template <class S>
Pose<S> pose_of_link(const BasicTreeScratch<S>& scratch, int link) {
  const auto& here = scratch.links[static_cast<std::size_t>(link)];
  return {here.X_CL.R, here.p_WC + here.X_CL.p};
}

// Computes Ad(X_LC) V_C, the twist at L's origin in L's axes, without forming the matrix.
template <class S>
Vec6<S> seen_from_link(const Pose<S>& X_CL, const Vec6<S>& V_C) {
  const Vec3<S> w = V_C.template head<3>();
  Vec6<S> V_L;
  V_L.template head<3>().noalias() = X_CL.R.transpose() * w;
  V_L.template tail<3>().noalias() = X_CL.R.transpose() * (V_C.template tail<3>() + w.cross(X_CL.p)).eval();
  return V_L;
}

template <class S>
Vec6<S> twist_of_link(const BasicTreeScratch<S>& scratch, int link) {
  const auto& here = scratch.links[static_cast<std::size_t>(link)];
  return seen_from_link<S>(here.X_CL, here.V);
}

template <class S>
Vec6<S> acceleration_of_link(const BasicTreeScratch<S>& scratch, int link) {
  const auto& here = scratch.links[static_cast<std::size_t>(link)];
  return seen_from_link<S>(here.X_CL, here.A);
}

template <class S>
const MatX<S>& body_jacobian(const Tree& tree, BasicTreeScratch<S>& scratch, int link) {
  scratch.jacobian.setZero();
  const Pose<S>& X_CL = detail::at(scratch, link).X_CL;
  for (int d = tree.last_dof(link); d >= 0; d = tree.parent_dof(d))
    scratch.jacobian.col(d) = seen_from_link<S>(X_CL, detail::dof(scratch, d).axis);
  return scratch.jacobian;
}

template <class S>
void point_jacobian(const Tree& tree, const BasicTreeScratch<S>& scratch, int link,
                    const Vec3<std::type_identity_t<S>>& p_LQ, MatX<S>& J) {
  J.setZero(3, tree.nv());
  const Vec3<S> p_CQ = scratch.links[static_cast<std::size_t>(link)].X_CL * p_LQ;
  for (int d = tree.last_dof(link); d >= 0; d = tree.parent_dof(d)) {
    const Vec6<S>& axis = scratch.dofs[static_cast<std::size_t>(d)].axis;
    J.col(d) = axis.template tail<3>() + axis.template head<3>().cross(p_CQ);
  }
}

template <class S>
S kinetic_energy(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch) {
  detail::set_state<S>(tree, q, v, scratch);
  S twice = 0;
  for (int i = 0; i < tree.link_count(); ++i) {
    const auto& here = detail::at(scratch, i);
    twice += here.V.dot(here.inertia * here.V);
    for (int d = tree.first_v(i); d < tree.end_v(i); ++d)
      twice += S(tree.link(i).joint.armature) * v[d] * v[d];
  }
  return twice / 2;
}

template <class S>
S potential_energy(const Tree& tree, InVec<S> q, BasicTreeScratch<S>& scratch) {
  place_links<S>(tree, q, scratch);
  S energy = 0;
  for (int i = 0; i < tree.link_count(); ++i) {
    const LinkInertia& inertia = tree.link(i).inertia;
    energy -= S(inertia.mass) *
              tree.gravity().cast<S>().dot(pose_of_link(scratch, i) * Vec3<S>(inertia.p_LLcm.cast<S>()));
  }
  return energy;
}

template <class S>
Vec6<S> spatial_momentum(const Tree& tree, InVec<S> q, InVec<S> v, BasicTreeScratch<S>& scratch) {
  detail::set_state<S>(tree, q, v, scratch);
  Vec6<S> sum = Vec6<S>::Zero();
  for (const auto& link : scratch.links)
    sum += shift_wrench<S>({Mat3<S>::Identity(), link.p_WC}, link.inertia * link.V);
  return sum;
}

#define ABUT_INSTANTIATE(S)                                                                             \
  template struct BasicTreeScratch<S>;                                                                  \
  template void place_links(const Tree&, InVec<S>, BasicTreeScratch<S>&);                               \
  template void move_links(const Tree&, InVec<S>, InVec<S>, BasicTreeScratch<S>&);                      \
  template void move_links(const Tree&, InVec<S>, InVec<S>, InVec<S>, BasicTreeScratch<S>&);            \
  template Pose<S> pose_of_link(const BasicTreeScratch<S>&, int);                                       \
  template Vec6<S> twist_of_link(const BasicTreeScratch<S>&, int);                                      \
  template Vec6<S> acceleration_of_link(const BasicTreeScratch<S>&, int);                               \
  template const MatX<S>& body_jacobian(const Tree&, BasicTreeScratch<S>&, int);                        \
  template void point_jacobian(const Tree&, const BasicTreeScratch<S>&, int, const Vec3<S>&, MatX<S>&); \
  template S kinetic_energy(const Tree&, InVec<S>, InVec<S>, BasicTreeScratch<S>&);                     \
  template S potential_energy(const Tree&, InVec<S>, BasicTreeScratch<S>&);                             \
  template Vec6<S> spatial_momentum(const Tree&, InVec<S>, InVec<S>, BasicTreeScratch<S>&);
ABUT_INSTANTIATE(double)
ABUT_INSTANTIATE(long double)
#undef ABUT_INSTANTIATE

}  // namespace abut::dynamics
