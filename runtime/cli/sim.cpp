// abut-sim: simulates rigid bodies in contact, from a scene file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/control_file.h"
#include "runtime/cli/failures.h"
#include "runtime/cli/program.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/save_times.h"
#include "runtime/cli/say.h"
#include "runtime/cli/setting_options.h"
#include "runtime/cli/sim_options.h"
#include "runtime/cli/sim_outputs.h"
#include "runtime/cli/step_watches.h"
#include "runtime/cli/trajectory_csv.h"
#include "runtime/cli/wrong_signs.h"
#include "runtime/contact/soft_potential.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/output_file.h"
#include "runtime/dynamics/step/recording.h"
#include "runtime/dynamics/step/scene_page.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/joint_starts.h"
#include "runtime/dynamics/system/scene_digest.h"
#include "runtime/dynamics/system/scene_file.h"

namespace {

using namespace abut;
using Arguments = cli::SimArguments;

dynamics::Scene load_scene(const Arguments& arguments, std::unique_ptr<cli::AssetFolder>& folder) {
  return dynamics::read_scene(
      arguments.scene,
      [&](const std::string& name) -> body::Geometry {
        if (arguments.assets.empty())
          throw InvalidInput("the scene has an asset '" + name +
                             "'; say where assets are with --assets FOLDER");
        if (!folder) folder = std::make_unique<cli::AssetFolder>(arguments.assets);
        return (*folder)[name];
      },
      arguments.assets);
}

// Describes the settings that a recording depends on, besides its scene and time step.
std::string words_of(const Arguments& arguments, const std::string& control, const std::string& joints) {
  std::string words;
  const auto add = [&](const std::string& what, const std::string& name, const SettingValues& settings) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", what, name);
    for (const SettingValue& value : settings)
      if (value.name != contact::kPairThreads) words += fmt::format(", {} {}", value.name, value.text);
  };
  add("integrator", arguments.integrator, arguments.integrator_settings);
  const std::string own(dynamics::find_integrator(arguments.integrator).solver);
  if (!own.empty())
    add("solver", arguments.solver.empty() ? own : arguments.solver, arguments.solver_settings);
  add("model", arguments.model, arguments.settings);
  add("control", control, {});
  add("joint control", joints, {});
  return words;
}

// All outputs, opened before the run. The trajectory goes to a CSV file, row by row, or to a recording, which
// is saved from time to time, each time completely, so that a killed run can be continued.
class Output {
 public:
  Output(const Arguments& arguments, const cli::ControlFile& control, const cli::JointControlFile& joints,
         std::int64_t steps, dynamics::Simulation& simulation)
      : arguments_(arguments), simulation_(simulation) {
    recording_.settings = words_of(arguments, control.digest(), joints.digest());
    if (arguments.resume) resume(steps);
    if (arguments.resume && std::filesystem::is_regular_file(arguments.stats))
      throw InvalidInput(arguments.stats +
                         ": has the statistics of the run before; give those of the steps to come another "
                         "--stats file (works are counted from there)");
    if (arguments.resume && std::filesystem::is_regular_file(arguments.contact_forces))
      throw InvalidInput(arguments.contact_forces +
                         ": has the contact forces of the run before; give those of the frames to come "
                         "another --contact-forces file");
    if (cli::is_recording(arguments.out))
      next_save_ = std::make_unique<OutputFile>(arguments.out);
    else if (!arguments.out.empty())
      csv_ = std::make_unique<cli::TrajectoryCsv>(arguments.out);
    if (!arguments.page.empty()) page_ = std::make_unique<OutputFile>(arguments.page);
    if (!arguments.stats.empty()) statistics_ = std::make_unique<cli::StatisticsCsv>(arguments.stats);
    if (!arguments.contact_forces.empty())
      contact_forces_ = std::make_unique<cli::ContactForcesCsv>(arguments.contact_forces);
  }

  // Called after every step.
  void step() {
    if (statistics_) statistics_->write(simulation_);
    if (cli::is_recording(arguments_.out) && saves_.due(cli::SaveTimes::Clock::now())) save();
  }

  void frame() {
    if (csv_) csv_->write(simulation_);
    if (contact_forces_) contact_forces_->write(simulation_);
    if (cli::is_recording(arguments_.out) || page_) recording_.add_frame(simulation_);
  }

