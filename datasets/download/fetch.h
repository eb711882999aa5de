#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "runtime/core/error.h"

// Files over HTTP, by libcurl.
namespace abut::datasets {

struct FetchOptions {
  double stall_seconds = 30;  // without a byte, after which a connection is given up
  int tries = 4;              // of what may pass: a broken or stalled connection, HTTP 429 and 5xx
  std::uint64_t max_bytes = std::uint64_t{4} << 30;
};

// HTTP status 404 or 410: what is asked for is not there.
class NotThere : public IoError {
 public:
  using IoError::IoError;
};

// What to do between blocks: bytes so far and in all (0: unknown); false stops the transfer.
using FetchProgress = std::function<bool(std::uint64_t bytes, std::uint64_t total)>;

// Fetches `address` into `file`, following redirects to http and https (from https to https alone). A file
// that is there from an earlier, broken fetch is continued, and one that is whole is taken, where the server
// still has the same content, which it says by its ETag or date (kept in FILE.tag until forget()); else it is
// fetched anew. Throws IoError with the address (as shown_address() has it) and what to do: offline, refused,
// too large, stopped; DiskFull.
void fetch(const std::string& address, const std::filesystem::path& file, const FetchOptions& options,
           const FetchProgress& progress);

// Removes what fetch() left under that name, whether whole or not.
void forget(const std::filesystem::path& file);

// A small text, at most `kMaxText` bytes.
inline constexpr std::uint64_t kMaxText = std::uint64_t{16} << 20;
std::string fetch_text(const std::string& address, FetchOptions options, const FetchProgress& progress);

}  // namespace abut::datasets
