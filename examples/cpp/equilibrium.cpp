// Where a mug comes to rest on a box, by Newton's method on its wrench: from a tilted place above the box,
// where nothing touches yet.
//   equilibrium MUG.h5 BOX.h5 [PAGE.html]    the page plays the iterates
#include <cstdio>
#include <exception>

#include "runtime/asset/reader.h"
#include "runtime/contact/model.h"
#include "runtime/dynamics/step/scene_page.h"

using namespace abut;

namespace {

constexpr double kLength = 0.05,
                 kMaxMove = 0.002;  // m: makes torques forces and turns shifts; a step at most
constexpr int kMaxSteps = 300;
constexpr double kDensity = 1100;  // kg/m^3

struct Rest {
  double energy;   // J
  Vec6<double> F;  // (tau / kLength; f) on the mug about its origin, in its axes, N
  Mat6<double> J;  // by (kLength w; v), N/m
};

// Contact and gravity, in the frame of the box.
Rest rest(contact::Model& model, const body::Pair& pair, const Vec3<double>& up) {
  const contact::PairWrench contact = model.wrench(pair, contact::Want::kJacobian | contact::Want::kEnergy);
  const asset::MassProperties& mass = pair.B->geometry.mass();
  const Vec3<double> com = Vec3<double>::Map(mass.center_of_mass);
  const Vec3<double> weight = -9.81 * kDensity * mass.volume * up;
  const Vec3<double> f = pair.X_AB.R.transpose() * weight;
  Vec6<double> scale;
  scale << Vec3<double>::Constant(1 / kLength), Vec3<double>::Ones();
  Rest result{contact.energy - weight.dot(pair.X_AB * com), contact.F_BBo_B, contact.dF_dxi_B};
  result.F.head<3>() += com.cross(f);
  result.F.tail<3>() += f;
  result.J.topLeftCorner<3, 3>() += skew(com) * skew(f);  // the mug turns under its weight
  result.J.bottomLeftCorner<3, 3>() += skew(f);
  result.F = scale.cwiseProduct(result.F);
  result.J = scale.asDiagonal() * result.J * scale.asDiagonal();
  return result;
}

int run(int argc, char** argv) {
  const body::Body box{body::Geometry(asset::load(argv[2])), {.friction = 0}};
  const body::Body mug{body::Geometry(asset::load(argv[1])), {.friction = 0}};
  // How far a hull reaches from its centre of mass along an axis, m.
  const auto centre = [](const body::Body& b) { return Vec3<double>::Map(b.geometry.mass().center_of_mass); };
  const auto reach = [&](const body::Body& b, const Vec3<double>& axis) {
    const asset::ConvexView& hull = b.geometry.convex();
    double farthest = 0;
    for (std::int32_t i = 0; i < hull.vertex_count; ++i)
      farthest = std::max(farthest, axis.dot(Vec3<double>(hull.x[i], hull.y[i], hull.z[i]) - centre(b)));
    return farthest;
  };
  // The mug stands above the middle of the box's widest face.
  Vec3<double> up = Vec3<double>::UnitX();
  for (int k = 1; k < 3; ++k)
    if (reach(box, Vec3<double>::Unit(k)) < reach(box, up)) up = Vec3<double>::Unit(k);
  const Mat3<double> upright = shortest_rotation<double>(Vec3<double>::UnitZ(), up);
  body::Pair pair{&box, &mug, {upright * exp_rotation<double>({0.06, -0.04, 0.4}), {}}};
  pair.X_AB.p = centre(box) - pair.X_AB.R * centre(mug) +
                (reach(box, up) + reach(mug, -Vec3<double>::UnitZ()) + 0.005) * up;
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
