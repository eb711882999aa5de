#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/record.h"

// Archives of objects (tar with gzip, bzip2, xz or zstd; zip), by libarchive.
namespace abut::datasets {

struct UnpackLimits {
  std::size_t max_files = 20'000;                     // and folders
  std::uint64_t max_bytes = std::uint64_t{16} << 30;  // of all files
  // Of all files by the archive's bytes, once there are kFreeBytes: meshes and pictures shrink by far less.
  double max_ratio = 200;
};

// Unpacks into `folder`, which is empty. Files and folders alone: an archive with a link, a device, a path
// that leads out of the folder, the same path twice, or that swells beyond the limits is refused as a whole;
// so is a damaged one. Modes and owners are those of new files. `go_on` is asked between blocks and entries.
// Throws InvalidInput naming the archive, as `name`, and the entry, IoError (DiskFull) where files cannot be
// written or `go_on` says no.
std::vector<StoredFile> unpack(const std::filesystem::path& archive, const std::filesystem::path& folder,
                               const UnpackLimits& limits, const std::function<bool()>& go_on,
                               const std::string& name);

}  // namespace abut::datasets
