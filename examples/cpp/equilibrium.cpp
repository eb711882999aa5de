// Where a mug comes to rest on a box, by Newton's method on its wrench: from a tilted place above the box,
// where nothing touches yet.
//   equilibrium MUG.h5 BOX.h5 [PAGE.html]    the page plays the iterates
#include <cstdio>
#include <exception>

#include <abut/asset/reader.h>
#include <abut/dynamics/step/scene_page.h>

#include "equilibrium.h"

using namespace abut;
using namespace equilibrium;

namespace {

constexpr double kMaxMove = 0.002;  // m, of a step
constexpr int kMaxSteps = 300;

int run(int argc, char** argv) {
  const body::Body box{body::Geometry(asset::load(argv[2])), {.friction = 0}};
  const body::Body mug{body::Geometry(asset::load(argv[1])), {.friction = 0}};
  const Vec3<double> up = widest(box);
  body::Pair pair{&box, &mug, above(box, mug, up)};
  dynamics::Scene scene;
  scene.bodies.push_back(dynamics::object_body("box", box.geometry, kDensity, {}));
  scene.bodies.push_back(dynamics::object_body("mug", mug.geometry, kDensity, pair.X_AB));
  dynamics::Simulation player(scene, {.dt = 0.2});  // s an iterate
  dynamics::Recording recording;
  recording.add_frame(player);
  const auto record = [&](const Pose<double>& X_WO) {
    const dynamics::Body placed = dynamics::object_body("mug", mug.geometry, kDensity, X_WO);
    const auto& [w, x, y, z] = placed.q_WB;
    dynamics::State state = player.state();
    state.bodies[1].p_WB = placed.p_WB;
    state.bodies[1].q_WB = {w, x, y, z};
    player.restore(state, player.steps() + 1);
    recording.add_frame(player);
  };
  const auto model = contact::make_model("soft_potential");
  Rest now = rest(*model, pair, up);
  for (double damping = 1; damping < 1e12 && now.F.norm() > 1e-11 && player.steps() < kMaxSteps;) {
    Mat6<double> H =
        -(now.J + now.J.transpose()) / 2;  // of the energy; shifted until it is positive definite
    H.diagonal().array() += damping;
    const Eigen::LLT<Mat6<double>> factor(H);
    Vec6<double> xi = factor.solve(now.F);
    xi *= std::min(1.0, kMaxMove / xi.norm());
    xi.head<3>() /= kLength;
    body::Pair next = pair;
    next.X_AB = pair.X_AB * exp(xi);
    const Rest then = rest(*model, next, up);
    const bool better =
        factor.info() == Eigen::Success && (then.energy < now.energy || then.F.norm() < 0.5 * now.F.norm());
    damping = std::max(1e-9, damping * (better ? 0.2 : 5));
    if (!better) continue;
    pair = next;
    now = then;
    record(pair.X_AB);
    std::printf("%d: height %.6f mm, %.3g N left\n", static_cast<int>(player.steps()),
                1e3 * up.dot(pair.X_AB.p), now.F.norm());
  }
  const double weight = 9.81 * kDensity * mug.geometry.mass().volume;
  std::printf("the mug of %.3f N stands %.3f degrees off the upright with %.2g N left\n", weight,
              std::acos(std::min(1.0, up.dot(pair.X_AB.R.col(2)))) * 180 / M_PI, now.F.norm());
  if (argc > 3) dynamics::write_scene_page(scene, recording, argv[3]);
  return now.F.norm() < 1e-8 * weight ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc >= 3) return run(argc, argv);
  std::fprintf(stderr, "usage: equilibrium MUG.h5 BOX.h5 [PAGE.html]\n");
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "equilibrium: %s\n", error.what());
  return 2;
}
