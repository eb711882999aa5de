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

// The constant data of a tree of rigid links connected by joints.
//
//   dynamics::Tree tree(links, {0, 0, -9.81});
//   dynamics::TreeScratch scratch(tree);                                    // scratch.h
//   Eigen::VectorXd q = tree.neutral(), v = Eigen::VectorXd::Zero(tree.nv());
//   const Eigen::VectorXd& a = forward_dynamics(tree, q, v, tau, scratch);  // dynamics.h
//   tree.integrate(q, dt * v, q);
namespace abut::dynamics {

// A column vector of coordinates, velocities or generalised forces.
template <class S>
using VecX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
// A matrix with one row for each generalised force or acceleration, stored row-major.
template <class S>
using MatX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// A vector argument whose scalar type is deduced from another argument.
template <class S>
using InVec = const Eigen::Ref<const VecX<std::type_identity_t<S>>>&;
// A result vector in the caller's memory, whose scalar type is deduced from another argument.
template <class S>
using OutVec = Eigen::Ref<VecX<std::type_identity_t<S>>>;

// The motion that a joint allows. P is the parent link, J the joint's frame, which is fixed in P, and L the
// child link, whose frame coincides with J when the joint is at zero.
enum class JointType : std::uint8_t { kFixed, kRevolute, kPrismatic, kPlanar, kSpherical, kFree };
inline constexpr int kJointTypeCount = 6;  // rows of joint_kind()

// Describes the coordinates q and velocities v of a joint type. v holds the components of the twist V_JL_L in
// the joint's motion subspace S, so that a tangent of q is a right perturbation X_JL exp(S dv)
// (docs/conventions.md).
struct JointKind {
  std::string_view name;         // as in scene files, such as "revolute"
  int nq, nv;                    // entries in q and in v
  std::string_view coordinates;  // human-readable description of the entries of q, with units
};
// fixed      none
// revolute   q: angle about the axis, rad                            v: rad/s
// prismatic  q: shift along the axis, m                              v: m/s
// planar     q: (angle about the axis, shift (x, y) along J's two    v: (rad/s; m/s, m/s), shifts along L's
//            tangents to it), rad, m
// spherical  q: unit quaternion (w, x, y, z) of R_JL                 v: w_JL_L, rad/s
// free       q: (unit quaternion of R_JL; p_JL), m                   v: V_JL_L = (w; v)
const JointKind& joint_kind(JointType type);

// Couples a joint to another one by q_this = multiplier q_other + offset. Both have one degree of freedom
// (mimic.h).
struct Mimic {
  int link = -1;          // index of the link whose joint is mimicked
  double multiplier = 1;  // 1, m/rad or rad/m
  double offset = 0;      // rad or m
};

// The joint that connects a link to its parent.
struct Joint {
  std::string name;                             // for Tree::find_joint
  JointType type = JointType::kFixed;           // the motion that it allows
  Pose<double> X_PJ;                            // of the joint's frame J in the parent link P, m
  Vec3<double> axis_J = Vec3<double>::UnitZ();  // unit vector; the plane's normal for a planar joint
  // Data for whatever acts on the joint. Of these only `armature` enters the algorithms of the tree.
  double lower = -std::numeric_limits<double>::infinity();  // rad or m
  double upper = std::numeric_limits<double>::infinity();   // rad or m
  // Limits for controllers; no time step enforces them.
  double velocity_limit = std::numeric_limits<double>::infinity();  // rad/s or m/s
  double effort_limit = std::numeric_limits<double>::infinity();    // N m or N
  double damping = 0;                                               // N m s/rad or N s/m
  double stiffness = 0;  // of a spring or drive to a target, N m/rad or N/m; one degree of freedom only
  double friction = 0;   // largest torque or force of Coulomb friction along each degree of freedom, N m or N
  double armature = 0;   // inertia added to each degree of freedom, kg m^2 or kg
  std::optional<Mimic> mimic;  // the joint that it mimics; empty where it moves independently
};

// Mass of a link, its centre of mass in the link's frame L, and its rotational inertia about the centre of
// mass in L's axes.
struct LinkInertia {
  double mass = 0;                               // kg
  Vec3<double> p_LLcm = Vec3<double>::Zero();    // m
  Mat3<double> I_LLcm_L = Mat3<double>::Zero();  // kg m^2, symmetric
};

// A rigid body of a tree, together with the joint that connects it to its parent.
struct Link {
  std::string name;     // for Tree::find_link
  int parent = -1;      // index of the parent link, which comes before this one; -1 for the world
  Joint joint;          // to the parent
  LinkInertia inertia;  // of the link only, without the joint's armature
};

// An immutable tree of links and joints, which threads can share. Joint i connects link i to its parent; q
// and v hold the joints' coordinates and velocities in the order of the links.
class Tree {
 public:
  // Throws InvalidInput, naming the link or the joint, where a parent does not come before its child, a
  // number is not finite or too large, an axis does not have unit length or a matrix is no rotation (to
  // 1e-9), an inertia is indefinite or not symmetric, a movable joint without armature carries no link with a
  // positive definite inertia, damping, friction, stiffness or armature is negative, the lower limit is above
  // the upper one, a joint of several degrees of freedom has limits or stiffness, or a joint mimics itself
  // (also by way of others), one that does not exist, or either of the two has several degrees or none.
  explicit Tree(std::vector<Link> links, const Vec3<double>& gravity = Vec3<double>::Zero());  // m/s^2

