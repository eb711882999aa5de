// Fingertips meet chosen points of a mug, and no finger goes into it: those of a hand of 20 joints that is
// built here, or, with a URDF file, those of the Franka arm.
//   grasp MUG.h5 [PAGE.html [fer.urdf]]    the page plays the iterates
#include <cstdio>
#include <exception>

#include <abut/asset/reader.h>

#include "hands.h"

using namespace abut;
using namespace dynamics;

namespace {

// The closest point of the object to p_O, and the outward normal there.
std::pair<Vec3<double>, Vec3<double>> on(const asset::SurfaceView& object, const Vec3<double>& p_O) {
  const auto d = distance::signed_distance<double>(object, p_O);
  return {d.closest, d.gradient};
}

// Where tips shall be; puts the mug below the Franka hand.
void choose_points(bool franka, const System& system, const Vec3<double>& middle, double top,
                   grasp::Problem& problem) {
  if (!franka) {
    for (std::size_t f = 0; f < 5; ++f) {
      const double height = f < 4 ? 0.018 * (static_cast<double>(f) - 1.5) : 0;  // m
      const auto [p_O, n_O] = on(problem.object, middle + Vec3<double>(0.02, f < 4 ? 0.2 : -0.2, height));
      problem.tips[f].target_W = p_O + 0.0072 * n_O;  // of the middle of its ball: grasp::kClearance above
    }
    return;
  }
  const auto [outside, n] = on(problem.object, {middle.x(), middle.y() + 0.2, top - 0.02});
  const Vec3<double> inside = on(problem.object, outside - 0.012 * n).first;
  const State state = system.initial_state();
  std::vector<Vec3<double>> tips;
  for (const grasp::Tip& tip : problem.tips)
    tips.push_back(state.bodies[tip.body].q_WB * tip.p_BQ + state.bodies[tip.body].p_WB);
  problem.X_WO.p = (tips[0] + tips[1]) / 2 + Vec3<double>(0.015, 0.01, -0.03) - outside;
  const bool left_outside = (tips[0] - tips[1]).dot(n) > 0;
  problem.tips[0].target_W = problem.X_WO * (left_outside ? outside : inside);
  problem.tips[1].target_W = problem.X_WO * (left_outside ? inside : outside);
}

int run(int argc, char** argv) {
  const bool franka = argc > 3;
  const body::Geometry mug(asset::load(argv[1]));
  const Vec3<double> middle = Vec3<double>::Map(mug.mass().center_of_mass);
  const double* z = mug.convex().z;
  const double top = *std::max_element(z, z + mug.convex().vertex_count);
  Mat3<double> R_WP;  // the palm looks along x, its fingers point along y
  R_WP << 0, 0, -1, 0, 1, 0, 1, 0, 0;
  Scene scene;
  grasp::Problem problem{{}, {}, mug.surface(), {}};
  franka ? grasp::add_franka(scene, argv[3], problem)
         : grasp::add_hand(scene, {R_WP, middle - Vec3<double>(0.09, 0, 0)}, problem);
  choose_points(franka, System(scene), middle, top, problem);
  scene.bodies.push_back(object_body("mug", mug, 1100, problem.X_WO));
  for (std::size_t i = 0; i + 1 < scene.bodies.size(); ++i)
    for (const Shape& shape : scene.bodies[i].shapes)
      if (const auto* box = shape.geometry.as<body::Box<double>>()) {
        for (int k = 0; k < 8; ++k) {
          const Vec3<double> corner(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
          problem.samples.push_back({i, shape.X_BS * box->half.cwiseProduct(corner), 0});
        }
      } else if (!franka) {
        problem.samples.push_back({i, shape.X_BS.p, shape.geometry.as<body::Sphere<double>>()->radius});
      }
  Simulation player(scene, {.dt = 0.1, .integrator = "implicit", .source = {.model = "soft_potential"}});
  Recording recording;
  recording.add_frame(player);
  State state = player.state();
  const grasp::Residuals end = grasp::refine(problem, player.system(), state, [&](const State& now) {
    player.restore(now, player.steps() + 1);
    recording.add_frame(player);
  });
  std::printf("%d joints, %d iterates: fingertips %.2g mm off their points at most, deepest ball %.2g mm\n",
              static_cast<int>(state.q.size()) - (franka ? 0 : 7), static_cast<int>(player.steps()),
              1e3 * end.miss, 1e3 * end.depth);
  if (argc > 2) write_scene_page(scene, recording, argv[2]);
  return end.miss < 1e-4 && end.depth < 1e-5 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc >= 2) return run(argc, argv);
  std::fprintf(stderr, "usage: grasp MUG.h5 [PAGE.html [fer.urdf]]\n");
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "grasp: %s\n", error.what());
  return 2;
}
