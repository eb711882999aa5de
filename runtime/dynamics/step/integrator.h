#pragma once

#include <array>
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

// Integrators, registered in one table. To add one, write a file with a class derived from Integrator and add
// a row to integrator.cpp; commands and tests iterate over the table.
//
//   const dynamics::System system(scene);
//   dynamics::State state = system.initial_state();
//   const auto integrator = dynamics::make_integrator(system, {.dt = 1e-3});
//   for (int k = 0; k < 1000; ++k) integrator->step(state, {.F_BBcm_W = wrenches});
namespace abut::dynamics {

// Bounds of the time step, far beyond those at which rigid contact is simulated: a value outside them is a
// mistake.
inline constexpr double kLeastTimeStep = 1e-9, kGreatestTimeStep = 10;  // s

// How a system is stepped: the time step, and the names and settings of an integrator, a contact solver and a
// source of contacts.
struct StepConfig {
  double dt = 2e-3;                        // s, from kLeastTimeStep to kGreatestTimeStep
  std::string integrator = "midpoint";     // name in the table below
  SettingValues integrator_settings = {};  // of the integrator; the others have their defaults
  std::string solver = "";                 // name in contact_solver.h; empty: the integrator's default
  SettingValues solver_settings = {};      // of the solver; the others have their defaults
  ContactSource source = {};               // of contact points, or of contact forces
  int threads = 1;                         // 0: default_threads(); bit-identical results for any number
  std::vector<Parameter> parameters = {};  // with respect to which derivatives are taken
};

// Report of a step.
struct StepReport {
  int contacts = 0;  // contact points; with compliant contact, pairs of shapes that overlap
  // Number of parts that the step was divided into: by an error bound (adaptive.h), or by halving (implicit).
  int substeps = 1;
  double penetration = 0;  // greatest depth in the middle of the step, m; NaN with contact forces
  // Energies of the state after the step; the potential energy is zero at the world's origin.
  double kinetic = 0, potential = 0;  // J
  double control_work = 0;            // energy that the control added in this step, J
  double stabilisation_work = 0;      // energy that moving bodies apart added in this step, J
  ContactReport solver;               // before the scaling of impulses that would add energy
  // Explicit integrators only, s: where the step made bodies faster and was too long for the stiffness, the
  // damping or the inertial forces that acted in it, approximately the longest stable step; otherwise
  // infinity.
  double stable_dt = std::numeric_limits<double>::infinity();

  // Whether bodies became so fast that they may have met others than those that were searched: some may have
  // passed through one another.
  bool missed_contacts = false;
  // Whether something rotated so far that its energy may be wrong.
  bool turned_too_far = false;

  bool stable() const { return std::isinf(stable_dt); }  // whether the step was short enough
  // kNotConverged: the step is not reliable, because its solver did not converge, it missed contacts,
  // something rotated too far, or it is not stable.
  Status status() const { return stable() ? solver.status : Status::kNotConverged; }
};

// A point where a step has no derivative, or none that is meaningful around it: the derivatives are then
// those of one side.
struct StepKink {
  // What changes across the point.
  enum class Kind : std::uint8_t {
    kShape,    // the features in contact change within kPointKink (collide/point_slopes.h)
    kTarget,   // the formula of a contact's target normal velocity changes: zero gap, marginal impact
    kOpening,  // a contact is neither loaded nor open
    kSliding,  // a contact neither slides nor sticks
    kShare,    // contacts can share their load in more than one way, and the motion depends on it
    kEnergy,   // impulses just add no energy, or the factor that keeps a tree's energy is at a bound
    kDepth,    // a depth is at the limit at which overlapping bodies are moved apart, or joints limit that
  };
  Kind kind = Kind::kShape;   // what changes there
  std::int32_t contact = -1;  // index among the contacts, then the joints' rows; -1: several
};
// Returns the kind as a word, for users.
std::string_view to_string(StepKink::Kind kind);

// Derivatives of the state after a step, in the coordinates of the system's tree (system_tree.h): x =
// (tangent of q; v) of its ni independent degrees of freedom; ' marks the state after the step. They are
// exact for the step as computed, except that for trees under rigid contact, materials and poses of shapes
// they are partly fourth-order differences.
struct StepDerivatives {
  MatX<double> state;  // (2 ni, 2 ni): dx' / dx
  // (2 ni, nv): dx' / df for forces f on all degrees of freedom, N m and N, held over the step.
  MatX<double> force;
  MatX<double> parameter;  // (2 ni, parameters): dx' / dp for the config's parameters p, in their units, at
                           // constant velocities
  // kClamped: a kink of rigid contact, listed in `kinks`, or a contact model's derivative with a clamped
  // singular direction. kNotConverged: the step is not reliable (StepReport::status), or its equations are
  // singular and the numbers are not finite.
  Status status = Status::kOk;
  std::vector<StepKink> kinks = {};  // the kinks met; `status` is then kClamped
};
// Returns whether all numbers of the derivatives are finite.
bool all_finite(const StepDerivatives& derivatives);
// Adds the status and kinks of `other` to derivatives that are computed from both.
void add_status(const StepDerivatives& other, StepDerivatives& derivatives);

// The contact forces between two bodies, summed over their contacts.
struct ContactForce {
  // Index of a body, less than B; kFixed for the fixed shapes, which count as one body, at rest with its
  // frame in the world's origin.
  std::int32_t A = kFixed;
  std::int32_t B = kFixed;  // index of the other body
  // Contact points that transmit an impulse; with contact forces, pairs of shapes that overlap.
  int contacts = 0;
  // Wrenches (moment about the centre of mass, of the fixed shapes about the world's origin; force) on A and
  // on B, in the world's axes, N m and N. The two are opposite about any one point.
  std::array<Vec6<double>, 2> F_W = {Vec6<double>::Zero(), Vec6<double>::Zero()};
};

// Advances states of one system by one time step per call. Keeps working memory, which saves time and does
// not change results. Use one per thread.
class Integrator {
 public:
  virtual ~Integrator() = default;

