#include "runtime/core/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace abut {
namespace {

constexpr std::size_t kLargestRead = std::size_t{1} << 30;  // bytes per call; Linux reads at most 2 GiB

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw IoError(name + ": cannot " + what);
}

const char* kind(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a folder, not a file";
  if (S_ISFIFO(mode)) return "it is a pipe, not a regular file; write its contents to a file first";
  if (S_ISSOCK(mode)) return "it is a socket, not a regular file";
  return "it is a device, not a regular file";
}

template <class Contents>
Contents read_whole(const std::filesystem::path& name) {
  return within_memory(name, [&] {
    InputFile file(name);
    Contents contents(static_cast<std::size_t>(file.size()), typename Contents::value_type{});
    contents.resize(file.read(std::as_writable_bytes(std::span(contents))));
    return contents;
  });
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& file) : name_(file.string()) {
  if (file.empty()) refuse("''", "open: the name of the file is empty");
  // Without O_NONBLOCK, opening a pipe waits for its writer.
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0)
    refuse(name_, std::string("open: ") + (errno == ENXIO ? kind(S_IFSOCK) : std::strerror(errno)));
  struct stat info {};
  const int error = ::fstat(descriptor_, &info) != 0 ? errno : 0;
  if (error == 0 && S_ISREG(info.st_mode)) {
    size_ = static_cast<std::uint64_t>(info.st_size);
    return;
  }
  ::close(descriptor_);
  refuse(name_, std::string("read: ") + (error != 0 ? std::strerror(error) : kind(info.st_mode)));
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = ::read(descriptor_, into.data() + done, std::min(into.size() - done, kLargestRead));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(name_, std::string("read: ") + std::strerror(errno));
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

std::streambuf::int_type InputStream::Buffer::underflow() {
  const bool first = eback() == nullptr;
  const std::size_t n = file.read(std::as_writable_bytes(std::span(bytes)));
  const bool marked = first && std::string_view(bytes.data(), n).starts_with(kByteOrderMark);
  const std::size_t mark = marked ? kByteOrderMark.size() : 0;
  if (n == mark) return traits_type::eof();
  setg(bytes.data(), bytes.data() + mark, bytes.data() + n);
  return traits_type::to_int_type(*gptr());
}

std::vector<std::byte> read_file(const std::filesystem::path& file) {
  return read_whole<std::vector<std::byte>>(file);
}

std::string read_text(const std::filesystem::path& file) { return read_whole<std::string>(file); }

}  // namespace abut
