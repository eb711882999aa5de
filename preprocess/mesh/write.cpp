#include "preprocess/mesh/write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

using Buffer = fmt::memory_buffer;

// What is written: vertices, a normal each or none, and polygons of one number of corners.
struct Shape {
  std::span<const Eigen::Vector3d> vertices;
  std::span<const Eigen::Vector3d> normals;
  std::span<const std::int32_t> polygons;
  int corners = 3;

  std::size_t count() const { return polygons.size() / static_cast<std::size_t>(corners); }
};

void append_vectors(std::span<const Eigen::Vector3d> vectors, std::string_view before, Buffer& out) {
  for (const Eigen::Vector3d& v : vectors) {
    fmt::format_to(std::back_inserter(out), "{}{:.17g} {:.17g} {:.17g}\n", before, v.x(), v.y(), v.z());
  }
}

// One line per polygon: `before`, then its corners counted from `first`.
void append_polygons(const Shape& shape, std::string_view before, int first, Buffer& out) {
  for (std::size_t i = 0; i < shape.polygons.size(); ++i) {
    const bool starts = i % static_cast<std::size_t>(shape.corners) == 0;
    if (starts) fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : "\n", before);
    fmt::format_to(std::back_inserter(out), " {}", shape.polygons[i] + first);
  }
  if (!shape.polygons.empty()) out.push_back('\n');
}

void format_obj(const Shape& shape, Buffer& out) {
  append_vectors(shape.vertices, "v ", out);
  append_vectors(shape.normals, "vn ", out);
  append_polygons(shape, "f", 1, out);
}

void format_ply(const Shape& shape, Buffer& out) {
  static_assert(std::endian::native == std::endian::little);
  fmt::format_to(
      std::back_inserter(out),
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n"
      "property double z\n{}element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      shape.vertices.size(),
      shape.normals.empty() ? "" : "property double nx\nproperty double ny\nproperty double nz\n",
      shape.count());
  const auto append_bytes = [&](const void* bytes, std::size_t count) {
    out.append(static_cast<const char*>(bytes), static_cast<const char*>(bytes) + count);
  };
  for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
    append_bytes(shape.vertices[i].data(), 3 * sizeof(double));
    if (!shape.normals.empty()) append_bytes(shape.normals[i].data(), 3 * sizeof(double));
  }
  const auto corners = static_cast<std::size_t>(shape.corners);
  for (std::size_t i = 0; i < shape.count(); ++i) {
    out.push_back(static_cast<char>(corners));
    append_bytes(shape.polygons.data() + i * corners, corners * sizeof(std::int32_t));
  }
}

void format_vtk(const Shape& shape, Buffer& out) {
  fmt::format_to(
      std::back_inserter(out),
      "# vtk DataFile Version 3.0\nAbut surface, metres\nASCII\nDATASET POLYDATA\nPOINTS {} double\n",
      shape.vertices.size());
  append_vectors(shape.vertices, "", out);
  if (shape.count() > 0) {
    fmt::format_to(std::back_inserter(out), "POLYGONS {} {}\n", shape.count(),
                   shape.count() + shape.polygons.size());
    append_polygons(shape, fmt::to_string(shape.corners), 0, out);
  }
  if (shape.normals.empty()) return;
  if (shape.count() == 0) {
    // Without a cell a viewer shows nothing.
    fmt::format_to(std::back_inserter(out), "VERTICES {} {}\n", shape.vertices.size(),
                   2 * shape.vertices.size());
    for (std::size_t i = 0; i < shape.vertices.size(); ++i)
      fmt::format_to(std::back_inserter(out), "1 {}\n", i);
  }
  fmt::format_to(std::back_inserter(out), "POINT_DATA {}\nNORMALS normals double\n", shape.normals.size());
  append_vectors(shape.normals, "", out);
}

void write_shape(const Shape& shape, const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  Buffer out;
  if (extension == ".obj") {
    format_obj(shape, out);
  } else if (extension == ".ply") {
    format_ply(shape, out);
  } else if (extension == ".vtk") {
    format_vtk(shape, out);
  } else {
    throw InvalidInput(
        fmt::format("{}: cannot write format \"{}\" (known: .obj, .ply, .vtk)", path.string(), extension));
  }
  write_whole(path, {out.data(), out.size()});
}

[[noreturn]] void refuse(const std::filesystem::path& target, const std::string& reason) {
  throw IoError(fmt::format("{}: cannot write: {}", target.string(), reason));
}

// A file being written; removed unless it was given its final name. A pipe cannot be replaced: it is written
// in place, and then path_ is empty.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& target) : target_(target) {
    check_writable(target);
    std::error_code ignored;
    if (std::filesystem::is_fifo(target, ignored)) {
      file_ = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
      // Renaming onto a link would replace the link, /dev/stdout among them.
      if (std::filesystem::exists(target, ignored)) target_ = std::filesystem::canonical(target, ignored);
      if (ignored) preprocess::refuse(target, ignored.message());
      path_ = target_.string() + fmt::format(".{}.tmp", ::getpid());
      file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
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
  [[noreturn]] void refuse() const { preprocess::refuse(target_, std::strerror(errno)); }

  std::filesystem::path target_, path_;
  int file_ = -1;
};

}  // namespace

void write_mesh(const TriangleMesh& mesh, const std::filesystem::path& path) {
  std::vector<std::int32_t> corners;
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  write_polygons(mesh.vertices, corners, 3, path);
}

void write_polygons(std::span<const Eigen::Vector3d> vertices, std::span<const std::int32_t> polygons,
                    int corners, const std::filesystem::path& path) {
  write_shape({vertices, {}, polygons, corners}, path);
}

void write_oriented_points(std::span<const Eigen::Vector3d> points, std::span<const Eigen::Vector3d> normals,
                           const std::filesystem::path& path) {
  write_shape({points, normals, {}, 3}, path);
}

void check_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status there = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(there)) refuse(path, "it is a folder");
  if (std::filesystem::is_fifo(there)) return;
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    refuse(path, "it is neither a file nor a pipe");
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (::access(folder.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
}

void write_whole(const std::filesystem::path& path, std::string_view content) {
  Temporary file(path);
  file.append(content);
  file.commit();
}

}  // namespace abut::preprocess
