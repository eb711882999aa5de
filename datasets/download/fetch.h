#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "runtime/core/error.h"

// Downloads files over HTTP, by libcurl.
namespace abut::datasets {

struct FetchOptions {
  double stall_seconds = 30;  // time without data after which a connection is given up
  int tries = 4;              // for temporary failures: broken or stalled connections, HTTP 429 and 5xx
  std::uint64_t max_bytes = std::uint64_t{4} << 30;
};

// HTTP status 404 or 410: the requested file does not exist.
class NotThere : public IoError {
 public:
  using IoError::IoError;
};

// Called between blocks with the bytes so far and in total (0: unknown); returning false stops the transfer.
using FetchProgress = std::function<bool(std::uint64_t bytes, std::uint64_t total)>;

// Fetches `address` into `file`, following redirects to http and https (from https only to https). A file
// left by an earlier, interrupted fetch is resumed, and a complete one is reused, if the server still has the
// same content according to its ETag or date (kept in FILE.tag until forget()); else it is fetched from the
// start. Throws IoError with the address (in the form of shown_address()) and what to do: offline, refused,
// too large, stopped; DiskFull.
void fetch(const std::string& address, const std::filesystem::path& file, const FetchOptions& options,
           const FetchProgress& progress);

// Removes what fetch() left under that name, complete or not.
void forget(const std::filesystem::path& file);

// Fetches a small text, at most `kMaxText` bytes.
inline constexpr std::uint64_t kMaxText = std::uint64_t{16} << 20;
std::string fetch_text(const std::string& address, FetchOptions options, const FetchProgress& progress);

}  // namespace abut::datasets
