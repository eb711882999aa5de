#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/settings.h"
#include "runtime/dynamics/collide/narrow_phase.h"
#include "runtime/dynamics/solve/contact_solver.h"
#include "runtime/dynamics/system/parameter.h"
#include "runtime/dynamics/system/system.h"

// Integrators behind one table. To add one: a file with a class derived from Integrator, and a row in
// integrator.cpp; commands and tests iterate the table.
//
//   const dynamics::System system(scene);
//   dynamics::State state = system.initial_state();
//   const auto integrator = dynamics::make_integrator(system, {.dt = 1e-3});
//   for (int k = 0; k < 1000; ++k) integrator->step(state, {.F_BBcm_W = wrenches});
namespace abut::dynamics {

// Bounds far beyond what rigid contact is simulated with: a number outside is a slip.
inline constexpr double kLeastTimeStep = 1e-9, kGreatestTimeStep = 10;  // s

// How a system is stepped: the time step, and rows of the tables with their settings.
struct StepConfig {
  double dt = 2e-3;                        // s, from kLeastTimeStep to kGreatestTimeStep
  std::string integrator = "midpoint";     // of the table below
  SettingValues integrator_settings = {};  // of it; the others have their defaults
  std::string solver = "";                 // of contact_solver.h; empty: the integrator's own
  SettingValues solver_settings = {};      // of it; the others have their defaults
  ContactSource source = {};               // of contact points, or of contact forces
  int threads = 1;                         // 0: one per core; the same bits for any number
  std::vector<Parameter> parameters = {};  // that derivatives are taken by
};

// How a step went.
struct StepReport {
  int contacts = 0;  // points; of compliant contact pairs of shapes that overlap
  // Parts that the step was made of: with an error bound (adaptive.h), or halved (implicit).
  int substeps = 1;
  double penetration = 0;  // greatest depth at the middle of the step, m; NaN of contact models as forces
  // Of the state after the step: kinetic and potential energy (zero at the world's origin), J.
  double kinetic = 0, potential = 0;  // J
  double control_work = 0;            // of this step, J: what the control added to the energy
  double stabilisation_work = 0;      // of this step, J: what moving bodies apart added to the energy
  ContactReport solver;               // before impulses that would add energy are scaled down
  // Of explicit steps, s: where one made bodies faster and was too long for the stiffness, the damping or the
  // inertial forces that acted in it, about the longest that is not; else infinity.
  double stable_dt = std::numeric_limits<double>::infinity();

  // Whether bodies got so fast that they may have met others than those that were looked for: some may have
  // passed through one another.
  bool missed_contacts = false;
  // Whether something turned so far that its energy may be off.
  bool turned_too_far = false;

  bool stable() const { return std::isinf(stable_dt); }  // whether the step was not too long
  // kNotConverged: the step is not to be believed, by its solver, for what it missed or how far things
  // turned, or as it is not stable.
  Status status() const { return stable() ? solver.status : Status::kNotConverged; }
};

// A place where a step has no derivative, or none that tells: the derivatives are then those of one side.
struct StepKink {
  // What changes across the place.
  enum class Kind : std::uint8_t {
    kShape,    // features that touch change within kPointKink (collide/point_slopes.h)
    kTarget,   // a contact's target normal velocity changes its form: a gap of zero, a bare impact
    kOpening,  // a contact neither loaded nor open
    kSliding,  // a contact that neither slides nor is held
    kShare,    // contacts share their load in more than one way, and the motion depends on it
    kEnergy,   // impulses that just add no energy
    kDepth,    // a depth at which overlapping bodies begin to be moved apart
  };
  Kind kind = Kind::kShape;   // what changes there
  std::int32_t contact = -1;  // index of one, then of joints' rows; -1: of many
};
// As a word, for people.
std::string_view to_string(StepKink::Kind kind);

// Of the state after a step, in the coordinates of the system's tree (system_tree.h): x = (tangent of q; v)
// of its ni independent degrees of freedom. Exact for the step as it is made, but for trees under rigid
// contact and for materials and poses of shapes, of which parts are differences of the fourth order.
struct StepDerivatives {
  MatX<double> state;  // (2 ni, 2 ni): dx' / dx
  MatX<double> force;  // (2 ni, nv): dx' by forces on all degrees of freedom, held over the step, N m and N
  MatX<double> parameter;  // (2 ni, parameters): dx' by those of the config, per their units
  // kClamped: at a kink of rigid contact, see there, or with a contact model's derivative of which a singular
  // direction was clamped. kNotConverged: the step is not to be believed (StepReport::status), or its
  // equations have no slope and the numbers are not finite.
  Status status = Status::kOk;
  std::vector<StepKink> kinks = {};  // those met; `status` is then kClamped
};
// Whether all its numbers are finite.
bool all_finite(const StepDerivatives& derivatives);
// Status and kinks of derivatives that are made of these and others.
void add_status(const StepDerivatives& other, StepDerivatives& derivatives);

// Moves states of one system on, by one time step a call; keeps its memory, which saves time and changes no
// answer. One per thread of rollouts.
class Integrator {
 public:
  virtual ~Integrator() = default;

  // The state dt later. Midpoint and published allocate only to grow, the others some vectors in each step.
  // Throws InvalidInput for a state or control that is not the system's or not finite, before anything is
  // changed; and where the next state or its energy leaves the finite numbers: the state is then undefined.
  virtual const StepReport& step(State& state, const Control& control) = 0;

  // The same with derivatives. Throws std::logic_error where the integrator's row offers none, InvalidInput
  // where its contact solver has none.
  virtual const StepReport& step(State& state, const Control& control, StepDerivatives& derivatives);

  // Of the last step, with their impulses.
  virtual std::span<const PairContact> contacts() const = 0;
};

// What the table says of an integrator.
struct IntegratorRow {
  std::string_view name;     // for command lines
  std::string_view summary;  // one line for people
  bool takes_joints;         // systems with joints
  bool has_derivatives;      // of its steps
  std::string_view solver;   // where StepConfig names none; empty: it takes none, but forces of a
                             // contact model
  std::vector<SettingInfo> (*settings)();  // made from words
  // Throws InvalidInput for a setting that is unknown or out of range.
  std::unique_ptr<Integrator> (*make)(const System& system, const StepConfig& config);

  // Whether it takes one, of StepConfig or its own.
  bool uses_contact_solver() const { return !solver.empty(); }
};

// All rows, in a fixed order; the first is the default.
std::span<const IntegratorRow> integrators();

// Row by name. Throws InvalidInput, naming the integrators that there are, for an unknown one.
const IntegratorRow& find_integrator(std::string_view name);

// The contact solver of a config; empty: its integrator takes none. Throws InvalidInput for unknown names,
// and for a solver or settings of one where none is taken.
std::string_view solver_of(const StepConfig& config);

// Throws InvalidInput for a time step out of range, names that are unknown, settings that are unknown or out
// of range, a solver or its settings where the integrator takes none, joints where the integrator takes none,
// and assets that lack what the source of contacts needs.
std::unique_ptr<Integrator> make_integrator(const System& system, const StepConfig& config = {});

// One-shot form: the state dt later. Throws as make_integrator and Integrator do.
State step(const System& system, const State& state, const Control& control = {},
           const StepConfig& config = {});

}  // namespace abut::dynamics
