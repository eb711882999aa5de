#include "runtime/dynamics/tree/mimic.h"

#include "runtime/dynamics/tree/recursions.h"

namespace abut::dynamics {

MimicMap::MimicMap(const Tree& tree) {
  // Numbers the independent joints first: a joint that mimics may come before the one that it mimics.
  std::vector<int> first_q, first_v;
  for (int i = 0; i < tree.link_count(); ++i) {
    const Joint& joint = tree.link(i).joint;
    first_q.push_back(nq_);
    first_v.push_back(nv_);
    if (joint.mimic) continue;
    nq_ += joint_kind(joint.type).nq;
    nv_ += joint_kind(joint.type).nv;
  }
  for (int i = 0; i < tree.link_count(); ++i) {
    double factor = 1, offset = 0;
    int at = i;
    while (const auto& mimic = tree.link(at).joint.mimic) {
      offset += factor * mimic->offset;
      factor *= mimic->multiplier;
      at = mimic->link;
    }
    const JointKind& kind = joint_kind(tree.link(i).joint.type);
    for (int k = 0; at == i && k < kind.nq; ++k) place_q_.push_back(tree.first_q(i) + k);
    for (int k = 0; at == i && k < kind.nv; ++k) place_v_.push_back(tree.first_v(i) + k);
    for (int k = 0; k < kind.nq; ++k)
      q_.push_back({first_q[static_cast<std::size_t>(at)] + k, factor, offset});
    for (int k = 0; k < kind.nv; ++k) v_.push_back({first_v[static_cast<std::size_t>(at)] + k, factor, 0});
  }
}

VecX<double> MimicMap::coordinates(const VecX<double>& q_independent) const {
  detail::require_size("independent coordinates", q_independent.size(), nq_);
  VecX<double> q(static_cast<Eigen::Index>(q_.size()));
  for (std::size_t k = 0; k < q_.size(); ++k)
    q[static_cast<Eigen::Index>(k)] = q_[k].factor * q_independent[q_[k].independent] + q_[k].offset;
  return q;
}

void MimicMap::obey(VecX<double>& q) const {
  for (std::size_t k = 0; k < q_.size(); ++k) {
    const auto place = static_cast<Eigen::Index>(place_q_[static_cast<std::size_t>(q_[k].independent)]);
    if (place != static_cast<Eigen::Index>(k))
      q[static_cast<Eigen::Index>(k)] = q_[k].factor * q[place] + q_[k].offset;
  }
}

void MimicMap::obey_velocities(VecX<double>& v) const {
  for (std::size_t k = 0; k < v_.size(); ++k) {
    const auto place = static_cast<Eigen::Index>(place_v_[static_cast<std::size_t>(v_[k].independent)]);
    if (place != static_cast<Eigen::Index>(k)) v[static_cast<Eigen::Index>(k)] = v_[k].factor * v[place];
  }
}

VecX<double> MimicMap::velocities(const VecX<double>& v_independent) const {
  detail::require_size("independent velocities", v_independent.size(), nv_);
  return matrix() * v_independent;
}

VecX<double> MimicMap::forces(const VecX<double>& tau) const {
  detail::require_size("generalised forces", tau.size(), static_cast<int>(v_.size()));
  return matrix().transpose() * tau;
}

MatX<double> MimicMap::mass_matrix(const MatX<double>& M) const {
  const MatX<double> G = matrix();
  return G.transpose() * M * G;
}

MatX<double> MimicMap::matrix() const {
  MatX<double> G = MatX<double>::Zero(static_cast<Eigen::Index>(v_.size()), nv_);
  for (std::size_t k = 0; k < v_.size(); ++k)
    G(static_cast<Eigen::Index>(k), v_[k].independent) = v_[k].factor;
  return G;
}

}  // namespace abut::dynamics
