#include "runtime/cli/sim_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/cli/command_line.h"
#include "runtime/cli/setting_options.h"
#include "runtime/contact/model.h"
#include "runtime/dynamics/solve/smoothed_friction.h"
#include "runtime/dynamics/step/simulation.h"

namespace abut::cli {
namespace {

constexpr double kGreatestEvery = 1e6;  // s: upper bound of the time between frames
constexpr double kLeastDt = dynamics::kLeastTimeStep, kGreatestDt = dynamics::kGreatestTimeStep;
constexpr auto kMaxSteps = static_cast<double>(dynamics::kMaxSteps);

// Settings of all models. Rigid contact uses those that act on contact points, and refuses the others.
std::vector<SettingGroup> model_settings() {
  std::vector<SettingGroup> groups;
  for (const contact::ModelRow& row : contact::models())
    groups.push_back({"Settings of --model " + std::string(row.name), row.settings()});
  return groups;
}

// Adds an option whose choices are the rows of a table.
template <class Row>
void add_table_option(CLI::App& app, const std::string& name, std::span<const Row> rows, std::string& value,
                      const std::string& after = "") {
  std::string help;
  std::vector<std::string> names;
  for (const Row& row : rows) {
    help += (help.empty() ? "" : "; ") + std::string(row.name) + ": " + std::string(row.summary);
    names.emplace_back(row.name);
  }
  app.add_option("--" + name, value, help + after)->capture_default_str()->check(CLI::IsMember(names));
}

template <class Row>
std::vector<SettingGroup> settings_of_table(const std::string& name, std::span<const Row> rows) {
  std::vector<SettingGroup> groups;
  for (const Row& row : rows)
    if (SettingGroup group{"Settings of --" + name + " " + std::string(row.name), row.settings(), name + "-"};
        !group.settings.empty())
      groups.push_back(std::move(group));
  return groups;
}

}  // namespace

void add_sim_options(CLI::App& app, SimArguments& arguments) {
  app.add_option("SCENE", arguments.scene, "scene file")->required();
  app.add_option("--assets", arguments.assets,
                 "folder of the scene's assets, and of robots' files that are not beside the scene");
  app.add_option(
         "--steps", arguments.steps,
         fmt::format("number of steps from the scene's start, up to {:g}; default: the scene's duration",
                     kMaxSteps))
      ->check(whole_number_from(0, dynamics::kMaxSteps,
                                fmt::format("a whole number of steps from 0 to {:g}", kMaxSteps)));
  app.add_option("--dt", arguments.dt, fmt::format("time step, {:g} to {:g} s", kLeastDt, kGreatestDt))
      ->capture_default_str()
      ->check(number_from(kLeastDt, kGreatestDt,
                          fmt::format("a time step from {:g} to {:g} s", kLeastDt, kGreatestDt)));
  app.add_option("--model", arguments.model,
                 "where contact comes from. Rigid: points at corners and vertices; a disc on a plane sampled "
                 "evenly (patch); assets by their convex pieces (pieces); for pairs of assets the points of "
                 "a contact model. Of --integrator implicit, "
                 "semi_implicit and rk4: the forces of a contact model (vertex, patch: pressure_field)")
      ->capture_default_str()
      ->check(CLI::IsMember(dynamics::contact_source_names()));
  add_table_option(app, "integrator", dynamics::integrators(), arguments.integrator);
  add_table_option(
      app, "solver", dynamics::contact_solvers(), arguments.solver,
      " (the integrator's own: published of published, coupled of midpoint; the others take none)");
  app.add_option(
      "--control", arguments.control,
      "forces (N) and torques (N m, about the centre of mass) on bodies, in the world's axes: CSV with "
      "columns time (s), body, fx, fy, fz and if present taux, tauy, tauz; a row holds until the next of "
      "its body");
  app.add_option(
      "--joint-control", arguments.joint_control,
      "of joints of one degree of freedom: CSV with columns time (s), joint, target (rad or m, to which its "
      "stiffness pulls), and if present force (N m or N); a row holds until the next of its joint");
  app.add_option("--out", arguments.out,
                 "trajectory: FILE.h5, saved about every second (where a save takes long, after ten times "
                 "that), or FILE.csv, whole or not at all, as is a name without an ending; -: CSV "
                 "on standard output, which is the default where no other output is given; poses "
                 "are those of the bodies' frames, in the centre of mass along the principal axes");
  app.add_flag("--continue", arguments.resume, "go on from the end of --out FILE.h5, with the same bits");
  app.add_option("--page", arguments.page, "web page that plays the motion");
  const auto integrator_settings = settings_of_table("integrator", dynamics::integrators());
  const auto solver_settings = settings_of_table("solver", dynamics::contact_solvers());
  add_setting_options(app, model_settings(), arguments.settings);
  add_setting_options(app, integrator_settings, arguments.integrator_settings);
  add_setting_options(app, solver_settings, arguments.solver_settings);
  app.footer(
      describe_settings(model_settings()) + describe_settings(integrator_settings) +
      describe_settings(solver_settings) +
      fmt::format("Slip of friction with --integrator implicit, unless given: --stiction-speed {0:g} m/s, "
                  "--stiction {1:g}.\n",
                  dynamics::kImplicitStiction, dynamics::kImplicitStiction / dynamics::kGreatestUnit) +
      "SIGINT and SIGTERM end the run after the step at hand; all outputs are written for the steps done.\n"
      "Exit status: 0 done; 2 error; 130, 143 stopped by SIGINT, SIGTERM.");
  app.add_option(
         "--every", arguments.every,
         fmt::format(
             "time between rows of a body in the trajectory and of a pair in the contact forces, {:g} "
             "to {:g} s",
             kLeastDt, kGreatestEvery))
      ->capture_default_str()
      ->check(number_from(kLeastDt, kGreatestEvery,
                          fmt::format("a time from {:g} to {:g} s", kLeastDt, kGreatestEvery)))
      ->each([&arguments](const std::string&) { arguments.every_given = true; });
  app.add_option("--stats", arguments.stats, "statistics of every step, CSV; -: on standard output");
  app.add_option(
      "--contact-forces", arguments.contact_forces,
      "contact forces between bodies, CSV: for each pair in contact, every --every seconds, force (N) and "
      "torque (N m, about the centre of mass) on body_B in the world's axes; body_A 'world': the fixed "
      "shapes; -: on standard output");
  add_jobs(app, arguments.jobs, "threads");
}

}  // namespace abut::cli
