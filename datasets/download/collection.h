#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/download/fetch.h"
#include "datasets/download/manifest.h"
#include "datasets/download/unpack.h"

// A folder of downloaded objects, in the layout that open_dataset() reads, and in its hidden folder .abut
// what is known of them: a record for each object and variant with the digests of its files, and what a
// broken download left.
namespace abut::datasets {

class Collection {
 public:
  // Makes the folder. Throws IoError where that fails, or another download is at work there.
  explicit Collection(const std::filesystem::path& folder);
  ~Collection();
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  struct Got {
    bool was_there = false;
    std::size_t files = 0;
    std::uint64_t bytes = 0;  // of the archive
  };

  // Downloads, verifies (against the manifest's digest where it has one) and unpacks an object, unless it is
  // there whole. A transfer that is broken off is continued by the next call, and an archive that has come is
  // not fetched again; one that is refused is removed, with all that was unpacked of it. Throws IoError
  // (DiskFull), InvalidInput.
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

// Compares every file of every record in `folder` with its size and digest. Throws IoError where
// `folder` is none; InvalidInput where there is no record or one is damaged.
Check check_collection(const std::filesystem::path& folder, const std::function<void(std::size_t)>& progress);

}  // namespace abut::datasets
