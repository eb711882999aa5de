// Any bytes as the body of a recording, behind a digest that fits: a recording that a simulation could have
// made, or an abut::Error.
#include <cmath>

#include "runtime/asset/container.h"
#include "runtime/core/error.h"
#include "runtime/dynamics/step/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  const std::vector<std::byte> file =
      asset::pack_container(dynamics::kRecordingKind, {reinterpret_cast<const std::byte*>(data), size});
  try {
    const dynamics::Recording recording = dynamics::parse_recording(file, "fuzz.h5");
    if (recording.end.bodies.size() != recording.bodies.size()) __builtin_trap();
    for (const double number : recording.positions)
      if (!std::isfinite(number)) __builtin_trap();
    if (recording.end_steps < 0) __builtin_trap();
  } catch (const Error&) {
  }
  return 0;
}