  // Finishes the outputs of the steps done, even if an error ended the run; each output is independent of the
  // others.
  void finish(cli::Failures& failures) {
    if (csv_) failures.attempt([&] { csv_->finish(); });
    if (cli::is_recording(arguments_.out)) failures.attempt([&] { save(); });
    if (statistics_) failures.attempt([&] { statistics_->finish(); });
    if (contact_forces_) failures.attempt([&] { contact_forces_->finish(); });
    if (page_)
      failures.attempt([&] {
        page_->write(dynamics::scene_page(simulation_.scene(), recording_));
        page_->finish();
      });
    if (!failures.any() && arguments_.out.empty() && !is_standard_output(arguments_.page) &&
        !is_standard_output(arguments_.stats) && !is_standard_output(arguments_.contact_forces))
      summarize();
  }

 private:
  // Prints a summary to standard output, for runs without a trajectory file.
  void summarize() const {
    cli::say("{}: {} of {:g} s, {}: time {:g} s{}{}{}; --out FILE keeps the trajectory\n", arguments_.scene,
             counted(static_cast<std::size_t>(simulation_.steps()), "step"), arguments_.dt,
             counted(simulation_.scene().bodies.size(), "body", "bodies"), simulation_.time(),
             arguments_.page.empty() ? "" : "; motion in " + arguments_.page,
             arguments_.stats.empty() ? "" : "; statistics in " + arguments_.stats,
             arguments_.contact_forces.empty() ? "" : "; contact forces in " + arguments_.contact_forces);
  }

  // `steps`: number of steps of the whole run.
  void resume(std::int64_t steps) {
    if (!cli::is_recording(arguments_.out))
      throw InvalidInput("--continue goes on from a recording: --out FILE.h5");
    dynamics::Recording last = dynamics::read_recording(arguments_.out);
    const auto refuse = [&](const std::string& what) {
      throw InvalidInput(arguments_.out + ": the recording is of " + what +
                         "; continue it as it was started");
    };
    std::vector<std::string> names;
    for (const dynamics::Body& body : simulation_.scene().bodies) names.push_back(body.name);
    if (last.bodies != names) refuse("other bodies than " + arguments_.scene + " has");
    if (last.scene_digest != dynamics::digest(simulation_.scene()))
      refuse("another scene than " + arguments_.scene +
             " is: of other masses, shapes, poses, assets or settings");
    if (last.dt != arguments_.dt) refuse(fmt::format("time steps of {} s", last.dt));
    if (last.settings != recording_.settings) refuse(last.settings);
    try {
      simulation_.restore(last.end, last.end_steps);
    } catch (const InvalidInput& error) {
      throw InvalidInput(arguments_.out + ": " + error.what());
    }
    if (steps <= last.end_steps)
      cli::say(
          stderr,
          "abut-sim: {}: has {} already, and --steps and durations count from the start; no step is added\n",
          arguments_.out, counted(static_cast<std::size_t>(last.end_steps), "step"));
    recording_ = std::move(last);
  }

  void save() {
    const auto begin = cli::SaveTimes::Clock::now();
    recording_.set_end(simulation_);
    const std::vector<std::byte> bytes = recording_bytes();
    std::unique_ptr<OutputFile> file = std::move(next_save_);
    if (!file) file = std::make_unique<OutputFile>(arguments_.out);
    file->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file->finish();
    saves_.saved(begin, cli::SaveTimes::Clock::now());
  }

  // HDF5 builds the file in memory, so that lack of memory is the only possible failure.
  std::vector<std::byte> recording_bytes() const {
    const auto refuse = [&] {
      return IoError(arguments_.out + ": not enough memory for " + counted(recording_.steps.size(), "frame") +
                     "; take a longer --every, or raise the limit (ulimit -v)");
    };
    try {
      return dynamics::to_hdf5(recording_);
    } catch (const BadAsset&) {
      throw refuse();
    } catch (const std::bad_alloc&) {
      throw refuse();
    }
  }

