#include "preprocess/mesh/write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

using Buffer = fmt::memory_buffer;

void append_positions(const TriangleMesh& mesh, std::string_view before, Buffer& out) {
  for (const Eigen::Vector3d& v : mesh.vertices) {
    fmt::format_to(std::back_inserter(out), "{}{:.17g} {:.17g} {:.17g}\n", before, v.x(), v.y(), v.z());
  }
}

void format_obj(const TriangleMesh& mesh, Buffer& out) {
  append_positions(mesh, "v ", out);
  for (const Triangle& t : mesh.triangles) {
    fmt::format_to(std::back_inserter(out), "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  }
}

void format_ply(const TriangleMesh& mesh, Buffer& out) {
  static_assert(std::endian::native == std::endian::little);
  fmt::format_to(
      std::back_inserter(out),
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n"
      "property double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
      mesh.vertices.size(), mesh.triangles.size());
  const auto append_bytes = [&](const void* bytes, std::size_t count) {
    out.append(static_cast<const char*>(bytes), static_cast<const char*>(bytes) + count);
  };
  for (const Eigen::Vector3d& v : mesh.vertices) append_bytes(v.data(), 3 * sizeof(double));
  for (const Triangle& t : mesh.triangles) {
    out.push_back(3);
    append_bytes(t.data(), 3 * sizeof(std::int32_t));
  }
}

void format_vtk(const TriangleMesh& mesh, Buffer& out) {
  fmt::format_to(
      std::back_inserter(out),
      "# vtk DataFile Version 3.0\nAbut surface, metres\nASCII\nDATASET POLYDATA\nPOINTS {} double\n",
      mesh.vertices.size());
  append_positions(mesh, "", out);
  fmt::format_to(std::back_inserter(out), "POLYGONS {} {}\n", mesh.triangles.size(),
                 4 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    fmt::format_to(std::back_inserter(out), "3 {} {} {}\n", t[0], t[1], t[2]);
  }
}

// A file being written; removed unless it was given its final name. A pipe or a device cannot be replaced: it
// is written in place, and then path_ is empty.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& target)
      : target_(target), path_(target.string() + fmt::format(".{}.tmp", ::getpid())) {
    std::error_code ignored;
    const auto there = std::filesystem::status(target, ignored).type();
    if (there == std::filesystem::file_type::character || there == std::filesystem::file_type::fifo)
      path_.clear();
    file_ = path_.empty() ? ::open(target.c_str(), O_WRONLY | O_CLOEXEC)
                          : ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) refuse();
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (file_ >= 0) ::close(file_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void append(std::string_view content) {
    while (!content.empty()) {
      const ssize_t done = ::write(file_, content.data(), content.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) refuse();
      content.remove_prefix(static_cast<std::size_t>(done));
    }
  }

  void commit() {
    if (path_.empty()) return;
    if (::fsync(file_) != 0) refuse();
    const int file = std::exchange(file_, -1);
    if (::close(file) != 0 || ::rename(path_.c_str(), target_.c_str()) != 0) refuse();
    path_.clear();
  }

 private:
  [[noreturn]] void refuse() const {
    throw IoError(fmt::format("{}: cannot write: {}", target_.string(), std::strerror(errno)));
  }

  std::filesystem::path target_, path_;
  int file_ = -1;
};

}  // namespace

void write_mesh(const TriangleMesh& mesh, const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  Buffer out;
  if (extension == ".obj") {
    format_obj(mesh, out);
  } else if (extension == ".ply") {
    format_ply(mesh, out);
  } else if (extension == ".vtk") {
    format_vtk(mesh, out);
  } else {
    throw InvalidInput(
        fmt::format("{}: cannot write format \"{}\" (known: .obj, .ply, .vtk)", path.string(), extension));
  }
  write_whole(path, {out.data(), out.size()});
}

void write_whole(const std::filesystem::path& path, std::string_view content) {
  Temporary file(path);
  file.append(content);
  file.commit();
}

}  // namespace abut::preprocess
