// abut-sim: rigid bodies in contact, from a scene file.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/program.h"
#include "runtime/cli/scene_page.h"
#include "runtime/cli/trajectory_csv.h"
#include "runtime/contact/model.h"
#include "runtime/core/error.h"
#include "runtime/dynamics/frictional/recording.h"
#include "runtime/dynamics/frictional/scene_file.h"
#include "runtime/dynamics/frictional/simulation.h"

namespace {

using namespace abut;

struct Arguments {
  std::string scene, assets, out, stats, page, model = "vertex", mode = "coupled";
  bool resume = false;
  std::int64_t steps = -1;
  double dt = 2e-3, every = 1.0 / 60;
  int jobs = 1;
};

// Rate and time left on one line of a terminal; silent on anything else.
class Progress {
 public:
  explicit Progress(std::int64_t first) : first_(first) {}
  void update(std::int64_t step, std::int64_t steps, const dynamics::StepReport& report) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    fmt::print(stderr, "\rstep {} of {}, {:.0f} steps/s, {} contacts, {:.0f} s left\033[K", step, steps,
               static_cast<double>(step - first_) / seconds, report.contacts,
               seconds * static_cast<double>(steps - step) / static_cast<double>(step - first_));
  }
  void finish(std::int64_t steps) const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (terminal_) fmt::print(stderr, "\r\033[K");
    fmt::print(stderr, "{} steps in {:.2f} s ({:.0f} steps/s)\n", steps - first_, seconds,
               static_cast<double>(steps - first_) / seconds);
  }

 private:
  std::int64_t first_;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), shown_ = start_;
};

dynamics::Scene load_scene(const Arguments& arguments, std::unique_ptr<cli::AssetFolder>& folder) {
  return dynamics::read_scene(arguments.scene, [&](const std::string& name) -> const asset::AssetView& {
    if (arguments.assets.empty())
      throw InvalidInput("the scene has an asset '" + name + "'; say where assets are with --assets FOLDER");
    if (!folder) folder = std::make_unique<cli::AssetFolder>(arguments.assets);
    return (*folder)[name];
  });
}

bool is_hdf5(const std::string& file) { return std::filesystem::path(file).extension() == ".h5"; }

// Where the trajectory goes: rows of a CSV file as they come, or a recording that is saved now and then,
// whole each time, so that a killed run leaves one to go on from.
class Output {
 public:
  Output(const Arguments& arguments, dynamics::Simulation& simulation)
      : arguments_(arguments), simulation_(simulation) {
    if (!is_hdf5(arguments.out)) csv_ = std::make_unique<cli::TrajectoryCsv>(arguments.out);
    recording_.settings = fmt::format("mode {}, model {}", arguments.mode, arguments.model);
    if (arguments.resume) resume();
  }

  void frame() {
    if (csv_) csv_->write(simulation_);
    if (!csv_ || !arguments_.page.empty()) recording_.add_frame(simulation_);
    if (!csv_ && std::chrono::steady_clock::now() - saved_ > std::chrono::seconds(1)) save();
  }

  void finish() {
    if (csv_)
      csv_->finish();
    else
      save();
    if (arguments_.page.empty()) return;
    cli::OutputFile page(arguments_.page);
    page.write(cli::scene_page(simulation_.scene(), recording_));
    page.finish();
  }

 private:
  void resume() {
    if (!is_hdf5(arguments_.out)) throw InvalidInput("--continue goes on from a recording: --out FILE.h5");
    dynamics::Recording last = dynamics::read_recording(arguments_.out);
    const auto refuse = [&](const std::string& what) {
      throw InvalidInput(arguments_.out + ": the recording is of " + what +
                         "; continue it as it was started");
    };
    std::vector<std::string> names;
    for (const dynamics::Body& body : simulation_.scene().bodies) names.push_back(body.name);
    if (last.bodies != names) refuse("other bodies than " + arguments_.scene + " has");
    if (last.dt != arguments_.dt) refuse(fmt::format("time steps of {} s", last.dt));
    if (last.settings != recording_.settings) refuse(last.settings);
    simulation_.restore(last.states, last.impulses, last.end_steps);
    recording_ = std::move(last);
  }