  // Advances the state by dt. `midpoint` and `published` allocate only to grow, the others some vectors in
  // each step. Throws InvalidInput for a state or control that does not fit the system or is not finite,
  // before anything is changed; also where joints move no inertia, too many bodies are in one place, or the
  // next state or its energy is not finite: then the state is undefined.
  virtual const StepReport& step(State& state, const Control& control) = 0;

  // The same with derivatives. Throws std::logic_error where the integrator has none, InvalidInput where its
  // contact solver has none.
  virtual const StepReport& step(State& state, const Control& control, StepDerivatives& derivatives);

  // Error of these derivatives relative to their largest entry: rounding, or that of the differences of which
  // they are partly made.
  virtual double derivative_error() const { return 1e-15; }

  // Contacts of the last step, with their impulses; none with contact forces.
  virtual std::span<const PairContact> contacts() const = 0;

  // Fills `forces` with the contact forces of the last step, one entry for each pair of bodies with a force,
  // ascending by (A, B); none before the first step. With rigid contact they are the impulses of the step
  // over dt, at the poses in the middle of the step where contacts were found, so that a body's momentum
  // changes by dt times their sum and its weight; parts of a step that moves overlapping bodies apart are no
  // forces. With contact forces they are those evaluated last: `implicit` at the end of the step,
  // `semi_implicit` at its start, `rk4` at the last of its four places; of a step that was divided, those of
  // its last part. Undefined after a step that threw. Allocates only to grow.
  virtual void contact_forces(std::vector<ContactForce>& forces) const = 0;
};

// Entry of an integrator in the table.
struct IntegratorRow {
  std::string_view name;     // for command lines
  std::string_view summary;  // one line for users
  bool takes_joints;         // whether it steps systems with joints
  bool has_derivatives;      // whether its steps have derivatives
  std::string_view solver;   // default contact solver; empty: it takes forces of a contact model
  std::vector<SettingInfo> (*settings)();  // descriptions for users
  // Makes the integrator. Throws InvalidInput for a setting that is unknown or out of range.
  std::unique_ptr<Integrator> (*make)(const System& system, const StepConfig& config);

  // Whether it takes a contact solver, that of StepConfig or its default.
  bool uses_contact_solver() const { return !solver.empty(); }
};

// Returns all rows, in a fixed order; the first is the default.
std::span<const IntegratorRow> integrators();

// Returns the row of an integrator. Throws InvalidInput, which lists the existing integrators, for an unknown
// name.
const IntegratorRow& find_integrator(std::string_view name);

// Returns the name of the contact solver of a config; empty where its integrator takes none. Throws
// InvalidInput for unknown names, and for a solver or its settings where none is taken.
std::string_view solver_of(const StepConfig& config);

// Makes the integrator of a config for a system. Throws InvalidInput for a time step out of range, unknown
// names, settings that are unknown or out of range, a solver or its settings where the integrator takes none,
// joints where the integrator takes none, and assets that lack what the source of contacts needs.
std::unique_ptr<Integrator> make_integrator(const System& system, const StepConfig& config = {});

// One-shot form: returns the state dt later. Throws as make_integrator and Integrator do.
State step(const System& system, const State& state, const Control& control = {},
           const StepConfig& config = {});

}  // namespace abut::dynamics
