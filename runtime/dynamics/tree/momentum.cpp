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

// Pose of a link h seconds later relative to its present pose, where p_next = p + h R_next v_next.
Pose<double> way(const Vec6<double>& V_next, double h) {
  const Mat3<double> R = exp_rotation<double>(h * V_next.head<3>());
  return {R, h * (R * V_next.tail<3>())};
}

}  // namespace

std::vector<int> rooted_dofs(const Tree& tree) {
  std::vector<int> dofs;
  for (int i = 0; i < tree.link_count(); ++i) {
    if (tree.link(i).parent >= 0 || tree.end_v(i) - tree.first_v(i) < 2) continue;
    for (int d = tree.first_v(i); d < tree.end_v(i); ++d) dofs.push_back(d);
  }
  return dofs;
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

// Ad(X)' (n; f) = (R'n - h v_next x R'f; R'f).
void carry_momentum(const Tree& tree, const VecX<double>& v_next, double h, VecX<double>& p) {
  for_each_group(tree, [&](int first, const Subspace& S) {
    const auto count = S.cols();
    const Pose<double> X = way(S * v_next.segment(first, count), h);
    const Vec6<double> P = S * p.segment(first, count);
    p.segment(first, count) = S.transpose() * (adjoint(X).transpose() * P);
  });
}

// d(R'x) = (R'x) x h Jr dw_next.
MomentumSlopes carried_momentum_slopes(const Tree& tree, const VecX<double>& p, const VecX<double>& v_next,
                                       double h) {
  MomentumSlopes slopes{MatX<double>::Identity(tree.nv(), tree.nv()),
                        MatX<double>::Zero(tree.nv(), tree.nv())};
  for_each_group(tree, [&](int first, const Subspace& S) {
    const auto count = S.cols();
    const Vec6<double> V = S * v_next.segment(first, count), P = S * p.segment(first, count);
    const Pose<double> X = way(V, h);
    Vec6<double> turn = Vec6<double>::Zero();
    turn.head<3>() = h * V.head<3>();
    const Mat3<double> Jr = h * detail::right_jacobian(turn).topLeftCorner<3, 3>();
    const Mat3<double> n = skew<double>(X.R.transpose() * P.head<3>()),
                       f = skew<double>(X.R.transpose() * P.tail<3>());
    Mat6<double> by_V;
    by_V << (n - h * skew<double>(V.tail<3>()) * f) * Jr, h * f, f * Jr, Mat3<double>::Zero();
    slopes.by_p.block(first, first, count, count) = S.transpose() * adjoint(X).transpose() * S;
    slopes.by_v_next.block(first, first, count, count) = S.transpose() * by_V * S;
  });
  return slopes;
}

BackwardInertia::BackwardInertia(const Tree& tree, const VecX<double>& q, const VecX<double>& v, double h,
                                 TreeScratch& scratch)
    : tree_(tree), q_(q), v_(v), h_(h), rooted_(rooted_dofs(tree)), armature_(armatures(tree)) {
  if (!rooted_.empty()) p_ = generalised_momentum(tree, q, v, scratch);
}

VecX<double> BackwardInertia::force(const VecX<double>& q_next, const VecX<double>& v_next,
                                    TreeScratch& scratch) const {
  const VecX<double> a = backward_acceleration(tree_, v_, v_next, h_);
  VecX<double> force = inverse_dynamics<double>(tree_, q_next, v_next, a, scratch);
  if (rooted_.empty()) return force;
  const VecX<double> rest = VecX<double>::Zero(tree_.nv());
  VecX<double> carried = p_;
  carry_momentum(tree_, v_next, h_, carried);
  const VecX<double> change = inverse_dynamics<double>(tree_, q_next, rest, v_next / h_, scratch) -
                              (carried + armature_.cwiseProduct(v_)) / h_;
  force(rooted_) = change(rooted_);
  return force;
}

BackwardInertia::EndSlopes BackwardInertia::end_slopes(const VecX<double>& q_next, const VecX<double>& v_next,
                                                       TreeScratch& scratch) const {
  const Eigen::Index nv = tree_.nv();
  const VecX<double> a = backward_acceleration(tree_, v_, v_next, h_);
  const MatX<double>& dtau = inverse_dynamics_derivatives<double>(tree_, q_next, v_next, a, scratch);
  EndSlopes slopes{dtau.leftCols(nv), dtau.rightCols(nv)};
  const MatX<double>& M = scratch.mass_matrix;
  slopes.by_v_next += M * backward_acceleration_slopes(tree_, v_, v_next, h_).by_v_next;
  if (rooted_.empty()) return slopes;
  const MatX<double> carried = carried_momentum_slopes(tree_, p_, v_next, h_).by_v_next;
  const VecX<double> rest = VecX<double>::Zero(nv);
  inverse_dynamics_derivatives<double>(tree_, q_next, rest, v_next / h_, scratch);
  slopes.by_q_next(rooted_, Eigen::all) = scratch.dtau_dx.leftCols(nv)(rooted_, Eigen::all);
  slopes.by_v_next(rooted_, Eigen::all) = (M - carried)(rooted_, Eigen::all) / h_;
  return slopes;
}

BackwardInertia::StartSlopes BackwardInertia::start_slopes(const VecX<double>& q_next,
                                                           const VecX<double>& v_next,
                                                           TreeScratch& scratch) const {
  const Eigen::Index nv = tree_.nv();
  StartSlopes slopes{
      MatX<double>::Zero(nv, nv),
      mass_matrix<double>(tree_, q_next, scratch) * backward_acceleration_slopes(tree_, v_, v_next, h_).by_v};
  if (rooted_.empty()) return slopes;
  const MatX<double> carried = carried_momentum_slopes(tree_, p_, v_next, h_).by_p;
  MatX<double> M = mass_matrix<double>(tree_, q_, scratch);
  M.diagonal() -= armature_;
  MatX<double> by_v = carried * M;
  by_v.diagonal() += armature_;
  const MatX<double> by_q = carried * generalised_momentum_slope(tree_, q_, v_, scratch);
  slopes.by_v(rooted_, Eigen::all) = -by_v(rooted_, Eigen::all) / h_;
  slopes.by_q(rooted_, Eigen::all) = -by_q(rooted_, Eigen::all) / h_;
  return slopes;
}

ForwardMomentum::ForwardMomentum(const Tree& tree)
    : tree_(tree),
      rooted_(rooted_dofs(tree)),
      armature_(armatures(tree)),
      rest_(VecX<double>::Zero(tree.nv())) {}

const VecX<double>& ForwardMomentum::v_next(const Step& step, TreeScratch& scratch) {
  v_next_ = step.v_way;
  if (rooted_.empty()) return v_next_;
  excess(step, tree_, scratch);
  // Rooted joints lie in different branches, so that M has a diagonal block for each.
  for_each_group(tree_, [&](int first, const Subspace& S) {
    if (!std::binary_search(rooted_.begin(), rooted_.end(), first)) return;
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
  carried_ = pushed(step, of, scratch);
  carry_momentum(of, step.v_way, step.h, carried_);
  const MatX<double>& M = mass_matrix<double>(of, step.q_next, scratch);
  excess_.setZero(of.nv());
  for (const int d : rooted_) excess_[d] = M.row(d).dot(v_next_) - carried_[d] - armature_[d] * step.v[d];
  return excess_;
}

ForwardMomentum::Slopes ForwardMomentum::slopes(const Step& step, TreeScratch& scratch) {
  const Eigen::Index nv = tree_.nv();
  const MatX<double> zero = MatX<double>::Zero(nv, nv);
  Slopes slopes{zero, zero, zero, zero, MatX<double>::Identity(nv, nv), zero};
  if (rooted_.empty()) return slopes;
  const auto& [q, v, a, h, q_next, v_way] = step;
  const MomentumSlopes carried = carried_momentum_slopes(tree_, pushed(step, tree_, scratch), v_way, h);
  MatX<double> by_q = -inverse_dynamics_derivatives<double>(tree_, q, rest_, rest_, scratch).leftCols(nv);
  inverse_dynamics_derivatives<double>(tree_, q, v, push_, scratch);
  by_q += scratch.dtau_dx.leftCols(nv);
  MatX<double> by_v = h * scratch.dtau_dx.rightCols(nv) + scratch.mass_matrix;
  by_v.diagonal() -= armature_;
  by_v = (carried.by_p * by_v).eval();
  by_v.diagonal() += armature_;
  const MatX<double> by_a = h * carried.by_p * scratch.mass_matrix;
  const MatX<double> by_q_next = -generalised_momentum_slope(tree_, q_next, v_next_, scratch);
  MatX<double> by_v_way = carried.by_v_next - mass_matrix<double>(tree_, q_next, scratch);
  by_v_way(Eigen::all, rooted_) = carried.by_v_next(Eigen::all, rooted_);
  const Eigen::LLT<MatX<double>> M(scratch.mass_matrix(rooted_, rooted_));
  const auto solve = [&](const MatX<double>& rows, MatX<double>& to) {
    to(rooted_, Eigen::all) = M.solve(rows(rooted_, Eigen::all)).eval();
  };
  solve(h * carried.by_p * by_q, slopes.by_q);
  solve(by_v, slopes.by_v);
  solve(by_a, slopes.by_a);
  solve(by_q_next, slopes.by_q_next);
  solve(by_v_way, slopes.by_v_way);
  solve(MatX<double>::Identity(nv, nv), slopes.by_excess);
  return slopes;
}

}  // namespace abut::dynamics
