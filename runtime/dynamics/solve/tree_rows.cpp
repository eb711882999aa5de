#include "runtime/dynamics/solve/tree_rows.h"

namespace abut::dynamics {

void TreeRows::make(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
                    const ContactJoints& joints, const Islands& islands, std::span<const BodyScale> scales,
                    std::span<ContactRow> rows) {
  sides_.clear();
  columns_.clear();
  changes_.resize(joints.trees.size());
  if (empty()) return;
  for (std::size_t t = 0; t < size(); ++t) {
    const Eigen::Index n = joints.trees[t].v.size();
    for (VecX<double>* part : {&changes_[t].y, &changes_[t].y_last, &changes_[t].y_way, &changes_[t].total})
      part->setZero(n);
    changes_[t].place = -1;
  }
  const std::span<const std::int32_t> order = islands.body_order();
  for (std::size_t place = order.size(); place-- > 0;)
    if (const std::int32_t tree = bodies[order[place]].tree; tree >= 0)
      changes_[tree].place = static_cast<std::int32_t>(place);
  for (std::size_t place = 0; place < islands.order().size(); ++place) {
    const auto k = static_cast<std::size_t>(islands.order()[place]);
    if (k >= contacts.size()) {
      const JointRow& joint = joints.rows[k - contacts.size()];
      make_joint(joint, joints.trees[joint.tree], rows[place]);
    } else if (touches_tree(contacts[k], bodies)) {
      make_contact(contacts[k], bodies, joints, islands, scales, rows[place]);
    }
  }
}

std::int32_t TreeRows::add_side(std::size_t tree, Eigen::Index size) {
  sides_.push_back({tree, columns_.size(), size});
  columns_.resize(columns_.size() + 3 * static_cast<std::size_t>(size), 0.0);
  return kFixed - static_cast<std::int32_t>(sides_.size());
}

// Where both bodies of a contact are on the same tree, they share one side.
void TreeRows::make_contact(const PairContact& contact, std::span<const ContactBody> bodies,
                            const ContactJoints& joints, const Islands& islands,
                            std::span<const BodyScale> scales, ContactRow& row) {
  const std::int32_t members[] = {contact.A, contact.B};
  std::int32_t sides[] = {kFixed, kFixed};
  Mat3<double> K = Mat3<double>::Zero();
  for (int k = 0; k < 2; ++k) {
    if (members[k] == kFixed || bodies[members[k]].tree < 0) continue;
    const ContactBody& body = bodies[members[k]];
    const bool both = k == 1 && on_tree(sides[0]) && bodies[members[0]].tree == body.tree;
    if (both) std::swap(sides[0], sides[1]);
    if (!both) sides[k] = add_side(static_cast<std::size_t>(body.tree), body.J_W->cols());
    Eigen::Map<Columns> along = columns(side_of(sides[k]));
    const Vec3<double> p = contact.p_WC - body.p_WBcm;
    for (Eigen::Index d = 0; d < along.rows(); ++d)
      along.row(d) +=
          (k == 0 ? -1 : 1) * (body.J_W->col(d).tail<3>() + body.J_W->col(d).head<3>().cross(p)).transpose();
  }
  for (const std::int32_t side : sides) {
    if (!on_tree(side)) continue;
    Eigen::Map<Columns> along = columns(side_of(side));
    joints.trees[side_of(side).tree].inertia.matrixL().solveInPlace(along);
    K.noalias() += along.transpose() * along;
  }
  make_row(contact, bodies, scales, row, &K);
  row.A = on_tree(sides[0]) ? sides[0] : islands.place_of_body(row.A);
  row.B = on_tree(sides[1]) ? sides[1] : islands.place_of_body(row.B);
  for (const std::int32_t side : sides) {
    if (!on_tree(side)) continue;
    Eigen::Map<Columns> along = columns(side_of(side));
    for (Eigen::Index d = 0; d < along.rows(); ++d) along.row(d) = (along.row(d) * row.R_WC).eval();
  }
}

void TreeRows::make_joint(const JointRow& joint, const ContactTree& tree, ContactRow& row) {
  row.A = joint.bound > 0 ? kJointFriction : kFixed;
  row.B = add_side(static_cast<std::size_t>(joint.tree), tree.v.size());
  Eigen::Map<Columns> along = columns(side_of(row.B));
  along(joint.dof, 0) = joint.factor;
  tree.inertia.matrixL().solveInPlace(along);
  row.J_A.setZero();
  row.J_B.setZero();
  row.R_WC.setIdentity();
  row.law = {};
  row.law.W_nn = along.col(0).squaredNorm();
  row.law.per_n = 1 / row.law.W_nn;
  row.law.sigma = row.law.per_1 = row.law.per_2 = 1;
  row.law.mu = joint.bound;
  row.bias << joint.factor * tree.v[joint.dof] - joint.target_velocity, 0, 0;
  row.r << joint.impulse, 0, 0;
  row.r_last = row.r;
  row.r_way.setZero();
  row.q = 0;
}

void TreeRows::add_velocity(std::int32_t side, double* u) const {
  const Side& on = side_of(side);
  const Vec3<double> change = columns(on).transpose() * changes_[on.tree].y;
  for (int k = 0; k < 3; ++k) u[k] += change[k];
}

void TreeRows::add(std::int32_t side, const double* r, VecX<double>& y) const {
  y.noalias() += columns(side_of(side)) * Eigen::Map<const Vec3<double>>(r);
}

void TreeRows::add_shared(std::int32_t side_i, std::int32_t side_k, Mat3<double>& block) const {
  if (!on_tree(side_i) || !on_tree(side_k) || side_of(side_i).tree != side_of(side_k).tree) return;
  block += columns(side_of(side_i)).transpose() * columns(side_of(side_k));
}

double TreeRows::normal_way(std::int32_t side, std::span<const VecX<double>> y) const {
  return columns(side_of(side)).col(0).dot(y[side_of(side).tree]);
}

void TreeRows::add_normal(std::int32_t side, double impulse, std::span<VecX<double>> y) const {
  y[side_of(side).tree] += impulse * columns(side_of(side)).col(0);
}

}  // namespace abut::dynamics