  std::span<const Link> links() const { return links_; }                         // parents first
  const Link& link(int i) const { return links_[static_cast<std::size_t>(i)]; }  // 0 <= i < link_count()
  int link_count() const { return static_cast<int>(links_.size()); }             // also the number of joints
  // Returns the index of the link, or of the joint, with this name. Throws InvalidInput for an unknown name.
  int find_link(std::string_view name) const;
  int find_joint(std::string_view name) const;              // which is also the index of its child link
  const Vec3<double>& gravity() const { return gravity_; }  // in the world, m/s^2
  int nq() const { return nq_; }                            // entries of q
  int nv() const { return nv_; }                            // entries of v

  // Index of the first coordinate (velocity) of joint i in q (v), and one past its last velocity.
  int first_q(int i) const { return layout_[static_cast<std::size_t>(i)].q; }
  int first_v(int i) const { return layout_[static_cast<std::size_t>(i)].v; }    // in v
  int end_v(int i) const { return layout_[static_cast<std::size_t>(i) + 1].v; }  // in v
  // Next degree of freedom after d on the path to the world; -1 where d is the last one.
  int parent_dof(int d) const { return parent_dof_[static_cast<std::size_t>(d)]; }
  // First degree of freedom on the path from link i to the world, link i's own joint included; -1 where there
  // is none.
  int last_dof(int i) const { return last_dof_[static_cast<std::size_t>(i)]; }
  // One past the largest degree of freedom in the subtree that d carries.
  int end_of_subtree(int d) const { return end_of_subtree_[static_cast<std::size_t>(d)]; }
  // Twist V_JL_L of a unit velocity in degree of freedom d, which is constant in L's axes.
  const Vec6<double>& subspace(int d) const { return subspace_[static_cast<std::size_t>(d)]; }
  // Decomposes the rotation of a revolute joint as R_PL = fixed + cos(q) cosine + sin(q) sine.
  struct Turn {
    Mat3<double> fixed, cosine, sine;  // the constant coefficients of R_PL
    Vec3<double> axis_P;               // the joint's axis in P, a unit vector
  };
  const Turn& turn(int i) const { return turns_[static_cast<std::size_t>(i)]; }  // of joint i

  // Returns the q of all joints at zero; quaternions are the identity.
  VecX<double> neutral() const;
  // Moves q along the tangent dv, which is v dt for velocities v that are constant over dt. q_out may be q;
  // its quaternions are normalised.
  template <class S>
  void integrate(const VecX<S>& q, const VecX<std::type_identity_t<S>>& dv, VecX<S>& q_out) const;
  // Computes the tangent dv with integrate(q0, dv) = q1. Rotations by quaternions are at most half a turn.
  // The rotation of a planar joint is the difference of its angles: near whole turns dv grows without bound,
  // because the twist of a whole turn shifts nothing.
  template <class S>
  void difference(const VecX<S>& q0, const VecX<std::type_identity_t<S>>& q1, VecX<S>& dv) const;

  // Throws InvalidInput, naming the joint, unless q has nq finite coordinates and its quaternions have unit
  // length (to 1e-9).
  void require_valid(const VecX<double>& q) const;

 private:
  struct Place {
    int q, v;
  };

  void lay_out();

  std::vector<Link> links_;
  Vec3<double> gravity_;
  int nq_ = 0, nv_ = 0;
  std::vector<Place> layout_;  // of each joint, and one past the last
  std::vector<int> parent_dof_, last_dof_, end_of_subtree_;
  std::vector<Vec6<double>> subspace_;
  std::vector<Turn> turns_;  // of each link
};

}  // namespace abut::dynamics
