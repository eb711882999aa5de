#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/dynamics/collide/broad_phase.h"
#include "runtime/dynamics/collide/narrow_phase.h"
#include "runtime/dynamics/collide/placed_system.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/tree_motion.h"

namespace abut::dynamics {

inline constexpr double kRounding = 1e-6;  // see ContactStage::pose

// The part that integrators with rigid contact share: finding the contacts of a configuration, posing the
// contact problem, and solving for the impulses.
class ContactStage {
 public:
  ContactStage(const System& system, const StepConfig& config);

  // Writes the bodies that are welded to the world, which follow from the joints alone, to the state.
  void place_welded(State& state) const;

  // Finds the contacts of the state's configuration that are within reach of a step.
  void find(const State& state, const Control& control);

  // Returns whether every body is slow enough, with the twists of the solver, to meet only bodies that were
  // searched, and every joint only limits that have rows.
  bool covers() const;
  // Finds the contacts again, with the reach that the twists left by the solver need, too.
  void find_beyond(const State& state, const Control& control);

  // Poses the problem: the bodies' twists after the impulses of forces within dt; for each contact a target
  // velocity from its gap, which may close within dt, or from its restitution, and as the first guess its
  // impulse in the last step.
  //
  // A contact that would close within dt departs at once with e times its approach speed, e its restitution
  // [Moreau]: an impact comes up to dt early. One that opens may be turned by forces within dt and may then
  // close as fast as it opened: stopped at once, it would stay higher than its speed could have lifted it.
  // Speeds below kRounding times those that forces give either body within dt are none, and so are gaps that
  // such speeds would close: of the contacts of a plate at rest, rounding would let some close and not
  // others.
  void pose(const State& state, const Control& control);

  // Work of the control's wrenches on bodies without joints, J: wrenches times the mean of the twists before
  // and after the step. `free`: twists after all forces except contact, as pose() leaves them.
  double control_work(const Control& control, std::span<const Vec6<double>> free) const;

  ContactReport solve() { return solver_->solve(bodies_, contacts_, joints()); }

  // Stores the impulses in the state, as first guesses for the next step.
  void remember(State& state) const;

  double slop() const { return slop_; }  // depth that is not corrected, m

  // Reports the contacts of the step and the energies of the state after it, see measure().
  void report(const State& state, StepReport& report) const;

  // The trees of jointed bodies that can move, and their part of the problem.
  std::vector<TreeMotion>& trees() { return trees_; }
  const std::vector<TreeMotion>& trees() const { return trees_; }
  ContactJoints joints() { return {tree_problems_, joint_rows_}; }
  // Returns whether the body has a joint or carries one that has.
  bool is_jointed(std::size_t body) const { return !jointed_.empty() && jointed_[body] != 0; }

  std::vector<ContactBody>& bodies() { return bodies_; }
  const std::vector<ContactBody>& bodies() const { return bodies_; }
  // Changes of the bodies' twists by gravity and control within dt.
  std::span<const Vec6<double>> force_changes() const { return force_changes_; }
  std::vector<PairContact>& contacts() { return contacts_; }
  const std::vector<PairContact>& contacts() const { return contacts_; }
  const ContactRows& rows() const { return solver_->rows(); }
  const Pose<double>& shape_pose(std::size_t shape) const { return placed_.shapes()[shape].X_WS; }
  // Computes the derivatives of the contact points with respect to motions of their shapes, where they were
  // found.
  void slopes(std::vector<PointSlopes>& slopes) { narrow_.slopes(placed_, contacts_, slopes); }

 private:
  std::span<const BodyPair> pairs();
  double forced_speed(std::int32_t body, const PairContact& c) const;
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
  std::vector<std::uint8_t> jointed_;  // for each body; empty: no joints
  std::vector<std::pair<std::size_t, BodyState>> welded_;
};

// Reports the energies of a state, armatures included. Throws InvalidInput, which names the body, where a
// number is not finite.
void measure(const System& system, const State& state, StepReport& report);

}  // namespace abut::dynamics
