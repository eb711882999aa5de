// A scene in code: two objects fall on a table with friction; a web page plays what happens.
//   scene A.h5 B.h5 PAGE.html
#include <cstdio>
#include <exception>

#include <abut/asset/reader.h>
#include <abut/dynamics/step/recording.h>
#include <abut/dynamics/step/scene_page.h>

using namespace abut;

int main(int argc, char** argv) try {
  if (argc != 4) throw InvalidInput("usage: scene A.h5 B.h5 PAGE.html");
  constexpr double kDensity = 400;  // kg/m^3
  dynamics::Scene scene;
  scene.gravity = {0, 0, -9.81};
  scene.fixed.push_back({body::Geometry(body::HalfSpace<double>{}), {}});  // the table: z <= 0
  double height = 0.15;                                                    // m
  for (int k = 1; k <= 2; ++k, height += 0.25) {
    Pose<double> X_WO;
    X_WO.p = {0.02 * k, 0, height};
    const body::Geometry geometry(asset::load(argv[k]));
    scene.bodies.push_back(dynamics::object_body(geometry.name(), geometry, kDensity, X_WO));
  }
  scene.set_material({.friction = 0.4});

  dynamics::Simulation simulation(scene);
  dynamics::Recording recording;
  recording.set_scene(simulation);
  while (simulation.time() < 1.5) {
    if (simulation.steps() % 10 == 0) recording.add_frame(simulation);
    simulation.step();
  }
  dynamics::write_scene_page(scene, recording, argv[3]);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Vec3<double> p = simulation.states()[i].p_WB;
    std::printf("%s: (%.4f, %.4f, %.4f) m after %.2f s\n", scene.bodies[i].name.c_str(), p.x(), p.y(), p.z(),
                simulation.time());
  }
  std::printf("%d contacts; open %s in a browser\n", simulation.report().contacts, argv[3]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "scene: %s\n", error.what());
  return 1;
}
