// Table 7 of [Beker2025]: a T pushed by a spherical finger, beside MuJoCo on the same controls. Final
// distance and angle from MuJoCo's at steps of 0.1 ms, and time per step.
//   beker2025_table7_tpush [POINTS [MODEL]]    POINTS: 26 or 4000; MODEL: soft_minimum or soft_potential
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <array>
#include <cmath>
#include <string_view>

#include "benchmarks/paper/beker2025_table7_tpush/pushing.h"
#include "benchmarks/paper/beker2025_table7_tpush/t_mesh.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/median.h"
#include "benchmarks/support/promises.h"

namespace {

using namespace abut;
using tpush::Rollout;
using tpush::Targets;

constexpr int kSequences = 3;
constexpr double kReferenceStep = 1e-4;  // s

struct Spread {
  double mean = 0, deviation = 0;
};
Spread spread(const std::vector<double>& values) {
  Spread result;
  for (const double value : values) result.mean += value / static_cast<double>(values.size());
  for (const double value : values)
    result.deviation += (value - result.mean) * (value - result.mean) / static_cast<double>(values.size());
  result.deviation = std::sqrt(result.deviation);
  return result;
}

// What is simulated, and how.
struct Contender {
  std::string title;
  SettingValues settings;
  std::string model;
};

struct Line {
  Spread distance, angle;  // cm, degrees
  double step_time = 0;    // ms
  double peer_time = 0;    // ms, of MuJoCo between these pushes; 0: none
  long failed = 0;         // steps without an answer

  double over_peer() const { return step_time / peer_time; }
};

// Pushes are repeated, in turn with MuJoCo's, up to so many times while they take no longer than that;
// medians count. Processors change their speed, and neighbours take caches.
constexpr int kMaxRounds = 5;
constexpr double kRoundsTime = 1;  // s

class Table {
 public:
  Table() {
    for (int k = 1; k <= kSequences; ++k) {
      targets_.push_back(
          tpush::read_targets(benchmarks::require_reference(fmt::format("tpush/ctrl_{}.csv", k)).string()));
      reference_.push_back(
          tpush::push_in_mujoco(model(), targets_.back(), mjINT_EULER, kReferenceStep).way.back());
    }
  }

  // Compares all sequences' ends with the reference's, and times with those of `peer`.
  template <class Push, class Peer>
  Line line(Push&& push, Peer&& peer) const {
    std::vector<double> distances, angles;
    Line result;
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      const Rollout rollout = push(targets_[k]);
      std::vector<double> times{rollout.step_time}, peer_times{peer(targets_[k])};
      const double round = rollout.step_time * static_cast<double>(rollout.steps);
      for (int i = 1; i < kMaxRounds && (i + 1) * round < kRoundsTime; ++i) {
        times.push_back(push(targets_[k]).step_time);
        peer_times.push_back(peer(targets_[k]));
      }
      const auto &end = rollout.way.back(), &wanted = reference_[k];
      distances.push_back(rollout.finite ? 100 * std::hypot(end[0] - wanted[0], end[1] - wanted[1])
                                         : INFINITY);
      angles.push_back(rollout.finite ? std::abs(end[2] - wanted[2]) * 180 / M_PI : INFINITY);
      result.step_time += 1e3 * benchmarks::median(times) / kSequences;
      result.peer_time += 1e3 * benchmarks::median(peer_times) / kSequences;
      result.failed += rollout.failed;
    }
    result.distance = spread(distances);
    result.angle = spread(angles);
    return result;
  }

  static std::string model() { return benchmarks::require_reference("tpush/tpush2d.xml").string(); }

 private:
  std::vector<Targets> targets_;
  std::vector<std::array<double, 3>> reference_;
};

void print(const std::string& title, const std::string& integrator, double dt, const Line& line) {
  fmt::print("| {} | {} | {:g} | {:.2f} +- {:.2f} | {:.1f} +- {:.1f} | {:.4f} | {} |\n", title, integrator,
             1e3 * dt, line.distance.mean, line.distance.deviation, line.angle.mean, line.angle.deviation,
             line.step_time, line.peer_time > 0 ? fmt::format("{:.1f}", line.over_peer()) : "");
  std::fflush(stdout);
}

// What the potential with grids holds to: what the paper says of soft minimum with Runge and Kutta's method,
// and of the implicit step at 16 ms what it says of 2 ms.
void promise(benchmarks::Promises& promises, std::string_view integrator, double dt, const Line& line) {
  const std::string who = fmt::format("{} at {:g} ms: ", integrator, 1e3 * dt);
  const bool fine = dt == 2e-3, coarse = dt == 16e-3;
  if ((integrator == "rk4" && fine) || (integrator == "implicit" && coarse)) {
    promises.at_most(who + "distance from MuJoCo's end, cm", line.distance.mean, 1.2);
    promises.at_most(who + "angle, degrees", line.angle.mean, 10.8);
  }
  if (integrator == "rk4" && coarse) {
    promises.at_most(who + "distance from MuJoCo's end, cm", line.distance.mean, 4.6);
    promises.at_most(who + "angle, degrees", line.angle.mean, 29.4);
  }
  if (integrator == "implicit")
    promises.at_most(who + "steps without an answer", static_cast<double>(line.failed), 0);
  else
    promises.at_most(who + "time per step over MuJoCo's", line.over_peer(), 20);
}

