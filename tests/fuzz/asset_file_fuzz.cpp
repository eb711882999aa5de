// Any bytes as an asset file: refused with an abut::Error (a digest does not come about by chance).
#include "runtime/asset/reader.h"
#include "runtime/core/error.h"
#include "tests/fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (void)abut::asset::load(scratch_file(data, size, ".h5"));
    __builtin_trap();
  } catch (const abut::Error&) {
  }
  return 0;
}
