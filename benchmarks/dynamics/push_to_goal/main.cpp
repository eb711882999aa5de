// A T pushed to ten goals by a finger that does not touch it at first: targets of the finger by gradients of
// rollouts through contact, beside the cross-entropy method from the same pushes in the same time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "benchmarks/dynamics/push_to_goal/planner.h"
#include "benchmarks/paper/beker2025_table7_tpush/t_mesh.h"
#include "benchmarks/support/promises.h"

namespace {

using namespace abut;
using namespace abut::push;

constexpr int kGoals = 10, kMaxPushes = 8, kPolished = 2;

// Within 20 cm and 90 degrees of where the T starts.
Place goal_of(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const double distance = 0.2 * std::sqrt(unit(random)), direction = 2 * M_PI * unit(random);
  return {distance * std::cos(direction), distance * std::sin(direction), M_PI / 2 * (2 * unit(random) - 1)};
}

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Plan {
  std::vector<Path> pushes;
  State end;
  double time = 0;       // of the processor, s
  double improving = 0;  // of that, s
  int improved = 0;      // paths
};

// Pushes until the goal is reached: of straight ones the best few, each improved, and of these the best.
// `improve(from, path)`.
template <class Improve>
Plan plan(World& world, const State& start, const Place& goal, double budget, Improve&& improve) {
  const double begin = seconds();
  Plan plan{{}, start};
  const auto unlike = [&](const State& state) {
    return (place_of(state) - goal).cwiseQuotient(kUnit).squaredNorm();
  };
  for (int k = 0; k < kMaxPushes && !miss_of(place_of(plan.end), goal).reached(); ++k) {
    if (seconds() - begin > budget) break;
    const std::vector<Path> straight = straight_pushes(plan.end);
    const std::vector<dynamics::RolloutEnd> ends = world.ends(plan.end, straight);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < ends.size(); ++i)
      if (ends[i].error.empty()) order.emplace_back(unlike(ends[i].state), i);
    std::sort(order.begin(), order.end());
    Path best;
    State end = plan.end;
    double least = unlike(plan.end);
    for (std::size_t i = 0; i < std::min<std::size_t>(kPolished, order.size()); ++i) {
      const double before = seconds();
      const Path path = improve(plan.end, straight[order[i].second]);
      plan.improving += seconds() - before;
      ++plan.improved;
      const State there = world.after(plan.end, path);
      if (unlike(there) >= least) continue;
      least = unlike(there);
      best = path;
      end = there;
      if (miss_of(place_of(end), goal).reached()) break;
    }
    if (best.rows() == 0) break;
    plan.pushes.push_back(best);
    plan.end = end;
  }
  plan.time = seconds() - begin;
  return plan;
}

// A page that plays the plan.
void write_page(const System& system, const Plan& plan, const std::filesystem::path& file) {
  dynamics::StepConfig config;
  config.dt = kStep;
  config.integrator = "semi_implicit";
  config.source.model = "soft_potential";
  tpush::Targets targets{.rows = {}, .interval = kInterval};
  for (const Path& path : plan.pushes)
    for (Eigen::Index row = 0; row < path.rows(); ++row) targets.rows.push_back({path(row, 0), path(row, 1)});
  tpush::write_push_page(system.scene(), targets, config, file);
}

int run(int count, char** words) {
  // Contact reaches as far as the quads are large: from coarse to fine.
  std::vector<World> worlds;
  for (const int quads : {100, 500})
    worlds.emplace_back(System(tpush::scene_of(tpush::meshed_t(quads), {0.2, 0.15})));
  World& world = worlds.back();
  const System& system = world.system();
  const State start = system.initial_state();
  benchmarks::Promises promises;
  fmt::print(
      "| goal | x, cm | y, cm | turn, degrees | pushes | off, cm | off, degrees | time, s | sampling: pushes "
      "| off, cm | off, degrees | time, s |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  int reached = 0, sooner = 0;
  double time = 0, time_sampling = 0;
  for (int seed = 1; seed <= kGoals; ++seed) {
    if (count > 2 && std::atoi(words[2]) != seed) continue;
    const Place goal = goal_of(static_cast<unsigned>(seed));
    const Plan by_gradients = plan(world, start, goal, 1e9, [&](const State& from, const Path& path) {
      return improve_by_gradients(worlds, from, goal, path);
    });
    std::mt19937 random(static_cast<unsigned>(seed));
    const double each = by_gradients.improving / std::max(1, by_gradients.improved);
    const Plan by_sampling =
        plan(world, start, goal, 10 * by_gradients.time, [&](const State& from, const Path& path) {
          return improve_by_sampling(world, from, goal, path, each, random);
        });
    const Miss a = miss_of(place_of(by_gradients.end), goal), b = miss_of(place_of(by_sampling.end), goal);
    reached += a.reached() ? 1 : 0;
    time += by_gradients.time;
    time_sampling += by_sampling.time;
    sooner += a.reached() && (!b.reached() || by_gradients.time < by_sampling.time) ? 1 : 0;
    fmt::print(
        "| {} | {:.1f} | {:.1f} | {:.0f} | {} | {:.2f} | {:.2f} | {:.1f} | {} | {:.2f} | {:.2f} | {:.1f} |\n",
        seed, 100 * goal[0], 100 * goal[1], goal[2] * 180 / M_PI, by_gradients.pushes.size(),
        100 * a.distance, a.angle, by_gradients.time, by_sampling.pushes.size(), 100 * b.distance, b.angle,
        by_sampling.time);
    std::fflush(stdout);
    if (count > 1)
      write_page(system, by_gradients, std::filesystem::path(words[1]) / fmt::format("push_{}.html", seed));
  }
  if (count > 2) return 0;
  promises.at_least("goals reached within 1 cm and 5 degrees, of 10", reached, 9);
  promises.at_least("of these sooner than by sampling", sooner, 6);
  promises.at_most("time for all over that of sampling", time / time_sampling, 1);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("push_to_goal", run, argc, argv); }
