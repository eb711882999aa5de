#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/step/moving_part.h"
#include "runtime/dynamics/step/tree_motion.h"

namespace abut::dynamics {

// How the motion of a tree through a step of midpoint.h depends on where it starts and on the velocities that
// impulses leave: differences of the fourth order of TreeMotion, whose maps are smooth.
class TreeSlopes {
 public:
  // Where inputs of the step stand among all N: of the tree's tangent and of its velocity, of its independent
  // degrees of freedom, and of forces on all of its degrees of freedom.
  struct Columns {
    std::vector<Eigen::Index> pose, velocity, force;
    Eigen::Index count = 0;  // N
  };

  // A mass or a moment of one of its bodies, an input of the step: trees of which it is less and more by two
  // and by one `size`.
  struct Variants {
    Eigen::Index column;
    double size;
    TreeMotion two_less, less, more, two_more;
  };

  // `variants` outlive it.
  TreeSlopes(const TreeMotion& tree, const State& start, const Control& control, double dt, Columns columns,
             std::span<Variants> variants);

  // The tree in the middle of the step; `after`: the velocities there that the solver leaves.
  MovingPart middle(const VecX<double>& after, std::size_t body_count);

  // (2 n, N): of (tangent; velocity) at the end, from `part` with the velocities after the impulses, and from
  // a displacement (n) with its slopes (n, N).
  MatX<double> end(const MovingPart& part, const VecX<double>& displacement,
                   const MatX<double>& displacement_slopes);

  const Columns& columns() const { return columns_; }

 private:
  struct Place {
    VecX<double> q, v;
  };
  Place moved(const Place& from, const VecX<double>& x) const;
  VecX<double> between(const Place& from, const Place& to) const;
  Place middle_of(TreeMotion& tree, const Place& start) const;
  void push(TreeMotion& tree, const Place& middle, ContactTree& problem);
  Place end_of(TreeMotion& tree, const Place& start, const VecX<double>& after);
  VecX<double> sizes() const;
  // (2 n, N): (tangent; velocity) at the start.
  MatX<double> start_slopes() const;

  TreeMotion tree_;
  Control control_;
  double dt_;
  Columns columns_;
  std::span<Variants> variants_;
  Place start_, middle_;
  VecX<double> sizes_;  // (n) of the differences by each tangent, and by its rate
  std::vector<JointRow> rows_;
  std::vector<ContactBody> bodies_;
};

}  // namespace abut::dynamics
