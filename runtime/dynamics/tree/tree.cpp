#include "runtime/dynamics/tree/tree.h"

#include <algorithm>
#include <cmath>

#include "runtime/core/error.h"
#include "runtime/core/settings.h"
#include "runtime/dynamics/tree/bad_link.h"
#include "runtime/dynamics/tree/joint.h"

namespace abut::dynamics {
namespace {

constexpr double kUnitTolerance =
    1e-9;  // of lengths and rotations: allows for the rounding of numbers given with ten digits
// Relative to the largest moment of inertia: the least moment may be negative by rounding of the given
// numbers.
constexpr double kMomentTolerance = 1e-12;
// Upper bound of masses (kg), moments (kg m^2) and mimics (multiplier, offset): products of two of them stay
// finite.
constexpr double kGreatestNumber = 1e100;

constexpr double kFarthest = 1e15;  // m, also the size of the largest body

std::string name_of(const Link& link) { return "tree: link '" + link.name + "' "; }
std::string name_of(const Joint& joint) { return "tree: joint '" + joint.name + "' "; }

void require_finite_numbers(const Joint& joint) {
  const auto refuse = [&](const char* what) { throw InvalidInput(name_of(joint) + what); };
  if (!joint.X_PJ.finite()) refuse("has a pose that is not finite");
  if (!(joint.X_PJ.p.cwiseAbs().maxCoeff() <= kFarthest)) refuse("stands farther than 1e15 m away");
  if (!(rotation_error(joint.X_PJ.R) <= kUnitTolerance)) refuse("has a pose without a rotation");
  if (!(std::abs(joint.axis_J.norm() - 1) <= kUnitTolerance)) refuse("has an axis that is not a unit vector");
  if (!(joint.lower <= joint.upper)) refuse("has a lower limit above its upper one");
  if (!(joint.velocity_limit >= 0) || !(joint.effort_limit >= 0)) refuse("has a negative limit");
  for (const double number : {joint.damping, joint.stiffness, joint.friction, joint.armature})
    if (!(number >= 0) || !std::isfinite(number))
      refuse("has damping, stiffness, friction or armature that is negative or not finite");
  if ((std::isfinite(joint.lower) || std::isfinite(joint.upper)) && joint_kind(joint.type).nv > 1)
    refuse("has limits, which only joints of one degree of freedom have");
  if (joint.stiffness > 0 && joint_kind(joint.type).nv > 1)
    refuse("has a stiffness, which only joints of one degree of freedom have");
}

void require_valid_inertia(const Link& link) {
  const auto refuse = [&](const std::string& what) { throw InvalidInput(name_of(link) + what); };
  const LinkInertia& inertia = link.inertia;
  if (!std::isfinite(inertia.mass) || !inertia.p_LLcm.allFinite() || !inertia.I_LLcm_L.allFinite())
    refuse("has an inertia that is not finite");
  if (std::max(inertia.mass, inertia.I_LLcm_L.cwiseAbs().maxCoeff()) > kGreatestNumber)
    refuse("has a mass or a moment of inertia above 1e100 kg, kg m^2");
  if (inertia.mass < 0) refuse("has a negative mass");
  const double size = inertia.I_LLcm_L.cwiseAbs().maxCoeff();
  if ((inertia.I_LLcm_L - inertia.I_LLcm_L.transpose()).cwiseAbs().maxCoeff() > kMomentTolerance * size)
    refuse("has an inertia that is not symmetric");
  const Vec3<double> moments =
      Eigen::SelfAdjointEigenSolver<Mat3<double>>(inertia.I_LLcm_L, Eigen::EigenvaluesOnly).eigenvalues();
  if (moments[0] < -kMomentTolerance * size)
    refuse("has an indefinite inertia: its least principal moment is " + number_text(moments[0]) + " kg m^2");
}

// Returns whether mass and inertia are positive definite, so that every motion of the link has inertia.
bool moves_with_inertia(const LinkInertia& inertia) {
  return inertia.mass > 0 && inertia.I_LLcm_L.ldlt().isPositive() && inertia.I_LLcm_L.determinant() > 0;
}

void require_valid_mimic(const std::vector<Link>& links, std::size_t i) {
  const Joint& joint = links[i].joint;
  const auto refuse = [&](const char* what) { throw InvalidInput(name_of(joint) + what); };
  std::size_t at = i;
  double multiplier = 1, offset = 0;  // of the joint with respect to that of links[at]
  for (std::size_t steps = 0; links[at].joint.mimic; ++steps) {
    const Mimic& mimic = *links[at].joint.mimic;
    if (mimic.link < 0 || mimic.link >= static_cast<int>(links.size())) refuse("mimics no joint of the tree");
    if (steps == links.size()) refuse("mimics itself, by way of others");
    offset += multiplier * mimic.offset;
    multiplier *= mimic.multiplier;
    if (!(std::abs(multiplier) <= kGreatestNumber) || !(std::abs(offset) <= kGreatestNumber))
      refuse("mimics with a number that is not finite, or above 1e100, itself or by way of others");
    at = static_cast<std::size_t>(mimic.link);
    if (joint_kind(joint.type).nv != 1 || joint_kind(links[at].joint.type).nv != 1)
      refuse("mimics, and it or the other joint has not one degree of freedom");
  }
}

// Throws unless each movable joint without armature carries inertia, on its link or on those that hang on it.
void require_inertia_at_the_ends(const std::vector<Link>& links) {
  std::vector<bool> carries(links.size(), false);  // whether the link or a descendant has inertia
  for (std::size_t i = links.size(); i-- > 0;) {
    const Link& link = links[i];
    carries[i] = carries[i] || moves_with_inertia(link.inertia);
    if (!carries[i] && joint_kind(link.joint.type).nv > 0 && link.joint.armature == 0)
      throw BadLink(
          name_of(link) + "moves, and neither it nor what it carries has a positive definite inertia", i);
    if (carries[i] && link.parent >= 0) carries[static_cast<std::size_t>(link.parent)] = true;
  }
}

}  // namespace

const JointKind& joint_kind(JointType type) {
  return *detail::visit_joint(type, []<class Row>(Row) { return &Row::kKind; });
}

Tree::Tree(std::vector<Link> links, const Vec3<double>& gravity)
    : links_(std::move(links)), gravity_(gravity) {
  if (!gravity_.allFinite()) throw InvalidInput("tree: gravity is not finite");
  for (std::size_t i = 0; i < links_.size(); ++i) try {
      if (links_[i].parent < -1 || links_[i].parent >= static_cast<int>(i))
        throw InvalidInput(name_of(links_[i]) + "has a parent that does not stand before it");
      require_finite_numbers(links_[i].joint);
      require_valid_inertia(links_[i]);
      require_valid_mimic(links_, i);
    } catch (const InvalidInput& error) {
      throw BadLink(error.what(), i);
    }
  require_inertia_at_the_ends(links_);
  lay_out();
}

void Tree::lay_out() {
  for (const Link& link : links_) {
    const JointKind& kind = joint_kind(link.joint.type);
    layout_.push_back({nq_, nv_});
    int last = link.parent < 0 ? -1 : last_dof(link.parent);
    for (int k = 0; k < kind.nv; ++k) {
      parent_dof_.push_back(last);
      last = nv_ + k;
      subspace_.push_back(detail::visit_joint(
          link.joint.type, [&]<class Row>(Row) { return Row::subspace(link.joint.axis_J, k); }));
    }
    last_dof_.push_back(last);
    const Mat3<double>& R_PJ = link.joint.X_PJ.R;
    const Mat3<double> along = link.joint.axis_J * link.joint.axis_J.transpose();
    turns_.push_back({R_PJ * along, R_PJ * (Mat3<double>::Identity() - along), R_PJ * skew(link.joint.axis_J),
                      R_PJ * link.joint.axis_J});
    nq_ += kind.nq;
    nv_ += kind.nv;
  }
  layout_.push_back({nq_, nv_});
  end_of_subtree_.resize(static_cast<std::size_t>(nv_));
  for (int d = nv_; d-- > 0;) {
    int& end = end_of_subtree_[static_cast<std::size_t>(d)];
    end = std::max(end, d + 1);
    if (const int parent = parent_dof(d); parent >= 0) {
      int& above = end_of_subtree_[static_cast<std::size_t>(parent)];
      above = std::max(above, end);
    }
  }
}

int Tree::find_link(std::string_view name) const {
  const auto found =
      std::find_if(links_.begin(), links_.end(), [&](const Link& link) { return link.name == name; });
  if (found == links_.end()) throw InvalidInput("tree: no link is called '" + std::string(name) + "'");
  return static_cast<int>(found - links_.begin());
}

int Tree::find_joint(std::string_view name) const {
  const auto found =
      std::find_if(links_.begin(), links_.end(), [&](const Link& link) { return link.joint.name == name; });
  if (found == links_.end()) throw InvalidInput("tree: no joint is called '" + std::string(name) + "'");
  return static_cast<int>(found - links_.begin());
}

VecX<double> Tree::neutral() const {
  VecX<double> q = VecX<double>::Zero(nq_);
  for (int i = 0; i < link_count(); ++i)
    if (const JointKind& kind = joint_kind(link(i).joint.type); kind.nq > kind.nv) q[first_q(i)] = 1;
  return q;
}

template <class S>
void Tree::integrate(const VecX<S>& q, const VecX<std::type_identity_t<S>>& dv, VecX<S>& q_out) const {
  q_out.resize(nq_);
  for (int i = 0; i < link_count(); ++i)
    detail::visit_joint(link(i).joint.type, [&]<class Row>(Row) {
      Row::template integrate<S>(link(i).joint.axis_J, q.data() + first_q(i), dv.data() + first_v(i),
                                 q_out.data() + first_q(i));
    });
}

template <class S>
void Tree::difference(const VecX<S>& q0, const VecX<std::type_identity_t<S>>& q1, VecX<S>& dv) const {
  dv.resize(nv_);
  for (int i = 0; i < link_count(); ++i)
    detail::visit_joint(link(i).joint.type, [&]<class Row>(Row) {
      Row::template difference<S>(link(i).joint.axis_J, q0.data() + first_q(i), q1.data() + first_q(i),
                                  dv.data() + first_v(i));
    });
}

void Tree::require_valid(const VecX<double>& q) const {
  if (q.size() != nq_)
    throw InvalidInput("tree: " + std::to_string(q.size()) + " coordinates for " + std::to_string(nq_));
  for (int i = 0; i < link_count(); ++i) {
    const JointKind& kind = joint_kind(link(i).joint.type);
    if (!q.segment(first_q(i), kind.nq).allFinite())
      throw InvalidInput(name_of(link(i).joint) + "has a coordinate that is not finite");
    if (kind.nq > kind.nv && !(std::abs(q.segment<4>(first_q(i)).norm() - 1) <= kUnitTolerance))
      throw InvalidInput(name_of(link(i).joint) + "has a quaternion that is not of unit length");
  }
}

template void Tree::integrate(const VecX<double>&, const VecX<double>&, VecX<double>&) const;
template void Tree::integrate(const VecX<long double>&, const VecX<long double>&, VecX<long double>&) const;
template void Tree::difference(const VecX<double>&, const VecX<double>&, VecX<double>&) const;
template void Tree::difference(const VecX<long double>&, const VecX<long double>&, VecX<long double>&) const;

}  // namespace abut::dynamics
