#include "datasets/download/disk.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace abut::datasets {

void fail_to_write(const std::filesystem::path& place, int error, const std::string& what) {
  const char* reason = std::strerror(error);
  if (error == ENOSPC || error == EDQUOT)
    throw DiskFull(fmt::format("{}: the disk is full ({}); free some space and run again to continue",
                               place.string(), reason));
  throw IoError(fmt::format("{}: {}: {}", place.string(), what, reason));
}

}  // namespace abut::datasets
