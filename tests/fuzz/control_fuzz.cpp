// Any bytes as forces on bodies, and as targets of joints: numbers at every time, or an abut::Error.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "runtime/cli/control_file.h"
#include "runtime/core/error.h"
#include "runtime/dynamics/system/scene_file.h"
#include "tests/fuzz/scratch_file.h"

namespace {

using namespace abut;

const dynamics::System& system_of_two() {
  static const dynamics::System system = [] {
    std::istringstream text(
        "body a 1 0.01 0.01 0.01 0 0 0 1 0 0 0 0 0 0 0 0 0 1\nsphere 0.1 0 0 0 1 0 0 0\n"
        "joint j revolute world 0 0 0 1 0 0 0 0 0 1 stiffness 2\n"
        "body b 1 0.01 0.01 0.01 1 0 0 1 0 0 0 0 0 0 0 0 0 1\nsphere 0.1 0 0 0 1 0 0 0\n");
    return dynamics::System(dynamics::read_scene(
        text, "fuzz.scn",
        [](const std::string& name) -> body::Geometry { throw InvalidInput("no asset '" + name + "'"); }));
  }();
  return system;
}

void check(std::span<const double> numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
    __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = scratch_file(data, size, ".csv").string();
  try {
    cli::ControlFile control(file, system_of_two());
    for (const double time : {0.0, 0.5, 1e3})
      for (const Vec6<double>& F : control.at(time).F_BBcm_W) check({F.data(), 6});
  } catch (const Error&) {
  }
  try {
    cli::JointControlFile joints(file, system_of_two());
    dynamics::Control control;
    for (const double time : {0.0, 0.5, 1e3}) {
      joints.add(time, control);
      check(control.joint_force), check(control.joint_target);
    }
  } catch (const Error&) {
  }
  return 0;
}
