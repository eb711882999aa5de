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

// Reading of files: every reader opens its input here, so that only regular files are ever read. A pipe would
// block until it has a writer, and a device may never end.
namespace abut {

// A regular file, open for reading (symbolic links are followed). Errors throw an IoError that names the
// file; so does the constructor where it is a folder, a pipe, a socket or a device.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& file);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  // Size at the time of opening, bytes.
  std::uint64_t size() const { return size_; }

  // Reads on from where the last read ended and fills `into`. Returns the number of bytes read, which is
  // smaller than into.size() only at the end of the file.
  std::size_t read(std::span<std::byte> into);

 private:
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// UTF-8 byte order mark, which some editors and spreadsheets put before text; it is not part of the text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// An InputFile as a stream, for text that is read line by line in constant memory; skips the byte order mark.
// A read error sets badbit.
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

// Returns all bytes of a regular file: read_file as bytes, read_text as text. Both throw IoError.
std::vector<std::byte> read_file(const std::filesystem::path& file);
std::string read_text(const std::filesystem::path& file);

// Thrown where memory ran out while a file was read.
class OutOfMemory : public IoError {
 public:
  using IoError::IoError;
};

// Returns the result of work(), which reads `file`. Throws OutOfMemory, which names the file, where memory
// runs out meanwhile.
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
  } catch (const std::length_error&) {  // thrown by a container that cannot hold that many elements
    throw refuse();
  }
}

}  // namespace abut
