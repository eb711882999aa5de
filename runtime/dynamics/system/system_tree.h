#pragma once

#include <vector>

#include "runtime/dynamics/system/system.h"
#include "runtime/dynamics/tree/mimic.h"
#include "runtime/dynamics/tree/scratch.h"

// A system, or some of its bodies, in the coordinates of one tree: link i is body i, or the i-th of these, on
// its joint, or on a free one where it has none.
namespace abut::dynamics {

// Matrices are dense in the degrees of freedom: more than this are for integrators without joints.
inline constexpr int kMaxTreeFreedoms = 1200;

// The tree, and the maps between its coordinates and states.
class SystemTree {
 public:
  // Throws InvalidInput as Tree does, and for more than kMaxTreeFreedoms degrees of freedom.
  explicit SystemTree(const System& system);
  // Of some bodies (ascending) that no joint connects with others, in another gravity, m/s^2.
  SystemTree(const System& system, std::vector<std::int32_t> bodies, const Vec3<double>& gravity);

  const System& system() const { return system_; }                  // whose bodies they are
  std::span<const std::int32_t> bodies() const { return bodies_; }  // of the links
  const Tree& tree() const { return tree_; }                        // links in the order of bodies()
  const MimicMap& mimics() const { return mimics_; }                // of its joints
  // G, (nv, ni): velocities v = G v_i of ni independent ones; the identity where no joint mimics another.
  const MatX<double>& independent() const { return independent_; }
  double mass() const { return mass_; }  // of all that moves, kg

  // q, (tree().nq()), and v, (tree().nv()), of a state.
  void coordinates(const State& state, VecX<double>& q, VecX<double>& v) const;
  // One state over another in the independent degrees of freedom, (2 ni): (tangent from one's q to the
  // other's; difference of v).
  VecX<double> difference(const State& from, const State& to) const;
  // The state at q, v; other bodies and its impulses stay. Fills `scratch` as move_links does.
  void place(const VecX<double>& q, const VecX<double>& v, TreeScratch& scratch, State& state) const;
  // The same where the links of `scratch` have been moved so.
  void fill(const VecX<double>& q, const VecX<double>& v, const TreeScratch& scratch, State& state) const;

  // The link whose joint has degree of freedom d.
  int link_of_dof(int d) const { return link_of_dof_[static_cast<std::size_t>(d)]; }
  // The body of link i.
  const Body& body(std::size_t i) const { return system_.body(body_index(i)); }
  // Its index in the system.
  std::size_t body_index(std::size_t i) const { return static_cast<std::size_t>(bodies_[i]); }
  // X_LB of it.
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

// Links of the bodies of a scene, in their order.
std::vector<Link> links_of(const Scene& scene);
// Of some of them, ascending.
std::vector<Link> links_of(const Scene& scene, std::span<const std::int32_t> bodies);

// Bodies that joints connect, by themselves or by mimicking: ascending, by the first one of each group. Those
// that no joint connects with anything are in none.
std::vector<std::vector<std::int32_t>> jointed_bodies(const Scene& scene);
// The same of what moves: bodies that fixed joints hold to the world connect nothing, and are in each group
// that stands on them.
std::vector<std::vector<std::int32_t>> moving_trees(const Scene& scene);

}  // namespace abut::dynamics
