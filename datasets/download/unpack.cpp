#include "datasets/download/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>

#include "datasets/dataset.h"
#include "datasets/download/digest.h"
#include "datasets/download/disk.h"
#include "datasets/names.h"
#include "runtime/core/error.h"

namespace abut::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;
constexpr int kMaxDepth = 32;  // of folders

// The limit that `bytes` from an archive of `packed` bytes exceed, or an empty text.
std::string exceeded(std::uint64_t bytes, std::uint64_t packed, const UnpackLimits& limits) {
  if (bytes > limits.max_bytes) return fmt::format("more than {} GiB", limits.max_bytes >> 30);
  if (bytes > kFreeBytes && static_cast<double>(bytes) > limits.max_ratio * static_cast<double>(packed))
    return fmt::format("more than {:g} times the archive's size", limits.max_ratio);
  return {};
}

// Reads a gzip file to its end and throws InvalidInput unless its checksum is right, which libarchive does
// not verify. Other files are read unchanged.
void check_gzip(const fs::path& file, std::uint64_t packed, const UnpackLimits& limits,
                const std::function<bool()>& go_on, const std::string& name) {
  struct Close {
    void operator()(gzFile gz) const { gzclose(gz); }
  };
  const std::unique_ptr<gzFile_s, Close> gz(gzopen(file.c_str(), "rbe"));
  if (!gz) throw IoError(fmt::format("{}: cannot open: {}", file.string(), std::strerror(errno)));
  std::vector<char> block(kBlock);
  std::uint64_t bytes = 0;
  int n = 0;
  while ((n = gzread(gz.get(), block.data(), static_cast<unsigned>(block.size()))) > 0) {
    bytes += static_cast<std::uint64_t>(n);
    if (const std::string what = exceeded(bytes, packed, limits); !what.empty())
      throw InvalidInput(fmt::format("{}: swells to {}; nothing of it is taken", name, what));
    if (!go_on()) throw IoError(name + ": stopped; run again to continue");
  }
  int code = Z_OK;
  const char* words = gzerror(gz.get(), &code);
  if (n < 0 || code != Z_OK) throw InvalidInput(fmt::format("{}: no archive, or damaged: {}", name, words));
}

// Selects UTF-8 for the thread, whatever the program's locale: libarchive returns names in the encoding of
// the thread's locale, and none if they cannot be represented in it.
class NamesInUtf8 {
 public:
  NamesInUtf8() : utf8_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (utf8_ != nullptr) before_ = ::uselocale(utf8_);
  }
  NamesInUtf8(const NamesInUtf8&) = delete;
  NamesInUtf8& operator=(const NamesInUtf8&) = delete;
  ~NamesInUtf8() {
    if (utf8_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(utf8_);
  }

 private:
  locale_t utf8_, before_{};
};

struct FreeArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};

class Unpacker {
 public:
  Unpacker(const fs::path& file, const fs::path& folder, const UnpackLimits& limits,
           const std::function<bool()>& go_on, const std::string& name)
      : name_(name), folder_(folder), limits_(limits), go_on_(go_on), archive_(archive_read_new()) {
    std::error_code ignored;
    packed_ = fs::file_size(file, ignored);
    check_gzip(file, packed_, limits_, go_on_, name_);
    archive* a = archive_.get();
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    check(archive_read_open_filename(a, file.c_str(), kBlock));
  }

  std::vector<StoredFile> run() {
    archive_entry* entry = nullptr;
    for (int code = 0; (code = archive_read_next_header(archive_.get(), &entry)) != ARCHIVE_EOF;) {
      check(code);
      unpack_entry(entry);
    }
    check_end();
    if (files_.empty()) throw InvalidInput(name_ + ": the archive has no file");
    return std::move(files_);
  }

 private:
  void check(int code) const {
    if (code < ARCHIVE_WARN) refuse_damage();
  }

