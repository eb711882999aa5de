// Figure 6 of [Beker2025]: rollouts of planar pushing as strips of pictures, a row for each simulator on the
// same targets. Grey: where MuJoCo's T ends.
//   beker2025_figure6_rollouts FOLDER [SEQUENCE]    FOLDER/figure6_SEQUENCE.png
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cmath>

#include "benchmarks/paper/beker2025_table7_tpush/pushing.h"
#include "benchmarks/paper/beker2025_table7_tpush/t_mesh.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "benchmarks/support/scene_strip.h"

namespace {

using namespace abut;
using tpush::Rollout;
using tpush::Targets;

constexpr int kFrames = 6;
constexpr int kPoints = 4000;

struct Row {
  const char *caption, *model, *integrator;
  double dt;  // s
};
constexpr Row kRows[] = {{"soft min rk4 2 ms", "soft_minimum", "rk4", 2e-3},
                         {"soft min euler 2 ms", "soft_minimum", "semi_implicit", 2e-3},
                         {"potential rk4 2 ms", "soft_potential", "rk4", 2e-3},
                         {"potential impl 16 ms", "soft_potential", "implicit", 16e-3}};

dynamics::BodyState placed(const std::array<double, 3>& place, double height) {
  dynamics::BodyState state;
  state.p_WB = {place[0], place[1], height};
  state.q_WB = Eigen::Quaterniond(Eigen::AngleAxisd(place[2], Vec3<double>::UnitZ()));
  return state;
}

// The T, the finger's target and where the T of the reference ends.
preprocess::Image strip(const body::Geometry& T, const Rollout& rollout, const std::array<double, 3>& end,
                        const Targets& targets, const std::string& caption) {
  dynamics::Scene scene;
  scene.bodies.resize(2);
  scene.bodies[0].shapes.push_back({T, {}});
  scene.bodies[1].shapes.push_back({body::Geometry(body::Sphere<double>{0.02}), {}});
  const dynamics::BodyState goal = placed(end, -0.03);
  scene.fixed.push_back({T, {goal.q_WB.toRotationMatrix(), goal.p_WB}});
  benchmarks::SceneStrip pictures(scene, {{0, 0, 0}, 0.36, {0, -0.35, 1}}, 260);
  for (int k = 0; k < kFrames; ++k) {
    const auto row = static_cast<std::size_t>(
        std::lround(static_cast<double>(rollout.way.size() - 1) * k / (kFrames - 1)));
    const auto& finger = targets.rows[std::min(row, targets.rows.size() - 1)];
    const dynamics::BodyState states[] = {placed(rollout.way[row], 0), placed({finger[0], finger[1], 0}, 0)};
    pictures.add(states,
                 k == 0 ? caption : fmt::format("{:.1f} s", static_cast<double>(row) * targets.interval));
  }
  return pictures.image();
}

void below(preprocess::Image& image, const preprocess::Image& more) {
  image.width = more.width;
  image.height += more.height;
  image.rgb.insert(image.rgb.end(), more.rgb.begin(), more.rgb.end());
}

void draw(int sequence, const std::filesystem::path& folder, const body::Geometry& T,
          benchmarks::Promises& promises) {
  const Targets targets =
      tpush::read_targets(benchmarks::require_reference(fmt::format("tpush/ctrl_{}.csv", sequence)).string());
  const Rollout reference = tpush::push_in_mujoco(benchmarks::require_reference("tpush/tpush2d.xml").string(),
                                                  targets, mjINT_RK4, 2e-3);
  const std::array<double, 3> end = reference.way.back();
  preprocess::Image image = strip(T, reference, end, targets, "mujoco rk4 2 ms");
  for (const Row& row : kRows) {
    dynamics::StepConfig config;
    config.dt = row.dt;
    config.integrator = row.integrator;
    config.source.model = row.model;
    if (config.source.model == "soft_minimum") config.source.settings = {{"load", "10"}};
    const Rollout rollout = tpush::push(tpush::scene_of(T, targets.rows[0]), targets, config);
    const auto& last = rollout.way.back();
    const double off = 100 * std::hypot(last[0] - end[0], last[1] - end[1]);  // cm
    fmt::print("| {} | {} | {:.2f} | {:.1f} |\n", sequence, row.caption, off,
               std::abs(last[2] - end[2]) * 180 / M_PI);
    if (config.source.model == "soft_potential")
      promises.at_most(fmt::format("sequence {}, {}: distance, cm", sequence, row.caption), off, 1.2);
    below(image, strip(T, rollout, end, targets, row.caption));
  }
  preprocess::write_png(image, folder / fmt::format("figure6_{}.png", sequence));
}

int run(int count, char** words) {
  if (count < 2) throw InvalidInput("usage: beker2025_figure6_rollouts FOLDER [SEQUENCE]");
  std::filesystem::create_directories(words[1]);
  const body::Geometry T = tpush::meshed_t(kPoints);
  fmt::print("| sequence | simulator | distance, cm | angle, degrees |\n|---|---|---|---|\n");
  benchmarks::Promises promises;
  for (int sequence = 1; sequence <= 3; ++sequence)
    if (count < 3 || std::to_string(sequence) == words[2]) draw(sequence, words[1], T, promises);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) {
  return abut::benchmarks::guarded("beker2025_figure6_rollouts", run, argc, argv);
}
