#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/dynamics/collide/broad_phase.h"
#include "runtime/dynamics/collide/narrow_phase.h"
#include "runtime/dynamics/collide/placed_system.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/tree_motion.h"

namespace abut::dynamics {

// What integrators with rigid contact share: contacts of a configuration, the problem that they pose, and the
// impulses that solve it.
class ContactStage {
 public:
  ContactStage(const System& system, const StepConfig& config);

  // Contacts of the state's configuration, within reach of a step.
  void find(const State& state, const Control& control);

  // Whether no body has got so fast that it may meet others than those that were looked for.
  bool covers() const;
  // The contacts within reach of a step with the twists that the solver has left, too.
  void find_beyond(const State& state, const Control& control);

  // The problem: the bodies' twists with the forces' impulses within dt; each contact with its gap to close
  // within dt or its restitution, and the impulse of the same contact in the last step as the first guess.
  //
  // A contact departs at e times its approach, the restitution [Moreau], where that would close it within dt:
  // an impact comes up to dt early.
  void pose(const State& state, const Control& control);

  // Of the control's wrenches on bodies without joints: times the mean of the twists before and after the
  // step, J. `free`: twists with all forces but contact, as pose() leaves them.
  double control_work(const Control& control, std::span<const Vec6<double>> free) const;

  ContactReport solve() { return solver_->solve(bodies_, contacts_, joints()); }

  // Impulses for the next step to start from.
  void remember(State& state) const;

  double slop() const { return slop_; }  // depth that is left alone, m

  // The contacts of the step, and the state after it: measure().
  void report(const State& state, StepReport& report) const;

  // The trees of bodies that joints connect and that can move, and the part of the problem that is theirs.
  std::vector<TreeMotion>& trees() { return trees_; }
  const std::vector<TreeMotion>& trees() const { return trees_; }
  ContactJoints joints() { return {tree_problems_, joint_rows_}; }
  // Whether the body has a joint, or carries one that has.
  bool is_jointed(std::size_t body) const { return !jointed_.empty() && jointed_[body] != 0; }

  std::vector<ContactBody>& bodies() { return bodies_; }
  const std::vector<ContactBody>& bodies() const { return bodies_; }
  // What gravity and control change of the bodies' twists within dt.
  std::span<const Vec6<double>> force_changes() const { return force_changes_; }
  std::vector<PairContact>& contacts() { return contacts_; }
  const std::vector<PairContact>& contacts() const { return contacts_; }
  const ContactRows& rows() const { return solver_->rows(); }
  const Pose<double>& shape_pose(std::size_t shape) const { return placed_.shapes()[shape].X_WS; }
  // How the contacts move with their shapes where they were found.
  void slopes(std::vector<PointSlopes>& slopes) { narrow_.slopes(placed_, contacts_, slopes); }

 private:
  std::span<const BodyPair> pairs();
  double force_speed(const PairContact& c) const;
  void pose_trees(const Control& control);
  bool comes_before(const ContactKey& key, const ContactKey& other) const;

  System system_;
  double dt_;
  PlacedSystem placed_;
  BroadPhase broad_;
  std::vector<BodyPair> may_meet_;
  NarrowPhase narrow_;
  std::unique_ptr<ContactSolver> solver_;
  double slop_;
  std::vector<ContactBody> bodies_;
  std::vector<Vec6<double>> force_changes_, twists_;
  std::vector<PairContact> contacts_;
  std::vector<TreeMotion> trees_;
  std::vector<ContactTree> tree_problems_;
  std::vector<JointRow> joint_rows_;
  std::vector<std::uint8_t> jointed_;  // of each body; empty: none
};

// The energies of a state, with those of the joints' armatures, checked. Throws InvalidInput, naming the
// body, where it has left the finite numbers.
void measure(const System& system, const State& state, StepReport& report);

}  // namespace abut::dynamics