  // A tar ends with blocks of zeros. If libarchive reached the end of the data instead, which it also accepts
  // as an end, entries may be missing.
  void check_end() const {
    archive* a = archive_.get();
    const bool is_tar = (archive_format(a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
    if (is_tar && archive_filter_bytes(a, 0) == archive_read_header_position(a))
      throw InvalidInput(name_ + ": damaged: it breaks off before the tar's end; nothing of it is taken");
  }

  [[noreturn]] void refuse_damage() const {
    const char* words = archive_error_string(archive_.get());
    throw InvalidInput(
        fmt::format("{}: no archive, or damaged: {}", name_, words != nullptr ? words : "unreadable"));
  }

  [[noreturn]] void refuse(const std::string& entry, const std::string& what) const {
    throw InvalidInput(
        fmt::format("{}: entry '{}' {}; nothing of the archive is taken", name_, safe_name(entry), what));
  }

  // The entry's path without `.`; empty for the archive's own folder.
  fs::path checked_path(const std::string& text) const {
    const fs::path path(text);
    if (path.is_absolute()) refuse(text, "has an absolute path");
    fs::path clean;
    int depth = 0;
    for (const fs::path& part : path) {
      const std::string word = part.string();
      if (word == "..") refuse(text, "leads out of the folder");
      if (word.empty() || word == ".") continue;
      if (word.size() > 255 || ++depth > kMaxDepth) refuse(text, "has a path that is too long");
      for (const char c : word)
        if (static_cast<unsigned char>(c) < ' ' || c == '\\') refuse(text, "has a name that is none");
      clean /= part;
    }
    return clean;
  }

  void unpack_entry(archive_entry* entry) {
    const char* text = archive_entry_pathname(entry);
    if (text == nullptr) refuse("", "has a name that cannot be read");
    if (archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr)
      refuse(text, "is a link");
    const auto type = archive_entry_filetype(entry);
    if (type != AE_IFREG && type != AE_IFDIR) refuse(text, "is neither a file nor a folder");
    const fs::path path = checked_path(text);
    if (path.empty()) return;
    if (!go_on_()) throw IoError(name_ + ": stopped; run again to continue");
    const std::size_t before = entries_;
    make_folders(text, type == AE_IFDIR ? path : path.parent_path());
    if (type == AE_IFREG || entries_ == before) count_entry();
    if (type == AE_IFREG) files_.push_back(write_file(text, path, folder_ / path));
  }

  void count_entry() {
    if (++entries_ > limits_.max_files)
      throw InvalidInput(fmt::format("{}: more than {} files and folders", name_, limits_.max_files));
  }

  // Counts each new folder as an entry, whether or not the archive has an entry for it.
  void make_folders(const std::string& text, const fs::path& path) {
    fs::path place = folder_;
    for (const fs::path& part : path) {
      place /= part;
      std::error_code error;
      if (fs::create_directory(place, error)) count_entry();
      if (error == std::errc::not_a_directory || error == std::errc::file_exists ||
          error == std::errc::filename_too_long)
        refuse(text, "cannot be made: " + error.message());
      if (error) fail_to_write(place, error.value());
    }
  }

  StoredFile write_file(const std::string& text, const fs::path& path, const fs::path& place) {
    const int fd = ::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && (errno == EEXIST || errno == EISDIR)) refuse(text, "is there twice");
    if (fd < 0) fail_to_write(place, errno);
    StoredFile file{path.generic_string(), 0, {}};
    Sha256 digest;
    try {
      std::vector<std::byte> block(kBlock);
      while (true) {
        const la_ssize_t n = archive_read_data(archive_.get(), block.data(), block.size());
        if (n < 0) refuse_damage();
        if (n == 0) break;
        count(text, static_cast<std::uint64_t>(n));
        const std::span<const std::byte> part(block.data(), static_cast<std::size_t>(n));
        digest.add(part);
        write_all(fd, part, place);
        file.bytes += part.size();
      }
    } catch (...) {
      ::close(fd);
      throw;
    }
    if (::close(fd) != 0) fail_to_write(place, errno);
    file.sha256 = digest.finish();
    return file;
  }

  void count(const std::string& text, std::uint64_t n) {
    bytes_ += n;
    if (const std::string what = exceeded(bytes_, packed_, limits_); !what.empty())
      refuse(text, "swells the files to " + what);
    if (!go_on_()) throw IoError(name_ + ": stopped; run again to continue");
  }

  static void write_all(int fd, std::span<const std::byte> bytes, const fs::path& place) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_to_write(place, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }

  std::string name_;
  fs::path folder_;
  const UnpackLimits& limits_;
  const std::function<bool()>& go_on_;
  std::unique_ptr<archive, FreeArchive> archive_;
  std::uint64_t packed_ = 0, bytes_ = 0;
  std::size_t entries_ = 0;  // including folders made for them
  std::vector<StoredFile> files_;
};

}  // namespace

std::vector<StoredFile> unpack(const fs::path& archive, const fs::path& folder, const UnpackLimits& limits,
                               const std::function<bool()>& go_on, const std::string& name) {
  const NamesInUtf8 names;
  return Unpacker(archive, folder, limits, go_on, name).run();
}

}  // namespace abut::datasets
