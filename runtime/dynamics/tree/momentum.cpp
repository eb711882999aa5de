#include "runtime/dynamics/tree/momentum.h"

#include <algorithm>

#include "runtime/dynamics/tree/derivatives.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/euler.h"
#include "runtime/dynamics/tree/joint_groups.h"
#include "runtime/math/adjoint.h"

namespace abut::dynamics {
namespace {

using detail::for_each_group;
using detail::Subspace;

using GroupMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

VecX<double> armatures(const Tree& tree) {
  VecX<double> armature(tree.nv());
  for (int i = 0; i < tree.link_count(); ++i)
    armature.segment(tree.first_v(i), tree.end_v(i) - tree.first_v(i))
        .setConstant(tree.link(i).joint.armature);
  return armature;
}

// How the momenta of a branch see its link after a step: turned by R, at r - R r_next, so that the centre of
// mass stays where it is.
Pose<double> turned(const Mat3<double>& R, const Vec3<double>& r, const Vec3<double>& r_next) {
  return {R, r - R * r_next};
}

}  // namespace

RootedJoints::RootedJoints(const Tree& tree)
    : tree_(tree), branch_of_(static_cast<std::size_t>(tree.link_count()), -1) {
  for (int i = 0; i < tree.link_count(); ++i) {
    const int parent = tree.link(i).parent, first = tree.first_v(i), count = tree.end_v(i) - first;
    int& branch = branch_of_[static_cast<std::size_t>(i)];
    if (parent >= 0) {
      branch = branch_of_[static_cast<std::size_t>(parent)];
    } else if (count > 1) {
      branch = static_cast<int>(branches_.size());
      Subspace S(6, count);
      for (int d = 0; d < count; ++d) {
        S.col(d) = tree.subspace(first + d);
        dofs_.push_back(first + d);
      }
      branches_.push_back({i, first, S, 0});
    }
    if (branch >= 0) branches_[static_cast<std::size_t>(branch)].mass += tree.link(i).inertia.mass;
  }
}

void RootedJoints::centres(const TreeScratch& scratch, Eigen::Matrix3Xd& r) const {
  r.setZero(3, static_cast<Eigen::Index>(branches_.size()));
  for (std::size_t i = 0; i < branch_of_.size(); ++i)
    if (branch_of_[i] >= 0) {
      const LinkInertia& inertia = tree_.link(static_cast<int>(i)).inertia;
      r.col(branch_of_[i]) += inertia.mass * (scratch.links[i].X_CL * inertia.p_LLcm);
    }
  for (std::size_t k = 0; k < branches_.size(); ++k) {
    const Mat3<double>& R_WL = scratch.links[static_cast<std::size_t>(branches_[k].link)].X_CL.R;
    auto centre = r.col(static_cast<Eigen::Index>(k));
    if (branches_[k].mass > 0) centre = Vec3<double>(R_WL.transpose() * centre / branches_[k].mass);
  }
}

void RootedJoints::carry(const Transport& transport, VecX<double>& p) const {
  for (std::size_t k = 0; k < branches_.size(); ++k) {
    const auto& [link, first, S, mass] = branches_[k];
    const auto at = static_cast<Eigen::Index>(k), count = S.cols();
    const Vec6<double> V = S * transport.v_next.segment(first, count);
    const Pose<double> X = turned(exp_rotation<double>(transport.h * V.head<3>()), transport.r.col(at),
                                  transport.r_next.col(at));
    const Vec6<double> P = S * p.segment(first, count);
    p.segment(first, count) = S.transpose() * (adjoint(X).transpose() * P);
  }
}

// d(R'x) = (R'x) x h Jr dw_next, of x = n - r x f and of x = f.
RootedJoints::Slopes RootedJoints::slopes(const Transport& transport, const VecX<double>& p) const {
  const Eigen::Index nv = tree_.nv();
  Slopes slopes{MatX<double>::Identity(nv, nv), MatX<double>::Zero(nv, nv), MatX<double>::Zero(nv, 3),
                MatX<double>::Zero(nv, 3)};
  for (std::size_t k = 0; k < branches_.size(); ++k) {
    const auto& [link, first, S, mass] = branches_[k];
    const auto at = static_cast<Eigen::Index>(k), count = S.cols();
    const Vec3<double> r = transport.r.col(at), r_next = transport.r_next.col(at),
                       turn = transport.h * (S * transport.v_next.segment(first, count)).template head<3>();
    const detail::Parts P(S * p.segment(first, count));  // (n; f)
    const Mat3<double> R = exp_rotation<double>(turn),
                       Jr = transport.h * detail::right_jacobian_of_turn(turn);
    const Mat3<double> n = skew<double>(R.transpose() * (P.w - r.cross(P.v))),
                       f = skew<double>(R.transpose() * P.v);
    Mat6<double> by_V;
    by_V << (n + skew(r_next) * f) * Jr, Mat3<double>::Zero(), f * Jr, Mat3<double>::Zero();
    const Mat6<double> by_P = adjoint(turned(R, r, r_next)).transpose();
    slopes.by_p.block(first, first, count, count) = S.transpose() * by_P * S;
    slopes.by_v_next.block(first, first, count, count) = S.transpose() * by_V * S;
    const auto rotations = S.topRows<3>().transpose();
    slopes.by_r.middleRows(first, count) = rotations * R.transpose() * skew(P.v);
    slopes.by_r_next.middleRows(first, count) = -rotations * f;
  }
  return slopes;
}

// The mass matrix has the linear momentum m dr/dt of the joints beyond, in the rows of the root joint's
// shifts.
MatX<double> RootedJoints::by_place(const MatX<double>& by_centres, const MatX<double>& mass_matrix) const {
  MatX<double> slope = MatX<double>::Zero(tree_.nv(), tree_.nv());
  for (const auto& [link, first, S, mass] : branches_) {
    const Eigen::Index count = S.cols();
    if (!(mass > 0)) continue;
    MatX<double> by_q = S.bottomRows<3>() * mass_matrix.middleRows(first, count) / mass;
    by_q.middleCols(first, count).setZero();
    slope.middleRows(first, count) = by_centres.middleRows(first, count) * by_q;
  }
  return slope;
}

VecX<double> generalised_momentum(const Tree& tree, const VecX<double>& q, const VecX<double>& v,
                                  TreeScratch& scratch) {
  return mass_matrix<double>(tree, q, scratch) * v - armatures(tree).cwiseProduct(v);
}

// At rest, inverse dynamics consists only of M a and gravity's force.
MatX<double> generalised_momentum_slope(const Tree& tree, const VecX<double>& q, const VecX<double>& v,
                                        TreeScratch& scratch) {
  const VecX<double> rest = VecX<double>::Zero(tree.nv());
  MatX<double> slope = inverse_dynamics_derivatives<double>(tree, q, rest, v, scratch).leftCols(tree.nv());
  slope -= inverse_dynamics_derivatives<double>(tree, q, rest, rest, scratch).leftCols(tree.nv());
  return slope;
}

BackwardInertia::BackwardInertia(const Tree& tree, const VecX<double>& q, const VecX<double>& v, double h,
                                 TreeScratch& scratch)
    : tree_(tree), q_(q), v_(v), h_(h), rooted_(tree), armature_(armatures(tree)) {
  if (rooted_.dofs().empty()) return;
  p_ = generalised_momentum(tree, q, v, scratch);
  rooted_.centres(scratch, r_);
}

VecX<double> BackwardInertia::force(const VecX<double>& q_next, const VecX<double>& v_next,
                                    TreeScratch& scratch) const {
  const VecX<double> a = backward_acceleration(tree_, v_, v_next, h_);
  VecX<double> force = inverse_dynamics<double>(tree_, q_next, v_next, a, scratch);
  const std::vector<int>& rooted = rooted_.dofs();
  if (rooted.empty()) return force;
  const VecX<double> rest = VecX<double>::Zero(tree_.nv());
  VecX<double> carried = p_;
  Eigen::Matrix3Xd r_next;
  rooted_.centres(scratch, r_next);
  rooted_.carry({v_next, h_, r_, r_next}, carried);
  const VecX<double> change = inverse_dynamics<double>(tree_, q_next, rest, v_next / h_, scratch) -
                              (carried + armature_.cwiseProduct(v_)) / h_;
  force(rooted) = change(rooted);
  return force;
}

RootedJoints::Slopes BackwardInertia::carried_slopes(const VecX<double>& v_next,
                                                     const TreeScratch& scratch) const {
  Eigen::Matrix3Xd r_next;
  rooted_.centres(scratch, r_next);
  return rooted_.slopes({v_next, h_, r_, r_next}, p_);
}

BackwardInertia::EndSlopes BackwardInertia::end_slopes(const VecX<double>& q_next, const VecX<double>& v_next,
                                                       TreeScratch& scratch) const {
  const Eigen::Index nv = tree_.nv();
  const VecX<double> a = backward_acceleration(tree_, v_, v_next, h_);
  const MatX<double>& dtau = inverse_dynamics_derivatives<double>(tree_, q_next, v_next, a, scratch);
  EndSlopes slopes{dtau.leftCols(nv), dtau.rightCols(nv)};
  const MatX<double>& M = scratch.mass_matrix;
  slopes.by_v_next += M * backward_acceleration_slopes(tree_, v_, v_next, h_).by_v_next;
  const std::vector<int>& rooted = rooted_.dofs();
  if (rooted.empty()) return slopes;
  const RootedJoints::Slopes carried = carried_slopes(v_next, scratch);
  const VecX<double> rest = VecX<double>::Zero(nv);
  inverse_dynamics_derivatives<double>(tree_, q_next, rest, v_next / h_, scratch);
  const MatX<double> by_q_next = scratch.dtau_dx.leftCols(nv) - rooted_.by_place(carried.by_r_next, M) / h_;
  slopes.by_q_next(rooted, Eigen::all) = by_q_next(rooted, Eigen::all);
  slopes.by_v_next(rooted, Eigen::all) = (M - carried.by_v_next)(rooted, Eigen::all) / h_;
  return slopes;
}

BackwardInertia::StartSlopes BackwardInertia::start_slopes(const VecX<double>& q_next,
                                                           const VecX<double>& v_next,
                                                           TreeScratch& scratch) const {
  const Eigen::Index nv = tree_.nv();
  StartSlopes slopes{
      MatX<double>::Zero(nv, nv),
      mass_matrix<double>(tree_, q_next, scratch) * backward_acceleration_slopes(tree_, v_, v_next, h_).by_v};
  const std::vector<int>& rooted = rooted_.dofs();
  if (rooted.empty()) return slopes;
  const RootedJoints::Slopes carried = carried_slopes(v_next, scratch);
  MatX<double> M = mass_matrix<double>(tree_, q_, scratch);
  M.diagonal() -= armature_;
  MatX<double> by_v = carried.by_p * M;
  by_v.diagonal() += armature_;
  const MatX<double> by_q =
      carried.by_p * generalised_momentum_slope(tree_, q_, v_, scratch) + rooted_.by_place(carried.by_r, M);
  slopes.by_v(rooted, Eigen::all) = -by_v(rooted, Eigen::all) / h_;
  slopes.by_q(rooted, Eigen::all) = -by_q(rooted, Eigen::all) / h_;
  return slopes;
}

ForwardMomentum::ForwardMomentum(const Tree& tree)
    : tree_(tree), rooted_(tree), armature_(armatures(tree)), rest_(VecX<double>::Zero(tree.nv())) {}

const VecX<double>& ForwardMomentum::v_next(const Step& step, TreeScratch& scratch) {
  v_next_ = step.v_way;
  const std::vector<int>& rooted = rooted_.dofs();
  if (rooted.empty()) return v_next_;
  excess(step, tree_, scratch);
  // Rooted joints lie in different branches, so that M has a diagonal block for each.
  for_each_group(tree_, [&](int first, const Subspace& S) {
    if (!std::binary_search(rooted.begin(), rooted.end(), first)) return;
    const auto count = S.cols();
    const Eigen::LLT<GroupMatrix> M(scratch.mass_matrix.block(first, first, count, count));
    v_next_.segment(first, count) -= M.solve(excess_.segment(first, count));
  });
  return v_next_;
}

// Computes p + h f.
const VecX<double>& ForwardMomentum::pushed(const Step& step, const Tree& of, TreeScratch& scratch) {
  push_ = step.v / step.h + step.a;
  pushed_ = inverse_dynamics<double>(of, step.q, step.v, push_, scratch);
  pushed_ -= inverse_dynamics<double>(of, step.q, rest_, rest_, scratch);
  pushed_ = step.h * pushed_ - armature_.cwiseProduct(step.v);
  return pushed_;
}

const VecX<double>& ForwardMomentum::excess(const Step& step, const Tree& of, TreeScratch& scratch) {
  return &of == &tree_ ? excess(step, of, rooted_, scratch) : excess(step, of, RootedJoints(of), scratch);
}

const VecX<double>& ForwardMomentum::excess(const Step& step, const Tree& of, const RootedJoints& rooted,
                                            TreeScratch& scratch) {
  carried_ = pushed(step, of, scratch);
  rooted.centres(scratch, r_);
  const MatX<double>& M = mass_matrix<double>(of, step.q_next, scratch);
  rooted.centres(scratch, r_next_);
  rooted.carry({step.v_way, step.h, r_, r_next_}, carried_);
  excess_.setZero(of.nv());
  for (const int d : rooted.dofs())
    excess_[d] = M.row(d).dot(v_next_) - carried_[d] - armature_[d] * step.v[d];
  return excess_;
}

ForwardMomentum::Slopes ForwardMomentum::slopes(const Step& step, TreeScratch& scratch) {
  const Eigen::Index nv = tree_.nv();
  const MatX<double> zero = MatX<double>::Zero(nv, nv);
  Slopes slopes{zero, zero, zero, zero, MatX<double>::Identity(nv, nv), zero};
  const std::vector<int>& rooted = rooted_.dofs();
  if (rooted.empty()) return slopes;
  const auto& [q, v, a, h, q_next, v_way] = step;
  const MatX<double> M_next = mass_matrix<double>(tree_, q_next, scratch);
  rooted_.centres(scratch, r_next_);
  const VecX<double>& p = pushed(step, tree_, scratch);
  rooted_.centres(scratch, r_);
  const RootedJoints::Slopes carried = rooted_.slopes({v_way, h, r_, r_next_}, p);
  MatX<double> by_q = -inverse_dynamics_derivatives<double>(tree_, q, rest_, rest_, scratch).leftCols(nv);
  inverse_dynamics_derivatives<double>(tree_, q, v, push_, scratch);
  by_q += scratch.dtau_dx.leftCols(nv);
  MatX<double> by_v = h * scratch.dtau_dx.rightCols(nv) + scratch.mass_matrix;
  by_v.diagonal() -= armature_;
  by_v = (carried.by_p * by_v).eval();
  by_v.diagonal() += armature_;
  by_q = (h * carried.by_p * by_q + rooted_.by_place(carried.by_r, scratch.mass_matrix)).eval();
  const MatX<double> by_a = h * carried.by_p * scratch.mass_matrix;
  const MatX<double> by_q_next = rooted_.by_place(carried.by_r_next, M_next) -
                                 generalised_momentum_slope(tree_, q_next, v_next_, scratch);
  MatX<double> by_v_way = carried.by_v_next - M_next;
  by_v_way(Eigen::all, rooted) = carried.by_v_next(Eigen::all, rooted);
  const Eigen::LLT<MatX<double>> M(M_next(rooted, rooted));
  const auto solve = [&](const MatX<double>& rows, MatX<double>& to) {
    to(rooted, Eigen::all) = M.solve(rows(rooted, Eigen::all)).eval();
  };
  solve(by_q, slopes.by_q);
  solve(by_v, slopes.by_v);
  solve(by_a, slopes.by_a);
  solve(by_q_next, slopes.by_q_next);
  solve(by_v_way, slopes.by_v_way);
  solve(MatX<double>::Identity(nv, nv), slopes.by_excess);
  return slopes;
}

}  // namespace abut::dynamics
