#include "runtime/dynamics/solve/joint_forces.h"

#include <algorithm>

#include "runtime/dynamics/tree/spatial.h"

namespace abut::dynamics {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;

// Velocity of the point p_C of a body whose twist at C's origin is S.
Vec3<double> velocity_at(const Vec6<double>& S, const Vec3<double>& p_C) {
  return S.tail<3>() + S.head<3>().cross(p_C);
}

// Adds a block to the rows and columns of the given degrees of freedom.
void scatter(const std::vector<int>& rows, const std::vector<int>& columns, const Rows& block,
             MatX<double>& to) {
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < columns.size(); ++c)
      to(rows[r], columns[c]) += block(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
}

}  // namespace

void JointForces::clear(Eigen::Index nv) {
  tau.setZero(nv);
  dtau_dq.setZero(nv, nv);
  dtau_dv.setZero(nv, nv);
}

// An axis s_d moves with its own joint and all joints that carry it: ds_d / dq_e = s_e x s_d. So the twist of
// the body changes by s_e x (V - V_P), with V_P the twist of the parent link of joint e; at Bo the motion of
// Bo adds to this.
void find_slopes(const SystemTree& tree, const TreeScratch& scratch, std::size_t body, BodySlopes& slopes) {
  const auto link = static_cast<int>(body);
  slopes.dofs.clear();
  for (int d = tree.tree().last_dof(link); d >= 0; d = tree.tree().parent_dof(d)) slopes.dofs.push_back(d);
  std::reverse(slopes.dofs.begin(), slopes.dofs.end());
  const auto& here = scratch.links[body];
  slopes.p_CB = here.X_CL * tree.pose_in_link(body).p;
  const auto count = static_cast<Eigen::Index>(slopes.dofs.size());
  slopes.J.resize(6, count);
  slopes.Vq.resize(6, count);
  slopes.axes.resize(6, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const int d = slopes.dofs[static_cast<std::size_t>(k)];
    const Vec6<double>& axis = scratch.dofs[static_cast<std::size_t>(d)].axis;
    const int below = tree.tree().link(tree.link_of_dof(d)).parent;
    const Vec6<double> carried =
        below < 0 ? here.V : (here.V - scratch.links[static_cast<std::size_t>(below)].V).eval();
    const Vec6<double> change = detail::cross_motion<double>(axis, carried);
    slopes.axes.col(k) = axis;
    slopes.J.col(k) << axis.head<3>(), velocity_at(axis, slopes.p_CB);
    slopes.Vq.col(k) << change.head<3>(),
        velocity_at(change, slopes.p_CB) + here.V.head<3>().cross(slopes.J.col(k).tail<3>());
  }
}

// tau_d = s_d . F_C, with F_C = (moment + p_CB x f; f) the wrench about C's origin.
void add_wrench(const SystemTree& tree, const BodySlopes& on, const Vec6<double>& F_W, bool derivatives,
                JointForces& forces) {
  const Vec3<double> f = F_W.tail<3>();
  Vec6<double> F_C = F_W;
  F_C.head<3>() += on.p_CB.cross(f);
  const auto count = static_cast<Eigen::Index>(on.dofs.size());
  for (Eigen::Index k = 0; k < count; ++k) {
    const int d = on.dofs[static_cast<std::size_t>(k)];
    forces.tau[d] += on.axes.col(k).dot(F_C);
    for (Eigen::Index l = 0; l < count && derivatives; ++l) {
      const int e = on.dofs[static_cast<std::size_t>(l)];
      double slope = on.axes.col(k).head<3>().dot(on.J.col(l).tail<3>().cross(f));
      if (tree.link_of_dof(e) <= tree.link_of_dof(d))
        slope += detail::cross_motion<double>(on.axes.col(l), on.axes.col(k)).dot(F_C);
      forces.dtau_dq(d, e) += slope;
    }
  }
}

void add_pair(const SystemTree& tree, const PairForce& pair, const BodySlopes* A, const BodySlopes& B,
              bool derivatives, JointForces& forces) {
  const BodySlopes* const members[] = {A, &B};
  for (std::size_t on = 0; on < 2; ++on) {
    if (members[on] == nullptr) continue;
    add_wrench(tree, *members[on], pair.F_W[on], derivatives, forces);
    for (std::size_t of = 0; of < 2 && derivatives; ++of) {
      if (members[of] == nullptr) continue;
      const Rows by_v = members[on]->J.transpose() * pair.dF_dV[on][of] * members[of]->J;
      const Rows by_q = members[on]->J.transpose() *
                        (pair.dF_dx[on][of] * members[of]->J + pair.dF_dV[on][of] * members[of]->Vq);
      scatter(members[on]->dofs, members[of]->dofs, by_v, forces.dtau_dv);
      scatter(members[on]->dofs, members[of]->dofs, by_q, forces.dtau_dq);
    }
  }
}

}  // namespace abut::dynamics
