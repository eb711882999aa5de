#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/math/pose.h"

// Rigid links connected by joints to a tree: what does not move of it.
//
//   dynamics::Tree tree(links, {0, 0, -9.81});
//   dynamics::TreeScratch scratch(tree);                                    // scratch.h
//   Eigen::VectorXd q = tree.neutral(), v = Eigen::VectorXd::Zero(tree.nv());
//   const Eigen::VectorXd& a = forward_dynamics(tree, q, v, tau, scratch);  // dynamics.h
//   tree.integrate(q, dt * v, q);
namespace abut::dynamics {

// A column: coordinates, velocities, generalised forces.
template <class S>
using VecX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
// Row-major: a row belongs to one generalised force or acceleration.
template <class S>
using MatX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// An argument whose scalar follows from another one's.
template <class S>
using InVec = const Eigen::Ref<const VecX<std::type_identity_t<S>>>&;
// A result in memory of the caller's, whose scalar follows from another argument.
template <class S>
using OutVec = Eigen::Ref<VecX<std::type_identity_t<S>>>;

// P: parent link, J: the joint's frame, fixed in P; L: the child link, J's frame moved by the joint.
enum class JointType : std::uint8_t { kFixed, kRevolute, kPrismatic, kPlanar, kSpherical, kFree };
inline constexpr int kJointTypeCount = 6;  // rows of joint_kind()

// Coordinates q and velocities v of a joint. v is the twist V_JL_L in the joint's subspace, so that a tangent
// of q is a right perturbation X_JL exp(S dv) (docs/conventions.md).
struct JointKind {
  std::string_view name;         // as scene files have it, "revolute"
  int nq, nv;                    // entries in q and in v
  std::string_view coordinates;  // what the entries of q are, with units, for people
};
// fixed      none
// revolute   q: angle about the axis, rad                            v: rad/s
// prismatic  q: shift along the axis, m                              v: m/s
// planar     q: (angle about the axis, shift (x, y) along J's two    v: (rad/s; m/s, m/s), shifts along L's
//            tangents to it), rad, m
// spherical  q: unit quaternion (w, x, y, z) of R_JL                 v: w_JL_L, rad/s
// free       q: (unit quaternion of R_JL; p_JL), m                   v: V_JL_L = (w; v)
const JointKind& joint_kind(JointType type);

// q_this = multiplier q_other + offset, between joints of one degree of freedom (mimic.h).
struct Mimic {
  int link = -1;          // whose joint is the other one
  double multiplier = 1;  // 1, m/rad or rad/m
  double offset = 0;      // rad or m
};

// How a link is held by its parent.
struct Joint {
  std::string name;                             // for Tree::find_joint
  JointType type = JointType::kFixed;           // which motion it leaves
  Pose<double> X_PJ;                            // of the joint's frame J in the parent link's, m
  Vec3<double> axis_J = Vec3<double>::UnitZ();  // unit; of the plane's normal for a planar joint
  // Data for those who act on the joint; of these armature alone enters the algorithms.
  double lower = -std::numeric_limits<double>::infinity();  // rad or m
  double upper = std::numeric_limits<double>::infinity();   // rad or m
  // Held for controllers; no step enforces them.
  double velocity_limit = std::numeric_limits<double>::infinity();  // rad/s or m/s
  double effort_limit = std::numeric_limits<double>::infinity();    // N m or N
  double damping = 0;                                               // N m s/rad or N s/m
  double stiffness = 0;        // of a spring, or a drive, to a target; one degree of freedom; N m/rad or N/m
  double friction = 0;         // Coulomb friction: largest torque or force, N m or N
  double armature = 0;         // inertia added to each degree of freedom, kg m^2 or kg
  std::optional<Mimic> mimic;  // of another joint; none: it moves by itself
};

// Mass, centre of mass in the link's frame, moments about the centre of mass in the link's axes.
struct LinkInertia {
  double mass = 0;                               // kg
  Vec3<double> p_LLcm = Vec3<double>::Zero();    // m
  Mat3<double> I_LLcm_L = Mat3<double>::Zero();  // kg m^2, symmetric
};

// A rigid body of a tree, with the joint that holds it.
struct Link {
  std::string name;     // for Tree::find_link
  int parent = -1;      // index of a link before this one; -1: the world
  Joint joint;          // to the parent
  LinkInertia inertia;  // of the link alone: the joint's armature is extra
};

// A constant tree. Link i has joint i; its coordinates and velocities stand in q and v in the links' order.
class Tree {
 public:
  // Throws InvalidInput, naming the link or the joint, where a parent is not before its child, a number is
  // not finite, an axis has not unit length or a rotation is none (to 1e-9), an inertia is indefinite or not
  // symmetric, a link that moves and carries nothing has no positive definite inertia, damping, friction or
  // stiffness or armature is negative, limits are empty, or a joint mimics none of one degree of freedom, or
  // itself.
  explicit Tree(std::vector<Link> links, const Vec3<double>& gravity = Vec3<double>::Zero());  // m/s^2

