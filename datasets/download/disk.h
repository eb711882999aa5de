#pragma once

#include <filesystem>
#include <string>

#include "runtime/core/error.h"

// Errors of writing into a collection.
namespace abut::datasets {

// Thrown if the disk is full or the user's quota is exhausted, so that nothing more can be written.
class DiskFull : public IoError {
 public:
  using IoError::IoError;
};

// Throws an error that `place` cannot be written, or another failure given by `what`, with the system's
// reason `error` (an errno): DiskFull if that is the reason, else IoError.
[[noreturn]] void fail_to_write(const std::filesystem::path& place, int error,
                                const std::string& what = "cannot write");

}  // namespace abut::datasets
