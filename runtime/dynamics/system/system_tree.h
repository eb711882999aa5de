#pragma once

#include <vector>

#include "runtime/dynamics/system/system.h"
#include "runtime/dynamics/tree/mimic.h"
#include "runtime/dynamics/tree/scratch.h"

// A system, or some of its bodies, in the coordinates of one tree. Link i is the i-th of these bodies, on its
// joint, or on a free joint where it has none.
namespace abut::dynamics {

// Upper bound of a tree's degrees of freedom, because its matrices are dense. It limits bodies that joints
// connect and, with integrators that put all bodies into one tree (those with contact forces), the whole
// system.
inline constexpr int kMaxTreeDofs = 1200;

// The tree of a system's bodies, and the maps between its coordinates and State.
class SystemTree {
 public:
  // Throws InvalidInput as Tree does, and for more than kMaxTreeDofs degrees of freedom.
  explicit SystemTree(const System& system);
  // Takes only some bodies (ascending indices), which no joint connects with the others, under a gravity of
  // their own, m/s^2.
  SystemTree(const System& system, std::vector<std::int32_t> bodies, const Vec3<double>& gravity);

  const System& system() const { return system_; }                  // the system of the bodies
  std::span<const std::int32_t> bodies() const { return bodies_; }  // index of each link's body
  const Tree& tree() const { return tree_; }                        // links in the order of bodies()
  const MimicMap& mimics() const { return mimics_; }                // of the tree's joints
  // G, (nv, ni), with v = G v_i for the ni independent velocities v_i; the identity where no joint mimics
  // another.
  const MatX<double>& independent() const { return independent_; }
  double mass() const { return mass_; }  // of all links that can move, kg

  // Computes q, (tree().nq()), and v, (tree().nv()), of a state.
  void coordinates(const State& state, VecX<double>& q, VecX<double>& v) const;
  // Returns the difference of two states in the independent degrees of freedom, (2 ni): (tangent from the q
  // of `from` to that of `to`; difference of v).
  VecX<double> difference(const State& from, const State& to) const;
  // Sets the bodies of `state` to q, v, and leaves its other bodies and its impulses. Fills `scratch` as
  // move_links does.
  void place(const VecX<double>& q, const VecX<double>& v, TreeScratch& scratch, State& state) const;
  // Does the same where move_links has already been called for q, v and `scratch`.
  void fill(const VecX<double>& q, const VecX<double>& v, const TreeScratch& scratch, State& state) const;

  // Returns the link whose joint has degree of freedom d.
  int link_of_dof(int d) const { return link_of_dof_[static_cast<std::size_t>(d)]; }
  // Returns the body of link i.
  const Body& body(std::size_t i) const { return system_.body(body_index(i)); }
  // Returns the index in the system of the body of link i.
  std::size_t body_index(std::size_t i) const { return static_cast<std::size_t>(bodies_[i]); }
  // Returns X_LB of the body of link i, the identity for a free body.
  Pose<double> pose_in_link(std::size_t i) const {
    const auto& joint = body(i).joint;
    return joint ? joint->X_LB : Pose<double>{};
  }

 private:
  System system_;
  std::vector<std::int32_t> bodies_;
  Tree tree_;
  MimicMap mimics_;
  MatX<double> independent_;
  std::vector<int> link_of_dof_;
  double mass_ = 0;
};

// Returns the bodies of a scene as links of a tree, in their order. What bodies carry that fixed joints hold
// to the world is on joints to the world.
std::vector<Link> links_of(const Scene& scene);
// Returns some bodies (ascending indices) as links of a tree. Bodies that fixed joints hold to the world may
// be left out.
std::vector<Link> links_of(const Scene& scene, std::span<const std::int32_t> bodies);

// Returns the groups of bodies that are connected by joints, directly or by mimicking. Indices ascend within
// a group, and groups by their first body. Bodies without a joint that no joint refers to are in no group.
std::vector<std::vector<std::int32_t>> jointed_bodies(const Scene& scene);
// Returns the groups that move independently. Bodies that fixed joints hold to the world are in none and do
// not connect those that they carry.
std::vector<std::vector<std::int32_t>> moving_trees(const Scene& scene);

}  // namespace abut::dynamics
