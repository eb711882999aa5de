// Any bytes as a file of poses: rows or an abut::Error.
#include "runtime/cli/pose_file.h"
#include "runtime/core/error.h"
#include "tests/fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    abut::cli::PoseFile file(scratch_file(data, size, ".csv").string());
    abut::cli::PoseRow row;
    while (file.next(row)) {
    }
  } catch (const abut::Error&) {
  }
  return 0;
}
