// A pile of non-convex bodies poured into a bin: cost per step against the number of contacts, and whether it
// comes to rest.
//   kaufman2005_pile [MOST_BODIES [ASSETS]] > pile.csv      gnuplot -c plot.gp pile.csv pile.png
// Jacks and rings; with a folder of assets every third body is one of them, in turn.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <optional>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/program.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/dynamics/frictional/simulation.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

constexpr double kDt = 2e-3, kPour = 1.2, kSettle = 3.0;  // s
constexpr double kThick = 0.012;                          // half thickness of jacks and rings, m
constexpr double kPitch = 0.17, kObjectPitch = 0.3;       // m between bodies at first; with assets
constexpr double kDensity = 400;                          // of the assets, kg/m^3

Shape box(const Vec3<double>& half, const Pose<double>& X_BS) {
  Shape shape;
  shape.size = half;
  shape.X_BS = X_BS;
  return shape;
}

// Three crossed bars, or a ring of eight: not convex, either of them. Moments are those of the reference
// scenes' bodies of the same make.
Body make_body(int k) {
  Body body;
  body.name = "b" + std::to_string(k);
  body.mass = 0.2;
  if (k % 2 == 0) {
    for (int axis = 0; axis < 3; ++axis) {
      Vec3<double> half = Vec3<double>::Constant(kThick);
      half[axis] = 0.07;
      body.shapes.push_back(box(half, {}));
    }
    body.inertia.setConstant(0.00023);
  } else {
    const double radius = 0.06;
    for (int i = 0; i < 8; ++i) {
      const double angle = std::numbers::pi / 4 * i;
      body.shapes.push_back(box(
          {kThick, radius * std::tan(std::numbers::pi / 8), kThick},
          {exp_rotation<double>({0, 0, angle}), {radius * std::cos(angle), radius * std::sin(angle), 0}}));
    }
    body.inertia = {0.000395, 0.000395, 0.000771};
  }
  return body;
}

using Objects = std::vector<const asset::AssetView*>;

// Bodies in layers above a square bin whose width grows with the square root of their number.
Scene pile(int bodies, const Objects& objects) {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  scene.mu = 0.5;
  const int side = std::max(3, static_cast<int>(std::lround(std::sqrt(bodies / 10.0))));
  const double pitch = objects.empty() ? kPitch : kObjectPitch, wall = side * pitch / 2 + 0.05;
  Shape floor;
  floor.kind = ShapeKind::kPlane;
  scene.fixed.push_back(floor);
  for (int k = 0; k < 4; ++k) {
    const Mat3<double> R = exp_rotation<double>({0, 0, std::numbers::pi / 2 * k});
    scene.fixed.push_back(box({0.05, wall + 0.1, 3}, {R, R * Vec3<double>(wall + 0.05, 0, 3)}));
  }
  Random random(1);
  for (int k = 0; k < bodies; ++k) {
    const int layer = k / (side * side), place = k % (side * side);
    const Vec3<double> p_W{(place % side - (side - 1) / 2.0) * pitch,
                           (place / side - (side - 1) / 2.0) * pitch, 0.15 + layer * pitch};
    const Eigen::Quaterniond q =
        Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
    if (!objects.empty() && k % 3 == 2) {
      const asset::AssetView& object = *objects[static_cast<std::size_t>(k / 3) % objects.size()];
      Body body = object_body("b" + std::to_string(k), object, kDensity, {q.toRotationMatrix(), {}});
      body.p_WB = p_W;
      scene.bodies.push_back(body);
      continue;
    }
    Body body = make_body(k);
    body.p_WB = p_W;
    body.q_WB = {q.w(), q.x(), q.y(), q.z()};
    scene.bodies.push_back(body);
  }
  return scene;
}

double peak_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run(int bodies, const Objects& objects) {
  Simulation simulation(pile(bodies, objects));
  double seconds = 0, contacts = 0, fastest = 0, deepest = 0;
  int counted = 0;
  while (simulation.time() < kPour + kSettle) {
    const std::clock_t start = std::clock();
    const StepReport& report = simulation.step();
    if (simulation.time() < kPour) continue;
    seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    contacts += report.contacts;
    deepest = std::max(deepest, report.penetration);
    ++counted;
  }
  double sum = 0;
  for (const BodyState& state : simulation.states()) {
    sum += state.v_WB.norm();
    fastest = std::max(fastest, state.v_WB.norm());
  }
  std::printf("%d,%.1f,%.4f,%.4f,%.5f,%.5f,%.3f,%.1f\n", bodies, contacts / counted, 1e3 * seconds / counted,
              1e6 * seconds / contacts, sum / bodies, fastest, 1e3 * deepest, peak_mib());
  std::fflush(stdout);
}

int run_all(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (most < 63)
    throw InvalidInput(std::string("the most bodies are ") + argv[1] + "; give a number from 63 on");
  std::optional<cli::AssetFolder> folder;
  Objects objects;
  if (argc > 2) folder.emplace(argv[2]);
  if (folder)
    for (const std::string& name : folder->names()) objects.push_back(&(*folder)[name]);
  std::printf("# commit %s, flags %s\n", ABUT_COMMIT, ABUT_FLAGS);
  std::printf(
      "bodies,contacts,ms_per_step,us_per_contact,mean_speed,greatest_speed,greatest_depth_mm,peak_MiB\n");
  for (const int bodies : {63, 125, 250, 500, 1000})
    if (bodies <= most) run(bodies, objects);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return abut::cli::run_program("kaufman2005_pile", run_all, argc, argv); }
