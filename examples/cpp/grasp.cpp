// Fingertips meet chosen points of a mug, and no finger goes into it: those of a hand of 20 joints that is
// built here, or, with a URDF file, those of the Franka arm.
//   grasp MUG.h5 [PAGE.html [fer.urdf]]    the page plays the iterates
#include "examples/cpp/grasp.h"

#include <cstdio>
#include <exception>
#include <numbers>

#include "runtime/asset/reader.h"
#include "runtime/dynamics/system/robot.h"

using namespace abut;
using namespace dynamics;

namespace {

// Appends a link that hangs on another one, with balls of a radius along its y axis, m.
int add_link(Scene& scene, int parent, const Joint& joint, const std::vector<double>& balls, double radius) {
  const LinkInertia inertia{0.02, Vec3<double>::Zero(), 1e-5 * Mat3<double>::Identity()};
  Body& body = scene.bodies.emplace_back(link_body({joint.name, parent, joint, inertia}));
  body.group = 1;
  for (const double y : balls)
    body.shapes.push_back({body::Geometry(body::Sphere<double>{radius}),
                           body.joint->X_LB.inverse() * Pose<double>{Mat3<double>::Identity(), {0, y, 0}}});
  return static_cast<int>(scene.bodies.size()) - 1;
}

// A palm that moves freely, four fingers beside one another and a thumb, four joints each: they point along
// y of the palm and away from it, and close towards -z.
void add_hand(Scene& scene, const Pose<double>& X_WP, grasp::Problem& problem) {
  constexpr double kLengths[] = {0.045, 0.03, 0.025}, kRadius = 0.007;  // m
  Joint free;
  free.name = "palm";
  free.type = JointType::kFree;
  free.X_PJ = X_WP;
  const int palm = add_link(scene, -1, free, {}, 0);
  for (int f = 0; f < 5; ++f) {
    Joint joint;
    joint.name = "finger " + std::to_string(f);
    joint.type = JointType::kRevolute;
    joint.X_PJ.p = {0.022 * (f - 1.5), 0.035, 0};
    if (f == 4) joint.X_PJ = {exp_rotation<double>({0, 0, std::numbers::pi}), {0, -0.035, 0}};
    int link = add_link(scene, palm, joint, {}, 0);
    joint.axis_J = -Vec3<double>::UnitX();
    joint.X_PJ = {};
    for (const double length : kLengths) {
      joint.name += '+';
      link = add_link(scene, link, joint, {length / 2, length}, kRadius);
      scene.bodies.back().joint->q = VecX<double>::Constant(1, 0.5);
      joint.X_PJ.p = {0, length, 0};
    }
    problem.tips.push_back({static_cast<std::size_t>(link), scene.bodies.back().shapes.back().X_BS.p, {}});
  }
}

void add_franka(Scene& scene, const char* file, grasp::Problem& problem) {
  const auto unseen = [](const Mesh&) { return body::Geometry(body::Sphere<double>{0.01}); };
  add_robot(scene, "fer", read_urdf(file), {}, unseen);
  const double start[] = {0, -0.4, 0, -2.2, 0, 1.8, 0.785};  // rad: the hand points down
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    BodyJoint& joint = *scene.bodies[i].joint;
    if (joint.joint.type == JointType::kRevolute)
      joint.q = VecX<double>::Constant(1, start[joint.joint.name.back() - '1']);
    if (joint.joint.type != JointType::kPrismatic) continue;
    joint.q = VecX<double>::Constant(1, 0.02);
    problem.tips.push_back({i, joint.X_LB.inverse() * Vec3<double>(0, 0, 0.04525), {}});  // middle of a pad
  }
}

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
  franka ? add_franka(scene, argv[3], problem)
         : add_hand(scene, {R_WP, middle - Vec3<double>(0.09, 0, 0)}, problem);
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
