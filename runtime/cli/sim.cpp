// abut-sim: rigid bodies in contact, from a scene file.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/trajectory_csv.h"
#include "runtime/core/error.h"
#include "runtime/dynamics/frictional/scene_file.h"
#include "runtime/dynamics/frictional/simulation.h"

namespace {

using namespace abut;

struct Arguments {
  std::string scene, assets, out, stats, model = "vertex", mode = "coupled";
  std::int64_t steps = -1;
  double dt = 2e-3, every = 1.0 / 60;
  int jobs = 1;
};

// Rate and time left on one line of a terminal; silent on anything else.
class Progress {
 public:
  void update(std::int64_t step, std::int64_t steps, const dynamics::StepReport& report) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    fmt::print(stderr, "\rstep {} of {}, {:.0f} steps/s, {} contacts, {:.0f} s left\033[K", step, steps,
               static_cast<double>(step) / seconds, report.contacts,
               seconds * static_cast<double>(steps - step) / static_cast<double>(step));
  }
  void finish(std::int64_t steps) const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (terminal_) fmt::print(stderr, "\r\033[K");
    fmt::print(stderr, "{} steps in {:.2f} s ({:.0f} steps/s)\n", steps, seconds,
               static_cast<double>(steps) / seconds);
  }

 private:
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

int run(const Arguments& arguments) {
  std::unique_ptr<cli::AssetFolder> folder;
  const dynamics::Scene scene = load_scene(arguments, folder);
  dynamics::SimulationConfig config;
  config.dt = arguments.dt;
  config.threads = arguments.jobs;
  config.sampling =
      arguments.model == "patch" ? dynamics::ContactSampling::kPatch : dynamics::ContactSampling::kVertex;
  dynamics::Simulation simulation(scene, config);
  const std::int64_t steps =
      arguments.steps >= 0 ? arguments.steps : std::llround(scene.duration / arguments.dt);

  cli::TrajectoryCsv trajectory(arguments.out);
  std::unique_ptr<cli::StatisticsCsv> statistics;
  if (!arguments.stats.empty()) statistics = std::make_unique<cli::StatisticsCsv>(arguments.stats);
  trajectory.write(simulation);
  std::int64_t frames = 1;
  Progress progress;
  for (std::int64_t k = 1; k <= steps; ++k) {
    simulation.step();
    if (statistics) statistics->write(simulation);
    if (simulation.time() >= static_cast<double>(frames) * arguments.every || k == steps) {
      trajectory.write(simulation);
      while (static_cast<double>(frames) * arguments.every <= simulation.time()) ++frames;
    }
    progress.update(k, steps, simulation.report());
  }
  progress.finish(steps);
  trajectory.finish();
  if (statistics) statistics->finish();
  return 0;
}

int simulate(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"Moves the rigid bodies of a scene under gravity, contact and friction."};
  app.add_option("SCENE", arguments.scene, "scene file")->required();
  app.add_option("--assets", arguments.assets, "folder of the scene's assets");
  app.add_option("--steps", arguments.steps, "number of steps; default: the scene's duration");
  app.add_option("--dt", arguments.dt, "time step, s")->capture_default_str();
  app.add_option("--model", arguments.model,
                 "how areas of contact are sampled: at their corners, or a disc evenly (patch)")
      ->capture_default_str()
      ->check(CLI::IsMember({"vertex", "patch"}));
  app.add_option("--mode", arguments.mode, "contact solver")
      ->capture_default_str()
      ->check(CLI::IsMember({"coupled"}));
  app.add_option("--out", arguments.out, "trajectory, CSV; default: standard output");
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

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error with a message, not a death
  try {
    return simulate(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "abut-sim: error: %s\n", error.what());
    return 2;
  }
}
