// Mass and friction of a T from a recorded push: Gauss and Newton's method on the derivatives of rollouts by
// parameters. Records: this simulator's at a finer step, and MuJoCo's, both with noise.
//   identify_push [FOLDER]    FOLDER: for pages that play the pushes with what was found
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <random>

#include "benchmarks/paper/beker2025_table7_tpush/pushing.h"
#include "benchmarks/paper/beker2025_table7_tpush/t_mesh.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "runtime/dynamics/rollout/rollout.h"

namespace {

using namespace abut;
using dynamics::MatX;
using dynamics::Quantity;
using dynamics::VecX;
using Place = Eigen::Vector3d;

constexpr double kStep = 2e-3;   // s; at 4e-3 the rollouts are off by as much as the friction within 3 %
constexpr double kNoise = 1e-3;  // m, of each coordinate
constexpr double kArm = 0.07;    // m: turns are noisy as points that far from the middle
constexpr double kMass = 0.5, kFriction = 0.4;

struct Guess {
  double mass, friction;
};

dynamics::Scene scene_of(const body::Geometry& T, const tpush::Targets& targets, const Guess& guess) {
  dynamics::Scene scene = tpush::scene_of(T, targets.rows[0]);
  scene.bodies[2].inertia *= guess.mass / scene.bodies[2].mass;
  scene.bodies[2].mass = guess.mass;
  scene.set_material({.friction = guess.friction});
  return scene;
}

// Residuals in units of the noise, and their derivatives by mass (the moments with it) and friction (of both
// bodies).
struct Fit {
  VecX<double> r;
  Eigen::MatrixX2d by_guess;
};

Fit fit_of(const body::Geometry& T, const tpush::Targets& targets, const std::vector<Place>& record,
           const Guess& guess) {
  const dynamics::System system(scene_of(T, targets, guess));
  dynamics::StepConfig config;
  config.dt = kStep;
  config.integrator = "rk4";
  config.source.model = "soft_potential";
  config.parameters = {
      {Quantity::kMass, 2}, {Quantity::kMomentZ, 2}, {Quantity::kFriction, 2}, {Quantity::kFriction, 4}};
  dynamics::Rollout rollout(system, config, static_cast<int>(std::lround(targets.interval / kStep)));
  dynamics::ControlSequence controls;
  controls.joint_target = MatX<double>::Zero(static_cast<Eigen::Index>(record.size()), 5);
  for (std::size_t k = 0; k < record.size(); ++k)
    for (int i = 0; i < 2; ++i)
      controls.joint_target(Eigen::Index(k), 3 + i) = targets.rows[k][std::size_t(i)];
  const double moment_over_mass = system.body(2).inertia.z() / guess.mass;
  Fit fit;
  fit.r.resize(3 * controls.rows());
  fit.by_guess.resize(fit.r.size(), 2);
  const Eigen::Vector3d weight(1 / kNoise, 1 / kNoise, kArm / kNoise);
  rollout.differentiate(
      system.initial_state(), controls,
      [&](Eigen::Index k, const dynamics::State& state, const dynamics::RolloutJacobian& by) {
        const Place off = state.q.head<3>() - record[std::size_t(k)];
        const auto& p = by.parameter;
        fit.r.segment<3>(3 * k) = weight.cwiseProduct(off);
        fit.by_guess.col(0).segment<3>(3 * k) =
            weight.cwiseProduct((p.col(0) + moment_over_mass * p.col(1)).head<3>());
        fit.by_guess.col(1).segment<3>(3 * k) = weight.cwiseProduct((p.col(2) + p.col(3)).head<3>());
      });
  return fit;
}

struct Found {
  Guess guess;
  int steps = 0;
  double misfit = 0;     // of the noise
  Guess deviation = {};  // standard, by the noise
};

Found identify(const body::Geometry& T, const tpush::Targets& targets, const std::vector<Place>& record,
               Guess guess) {
  Found found{guess};
  Fit fit = fit_of(T, targets, record, guess);
  double damping = 1e-3;
  for (; found.steps < 30 && damping < 1e6; ++found.steps) {
    Eigen::Matrix2d H = fit.by_guess.transpose() * fit.by_guess;
    H.diagonal() *= 1 + damping;
    const Eigen::Vector2d way = -H.llt().solve(fit.by_guess.transpose() * fit.r);
    const Guess next{std::clamp(guess.mass + way[0], guess.mass / 2, 2 * guess.mass),
                     std::clamp(guess.friction + way[1], guess.friction / 2, 2 * guess.friction)};
    const Fit there = fit_of(T, targets, record, next);
    const bool nearer = there.r.squaredNorm() < fit.r.squaredNorm();
    damping *= nearer ? 0.2 : 5;
    if (!nearer) continue;
    const double change = std::abs(next.mass / guess.mass - 1) + std::abs(next.friction / guess.friction - 1);
    guess = next;
    fit = there;
    if (change < 1e-5) break;
  }
  found.guess = guess;
  const Eigen::Matrix2d covariance = (fit.by_guess.transpose() * fit.by_guess).inverse();
  found.deviation = {std::sqrt(covariance(0, 0)), std::sqrt(covariance(1, 1))};
  found.misfit = std::sqrt(fit.r.squaredNorm() / static_cast<double>(fit.r.size()));
  return found;
}

// Of a few starts the one that ends nearest.
Found identify(const body::Geometry& T, const tpush::Targets& targets, const std::vector<Place>& record) {
  Found best{{}, 0, 1e300};
  for (const Guess start : {Guess{0.3, 0.2}, {0.9, 0.8}, {0.3, 0.8}}) {
    const Found found = identify(T, targets, record, start);
    if (found.misfit < best.misfit) best = found;
  }
  return best;
}

std::vector<Place> noisy(const tpush::Rollout& rollout, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, kNoise);
  std::vector<Place> record;
  for (std::size_t k = 1; k < rollout.way.size(); ++k) {
    const auto& [x, y, angle] = rollout.way[k];
    record.emplace_back(x + normal(random), y + normal(random), angle + normal(random) / kArm);
  }
  return record;
}

