// Demonstrations of the pressure-field paper [Elandt2019, VIII-B]: the scenes of examples/scenes as abut-sim
// runs them, with default settings, and what each must show.
//   demonstrations [FOLDER [NAME]]    FOLDER: for trajectories (CSV) and strips of pictures (PNG)
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "benchmarks/support/promises.h"
#include "benchmarks/support/scene_run.h"
#include "benchmarks/support/scene_strip.h"
#include "runtime/cli/trajectory_csv.h"

namespace {

using namespace abut;
using benchmarks::Controlled;
using benchmarks::Promises;
using benchmarks::SceneRun;

constexpr double kDegree = M_PI / 180;

// Times are multiples of the step.
bool reached(const SceneRun& run, double time) {
  return std::abs(run.time() - time) < run.simulation().config().dt / 2;
}

// Heights of the ball's centre where it turns round at the top, m.
class Rebounds {
 public:
  void look(double height, double speed) {
    if (last_speed_ > 0 && speed <= 0) tops.push_back(height);
    last_speed_ = speed;
  }
  std::vector<double> tops;

 private:
  double last_speed_ = 0;
};

struct Demonstration {
  const char* name;
  const char* integrator;
  double dt;  // s
  Controlled what;
  preprocess::Camera camera;
  std::vector<double> frames;  // s
  // Looks at every state, the first one too; then says what it has found.
  std::function<std::function<void(Promises&)>(SceneRun&, std::function<void()>& look)> watch;
};

auto watch_ball(SceneRun& run, std::function<void()>& look) {
  auto elastic = std::make_shared<Rebounds>(), dissipating = std::make_shared<Rebounds>();
  look = [=, &run] {
    for (const auto& [name, ball] : {std::pair{"elastic", elastic}, {"dissipating", dissipating}}) {
      const dynamics::BodyState& state = run.simulation().states()[run.body(name)];
      ball->look(state.p_WB.z(), state.v_WB.z());
    }
  };
  return [=](Promises& promises) {
    const double drop = 0.5 - 0.05;  // m, to first touch
    const auto part = [&](double top) { return (top - 0.05) / drop; };
    for (std::size_t k = 0; k < 3; ++k)
      promises.at_most(fmt::format("bouncing_ball: rebound {} off the drop, %", k + 1),
                       100 * std::abs(part(elastic->tops.at(k)) - 1), 1);
    const double first = part(dissipating->tops.at(0)),
                 second = (dissipating->tops.at(1) - 0.05) / (dissipating->tops.at(0) - 0.05);
    promises.at_most("bouncing_ball: first rebound with dissipation, of the drop", first, 0.9);
    promises.at_least("bouncing_ball: second over first, slower impacts lose less", second / first, 1);
  };
}

auto watch_chopsticks(SceneRun& run, std::function<void()>& look) {
  auto held = std::make_shared<Vec3<double>>();
  look = [=, &run] {
    if (reached(run, 2.4)) *held = run.pose("hand").inverse() * run.pose("cube").p;
  };
  return [=, &run](Promises& promises) {
    promises.at_least("chopsticks: cube lifted, mm", 1e3 * (run.pose("cube").p.z() - 0.0501), 95);
    promises.at_most("chopsticks: slip of the cube in 1.6 s, mm",
                     1e3 * (run.pose("hand").inverse() * run.pose("cube").p - *held).norm(), 0.5);
  };
}

// Angle of the pencil below the horizontal, rad.
double dip(const SceneRun& run) {
  const Vec3<double> axis = run.pose("pencil").R.col(0);
  return std::atan2(-axis.z(), axis.x());
}

auto watch_pencil(SceneRun& run, std::function<void()>& look) {
  auto angles = std::make_shared<std::array<double, 2>>();
  look = [=, &run] {
    if (reached(run, 0.6)) (*angles)[0] = dip(run);
    if (reached(run, 0.95)) (*angles)[1] = dip(run);
  };
  return [=, &run](Promises& promises) {
    const auto [tight, loose] = *angles;
    const Pose<double> X = run.pose("pencil");
    promises.at_most("pencil: turned in 0.6 s of the tight grip, degrees", std::abs(tight) / kDegree, 1);
    promises.at_least("pencil: turned while the grip was loose, degrees", (loose - tight) / kDegree, 20);
    promises.at_most("pencil: turned in the last 1.05 s, tight again, degrees",
                     std::abs(dip(run) - loose) / kDegree, 2);
    promises.at_most("pencil: moved out of the grip, mm", 1e3 * (X * Vec3<double>(-0.03, 0, 0)).norm(), 3);
  };
}

auto watch_points(SceneRun& run, std::function<void()>& look) {
  look = [] {};
  return [&run](Promises& promises) {
    promises.at_least("pencil_points: turned in 0.6 s of the tight grip, degrees", dip(run) / kDegree, 45);
  };
}

auto watch_peg(SceneRun& run, std::function<void()>& look) {
  look = [] {};
  return [&run](Promises& promises) {
    const Vec3<double> tip = run.pose("peg") * Vec3<double>(0, 0, -0.0395);
    promises.at_least("peg_in_hole: tip below the rim, mm", 1e3 * (0.05 - tip.z()), 30);
    promises.at_most("peg_in_hole: tip beside the middle, mm", 1e3 * tip.head<2>().norm(), 0.8);
  };
}

auto watch_spoon(SceneRun& run, std::function<void()>& look) {
  auto lifted = std::make_shared<Pose<double>>();
  look = [=, &run] {
    if (reached(run, 1.9)) *lifted = run.pose("spoon");
  };
  return [=, &run](Promises& promises) {
    const Pose<double> X = run.pose("spoon");
    const Vec3<double> bowl = lifted->R.transpose() * X.R.col(2), handle = X.R.col(0);
    const double roll = std::atan2(std::abs(bowl.y()), bowl.z());
    promises.at_least("spoon: lifted, mm", 1e3 * (lifted->p.z() - 0.044), 55);
    promises.at_most("spoon: rolled, off a quarter turn, %", 100 * std::abs(roll / (M_PI / 2) - 1), 3);
    promises.at_most("spoon: handle off the horizontal, degrees", std::abs(std::asin(handle.z())) / kDegree,
                     2);
  };
}

const std::vector<Demonstration>& demonstrations() {
  static const std::vector<Demonstration> kAll = {
      {"bouncing_ball",
       "rk4",
       1e-3,
       Controlled::kNothing,
       {{0.1, 0, 0.25}, 0.35, {0, -1, 0.15}},
       {0, 0.303, 0.6, 0.91, 1.2, 1.5},
       watch_ball},
      {"chopsticks",
       "implicit",
       4e-3,
       Controlled::kJoints,
       {{-0.08, 0, 0.09}, 0.14, {0.5, -1, 0.6}},
       {0, 0.8, 1.32, 1.6, 2.4, 4},
       watch_chopsticks},
      {"pencil",
       "implicit",
       2e-3,
       Controlled::kJoints,
       {{0, 0, 0}, 0.13, {0.15, -1, 0.1}},
       {0, 0.6, 0.7, 0.78, 0.84, 2},
       watch_pencil},
      {"pencil_points",
       "midpoint",
       2e-3,
       Controlled::kBodies,
       {{0, 0, 0}, 0.13, {0.15, -1, 0.1}},
       {0, 0.1, 0.2, 0.3, 0.4, 0.6},
       watch_points},
      {"peg_in_hole",
       "implicit",
       4e-3,
       Controlled::kJoints,
       {{0, 0, 0.06}, 0.08, {0.6, -1, 0.5}},
       {0, 0.6, 1, 1.4, 2, 3},
       watch_peg},
      {"spoon",
       "implicit",
       4e-3,
       Controlled::kJoints,
       {{0, 0, 0.07}, 0.11, {0.6, -1, 0.5}},
       {0, 0.8, 1.6, 2.4, 3, 4},
       watch_spoon},
  };
  return kAll;
}

void show(const Demonstration& demonstration, const std::filesystem::path& folder, Promises& promises) {
  dynamics::StepConfig config;
  config.dt = demonstration.dt;
  config.integrator = demonstration.integrator;
  SceneRun run(demonstration.name, demonstration.what, config);
  benchmarks::SceneStrip strip(run.simulation().scene(), demonstration.camera);
  std::unique_ptr<cli::TrajectoryCsv> trajectory;
  if (!folder.empty())
    trajectory =
        std::make_unique<cli::TrajectoryCsv>((folder / demonstration.name).replace_extension(".csv"));
  std::function<void()> look;
  const std::function<void(Promises&)> say = demonstration.watch(run, look);
  for (std::size_t frame = 0;; run.step()) {
    look();
    if (trajectory && run.simulation().steps() % 5 == 0) trajectory->write(run.simulation());
    if (frame < demonstration.frames.size() && reached(run, demonstration.frames[frame]) && !folder.empty())
      strip.add(run.simulation().states(), fmt::format("{:.2f} s", demonstration.frames[frame++]));
    if (run.done()) break;
  }
  say(promises);
  promises.at_most(fmt::format("{}: steps without an answer", demonstration.name), run.failed(), 0);
  if (!trajectory) return;
  trajectory->finish();
  preprocess::write_png(strip.image(), (folder / demonstration.name).replace_extension(".png"));
}

int run(int count, char** words) {
  const std::filesystem::path folder = count > 1 ? words[1] : "";
  if (!folder.empty()) std::filesystem::create_directories(folder);
  Promises promises;
  for (const Demonstration& demonstration : demonstrations())
    if (count < 3 || std::string(words[2]) == demonstration.name) show(demonstration, folder, promises);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("demonstrations", run, argc, argv); }
