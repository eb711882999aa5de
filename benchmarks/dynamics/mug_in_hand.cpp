// The Franka arm of the reference data grips a YCB mug by its wall, lifts it off a pedestal and holds it for
// ten seconds, in implicit steps of 8 ms, as examples/scenes/mug_in_hand.scn says: how far the mug slips in
// the hand.
//   mug_in_hand [PICTURE]    PICTURE: a strip of views (PNG)
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "benchmarks/support/scene_run.h"
#include "benchmarks/support/scene_strip.h"
#include "benchmarks/support/soft_contact.h"
#include "datasets/dataset.h"

namespace {

using namespace abut;
using namespace dynamics;

constexpr double kStep = 8e-3, kHeld = 3, kEnd = 13;  // s; from when to when places are compared
constexpr double kViews[] = {0, 1, kHeld, kEnd};      // s

// Assets by the names that the scene has for them; each is made once.
class Assets {
 public:
  const body::Geometry& operator[](const std::string& name) {
    const auto known = made_.find(name);
    if (known != made_.end()) return known->second;
    const bool mug = name == "025_mug";
    const std::string file =
        mug ? "ycb/025_mug/google_16k/textured.obj" : "robots/franka/collision/" + name + ".stl";
    return made_
        .emplace(name, benchmarks::made_asset(name, benchmarks::require_reference(file), mug ? 2000 : 300))
        .first->second;
  }

 private:
  std::map<std::string, body::Geometry> made_;
};

struct Figures {
  double rise = 0, slip = 0, turn = 0;  // m, m, rad
  int failed = 0, iterations = 0;
};

// Of the hand and the mug on its pedestal, at some times.
class Views {
 public:
  explicit Views(const Scene& scene) : strip_(scene, {.center = {0.42, 0.03, 0.46}, .radius = 0.2}) {}

  void look(const Simulation& simulation) {
    if (next_ == std::size(kViews) || simulation.time() < kViews[next_] - kStep / 2) return;
    strip_.add(simulation.states(), fmt::format("{:.0f} s", kViews[next_++]));
  }
  void write(const std::string& file) const { preprocess::write_png(strip_.image(), file); }

 private:
  benchmarks::SceneStrip strip_;
  std::size_t next_ = 0;
};

// `picture`: file of the views; empty: none.
Figures hold(Assets& assets, const std::string& picture) {
  StepConfig config;
  config.dt = kStep;
  config.integrator = "implicit";
  config.source = {.model = "soft_potential"};
  benchmarks::SceneRun run(
      "mug_in_hand", benchmarks::Controlled::kJoints, config,
      [&](const std::string& name) { return assets[name]; }, benchmarks::require_reference("robots/franka"));
  const double start = run.pose("mug").p.z();
  Pose<double> X_FM;
  Figures figures;
  Views views(run.simulation().scene());
  if (!picture.empty()) views.look(run.simulation());
  while (run.time() < kEnd) {
    run.step();
    if (!picture.empty()) views.look(run.simulation());
    figures.iterations += run.simulation().report().solver.iterations;
    const Pose<double> X = run.pose("fer/leftfinger").inverse() * run.pose("mug");
    if (run.time() < kHeld) X_FM = X;
    figures.slip = std::max(figures.slip, (X.p - X_FM.p).norm());
    figures.turn = std::max(figures.turn, benchmarks::turn(X_FM.R.transpose() * X.R));
  }
  if (!picture.empty()) views.write(picture);
  figures.rise = run.pose("mug").p.z() - start;
  figures.failed = run.failed();
  return figures;
}

int run(int count, char** words) {
  fmt::print(
      "| lifted, mm | slip in {:g} s, mm | turn in the hand, mrad | steps without an answer | Newton's "
      "iterations a step |\n|---|---|---|---|---|\n",
      kEnd - kHeld);
  Assets assets;
  const Figures figures = hold(assets, count > 1 ? words[1] : "");
  fmt::print("| {:.1f} | {:.4f} | {:.3f} | {} | {:.1f} |\n", 1e3 * figures.rise, 1e3 * figures.slip,
             1e3 * figures.turn, figures.failed, figures.iterations * kStep / kEnd);
  benchmarks::Promises promises;
  promises.at_least("lifted, mm", 1e3 * figures.rise, 30);
  promises.at_most("slip of the mug in the hand, mm", 1e3 * figures.slip, 0.1);
  promises.at_most("steps without an answer", figures.failed, 0);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("mug_in_hand", run, argc, argv); }
