#pragma once

#include <filesystem>
#include <functional>
#include <string>

// The folder to which assets are written, which several runs may share at the same time.
namespace abut::preprocess {

// A lock, held while one object is checked and made. It is released with the process that holds it, however
// that ends.
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

// Runs that share a folder lock each object they make: one byte, at an offset derived from the object's name,
// of the file `.abut-preprocess.lock`, which is never removed. The second run then finds the object up to
// date. File systems without locks are refused.
class OutputFolder {
 public:
  // Creates the folder if it is missing and removes temporary files of killed runs. Throws IoError if it
  // cannot be written or locked; the message ends with `remedy`.
  explicit OutputFolder(std::filesystem::path path, std::string remedy = "choose another output folder");

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path asset(const std::string& object) const { return path_ / (object + ".h5"); }

  // Calls `wait` first if another run holds the lock.
  ObjectLock lock(const std::string& object, const std::function<void()>& wait) const;

  void remove_stale_temporaries() const;

 private:
  std::filesystem::path path_;
  std::string remedy_;
};

inline constexpr const char* kManifests = "manifests";  // subfolder for the manifests of parts

// Throws InvalidInput if a report would have the name of an asset or a robot in `folder`, or of a file that
// runs keep there: *.h5, *.urdf, *.scn, .abut-preprocess.lock, or anything in manifests/.
void require_free_name(const std::filesystem::path& report, const std::filesystem::path& folder);

}  // namespace abut::preprocess
