#pragma once

#include <filesystem>
#include <functional>
#include <string>

// The folder that assets are written to, shared peacefully by runs at the same time.
namespace abut::preprocess {

// Held while one object is checked and made. The lock goes with the process that holds it, however that ends.
class ObjectLock {
 public:
  explicit ObjectLock(int fd) : fd_(fd) {}
  ObjectLock(ObjectLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  ObjectLock& operator=(ObjectLock&&) = delete;
  ~ObjectLock();

  int get() const { return fd_; }

 private:
  int fd_;
};

// Runs that share a folder take a lock per object: one byte, at an offset given by the object's name, of the
// file `.abut-preprocess.lock`, which stays. The second run then finds the object up to date. A file system
// without locks is refused.
class OutputFolder {
 public:
  // Makes the folder where it is missing and removes the temporaries of killed runs. Throws IoError where it
  // cannot be written or locked; its message ends with the `remedy`.
  explicit OutputFolder(std::filesystem::path path, std::string remedy = "choose another output folder");

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path asset(const std::string& object) const { return path_ / (object + ".h5"); }

  // Calls `wait` first where another run holds the lock.
  ObjectLock lock(const std::string& object, const std::function<void()>& wait) const;

  void remove_stale_temporaries() const;

 private:
  std::filesystem::path path_;
  std::string remedy_;
};

inline constexpr const char* kManifests = "manifests";  // the folder in it for those of parts

// Throws InvalidInput where a report would have the name of an asset or a robot in `folder`, or of a file
// that runs keep there: *.h5, *.urdf, *.scn, .abut-preprocess.lock, what is in manifests/.
void require_free_name(const std::filesystem::path& report, const std::filesystem::path& folder);

}  // namespace abut::preprocess
