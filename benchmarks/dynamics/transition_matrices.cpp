// A step with all its first derivatives beside MuJoCo's matrices by finite differences, along the pushes of a
// T of table 7 [Beker2025]: at every row of the controls, one step of ours with derivatives by state and
// forces, and MuJoCo's mjd_transitionFD, one-sided, at its own state there. One thread, processor time, in
// turn.
//   transition_matrices [POINTS]     of the T: 26 or 4000; default 26
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "benchmarks/paper/beker2025_table7_tpush/pushing.h"
#include "benchmarks/paper/beker2025_table7_tpush/t_mesh.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/median.h"
#include "benchmarks/support/processor_time.h"
#include "benchmarks/support/promises.h"

namespace {

using namespace abut;
using dynamics::MatX;
using dynamics::VecX;
using tpush::Targets;

constexpr int kSequences = 3, kRounds = 5;
constexpr double kDifference = 1e-6;  // of MuJoCo's states and controls
// Of ours, where they are checked, the one that is nearest: the law of friction changes within 1e-7 of the
// velocities, and jumps of steps by 1e-12 limit smaller differences.
constexpr double kChecks[] = {1e-6, 1e-7, 1e-8};
// Greatest differences from them; an implicit step's own tolerance, 1e-12 m/s there, is seen in its.
constexpr double kGreatest = 1e-5, kGreatestImplicit = 2e-4;

// Ours: states at the rows of a push, and what is asked there.
class Ours {
 public:
  Ours(const body::Geometry& T, const Targets& targets, const dynamics::StepConfig& config)
      : system_(tpush::scene_of(T, targets.rows[0])), integrator_(make_integrator(system_, config)) {
    dynamics::State state = system_.initial_state();
    const auto steps = std::lround(targets.interval / config.dt);
    for (const auto& row : targets.rows) {
      places_.push_back({state, {0, 0, 0, row[0], row[1]}});
      for (long k = 0; k < steps; ++k) {
        const dynamics::StepReport& report = integrator_->step(state, control_of(places_.back()));
        if (k == 0) touching_ += report.contacts > 0 ? 1 : 0;
      }
    }
  }

  void step_all() {
    for (const Place& place : places_) {
      state_ = place.state;
      integrator_->step(state_, control_of(place));
    }
  }
  void differentiate_all() {
    for (const Place& place : places_) {
      state_ = place.state;
      integrator_->step(state_, control_of(place), derivatives_);
    }
  }

  // The greatest difference of a column by the state from central differences of the fourth order, over the
  // column's length, at every tenth place.
  double error() {
    double worst = 0;
    for (std::size_t i = 0; i < places_.size(); i += 10) {
      state_ = places_[i].state;
      integrator_->step(state_, control_of(places_[i]), derivatives_);
      const MatX<double> state = derivatives_.state;
      for (Eigen::Index k = 0; k < state.cols(); ++k) {
        double off = INFINITY;
        for (const double by : kChecks)
          off = std::min(off, (difference(places_[i], k, by) - state.col(k)).norm());
        worst = std::max(worst, off / std::max(1.0, state.col(k).norm()));
      }
    }
    return worst;
  }

  std::size_t places() const { return places_.size(); }
  int touching() const { return touching_; }

 private:
  struct Place {
    dynamics::State state;
    std::array<double, 5> target;  // of the joints' springs, m
  };
  static dynamics::Control control_of(const Place& place) {
    dynamics::Control control;
    control.joint_target = place.target;
    return control;
  }
  VecX<double> difference(const Place& place, Eigen::Index k, double by) {
    const VecX<double> near = moved(place, k, by) - moved(place, k, -by);
    return (8 * near - (moved(place, k, 2 * by) - moved(place, k, -2 * by))) / (12 * by);
  }
  // The state after a step from one whose k-th number of (q; v) is another; all joints are slides and hinges.
  VecX<double> moved(const Place& place, Eigen::Index k, double by) {
    state_ = place.state;
    const Eigen::Index n = state_.q.size();
    (k < n ? state_.q[k] : state_.v[k - n]) += by;
    integrator_->step(state_, control_of(place));
    VecX<double> after(2 * n);
    after << state_.q, state_.v;
    return after;
  }

  dynamics::System system_;
  std::unique_ptr<dynamics::Integrator> integrator_;
  std::vector<Place> places_;
  dynamics::State state_;
  dynamics::StepDerivatives derivatives_;
  int touching_ = 0;
};

// MuJoCo's own push and matrices.
class Peer {
 public:
  Peer(const Targets& targets, int integrator, double dt) {
    const std::string file = benchmarks::require_reference("tpush/tpush2d.xml").string();
    char error[500] = "";
    model_.reset(mj_loadXML(file.c_str(), nullptr, error, sizeof error));
    if (!model_) throw InvalidInput(file + ": " + error);
    model_->opt.timestep = dt;
    model_->opt.integrator = integrator;
    data_.reset(mj_makeData(model_.get()));
    data_->qpos[3] = targets.rows[0][0];
    data_->qpos[4] = targets.rows[0][1];
    const auto steps = std::lround(targets.interval / dt);
    for (const auto& row : targets.rows) {
      std::copy_n(row.data(), 2, data_->ctrl);
      places_.push_back(place());
      for (long k = 0; k < steps; ++k) {
        mj_step(model_.get(), data_.get());
        if (k == 0) touching_ += data_->ncon > 0 ? 1 : 0;
      }
    }
    A_.resize(static_cast<std::size_t>(4 * model_->nv * model_->nv));
    B_.resize(static_cast<std::size_t>(2 * model_->nv * model_->nu));
  }

