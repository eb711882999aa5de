#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/dynamics/collide/broad_phase.h"
#include "runtime/dynamics/solve/coupled.h"
#include "runtime/dynamics/collide/narrow_phase.h"
#include "runtime/dynamics/solve/published.h"
#include "runtime/dynamics/system/scene.h"
#include "runtime/dynamics/solve/stabilisation.h"

// Fast frictional dynamics: time stepping of a scene [Kaufman2005].
namespace abut::dynamics {

// Who gives the contacts' impulses.
enum class SimulationMode {
  kCoupled,    // Coulomb's law for all bodies together (coupled.h): physically right
  kPublished,  // every body by itself, as published [Kaufman2005] (published.h): the reference
};

// Bounds far beyond what rigid contact is simulated with: a number outside is a slip.
inline constexpr double kLeastTimeStep = 1e-9, kGreatestTimeStep = 10;  // s
inline constexpr std::int64_t kMaxSteps = 1'000'000'000'000;            // months of the simplest scene

struct SimulationConfig {
  double dt = 2e-3;  // s, from kLeastTimeStep to kGreatestTimeStep
  SimulationMode mode = SimulationMode::kCoupled;
  ContactSource source;
  // Small islands to the tolerance, piles over the steps.
  CoupledConfig solver{.iteration_limit = 18, .further_sweeps = 720000, .path_residual = 1e-6};
  PublishedConfig published;
  StabilisationConfig stabilisation;
  int threads = 1;  // 0: one per core; the same bits for any number
};

// Where a body is and how it moves: with the contacts' impulses, all that the next step depends on.
struct BodyState {
  Vec3<double> p_WB = Vec3<double>::Zero();                  // m
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();  // unit
  Vec3<double> v_WB = Vec3<double>::Zero();                  // m/s
  Vec3<double> L_W = Vec3<double>::Zero();                   // angular momentum about B's origin, kg m^2/s
};

// Impulse of a contact, kept to start the next step's solver from.
struct ContactImpulse {
  std::uint64_t key;
  Vec3<double> J_B_W;  // N s
};

// Residual of the coupled solver (coupled.h) above which impulses are too far from Coulomb's law for a step
// to be believed: bodies sink in or are thrown. Piles, which are brought to rest over the steps, stay below,
// but for single steps of a thousand bodies.
inline constexpr double kGreatestResidual = 0.1;

struct StepReport {
  int contacts = 0;
  double penetration = 0;  // greatest depth at the middle of the step, m
  // Of the state after the step: kinetic and potential energy (zero at the world's origin), J.
  double kinetic = 0, potential = 0;
  double stabilisation_work = 0;  // of this step, J: what moving bodies apart added to the energy
  ContactReport solver;           // before impulses that would add energy are scaled down
};

// One scene in motion. In the coupled mode, a step of length h:
//   1. every body drifts for h/2 with its velocity: freely turning bodies keep energy and angular momentum
//      exactly (free_motion.h);
//   2. contacts are found there, penetrating ones and those that may close within the step; gravity's impulse
//      is added and the contact solver (coupled.h) gives impulses so that no contact closes by more than its
//      gap within h, and departs at e times its approach, the restitution [Moreau], where that would close it
//      within h: an impact comes up to h early. An island's impulses are scaled down where they would add
//      energy. Coulomb's law and restitution over a finite step may: by m (h g)^2/8 where friction stops a
//      body that gravity slows down;
//   3. every body drifts for h/2 with the new velocity;
//   4. what still overlaps is moved apart (stabilisation.h), velocities and angular momentum held. The energy
//      that this adds is reported.
// Steps 1 to 3 change the energy only by the contacts' impulses times the mean of their velocities before and
// after: it never rises, and free flight under gravity keeps it to rounding.
//
// In the published mode: half a step of the configuration with the last twist, contacts there that touch or
// penetrate, forces with the explicit gyroscopic term, the two projections, and from the configuration before
// the half step E exp([phi] h) with the new twist. Nothing is stabilised.
class Simulation {
 public:
  // Copies the scene; its assets must outlive this. Throws InvalidInput for a bad scene or dt.
  Simulation(const Scene& scene, const SimulationConfig& config = {});

  // Moves on by dt. Allocates only to grow. Throws InvalidInput where the state or its energy has left the
  // finite numbers.
  const StepReport& step();

  const Scene& scene() const { return scene_; }
  const SimulationConfig& config() const { return config_; }
  std::int64_t steps() const { return steps_; }
  double time() const { return static_cast<double>(steps_) * config_.dt; }
  const StepReport& report() const { return report_; }

  // One per body of the scene.
  std::span<const BodyState> states() const { return states_; }
  Vec3<double> angular_velocity(std::size_t body) const;  // in the world's axes, rad/s

  // Contacts of the last step with their impulses.
  std::span<const PairContact> contacts() const { return contacts_; }
  std::span<const ContactImpulse> impulses() const { return impulses_; }

  // Continues from what states(), impulses() and steps() said: the same bits as if it had never stopped.
  // Throws InvalidInput where the sizes do not fit, a number is not finite, a quaternion has not unit length
  // (to 1e-9), a contact's key is of shapes that the scene does not have or the steps are not in
  // [0, kMaxSteps].
  void restore(std::span<const BodyState> states, std::span<const ContactImpulse> impulses,
               std::int64_t steps);

 private:
  void published_step();
  BodyState moved(const BodyState& state, std::size_t body, double time) const;
  void drift(double time);
  void place_shapes();
  void find_contacts();
  void prepare();  // bodies, speeds and first guesses for the solver
  bool comes_before(std::uint64_t key, std::uint64_t other_key) const;
  void hold_energy();  // impulses of no island add any
  void hold_energy(std::int32_t island);
  void apply_impulses();
  void stabilise();
  void measure();
  double kinetic_energy(std::size_t body) const;

  Scene scene_;
  SimulationConfig config_;
  double slop_ = 0;    // m: depth that is left alone
  double margin_ = 0;  // m: gap within which slow bodies have contacts
  std::size_t fixed_ = 0;
  std::vector<PlacedShape> shapes_;        // fixed ones, then body after body
  std::vector<std::int32_t> first_shape_;  // of each body, and the end
  std::vector<std::size_t> body_of_shape_;
  std::vector<Bounds> bounds_;       // fixed shapes, then bodies
  std::vector<BodyExtent> extents_;  // of the same
  std::vector<BodyState> states_;
  BroadPhase broad_;
  NarrowPhase narrow_;
  CoupledSolver coupled_;
  PublishedSolver published_;
  std::vector<BodyState> before_;  // in the published mode: at the step's start
  Stabilisation stabilisation_;
  std::vector<ContactBody> bodies_;
  std::vector<PairContact> contacts_;
  std::vector<ContactImpulse> impulses_;
  std::vector<Vec6<double>> displacements_;
  StepReport report_;
  std::int64_t steps_ = 0;
};

}  // namespace abut::dynamics
