// Any bytes as an archive: files within its folder and its limits, or an abut::Error.
#include <algorithm>
#include <numeric>

#include "datasets/download/unpack.h"
#include "runtime/core/error.h"
#include "tests/fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut::datasets;
  namespace fs = std::filesystem;
  constexpr UnpackLimits kLimits{.max_files = 50, .max_bytes = 1 << 20, .max_ratio = 200};
  const fs::path archive = scratch_file(data, size, ".archive"), folder = archive.string() + ".d";
  fs::remove_all(folder);
  fs::create_directory(folder);
  try {
    std::uint64_t bytes = 0;
    for (const StoredFile& file : unpack(
             archive, folder, kLimits, [] { return true; }, "fuzz")) {
      const fs::path path = folder / file.path;
      const fs::path inside(file.path);
      if (inside.is_absolute() || std::find(inside.begin(), inside.end(), "..") != inside.end())
        __builtin_trap();
      if (!fs::is_regular_file(fs::symlink_status(path)) || fs::file_size(path) != file.bytes)
        __builtin_trap();
      bytes += file.bytes;
    }
    if (bytes > kLimits.max_bytes) __builtin_trap();
  } catch (const abut::Error&) {
  }
  return 0;
}