  const Arguments& arguments_;
  dynamics::Simulation& simulation_;
  std::unique_ptr<cli::TrajectoryCsv> csv_;
  std::unique_ptr<cli::StatisticsCsv> statistics_;
  std::unique_ptr<cli::ContactForcesCsv> contact_forces_;
  std::unique_ptr<OutputFile> page_, next_save_;
  dynamics::Recording recording_;
  cli::SaveTimes saves_{cli::SaveTimes::Clock::now()};
};

// Number of steps of the run, counted from the scene's start.
std::int64_t steps_of(const dynamics::Scene& scene, const Arguments& arguments) {
  if (arguments.steps) return *arguments.steps;
  if (scene.duration == 0)
    throw InvalidInput(arguments.scene +
                       ": says no duration above 0 s; write the line `duration SECONDS` or give --steps");
  const double steps = std::round(scene.duration / arguments.dt);
  if (!(steps <= static_cast<double>(dynamics::kMaxSteps)))
    throw InvalidInput(fmt::format(
        "{}: its duration of {:g} s is more than {:g} steps of {:g} s; shorten it or give --steps",
        arguments.scene, scene.duration, static_cast<double>(dynamics::kMaxSteps), arguments.dt));
  if (!(steps >= 1))
    throw InvalidInput(
        fmt::format("{}: its duration of {:g} s is less than half a step of {:g} s; take a smaller --dt",
                    arguments.scene, scene.duration, arguments.dt));
  return static_cast<std::int64_t>(steps);
}

dynamics::StepConfig step_config(const Arguments& arguments) {
  dynamics::StepConfig config;
  config.dt = arguments.dt;
  config.integrator = arguments.integrator;
  config.integrator_settings = arguments.integrator_settings;
  config.solver = arguments.solver;
  config.solver_settings = arguments.solver_settings;
  config.threads = arguments.jobs;
  config.source = dynamics::contact_source(arguments.model, arguments.settings);
  return config;
}

// Refuses options that would have no effect, and a folder of assets that is not one.
void require_heeded(const Arguments& arguments) {
  if (arguments.every_given && arguments.out.empty() && arguments.page.empty() &&
      arguments.contact_forces.empty() && !arguments.stats.empty())
    throw InvalidInput(
        "--every has no effect without --out, --page or --contact-forces: --stats has every step");
  const auto sets = [&](const char* name) {
    return std::any_of(arguments.integrator_settings.begin(), arguments.integrator_settings.end(),
                       [&](const SettingValue& value) { return value.name == name; });
  };
  if (sets("halvings") && !sets("error"))
    throw InvalidInput("--integrator-halvings has no effect without --integrator-error");
  if (arguments.control == "-" && arguments.joint_control == "-")
    throw InvalidInput("--control and --joint-control both read standard input; give one of them a file");
  if (!arguments.assets.empty()) (void)cli::AssetFolder(arguments.assets);
}

// Refuses --stiction-speed and --stiction without friction: they set the slip speed of friction.
void require_friction(const Arguments& arguments, const dynamics::Scene& scene) {
  const std::string slip = cli::slip_option(arguments.settings);
  const auto rub = [](const std::vector<dynamics::Shape>& shapes) {
    return std::any_of(shapes.begin(), shapes.end(),
                       [](const dynamics::Shape& shape) { return shape.material.friction > 0; });
  };
  if (slip.empty() || rub(scene.fixed) ||
      std::any_of(scene.bodies.begin(), scene.bodies.end(),
                  [&](const dynamics::Body& body) { return rub(body.shapes); }))
    return;
  throw InvalidInput(slip + " has no effect: nothing in " + arguments.scene +
                     " has friction; add the line `mu NUMBER`");
}

// Takes one step; adds the place in the run to what it throws.
void step(const Arguments& arguments, const dynamics::Control& control, dynamics::Simulation& simulation) {
  try {
    simulation.step(control);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: step {}, from time {:g} s: {}", arguments.scene,
                                   simulation.steps() + 1, simulation.time(), error.what()));
  }
}

