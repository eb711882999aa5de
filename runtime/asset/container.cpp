#include "runtime/asset/container.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::asset {
namespace {

constexpr std::string_view kMagic = "ABUT asset\n";
constexpr std::string_view kTemporarySuffix = ".partial";
using Header = std::array<char, kHeaderBytes>;

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::filesystem::path& file, const char* action, int error) {
  std::string hint;
  if (error == ENOSPC || error == EDQUOT) hint = "; free some space and run again";
  throw IoError(file.string() + ": cannot " + action + ": " + std::strerror(error) + hint);
}

XXH128_hash_t hash_parts(const Header& header, std::span<const std::byte> body) {
  XXH3_state_t* state = XXH3_createState();
  XXH3_128bits_reset(state);
  XXH3_128bits_update(state, header.data(), header.size());
  XXH3_128bits_update(state, body.data(), body.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return hash;
}

std::string hex(XXH128_hash_t hash) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

// The header's text is a function of its values alone, so reading compares it whole. The digest is that of
// the header with a digest of zeros, followed by the body.
Header make_header(int schema, std::span<const std::byte> body) {
  Header header{};
  const auto print = [&](const char* digest_text) {
    std::snprintf(header.data(), header.size(),
                  "%sschema %d\nbytes %zu\nxxh3-128 %s\nThe rest, from byte 512 on, is an HDF5 file.\n",
                  kMagic.data(), schema, body.size() + kHeaderBytes, digest_text);
  };
  print("00000000000000000000000000000000");
  print(hex(hash_parts(header, body)).c_str());
  return header;
}

void write_all(int fd, const void* data, std::size_t size, const std::filesystem::path& file) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::write(fd, at, std::min(size, std::size_t{1} << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(file, "write", errno);
    at += n;
    size -= static_cast<std::size_t>(n);
  }
}

// Creates a temporary beside `file` and locks it, which marks it as in use. O_EXCL makes it this writer's
// alone: processes of one number on two machines that share the folder come to different names.
// remove_stale_temporaries may hold or have removed it before it is locked; then another one is made. On a
// file system without locks it stays unlocked, and remove_stale_temporaries, which cannot lock it either,
// leaves it alone.
int create_temporary(const std::filesystem::path& file, std::filesystem::path& temporary) {
  std::string stem = ".";
  stem += file.filename().string() + "." + std::to_string(::getpid()) + ".";
  for (int attempt = 0;; ++attempt) {
    temporary = file;
    temporary.replace_filename(stem + std::to_string(attempt) + std::string(kTemporarySuffix));
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) fail(file, "create", errno);
    const bool being_removed = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat info {};
    if (!being_removed && ::fstat(fd, &info) == 0 && info.st_nlink > 0) return fd;
    ::close(fd);
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const File dir(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (dir.get() >= 0) ::fsync(dir.get());  // a file system that cannot sync folders still renames atomically
}

}  // namespace

std::string digest(std::span<const std::byte> bytes) {
  return "xxh3-128:" + hex(XXH3_128bits(bytes.data(), bytes.size()));
}

void write_container(const std::filesystem::path& file, int schema, std::span<const std::byte> body) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::filesystem::path temporary;
  const File out(create_temporary(file, temporary));
  try {
    const Header header = make_header(schema, body);
    write_all(out.get(), header.data(), header.size(), file);
    write_all(out.get(), body.data(), body.size(), file);
    if (::fsync(out.get()) != 0) fail(file, "sync", errno);
    if (::rename(temporary.c_str(), file.c_str()) != 0) fail(file, "rename", errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder);
}

void refuse_newer_schema(const std::string& file, double schema, int newest_schema) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", schema);
  throw BadAsset(file + ": made by a newer version of Abut: its schema is " + text +
                 ", this build reads up to " + std::to_string(newest_schema) +
                 "; update Abut or make the asset again");
}

std::vector<std::byte> read_container(const std::filesystem::path& file, int newest_schema) {
  std::vector<std::byte> bytes = read_file(file);
  const std::string name = file.string();
  if (bytes.empty()) throw BadAsset(name + ": the file is empty; make the asset again");
  const char* text = reinterpret_cast<const char*>(bytes.data());
  if (bytes.size() <= kHeaderBytes || std::memcmp(text, kMagic.data(), kMagic.size()) != 0)
    throw BadAsset(name + ": not an Abut asset (its first line is not 'ABUT asset')");
  Header header;
  std::memcpy(header.data(), text, kHeaderBytes);
  header.back() = '\0';
  int schema = 0;
  std::size_t size = 0;
  if (std::sscanf(header.data() + kMagic.size(), "schema %d\nbytes %zu\n", &schema, &size) != 2 || schema < 1)
    throw BadAsset(name + ": damaged header; make the asset again");
  if (size != bytes.size())
    throw BadAsset(name + ": damaged: " + std::to_string(bytes.size()) + " bytes where the header says " +
                   std::to_string(size) + "; make the asset again");
  const Header expected = make_header(schema, std::span(bytes).subspan(kHeaderBytes));
  if (std::memcmp(expected.data(), text, kHeaderBytes) != 0)
    throw BadAsset(name +
                   ": damaged: the contents do not match the digest in the header; make the asset again");
  if (schema > newest_schema) refuse_newer_schema(name, schema, newest_schema);
  return bytes;
}

void remove_stale_temporaries(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(kTemporarySuffix)) continue;
    const File file(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC));  // NFS locks only what is writable
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
}

}  // namespace abut::asset
