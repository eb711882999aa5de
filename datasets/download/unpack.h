#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/record.h"

// Unpacks archives of objects (tar with gzip, bzip2, xz or zstd; zip), by libarchive.
namespace abut::datasets {

struct UnpackLimits {
  std::size_t max_files = 20'000;                     // includes folders
  std::uint64_t max_bytes = std::uint64_t{16} << 30;  // of all files
  // Upper bound of the unpacked size over the archive's, checked beyond kFreeBytes: meshes and pictures
  // compress by far less.
  double max_ratio = 200;
};

// Unpacks `archive` into `folder`, which must be empty. Only files and folders are allowed: an archive with a
// link, a device, a path that leads out of the folder or a duplicate path, and one that unpacks beyond the
// limits, is refused as a whole; so is a damaged one. Modes and owners are those of new files. `go_on` is
// called between blocks and entries. Throws InvalidInput naming the archive, as `name`, and the entry;
// IoError (DiskFull) if files cannot be written or `go_on` returns false.
std::vector<StoredFile> unpack(const std::filesystem::path& archive, const std::filesystem::path& folder,
                               const UnpackLimits& limits, const std::function<bool()>& go_on,
                               const std::string& name);

}  // namespace abut::datasets
