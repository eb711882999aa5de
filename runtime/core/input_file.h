#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <new>
#include <span>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/error.h"

// The one way in for files: every reader opens its input here, so that nothing but a regular file is ever
// read. A pipe would wait for its writer and a device need not end.
namespace abut {

// A regular file, open for reading (through links, as the system follows them). Everything throws IoError
// that names the file; the constructor at once where it is a folder, a pipe, a socket or a device.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& file);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  // The number of bytes at the time of opening.
  std::uint64_t size() const { return size_; }

  // Fills `into` from where the last read ended; fewer bytes only at the end of the file.
  std::size_t read(std::span<std::byte> into);

 private:
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// Some editors and spreadsheets put this mark before text in UTF-8; it is no part of the text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// An InputFile as a stream, for text that is read line by line in constant memory, without its byte order
// mark. A failure to read on sets badbit.
class InputStream : public std::istream {
 public:
  explicit InputStream(const std::filesystem::path& file) : std::istream(nullptr), buffer_(file) {
    rdbuf(&buffer_);
  }

  std::uint64_t size() const { return buffer_.file.size(); }

 private:
  struct Buffer : std::streambuf {
    explicit Buffer(const std::filesystem::path& name) : file(name) {}
    int_type underflow() override;

    InputFile file;
    std::array<char, 1 << 16> bytes;
  };

  Buffer buffer_;
};

// All bytes of a regular file, as bytes and as text.
std::vector<std::byte> read_file(const std::filesystem::path& file);
std::string read_text(const std::filesystem::path& file);

// Memory ran out while a file was read.
class OutOfMemory : public IoError {
 public:
  using IoError::IoError;
};

// The result of work(), which reads `file`; throws OutOfMemory, which names the file, where memory runs out
// meanwhile.
template <class Work>
auto within_memory(const std::filesystem::path& file, Work&& work) -> decltype(work()) {
  const auto refuse = [&]() -> OutOfMemory {
    return OutOfMemory(file.string() +
                       ": not enough memory to read it; free some, or raise the limit (ulimit -v)");
  };
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw refuse();
  } catch (const std::length_error&) {  // of a container that cannot hold so much
    throw refuse();
  }
}

}  // namespace abut
