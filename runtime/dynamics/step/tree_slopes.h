#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/step/moving_part.h"
#include "runtime/dynamics/step/tree_motion.h"

namespace abut::dynamics {

// Derivatives of a tree's motion through a step of midpoint.h with respect to its state at the start and to
// the velocities that impulses leave: fourth-order differences of TreeMotion with its scales held, and of the
// energies from which the scales follow. These vary with the ratio of the velocities of joints to all others,
// however small it is: their own slopes are in closed form. At their bounds there is a kink.
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
  // Whether a scale of middle() or end() is at one of its bounds, or a hundredth of a step of the differences
  // from it.
  bool at_energy_limit() const { return at_energy_limit_; }

  const Columns& columns() const { return columns_; }

 private:
  struct Place {
    VecX<double> q, v;
  };
  Place moved(const Place& from, const VecX<double>& x) const;
  VecX<double> between(const Place& from, const Place& to) const;
  void move_to_middle(TreeMotion& tree, const Place& start) const;
  void push(TreeMotion& tree, const Place& middle, ContactTree& problem);
  void move_to_end(TreeMotion& tree, const Place& start, const VecX<double>& after,
                   const VecX<double>& displacement);
  VecX<double> sizes() const;
  // Takes where tree_ is as the base of the slopes, and holds its scales from here on.
  void take_base();
  // Where a tree is (2 n) from the base, and the excess and the moving energy of each of its scales.
  VecX<double> outcome(const TreeMotion& tree);
  // Slopes of the outcome where move(x) moves tree_ from inputs that are x off, given those of x (inputs, N).
  template <class Move>
  MatX<double> slopes_by(const MatX<double>& inputs, Move&& move);
  // Slopes (2 n, N) of where move() moves tree_, given those of the outcome with the scales held.
  template <class Move>
  MatX<double> with_scales(MatX<double> slopes, Move&& move);
  // Slopes (1, N) of the value of a scale by those of its energies.
  MatX<double> scale_slopes(std::size_t scale, const MatX<double>& dexcess, const MatX<double>& dmoving);
  // Slopes (2 n, N) of (tangent; velocity) at the start.
  MatX<double> start_slopes() const;

  TreeMotion tree_;
  Control control_;
  double dt_;
  Columns columns_;
  std::span<Variants> variants_;
  Place start_, middle_, base_;
  std::vector<TreeMotion::Scale> scales_;  // of the base
  std::vector<double> held_, largest_;     // their values; moving energies, the largest of the differences
  VecX<double> sizes_;                     // (n) step of the differences for each tangent and its rate
  std::vector<JointRow> rows_;
  std::vector<ContactBody> bodies_;
  bool at_energy_limit_ = false;
};

}  // namespace abut::dynamics
