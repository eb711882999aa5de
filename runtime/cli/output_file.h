#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace abut::cli {

// Where answers go: standard output, a file that appears under its name only when complete, or what already
// has that name and is no file (a pipe, a device), written as it is.
class OutputFile {
 public:
  // Empty: standard output. Throws IoError.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // without finish(): removes what was written

  void write(std::string_view text);  // throws IoError: disk full, closed pipe
  void finish();                      // flushes, syncs, renames; throws IoError

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string path_;       // empty: standard output
  std::string temporary_;  // empty: written in place
  std::FILE* file_ = nullptr;
};

}  // namespace abut::cli
