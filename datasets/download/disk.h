#pragma once

#include <filesystem>
#include <string>

#include "runtime/core/error.h"

// Failures of writing into a collection.
namespace abut::datasets {

// The disk or the user's share of it is full, so that nothing more can be written.
class DiskFull : public IoError {
 public:
  using IoError::IoError;
};

// Throws the system's reason, an errno, why `place` cannot be written or what else `what` says: DiskFull
// where that is it, else IoError.
[[noreturn]] void fail_to_write(const std::filesystem::path& place, int error,
                                const std::string& what = "cannot write");

}  // namespace abut::datasets
