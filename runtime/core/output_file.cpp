#include "runtime/core/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>

#include "runtime/core/error.h"

namespace abut {
namespace {

constexpr std::string_view kSuffix = ".partial";
// Bytes of the target's name in a temporary's name: names have at most 255.
constexpr std::size_t kStem = 100;
constexpr mode_t kMode = 0666;  // less the umask

// Names of temporary files, where a signal handler finds them without locks or allocation. A file that is
// opened while all slots are taken is left behind by a signal.
struct Slot {
  std::atomic<bool> taken{false}, set{false};
  char name[PATH_MAX];
};
Slot slots[16];

int keep(const std::string& name) {
  if (name.size() >= PATH_MAX) return -1;
  for (int i = 0; i < static_cast<int>(std::size(slots)); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].name, name.c_str(), name.size() + 1);
    slots[i].set = true;
    return i;
  }
  return -1;
}

void forget(int slot) {
  if (slot < 0) return;
  slots[slot].set = false;
  slots[slot].taken = false;
}

// Marks the file as in use. On a file system without locks it stays unmarked, and
// remove_stale_temporaries, which cannot lock it either, leaves it alone.
bool lock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

std::string link_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

void sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);  // a file system that cannot sync folders still renames atomically
  ::close(fd);
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

// Returns what a chain of links leads to, which need not exist; the path itself where it is not a link.
// Throws IoError for a chain without an end.
std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int kMaxLinks = 40;  // as many as the kernel follows
  const std::string name = path.string();
  std::error_code error;
  for (int i = 0; std::filesystem::is_symlink(path, error); ++i) {
    if (i == kMaxLinks) throw IoError(name + ": cannot write: the link leads back to itself");
    const std::filesystem::path to = std::filesystem::read_symlink(path, error);
    if (error) return path;
    path = to.is_absolute() ? to : folder_of(path) / to;
  }
  return path;
}

}  // namespace

std::filesystem::path place_of(const std::filesystem::path& path) noexcept try {
  const std::filesystem::path absolute = std::filesystem::absolute(end_of_links(path));
  std::error_code error;
  const std::filesystem::path place = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute : place;
} catch (const std::exception&) {  // whoever writes says what is wrong with the path
  return path;
}

int descriptor_of(const std::filesystem::path& path) {
  std::string_view name = path.native();
  if (name == "/dev/stdin") return STDIN_FILENO;
  if (name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    name.remove_prefix(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc() && end == name.data() + name.size() ? number : -1;
  }
  return -1;
}

bool is_standard_output(const std::filesystem::path& path) {
  return path == "-" || descriptor_of(path) == STDOUT_FILENO;
}

OutputFile::OutputFile(const std::filesystem::path& path, Replace replace)
    : name_(is_standard_output(path) ? "standard output" : path.string()), target_(path) {
  std::error_code error;
  if (replace == Replace::kName) {
    if (std::filesystem::is_directory(std::filesystem::symlink_status(path, error)))
      throw IoError(name_ + ": cannot write: it is a folder");
    open_file();
    return;
  }
  const std::filesystem::file_status there = std::filesystem::status(path, error);
  if (is_standard_output(path) || descriptor_of(path) >= 0 || std::filesystem::is_fifo(there) ||
      std::filesystem::is_character_file(there)) {
    open_stream();
    return;
  }
  if (path.empty()) throw IoError("cannot write: the file has no name");
  if (std::filesystem::is_directory(there)) throw IoError(name_ + ": cannot write: it is a folder");
  if (std::filesystem::exists(there)) {
    if (!std::filesystem::is_regular_file(there))
      throw IoError(name_ + ": cannot write: it is neither a file nor a pipe");
    target_ = std::filesystem::canonical(path, error);
    if (error) fail(error.value());
  } else {
    target_ = end_of_links(path);
  }
  open_file();
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  forget(slot_);
}

void OutputFile::open_stream() {
  std::fflush(stdout);  // output printed earlier comes first
  const int open_already = is_standard_output(target_) ? STDOUT_FILENO : descriptor_of(target_);
  const int fd = open_already >= 0 ? ::fcntl(open_already, F_DUPFD_CLOEXEC, 0)
                                   : ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  target_.clear();
  file_ = opened(fd);
}

void OutputFile::open_file() {
  if (open_unnamed(folder_of(target_))) return;
  open_temporary();
}

std::FILE* OutputFile::opened(int fd) {
  std::FILE* file = fd < 0 ? nullptr : ::fdopen(fd, "wb");
  if (file != nullptr) return file;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  fail(error);
}

// A file without a name vanishes with its process, however that ends. finish() names it through its entry in
// /proc. Returns false where the file system does not support that.
bool OutputFile::open_unnamed(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kMode);
  if (fd < 0) return false;
  if (!lock(fd) || ::access(link_of(fd).c_str(), F_OK) != 0) {
    ::close(fd);
    return false;
  }
  file_ = opened(fd);
  return true;
}

