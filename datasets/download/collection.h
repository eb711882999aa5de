#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/download/fetch.h"
#include "datasets/download/manifest.h"
#include "datasets/download/unpack.h"

// A folder of downloaded objects, in a layout that open_dataset() reads. Its hidden folder .abut contains a
// record for each object and variant, with the digests of its files, and the remains of interrupted
// downloads.
namespace abut::datasets {

class Collection {
 public:
  // Makes the folder. Throws IoError if that fails, or if another download is running there.
  explicit Collection(const std::filesystem::path& folder);
  ~Collection();
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  struct Got {
    bool was_there = false;
    std::size_t files = 0;
    std::uint64_t bytes = 0;  // of the archive
  };

  // Downloads, verifies (against the manifest's digest if it has one) and unpacks an object, unless it is
  // already there completely. The next call resumes an interrupted transfer, and does not fetch a complete
  // archive again. A refused archive is removed, with everything unpacked from it. Throws IoError (DiskFull),
  // InvalidInput.
  Got get(const Manifest& manifest, const Variant& variant, const std::string& object,
          const FetchOptions& options, const FetchProgress& progress);

 private:
  std::filesystem::path folder_, hidden_;
  int lock_ = -1;
};

struct Check {
  std::size_t objects = 0, files = 0;
  std::vector<std::string> problems;  // one line each
};

// Compares every file of every record in `folder` with its digest. Records that are damaged or cannot be read
// are among the problems. Throws IoError if `folder` is not a folder; InvalidInput if there is no record.
Check check_collection(const std::filesystem::path& folder, const std::function<void(std::size_t)>& progress);

}  // namespace abut::datasets