  void step_all() {
    for (const Place& place : places_) {
      set(place);
      mj_step(model_.get(), data_.get());
    }
  }
  void differentiate_all() {
    for (const Place& place : places_) {
      set(place);
      mjd_transitionFD(model_.get(), data_.get(), kDifference, 0, A_.data(), B_.data(), nullptr, nullptr);
    }
  }
  int touching() const { return touching_; }

 private:
  struct Place {
    std::vector<double> numbers;  // (qpos; qvel; ctrl)
    std::vector<double> warm;     // qacc_warmstart
  };
  Place place() const {
    Place place;
    place.numbers.assign(data_->qpos, data_->qpos + model_->nq);
    place.numbers.insert(place.numbers.end(), data_->qvel, data_->qvel + model_->nv);
    place.numbers.insert(place.numbers.end(), data_->ctrl, data_->ctrl + model_->nu);
    place.warm.assign(data_->qacc_warmstart, data_->qacc_warmstart + model_->nv);
    return place;
  }
  void set(const Place& place) {
    const double* numbers = place.numbers.data();
    std::copy_n(numbers, model_->nq, data_->qpos);
    std::copy_n(numbers + model_->nq, model_->nv, data_->qvel);
    std::copy_n(numbers + model_->nq + model_->nv, model_->nu, data_->ctrl);
    std::copy_n(place.warm.data(), model_->nv, data_->qacc_warmstart);
  }
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data_{nullptr, mj_deleteData};
  std::vector<Place> places_;
  std::vector<double> A_, B_;
  int touching_ = 0;
};

// Milliseconds, of one place.
struct Times {
  double step = 0, derivatives = 0, peer_step = 0, peer_matrices = 0;
};

Times time(Ours& ours, Peer& peer) {
  const std::function<void()> work[] = {[&] { ours.step_all(); }, [&] { ours.differentiate_all(); },
                                        [&] { peer.step_all(); }, [&] { peer.differentiate_all(); }};
  std::vector<double> times[4];
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < 4; ++i) {
      const double start = benchmarks::processor_time();
      work[i]();
      times[i].push_back(1e3 * (benchmarks::processor_time() - start) / static_cast<double>(ours.places()));
    }
  return {benchmarks::median(times[0]), benchmarks::median(times[1]), benchmarks::median(times[2]),
          benchmarks::median(times[3])};
}

struct Contender {
  const char *field, *integrator;
};
constexpr Contender kContenders[] = {{"grid", "semi_implicit"},   {"grid", "rk4"},   {"grid", "implicit"},
                                     {"points", "semi_implicit"}, {"points", "rk4"}, {"points", "implicit"}};

void compare(const body::Geometry& T, const std::vector<Targets>& pushes, const Contender& contender,
             double dt, benchmarks::Promises& promises) {
  const bool runge_kutta = std::string_view(contender.integrator) == "rk4";
  const bool implicit = std::string_view(contender.integrator) == "implicit";
  dynamics::StepConfig config;
  config.dt = dt;
  config.integrator = contender.integrator;
  config.source.model = "soft_potential";
  config.source.settings = {{"field", contender.field}};
  Times sum;
  double error = 0;
  std::size_t places = 0;
  int touching = 0, peer_touching = 0;
  for (const Targets& targets : pushes) {
    Ours ours(T, targets, config);
    Peer peer(targets, runge_kutta ? mjINT_RK4 : mjINT_EULER, dt);
    dynamics::StepConfig exact = config;
    if (implicit) exact.integrator_settings = {{"tolerance", "1e-12"}};
    error = std::max(error, Ours(T, targets, exact).error());
    const Times times = time(ours, peer);
    sum.step += times.step / kSequences;
    sum.derivatives += times.derivatives / kSequences;
    sum.peer_step += times.peer_step / kSequences;
    sum.peer_matrices += times.peer_matrices / kSequences;
    places += ours.places();
    touching += ours.touching();
    peer_touching += peer.touching();
  }
  const double ratio = sum.derivatives / sum.peer_matrices;
  fmt::print("| {} | {} | {:g} | {} ({}) of {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.2f} | {:.1e} |\n",
             contender.field, contender.integrator, 1e3 * dt, touching, peer_touching, places, sum.step,
             sum.derivatives, sum.peer_step, sum.peer_matrices, ratio, error);
  std::fflush(stdout);
  const std::string who = fmt::format("{}, {} at {:g} ms: ", contender.field, contender.integrator, 1e3 * dt);
  promises.at_most(who + "derivatives from differences", error, implicit ? kGreatestImplicit : kGreatest);
  if (std::string_view(contender.field) == "grid" && !implicit)
    promises.at_most(who + "step with derivatives over MuJoCo's matrices", ratio, 1);
}

int run(int count, char** words) {
  const int points = count > 1 ? std::stoi(words[1]) : 26;
  const body::Geometry T = tpush::meshed_t(points);
  std::vector<Targets> pushes;
  for (int k = 1; k <= kSequences; ++k)
    pushes.push_back(
        tpush::read_targets(benchmarks::require_reference(fmt::format("tpush/ctrl_{}.csv", k)).string()));
  fmt::print("A T of {} points, MuJoCo {}; times in ms\n", T.points().point_count, mj_versionString());
  fmt::print(
      "| field | integrator | step, ms | places in contact (MuJoCo's) | step | with derivatives | MuJoCo's "
      "step | "
      "its matrices | with derivatives over matrices | off differences |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  benchmarks::Promises promises;
  for (const Contender& contender : kContenders)
    for (const double dt : {2e-3, 8e-3, 16e-3}) compare(T, pushes, contender, dt, promises);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("transition_matrices", run, argc, argv); }
