#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include "datasets/household.h"
#include "runtime/core/error.h"

// What benchmarks run on. The reference data (folder ABUT_SHARED_DIR when the project was configured) is not
// part of the repository: scanned objects, reference queries, simulations by others.
namespace abut::benchmarks {

inline std::filesystem::path reference_data() { return std::filesystem::path(ABUT_SHARED_DIR) / "data"; }

// A folder of objects in the YCB layout: the one given, or the scanned objects of the reference data, or,
// where they are missing too, the synthetic household set, which is written to a temporary folder.
inline std::filesystem::path objects_folder(const std::string& given = "") {
  if (!given.empty()) return given;
  const std::filesystem::path scanned = reference_data() / "ycb";
  if (std::filesystem::exists(scanned)) return scanned;
  const std::filesystem::path made = std::filesystem::temp_directory_path() / "abut_household";
  std::fprintf(stderr, "%s is missing: synthetic household objects (%s) stand in for scanned ones\n",
               scanned.c_str(), made.c_str());
  datasets::write_household(made);
  return made;
}

inline constexpr const char* kObjectsHelp =
    "folder of the YCB layout; default: the reference data's, else synthetic household objects";

// A file or folder of the reference data that nothing can stand in for. Throws InvalidInput where it is
// missing, saying what to do.
inline std::filesystem::path require_reference(const std::string& relative) {
  std::filesystem::path path = reference_data() / relative;
  if (!std::filesystem::exists(path))
    throw InvalidInput("needs " + path.string() +
                       " of the reference data, which is not part of the repository; configure with "
                       "-DABUT_SHARED_DIR=FOLDER, the folder that has data/" +
                       relative);
  return path;
}

}  // namespace abut::benchmarks
