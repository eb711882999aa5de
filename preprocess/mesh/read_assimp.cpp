// Scenes of COLLADA and glTF, by assimp.
#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <utility>

#include "preprocess/mesh/formats.h"
#include "runtime/core/counted.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t kMaxCorners = std::numeric_limits<std::int32_t>::max() / 4;

Assimp::IOStream* stream_of(std::string_view content) {
  auto* copy = new std::uint8_t[content.size()];  // the stream's
  std::copy(content.begin(), content.end(), copy);
  return new Assimp::MemoryIOStream(copy, content.size(), true);
}

// A file that has been read, and what is beside it and below: no other file is opened, whatever a scene
// names.
class FilesBeside : public Assimp::IOSystem {
 public:
  FilesBeside(std::string_view content, const fs::path& file)
      : content_(content), file_(file.string()), folder_(file.parent_path().lexically_normal()) {}

  bool Exists(const char* name) const override {
    std::error_code ignored;
    return name == file_ || (is_beside(name) && fs::is_regular_file(name, ignored));
  }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* name, const char*) override {
    if (name == file_) return stream_of(content_);
    return Exists(name) ? stream_of(read_text(name)) : nullptr;
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  bool is_beside(const fs::path& name) const {
    const fs::path relative =
        name.lexically_normal().lexically_relative(folder_.empty() ? fs::path(".") : folder_);
    return !relative.empty() && *relative.begin() != "..";
  }

  std::string_view content_;
  std::string file_;
  fs::path folder_;
};

// All instances of all meshes of a scene, where its nodes place them, as one soup.
class Soup {
 public:
  explicit Soup(const fs::path& file) : file_(file.string()) {}

  void add(const aiScene& scene) {
    std::vector<std::pair<const aiNode*, aiMatrix4x4>> open{{scene.mRootNode, aiMatrix4x4()}};
    while (!open.empty()) {
      const auto [node, X_parent] = open.back();
      open.pop_back();
      if (!node) continue;
      const aiMatrix4x4 X = X_parent * node->mTransformation;
      for (unsigned k = 0; k < node->mNumMeshes; ++k)
        if (node->mMeshes[k] < scene.mNumMeshes) add(*scene.mMeshes[node->mMeshes[k]], X);
      for (unsigned k = node->mNumChildren; k-- > 0;) open.emplace_back(node->mChildren[k], X);
    }
  }

  TriangleMesh mesh;
  std::size_t left_out = 0;  // points and lines

 private:
  [[noreturn]] void refuse(const aiMesh& of, const std::string& what) const {
    throw InvalidInput(fmt::format("{}: mesh '{}': {}", file_, of.mName.C_Str(), what));
  }

  void add(const aiMesh& part, const aiMatrix4x4& X) {
    const auto first = static_cast<std::int32_t>(mesh.vertices.size());
    corners_ += part.mNumVertices;
    for (unsigned f = 0; f < part.mNumFaces; ++f) corners_ += part.mFaces[f].mNumIndices;
    if (corners_ > kMaxCorners) refuse(part, "the scene has more corners than this reader takes");
    for (unsigned v = 0; v < part.mNumVertices; ++v) {
      const aiVector3D p = X * part.mVertices[v];
      for (const double x : {p.x, p.y, p.z})
        if (const NumberStatus status = check_size(x); status != NumberStatus::kOk)
          refuse(part, fmt::format("vertex {} of {} {}", v + 1, part.mNumVertices, describe(status)));
      mesh.vertices.emplace_back(p.x, p.y, p.z);
    }
    const bool mirrors = X.Determinant() < 0;
    std::vector<std::int32_t> polygon;
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      const auto name = [&] { return fmt::format("face {} of {} ", f + 1, part.mNumFaces); };
      if (face.mNumIndices > kMaxFaceCorners) refuse(part, name() + too_many_corners(face.mNumIndices));
      if (face.mNumIndices < 3) {
        ++left_out;
        continue;
      }
      polygon.clear();
      for (unsigned k = 0; k < face.mNumIndices; ++k) {
        if (face.mIndices[k] >= part.mNumVertices) refuse(part, name() + "names a vertex that is not there");
        polygon.push_back(first + static_cast<std::int32_t>(face.mIndices[k]));
      }
      if (mirrors) std::reverse(polygon.begin(), polygon.end());
      append_polygon(polygon, mesh);
    }
  }

  std::string file_;
  std::size_t corners_ = 0;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TriangleMesh parse_scene(std::string_view content, const fs::path& file, Report& report) {
  Assimp::Importer importer;
  importer.SetIOHandler(new FilesBeside(content, file));  // the importer's
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
  const aiScene* const scene = importer.ReadFile(file.string(), 0);
  if (!scene)
    throw InvalidInput(
        fmt::format("{}: assimp cannot read it: {}", file.string(), first_line(importer.GetErrorString())));
  Soup soup(file);
  soup.add(*scene);
  if (soup.left_out > 0)
    report.warnings.push_back(counted(soup.left_out, "point or line", "points and lines") + " left out");
  return std::move(soup.mesh);
}

}  // namespace abut::preprocess