// Runs up to step `steps`, or until a signal; control_at(time) is the control of a step that starts at that
// time.
template <class ControlAt>
void move(const Arguments& arguments, std::int64_t steps, const ControlAt& control_at,
          dynamics::Simulation& simulation, Output& output, cli::Watches& watches, cli::Progress& progress) {
  // Frames are at the first steps at or after whole multiples of the interval, wherever the run started.
  const auto interval = [&](std::int64_t step) {
    constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();  // of the quotient
    const double intervals = static_cast<double>(step) * arguments.dt / arguments.every;
    return std::floor(intervals * (1 + kRounding) + 1e-9);
  };
  const auto due = [&](std::int64_t step) { return interval(step) > interval(step - 1); };
  if (simulation.steps() == 0 && !arguments.resume) output.frame();
  const std::int64_t first = simulation.steps();
  cli::note_signals("abut-sim: stopping after this step; again to stop now\n");
  while (simulation.steps() < steps && cli::noted_signal() == 0) {
    step(arguments, control_at(simulation.time()), simulation);
    output.step();
    watches.note(simulation);
    if (due(simulation.steps())) output.frame();
    const double share = static_cast<double>(simulation.steps() - first) / static_cast<double>(steps - first);
    const auto contacts = static_cast<std::size_t>(simulation.report().contacts);
    progress.update(static_cast<double>(simulation.steps()), share,
                    fmt::format(" of {}, {}", steps, counted(contacts, "contact")));
  }
}

int run(Arguments arguments) {
  require_heeded(arguments);
  // If no other output is requested, the trajectory goes to standard output.
  if (arguments.out.empty() && arguments.page.empty() && arguments.stats.empty() &&
      arguments.contact_forces.empty())
    arguments.out = "-";
  cli::require_distinct_outputs(arguments);
  std::unique_ptr<cli::AssetFolder> folder;
  const dynamics::Scene scene = load_scene(arguments, folder);
  cli::require_fit_outputs(arguments, scene);
  const dynamics::StepConfig config = step_config(arguments);
  dynamics::Simulation simulation(scene, config);
  require_friction(arguments, scene);
  for (const std::string& warning : scene.warnings)
    cli::say(stderr, "abut-sim: warning: {}: {}\n", arguments.scene, warning);
  for (const std::string& line : dynamics::starts_beyond_limits(scene))
    cli::say(stderr, "abut-sim: warning: {}: {}; set another `position`, or other limits\n", arguments.scene,
             line);
  cli::warn_of_wrong_signs(scene, arguments.model, arguments.settings);
  cli::ControlFile control(arguments.control, simulation.system());
  cli::JointControlFile joints(arguments.joint_control, simulation.system());
  for (const std::string& name : joints.limp())
    cli::say(stderr,
             "abut-sim: warning: {}: joint '{}' has no stiffness that would pull it to its targets, and no "
             "force; `set {} stiffness ...` in the scene\n",
             arguments.joint_control, name, name);
  const std::int64_t steps = steps_of(scene, arguments);

  Output output(arguments, control, joints, steps, simulation);
  cli::Watches watches(simulation);
  cli::Progress progress("step", static_cast<double>(simulation.steps()));
  const auto control_at = [&](double time) {
    dynamics::Control now = control.at(time);
    if (!arguments.joint_control.empty()) joints.add(time, now);
    return now;
  };
  cli::Failures failures("abut-sim");
  failures.attempt([&] { move(arguments, steps, control_at, simulation, output, watches, progress); });
  progress.finish(static_cast<double>(simulation.steps()));
  output.finish(failures);
  watches.finish();
  failures.rethrow();
  const int signal = cli::noted_signal();
  if (signal == 0 || simulation.steps() >= steps) return 0;
  cli::say(stderr, "abut-sim: stopped by a signal ({}) after {} of {}{}\n", ::strsignal(signal),
           simulation.steps(), counted(static_cast<std::size_t>(steps), "step"),
           cli::is_recording(arguments.out) ? "; --continue goes on from there" : "");
  return 128 + signal;
}

int simulate(int argc, char** argv) {
  CLI::App app{"Moves the rigid bodies of a scene under gravity, contact and friction.", "abut-sim"};
  Arguments arguments;
  cli::add_sim_options(app, arguments);
  return cli::parse(app, argc, argv) ? run(std::move(arguments)) : 0;
}

}  // namespace

int main(int argc, char** argv) { return abut::cli::run_program("abut-sim", simulate, argc, argv); }