int run(int count, char** words) {
  const body::Geometry T = tpush::meshed_t(2000);
  benchmarks::Promises promises;
  fmt::print(
      "| record | push | mass, kg | off, % | to be expected, % | friction | off, % | to be expected, % | "
      "steps | misfit, of the "
      "noise |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const bool own : {true, false})
    for (int push = 1; push <= 3; ++push) {
      const tpush::Targets targets =
          tpush::read_targets(benchmarks::require_reference(fmt::format("tpush/ctrl_{}.csv", push)).string());
      dynamics::StepConfig fine;
      fine.dt = 5e-4;
      fine.integrator = "rk4";
      fine.source.model = "soft_potential";
      const std::string model = benchmarks::require_reference("tpush/tpush2d.xml").string();
      const std::vector<Place> record =
          noisy(own ? tpush::push(scene_of(T, targets, {kMass, kFriction}), targets, fine)
                    : tpush::push_in_mujoco(model, targets, mjINT_EULER, 1e-4),
                static_cast<unsigned>(push));
      const Found found = identify(T, targets, record);
      const double mass = 100 * (found.guess.mass / kMass - 1),
                   friction = 100 * (found.guess.friction / kFriction - 1);
      fmt::print("| {} | {} | {:.4f} | {:.2f} | {:.2f} | {:.4f} | {:.2f} | {:.2f} | {} | {:.3f} |\n",
                 own ? "own, RK4 at 0.5 ms" : "MuJoCo, 0.1 ms", push, found.guess.mass, mass,
                 100 * found.deviation.mass / kMass, found.guess.friction, friction,
                 100 * found.deviation.friction / kFriction, found.steps, found.misfit);
      std::fflush(stdout);
      if (count > 1)
        tpush::write_push_page(
            scene_of(T, targets, found.guess), targets, fine,
            std::filesystem::path(words[1]) / fmt::format("{}_{}.html", own ? "own" : "mujoco", push));
      if (!own || push == 1) continue;
      promises.at_most(fmt::format("mass from its own record {}, % off", push), std::abs(mass), 2);
      promises.at_most(fmt::format("friction from its own record {}, % off", push), std::abs(friction), 2);
    }
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("identify_push", run, argc, argv); }