constexpr double kSteps[] = {2e-3, 8e-3, 16e-3};

Rollout push_in_mujoco(const Targets& targets, bool runge_kutta, double dt) {
  return tpush::push_in_mujoco(Table::model(), targets, runge_kutta ? mjINT_RK4 : mjINT_EULER, dt);
}

void print_peer(const Table& table) {
  for (const bool runge_kutta : {false, true})
    for (const double dt : kSteps)
      print("MuJoCo", runge_kutta ? "RK4" : "Euler", dt,
            table.line([&](const Targets& targets) { return push_in_mujoco(targets, runge_kutta, dt); },
                       [](const Targets&) { return 0.0; }));
}

// The soft minimum of the paper's table, on five sequences of its own, with MJX as the reference; time of
// MJX.
struct Published {
  int points;
  const char* integrator;
  int step;  // ms
  const char *distance, *angle;
  double step_time, peer_time;  // ms
};
constexpr Published kPublished[] = {{26, "semi_implicit", 2, "11.2 +- 5.7", "46.2 +- 34.3", 0.8, 4.2},
                                    {26, "rk4", 2, "2.1 +- 0.7", "6.8 +- 2.7", 13.5, 12.5},
                                    {26, "rk4", 8, "2.4 +- 1.6", "11.4 +- 6.5", 14.6, 13.1},
                                    {26, "rk4", 16, "6.3 +- 5.4", "26.6 +- 25.3", 15.6, 13.7},
                                    {4000, "semi_implicit", 2, "6.7 +- 2.9", "42.3 +- 18.2", 0.9, 4.2},
                                    {4000, "rk4", 2, "1.2 +- 1.0", "10.8 +- 10.3", 17.9, 12.5},
                                    {4000, "rk4", 8, "1.3 +- 1.6", "12.5 +- 9.1", 18.6, 13.1},
                                    {4000, "rk4", 16, "4.6 +- 3.7", "29.4 +- 18.3", 17.7, 13.7}};

void print_published(int points) {
  for (const Published& row : kPublished)
    if (row.points == points)
      fmt::print("| published: soft minimum, {} points | {} | {} | {} | {} | {} | {:.1f} |\n", points,
                 row.integrator, row.step, row.distance, row.angle, row.step_time,
                 row.step_time / row.peer_time);
}

// Of one model, or of all where `model` is empty. Soft minimum has its published stiction, whatever the
// steps; the potential dissipates, as MuJoCo's contacts do.
void compare(const Table& table, int points, std::string_view model, benchmarks::Promises& promises) {
  const body::Geometry T = tpush::meshed_t(points);
  const std::string cloud = fmt::format(", {} points", T.points().point_count);
  const Contender contenders[] = {
      {"soft minimum" + cloud, {{"load", "10"}, {"stiction", "1e-3"}}, "soft_minimum"},
      {"soft potential" + cloud, {{"field", "points"}, {"dissipation", "1"}}, "soft_potential"},
      {"soft potential, grid" + cloud, {{"field", "grid"}, {"dissipation", "1"}}, "soft_potential"}};
  for (const Contender& contender : contenders) {
    if (!model.empty() && contender.model != model) continue;
    for (const std::string integrator : {"semi_implicit", "rk4", "implicit"})
      for (const double dt : kSteps) {
        const auto push = [&](const Targets& targets) {
          dynamics::StepConfig config;
          config.dt = dt;
          config.integrator = integrator;
          config.source.model = contender.model;
          config.source.settings = contender.settings;
          return tpush::push(tpush::scene_of(T, targets.rows[0]), targets, config);
        };
        const Line line = table.line(push, [&](const Targets& targets) {
          return push_in_mujoco(targets, integrator == "rk4", dt).step_time;
        });
        print(contender.title, integrator, dt, line);
        if (points > 26 && contender.title.find("grid") != std::string::npos)
          promise(promises, integrator, dt, line);
      }
  }
}

int run(int count, char** words) {
  const Table table;
  benchmarks::Promises promises;
  fmt::print(
      "| simulator | integrator | step, ms | distance, cm | angle, degrees | time per step, ms | over "
      "MuJoCo |\n|---|---|---|---|---|---|---|\n");
  print_peer(table);
  for (const int points : {26, 4000})
    if (count < 2 || std::to_string(points) == words[1]) {
      print_published(points);
      compare(table, points, count > 2 ? words[2] : "", promises);
    }
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) {
  return abut::benchmarks::guarded("beker2025_table7_tpush", run, argc, argv);
}
