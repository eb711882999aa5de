#include "preprocess/mesh/scene_file.h"

#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>
#include <fmt/format.h>

#include <algorithm>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>

#include "preprocess/mesh/beside.h"
#include "preprocess/mesh/collada.h"
#include "preprocess/mesh/formats.h"
#include "preprocess/mesh/gltf.h"
#include "runtime/core/extension.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;

Assimp::IOStream* stream_of(std::string_view content) {
  auto* copy = new std::uint8_t[content.size()];  // owned by the stream
  std::copy(content.begin(), content.end(), copy);
  return new Assimp::MemoryIOStream(copy, content.size(), true);
}

// Gives assimp a file that has been read and the files in its folder and below; it opens no other file,
// whatever a scene names.
class FilesBeside : public Assimp::IOSystem {
 public:
  FilesBeside(std::string_view content, const fs::path& file) : content_(content), file_(file.string()) {}

  bool Exists(const char* name) const override { return name == file_ || path_of(name); }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* name, const char*) override {
    if (name == file_) return stream_of(content_);
    const auto path = path_of(name);
    return path ? stream_of(read_text(*path)) : nullptr;
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  // Assimp prepends the file's folder to the names that it finds in the file.
  std::optional<fs::path> path_of(const std::string& name) const {
    const fs::path folder = fs::path(file_).parent_path();
    const fs::path relative = fs::path(name).lexically_relative(folder);
    return find_beside(relative.empty() ? name : relative.string(), file_);
  }

  std::string_view content_;
  std::string file_;
};

// Some of assimp's error messages contain the text of the file.
std::string first_line(const std::string& text) {
  constexpr std::size_t kLongest = 200;
  return text.substr(0, std::min(text.find('\n'), kLongest));
}

}  // namespace

SceneFile::SceneFile(std::string_view content, const fs::path& file, unsigned steps)
    : importer_(std::make_unique<Assimp::Importer>()) {
  require_readable_gltf(content, file);
  const bool is_collada = lower_extension(file) == ".dae";
  const std::string readable = is_collada ? readable_collada(content, file) : std::string();
  if (is_collada) content = readable;
  importer_->SetIOHandler(new FilesBeside(content, file));  // owned by the importer
  importer_->SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  importer_->SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
  scene_ = importer_->ReadFile(file.string(), steps);
  if (!scene_)
    throw InvalidInput(
        fmt::format("{}: assimp cannot read it: {}", file.string(), first_line(importer_->GetErrorString())));
}

SceneFile::~SceneFile() = default;

void SceneSoup::refuse(const aiMesh& part, const std::string& what) const {
  throw InvalidInput(fmt::format("{}: mesh '{}': {}", file_, part.mName.C_Str(), what));
}

void SceneSoup::add(const aiMesh& part, const aiMatrix4x4& X) {
  const auto first = static_cast<std::int32_t>(mesh.vertices.size());
  corners_ += part.mNumVertices;
  for (unsigned f = 0; f < part.mNumFaces; ++f) corners_ += part.mFaces[f].mNumIndices;
  if (corners_ > kMaxSceneCorners) refuse(part, "the scene has more corners than this reader takes");
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

}  // namespace abut::preprocess