  std::span<const Link> links() const { return links_; }                         // parents first
  const Link& link(int i) const { return links_[static_cast<std::size_t>(i)]; }  // 0 <= i < link_count()
  int link_count() const { return static_cast<int>(links_.size()); }             // of links, and so of joints
  // Index of a link or of a joint's link by name. Throws InvalidInput for an unknown one.
  int find_link(std::string_view name) const;
  int find_joint(std::string_view name) const;              // index of the link that the joint holds
  const Vec3<double>& gravity() const { return gravity_; }  // in the world, m/s^2
  int nq() const { return nq_; }                            // entries of q
  int nv() const { return nv_; }                            // entries of v

  // Of joint i: where its coordinates and velocities begin; where those of the next begin.
  int first_q(int i) const { return layout_[static_cast<std::size_t>(i)].q; }
  int first_v(int i) const { return layout_[static_cast<std::size_t>(i)].v; }    // in v
  int end_v(int i) const { return layout_[static_cast<std::size_t>(i) + 1].v; }  // in v
  // The degree of freedom next to d on the way to the world; -1 for none.
  int parent_dof(int d) const { return parent_dof_[static_cast<std::size_t>(d)]; }
  // The last degree of freedom at or above link i; -1: none.
  int last_dof(int i) const { return last_dof_[static_cast<std::size_t>(i)]; }
  // One past the last degree of freedom that d carries.
  int end_of_subtree(int d) const { return end_of_subtree_[static_cast<std::size_t>(d)]; }
  // Twist V_JL_L of a unit velocity in degree of freedom d: constant in L.
  const Vec6<double>& subspace(int d) const { return subspace_[static_cast<std::size_t>(d)]; }
  // R_PL = fixed + cos(q) cosine + sin(q) sine of a revolute joint, and its axis in P.
  struct Turn {
    Mat3<double> fixed, cosine, sine;  // R_PL's, constant
    Vec3<double> axis_P;               // unit
  };
  const Turn& turn(int i) const { return turns_[static_cast<std::size_t>(i)]; }  // of joint i

  // All joints at zero: identity quaternions.
  VecX<double> neutral() const;
  // q moved by the tangent dv (= v dt for a constant body twist): q_out may be q. Quaternions come out
  // normalised.
  template <class S>
  void integrate(const VecX<S>& q, const VecX<std::type_identity_t<S>>& dv, VecX<S>& q_out) const;
  // The tangent dv with integrate(q0, dv) = q1; turns of at most half a circle for quaternions. Of a planar
  // joint the turn is that of the coordinates: near whole ones dv grows without bound, as such a twist shifts
  // nothing.
  template <class S>
  void difference(const VecX<S>& q0, const VecX<std::type_identity_t<S>>& q1, VecX<S>& dv) const;

  // Throws InvalidInput, naming what, unless q has nq finite coordinates, its quaternions of unit length (to
  // 1e-9).
  void require_valid(const VecX<double>& q) const;

 private:
  struct Place {
    int q, v;
  };

  void lay_out();

  std::vector<Link> links_;
  Vec3<double> gravity_;
  int nq_ = 0, nv_ = 0;
  std::vector<Place> layout_;  // one more than links
  std::vector<int> parent_dof_, last_dof_, end_of_subtree_;
  std::vector<Vec6<double>> subspace_;
  std::vector<Turn> turns_;  // of each link
};

}  // namespace abut::dynamics
