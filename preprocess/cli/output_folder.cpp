#include "preprocess/cli/output_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/core/error.h"
#include "runtime/core/output_file.h"

namespace abut::preprocess {
namespace {

// FNV-1a, shifted to fit a file offset: the same in every build, unlike std::hash.
off_t offset_of(const std::string& object) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : object) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return static_cast<off_t>(hash >> 2);
}

constexpr const char* kLockFile = ".abut-preprocess.lock";

int open_lock_file(const std::filesystem::path& folder, const std::string& remedy) {
  const int fd = ::open((folder / kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) throw IoError(folder.string() + ": cannot write here: " + std::strerror(errno) + "; " + remedy);
  return fd;
}

// Returns false if another run holds the lock. Throws IoError if the file system has no locks: two runs would
// then make the same objects without noticing each other.
bool try_lock(int fd, struct flock& range, int command, const std::filesystem::path& folder,
              const std::string& remedy) {
  while (::fcntl(fd, command, &range) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR)
      throw IoError(folder.string() + ": file locks do not work here: " + std::strerror(errno) + "; " +
                    remedy);
  }
  return true;
}

struct flock range_of(const std::string& object) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = offset_of(object);
  range.l_len = 1;
  return range;
}

}  // namespace

ObjectLock::~ObjectLock() {
  if (fd_ >= 0) ::close(fd_);
}

OutputFolder::OutputFolder(std::filesystem::path path, std::string remedy)
    : path_(std::move(path)), remedy_(std::move(remedy)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (!std::filesystem::is_directory(path_))
    throw IoError(path_.string() + ": cannot make this folder: " +
                  (error ? error.message() : std::string("something else has that name")) + "; " + remedy_);
  const ObjectLock probe(open_lock_file(path_, remedy_));
  struct flock range = range_of("");
  try_lock(probe.get(), range, F_OFD_SETLK, path_, remedy_);
  remove_stale_temporaries();
}

ObjectLock OutputFolder::lock(const std::string& object, const std::function<void()>& wait) const {
  ObjectLock held(open_lock_file(path_, remedy_));
  struct flock range = range_of(object);
  if (try_lock(held.get(), range, F_OFD_SETLK, path_, remedy_)) return held;
  wait();
  try_lock(held.get(), range, F_OFD_SETLKW, path_, remedy_);
  return held;
}

void OutputFolder::remove_stale_temporaries() const { abut::remove_stale_temporaries(path_); }

void require_free_name(const std::filesystem::path& report, const std::filesystem::path& folder) {
  if (is_standard_output(report)) return;
  const std::filesystem::path inside = place_of(report).lexically_relative(place_of(folder));
  if (inside.empty() || *inside.begin() == "..") return;
  const std::string extension = inside.extension();
  if (extension == ".h5" || extension == ".urdf" || extension == ".scn" || inside == kLockFile ||
      *inside.begin() == kManifests)
    throw InvalidInput(
        report.string() +
        ": the name of an asset, a robot, or a file that runs keep in OUT; give the report another name");
}

}  // namespace abut::preprocess
