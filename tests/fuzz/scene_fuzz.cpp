// Any bytes as a scene: one that moves a few steps or says why not, or an abut::Error. Its digest is its own.
#include <sstream>

#include "runtime/core/error.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_digest.h"
#include "runtime/dynamics/system/scene_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  constexpr std::size_t kMaxShapes = 20;  // that are set in motion: few enough to do so in no time
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  const auto no_asset = [](const std::string& name) -> body::Geometry {
    throw InvalidInput("no asset '" + name + "'");
  };
  try {
    const dynamics::Scene scene = dynamics::read_scene(in, "fuzz.scn", no_asset);
    if (dynamics::digest(scene).size() < 32) __builtin_trap();
    std::size_t shapes = scene.fixed.size();
    for (const dynamics::Body& body : scene.bodies) shapes += body.shapes.size();
    if (shapes > kMaxShapes) return 0;
    dynamics::Simulation simulation(scene);
    for (int step = 0; step < 2; ++step) simulation.step();
  } catch (const Error&) {
  }
  return 0;
}
