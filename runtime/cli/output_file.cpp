#include "runtime/cli/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "runtime/core/error.h"

namespace abut::cli {

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path_.empty()) {
    file_ = stdout;
    return;
  }
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    file_ = std::fopen(path_.c_str(), "wb");
    if (file_ == nullptr) fail("open");
    return;
  }
  temporary_ = path_ + "." + std::to_string(::getpid()) + ".partial";
  file_ = std::fopen(temporary_.c_str(), "wbx");
  if (file_ == nullptr) fail("create");
}

OutputFile::~OutputFile() {
  if (path_.empty() || file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("write");
}

void OutputFile::finish() {
  if (std::fflush(file_) != 0) fail("write");
  if (temporary_.empty()) return;
  if (::fsync(::fileno(file_)) != 0 && errno != EINVAL) fail("sync");
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    std::remove(temporary_.c_str());
    errno = error;
    fail("write");
  }
}

void OutputFile::fail(const char* action) const {
  throw IoError((path_.empty() ? "standard output" : path_) + ": cannot " + action + ": " +
                std::strerror(errno));
}

}  // namespace abut::cli