// Before the new file is locked here, remove_stale_temporaries may lock or remove it; then another one is
// made.
void OutputFile::open_temporary() {
  for (;;) {
    const int fd =
        claim([](const char* name) { return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode); });
    struct stat info {};
    if (lock(fd) && ::fstat(fd, &info) == 0 && info.st_nlink > 0) {
      file_ = opened(fd);
      return;
    }
    ::close(fd);
  }
}

// Creates a file under a temporary name in the target's folder by `create`, which fails with EEXIST where
// that name exists: processes with the same number, after a restart or on two machines that share the folder,
// get different names. Returns the result of `create`.
template <class Create>
int OutputFile::claim(const Create& create) {
  std::string stem(".");
  stem.append(target_.filename().string(), 0, kStem)
      .append(".")
      .append(std::to_string(::getpid()))
      .append(".");
  for (int attempt = 0;; ++attempt) {
    temporary_ = (folder_of(target_) / (stem + std::to_string(attempt) + std::string(kSuffix))).string();
    const int result = create(temporary_.c_str());
    if (result >= 0) {
      forget(slot_);
      slot_ = keep(temporary_);
      return result;
    }
    const int error = errno;
    temporary_.clear();
    if (error != EEXIST) fail(error);
  }
}

void OutputFile::write(std::string_view content) {
  if (failed_ == 0 && std::fwrite(content.data(), 1, content.size(), file_) == content.size()) return;
  if (failed_ == 0) failed_ = errno;
  fail(failed_);
}

void OutputFile::finish(bool durable) {
  if (failed_ != 0) fail(failed_);
  if (std::fflush(file_) != 0) fail(errno);
  const int fd = ::fileno(file_);
  if (!target_.empty()) {
    if (durable && ::fsync(fd) != 0) fail(errno);
    if (temporary_.empty())
      claim([fd](const char* name) {
        return ::linkat(AT_FDCWD, link_of(fd).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
      });
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
    if (durable) sync_folder(folder_of(target_));
  }
  std::FILE* const file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0 && target_.empty()) fail(errno);
}

void OutputFile::fail(int error) const {
  std::string hint;
  if (error == ENOSPC || error == EDQUOT) hint = "; free some space and run again";
  if (error == ENOENT) hint = "; make its folder first";
  throw IoError(name_ + ": cannot write: " + std::strerror(error) + hint);
}

void check_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_fifo(path, ignored)) OutputFile{path};
}

void require_not_input(const std::filesystem::path& output, const std::filesystem::path& input) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(output, ignored) &&
      std::filesystem::equivalent(output, input, ignored))
    throw IoError(output.string() +
                  ": cannot write: it would overwrite an input; give the output another name");
}

void finish_standard_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return;
  throw IoError(std::string("standard output: cannot write: ") +
                (errno != 0 ? std::strerror(errno) : "what came before did not get there"));
}

void remove_temporaries() noexcept {
  for (const Slot& slot : slots)
    if (slot.set) ::unlink(slot.name);
}

void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF)  // open() returns the lowest free number
      ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void clean_up_on_signals() {
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is a write error with a message
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(signal, [](int caught) {
      remove_temporaries();
      std::signal(caught, SIG_DFL);
      std::raise(caught);
    });
    if (before == SIG_IGN) std::signal(signal, SIG_IGN);  // stays ignored, as under nohup
  }
}

namespace {

// The form .STEM.PID.ATTEMPT.partial, as made by claim().
bool is_name_of_temporary(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kSuffix)) return false;
  name.remove_suffix(kSuffix.size());
  for (int k = 0; k < 2; ++k) {
    const std::size_t dot = name.rfind('.');
    const std::string_view number = name.substr(dot + 1);
    if (dot == 0 || number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos)
      return false;
    name.remove_suffix(number.size() + 1);
  }
  return true;
}

}  // namespace

void remove_stale_temporaries(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (!is_name_of_temporary(entry.path().filename().string()) || !entry.is_regular_file(ignored)) continue;
    // O_RDWR, as NFS locks only files that are open for writing.
    const int fd = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
    ::close(fd);
  }
}

}  // namespace abut
