// The example scene in which a hand lifts a mug out of a pile, under the default integrator and solver.
#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/cli/control_file.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_file.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

struct Place {
  Vec3<double> mug, in_hand;
};

Place place(const Simulation& simulation) {
  std::size_t mug = 0, finger = 0;
  while (simulation.scene().bodies[mug].name != "mug") ++mug;
  while (simulation.scene().bodies[finger].name != "inner") ++finger;
  const Vec3<double> p_W = simulation.states()[mug].p_WB;
  return {p_W, p_W - simulation.states()[finger].p_WB};  // the hand does not turn
}

TEST(Lift, AHandLiftsAMugOutOfAPile) {
  const std::filesystem::path folder = std::filesystem::path(ABUT_EXAMPLES_DIR) / "scenes";
  const Scene scene = read_scene((folder / "lift.scn").string(), [](const std::string&) -> body::Geometry {
    throw InvalidInput("the scene has no assets");
  });
  for (const double dt : {2e-3, 4e-3, 8e-3}) {
    SCOPED_TRACE(dt);
    Simulation simulation(scene, {.dt = dt});
    cli::JointControlFile joints((folder / "lift.csv").string(), simulation.system());
    double deep = 0, rise = 0;
    Place start = place(simulation), held = start;
    while (simulation.time() < scene.duration) {
      if (simulation.time() < 1.9) start = place(simulation);
      if (simulation.time() < 3.6) held = place(simulation);
      Control control;
      joints.add(simulation.time(), control);
      const double before = simulation.report().kinetic + simulation.report().potential;
      const StepReport& report = simulation.step(control);
      rise = std::max(
          rise, report.kinetic + report.potential - before - report.control_work - report.stabilisation_work);
      if (simulation.time() > 1) deep = std::max(deep, report.penetration);
      EXPECT_LT(report.solver.residual, kGreatestResidual);
    }
    const Place end = place(simulation);
    EXPECT_NEAR(end.mug.z() - start.mug.z(), 0.25, 1e-3);
    EXPECT_LT((end.in_hand - start.in_hand).norm(), 1e-4);
    EXPECT_LT((end.in_hand - held.in_hand).norm(), 1e-6);
    EXPECT_LT(deep, 5e-4);
    EXPECT_LT(rise, 1e-10);
  }
}

}  // namespace
