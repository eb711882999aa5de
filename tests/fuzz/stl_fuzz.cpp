#include "tests/fuzz/mesh_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz_mesh(data, size, ".stl");
}
