#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/step/moving_part.h"
#include "runtime/dynamics/step/tree_motion.h"

namespace abut::dynamics {

// Derivatives of a tree's motion through a step of midpoint.h with respect to its state at the start and to
// the velocities that impulses leave: fourth-order differences of TreeMotion, whose maps are smooth but where
// it begins to remove energy (TreeMotion::finish).
class TreeSlopes {
 public:
  // Columns of the tree's inputs among all N inputs of the step: of its tangent and its velocity, for its
  // independent degrees of freedom, and of forces on all its degrees of freedom.
  struct Columns {
    std::vector<Eigen::Index> pose, velocity, force;
    Eigen::Index count = 0;  // N
  };

  // A mass or principal moment of one of its bodies as an input of the step: trees in which it is smaller and
  // larger by one and two `size`.
  struct Variants {
    Eigen::Index column;
    double size;
    TreeMotion two_less, less, more, two_more;
  };

  // `variants` must outlive this object.
  TreeSlopes(const TreeMotion& tree, const State& start, const Control& control, double dt, Columns columns,
             std::span<Variants> variants);

  // Returns the tree in the middle of the step. `after`: the velocities there after the solver.
  MovingPart middle(const VecX<double>& after, std::size_t body_count);

  // Returns the slopes (2 n, N) of (tangent; velocity) at the end of the step, given `part` with the
  // velocities after the impulses, and a displacement (n) with its slopes (n, N).
  MatX<double> end(const MovingPart& part, const VecX<double>& displacement,
                   const MatX<double>& displacement_slopes);
  // Whether end() has met a place where the tree begins to remove energy.
  bool at_energy_limit() const { return at_energy_limit_; }

  const Columns& columns() const { return columns_; }

 private:
  struct Place {
    VecX<double> q, v;
  };
  Place moved(const Place& from, const VecX<double>& x) const;
  VecX<double> between(const Place& from, const Place& to) const;
  Place middle_of(TreeMotion& tree, const Place& start) const;
  void push(TreeMotion& tree, const Place& middle, ContactTree& problem);
  Place end_of(TreeMotion& tree, const Place& start, const VecX<double>& after,
               const VecX<double>& displacement);
  VecX<double> sizes() const;
  // Share of the sizes by which the velocities `after` impulses can be varied, and places with them.
  double share_at(const VecX<double>& after) const;
  // Slopes (2 n, N) of (tangent; velocity) at the start.
  MatX<double> start_slopes() const;

  TreeMotion tree_;
  Control control_;
  double dt_;
  Columns columns_;
  std::span<Variants> variants_;
  Place start_, middle_;
  VecX<double> sizes_;  // (n) step of the differences for each tangent and its rate
  std::vector<JointRow> rows_;
  std::vector<ContactBody> bodies_;
  bool at_energy_limit_ = false;
};

}  // namespace abut::dynamics
