// Distances of a robot arm and their derivatives by its velocities, as planners ask for them: the Franka arm
// with hand of the reference data above a table among 19 boxes, its links' pairs included, a margin of 5 cm,
// hulls, one thread. Prints the median of the rounds' processor time a state, in single calls and in a batch.
//   clearances [--states N] [--rounds N]
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "benchmarks/support/data.h"
#include "benchmarks/support/median.h"
#include "benchmarks/support/processor_time.h"
#include "preprocess/index/index.h"
#include "preprocess/mesh/read.h"
#include "runtime/core/random.h"
#include "runtime/dynamics/collide/clearance.h"
#include "runtime/dynamics/system/robot.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

body::Geometry hull_of(const Mesh& mesh) {
  preprocess::Report report;
  const preprocess::TriangleMesh hull =
      preprocess::convex_hull(preprocess::read_mesh(mesh.file, 1, report).vertices);
  asset::Asset asset;
  asset.name = mesh.file.stem().string();
  asset.surfaces.push_back(preprocess::build_surface(hull));
  asset.convex.push_back(preprocess::build_convex_piece(hull.vertices));
  return body::Geometry(std::make_shared<const asset::Asset>(std::move(asset)));
}

Scene arm_among_boxes() {
  Scene scene;
  Random random(5);
  scene.fixed.push_back(
      {body::Geometry(body::HalfSpace<double>{}), {Mat3<double>::Identity(), {0, 0, -0.05}}, {}});
  for (int i = 0; i < 19; ++i) {
    const Vec3<double> half(random.uniform(0.02, 0.1), random.uniform(0.02, 0.1), random.uniform(0.02, 0.2));
    const double angle = random.uniform(-3, 3), away = random.uniform(0.4, 0.9);
    const Vec3<double> turn(random.normal(), random.normal(), random.normal());
    const Vec3<double> p(away * std::cos(angle), away * std::sin(angle), random.uniform(0, 0.9));
    scene.fixed.push_back({body::Geometry(body::Box<double>{half}), {exp_rotation(turn), p}, {}});
  }
  add_robot(scene, "arm", read_urdf(benchmarks::require_reference("robots/franka/fer.urdf")), {}, hull_of);
  return scene;
}

int run(int argc, char** argv) {
  int count = 1000, rounds = 9;
  CLI::App app{"Distances of a robot arm and their derivatives."};
  app.add_option("--states", count)->capture_default_str();
  app.add_option("--rounds", rounds)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const System system(arm_among_boxes());
  Clearances clearances(system, {.within_groups = true, .threads = 1});
  Random random(1);
  std::vector<VecX<double>> states(static_cast<std::size_t>(count));
  for (VecX<double>& q : states) {
    q.resize(clearances.tree().tree().nq());
    for (double& angle : q) angle = random.uniform(-1.5, 1.5);
  }
  std::vector<double> single, batch;  // s
  std::size_t pairs = 0;
  for (int round = 0; round < rounds; ++round) {
    const double start = benchmarks::processor_time();
    pairs = clearances.find(states, 0.05).pairs.size();
    const double middle = benchmarks::processor_time();
    for (const VecX<double>& q : states) clearances.find({&q, 1}, 0.05);
    batch.push_back(middle - start);
    single.push_back(benchmarks::processor_time() - middle);
  }
  std::printf(
      "%zu bodies, %.1f pairs a state within 5 cm: %.1f us a state in single calls, %.1f in a batch\n",
      system.body_count(), static_cast<double>(pairs) / count, 1e6 * benchmarks::median(single) / count,
      1e6 * benchmarks::median(batch) / count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clearances: error: %s\n", error.what());
    return 2;
  }
}