  void save() {
    recording_.set_end(simulation_);
    const std::vector<std::byte> bytes = dynamics::to_hdf5(recording_);
    cli::OutputFile file(arguments_.out);
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file.finish();
    saved_ = std::chrono::steady_clock::now();
  }

  const Arguments& arguments_;
  dynamics::Simulation& simulation_;
  std::unique_ptr<cli::TrajectoryCsv> csv_;
  dynamics::Recording recording_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

int run(const Arguments& arguments) {
  if (!(arguments.every > 0)) throw InvalidInput("--every must be positive");
  std::unique_ptr<cli::AssetFolder> folder;
  const dynamics::Scene scene = load_scene(arguments, folder);
  dynamics::SimulationConfig config;
  config.dt = arguments.dt;
  config.threads = arguments.jobs;
  if (arguments.model == "patch")
    config.source.sampling = dynamics::ContactSampling::kPatch;
  else if (arguments.model != "vertex")
    config.source.model = arguments.model;
  if (arguments.mode == "published") config.mode = dynamics::SimulationMode::kPublished;
  dynamics::Simulation simulation(scene, config);
  const std::int64_t steps =
      arguments.steps >= 0 ? arguments.steps : std::llround(scene.duration / arguments.dt);

  Output output(arguments, simulation);
  std::unique_ptr<cli::StatisticsCsv> statistics;
  if (!arguments.stats.empty()) statistics = std::make_unique<cli::StatisticsCsv>(arguments.stats);
  // Frames stand at the first steps at or after whole multiples of the interval, wherever the run started.
  const auto due = [&](std::int64_t step) {
    const double now = static_cast<double>(step) * arguments.dt, before = now - arguments.dt;
    return std::floor(now / arguments.every + 1e-9) > std::floor(before / arguments.every + 1e-9);
  };
  if (simulation.steps() == 0) output.frame();
  Progress progress(simulation.steps());
  while (simulation.steps() < steps) {
    simulation.step();
    if (statistics) statistics->write(simulation);
    if (due(simulation.steps())) output.frame();
    progress.update(simulation.steps(), steps, simulation.report());
  }
  progress.finish(simulation.steps());
  output.finish();
  if (statistics) statistics->finish();
  return 0;
}

std::vector<std::string> point_sources() {
  std::vector<std::string> names{"vertex", "patch"};
  for (const contact::ModelRow& row : contact::models())
    if (row.has_constraints) names.emplace_back(row.name);
  return names;
}

int simulate(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"Moves the rigid bodies of a scene under gravity, contact and friction."};
  app.add_option("SCENE", arguments.scene, "scene file")->required();
  app.add_option("--assets", arguments.assets, "folder of the scene's assets");
  app.add_option("--steps", arguments.steps, "number of steps; default: the scene's duration");
  app.add_option("--dt", arguments.dt, "time step, s")->capture_default_str();
  app.add_option("--model", arguments.model,
                 "where contact points come from: corners and vertices; a disc on a plane sampled evenly "
                 "(patch); for pairs of assets, a contact model")
      ->capture_default_str()
      ->check(CLI::IsMember(point_sources()));
  app.add_option("--mode", arguments.mode,
                 "coupled: Coulomb's law for all bodies together; published: every body by itself, as the "
                 "paper has it")
      ->capture_default_str()
      ->check(CLI::IsMember({"coupled", "published"}));
  app.add_option("--out", arguments.out,
                 "trajectory: FILE.h5, saved about every second, or CSV; default: CSV on standard output");
  app.add_flag("--continue", arguments.resume, "go on from the end of --out FILE.h5, with the same bits");
  app.add_option("--page", arguments.page, "web page that plays the motion");
  app.add_option("--every", arguments.every, "time between rows of a body in the trajectory, s")
      ->capture_default_str();
  app.add_option("--stats", arguments.stats, "statistics of every step, CSV");
  app.add_option("--jobs", arguments.jobs, "threads; 0: one per core")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(arguments);
}

}  // namespace

int main(int argc, char** argv) { return abut::cli::run_program("abut-sim", simulate, argc, argv); }
