#include "preprocess/cli/output_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/asset/container.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// FNV-1a, halved to fit a file offset: the same in every build, unlike std::hash.
off_t offset_of(const std::string& object) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : object) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return static_cast<off_t>(hash >> 2);
}

int open_lock_file(const std::filesystem::path& folder) {
  const int fd = ::open((folder / ".abut-preprocess.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    throw IoError(folder.string() + ": cannot write here: " + std::strerror(errno) +
                  "; choose another output folder");
  return fd;
}

}  // namespace

ObjectLock::~ObjectLock() {
  if (fd_ >= 0) ::close(fd_);
}

OutputFolder::OutputFolder(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (!std::filesystem::is_directory(path_))
    throw IoError(path_.string() + ": cannot make this folder: " +
                  (error ? error.message() : std::string("something else has that name")) +
                  "; choose another output folder");
  ::close(open_lock_file(path_));
  remove_stale_temporaries();
}

ObjectLock OutputFolder::lock(const std::string& object, const std::function<void()>& wait) const {
  const int fd = open_lock_file(path_);
  ObjectLock held(fd);
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = offset_of(object);
  range.l_len = 1;
  if (::fcntl(fd, F_OFD_SETLK, &range) == 0 || (errno != EAGAIN && errno != EACCES)) return held;
  wait();
  while (::fcntl(fd, F_OFD_SETLKW, &range) != 0 && errno == EINTR) {
  }
  return held;
}

void OutputFolder::remove_stale_temporaries() const { asset::remove_stale_temporaries(path_); }

}  // namespace abut::preprocess
