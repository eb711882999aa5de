#pragma once

#include <assimp/scene.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "preprocess/mesh/mesh.h"

// Scene files that assimp reads. Internal to the readers of meshes and of their materials.
namespace Assimp {
class Importer;
}

namespace abut::preprocess {

// A scene that has been read, with the files that it names in its folder and below; no other file is opened.
class SceneFile {
 public:
  // `steps`: assimp's post-processing steps, applied after reading. Throws InvalidInput, naming the file, if
  // assimp cannot read it.
  SceneFile(std::string_view content, const std::filesystem::path& file, unsigned steps = 0);
  SceneFile(const SceneFile&) = delete;
  SceneFile& operator=(const SceneFile&) = delete;
  ~SceneFile();

  const aiScene& scene() const { return *scene_; }

  // Calls visit(mesh, X) for every instance of every mesh; X transforms from the mesh's frame to the file's.
  template <class Visit>
  void for_each_instance(Visit&& visit) const;

 private:
  std::unique_ptr<Assimp::Importer> importer_;
  const aiScene* scene_ = nullptr;  // owned by the importer
};

// Collects instances of meshes in one soup. Throws InvalidInput, naming the file and mesh, for invalid
// meshes.
class SceneSoup {
 public:
  explicit SceneSoup(const std::filesystem::path& file) : file_(file.string()) {}

  void add(const aiMesh& part, const aiMatrix4x4& X);

  TriangleMesh mesh;
  std::size_t left_out = 0;  // points and lines, which are left out

 private:
  [[noreturn]] void refuse(const aiMesh& part, const std::string& what) const;

  std::string file_;
  std::size_t corners_ = 0;
};

template <class Visit>
void SceneFile::for_each_instance(Visit&& visit) const {
  std::vector<std::pair<const aiNode*, aiMatrix4x4>> open{{scene_->mRootNode, aiMatrix4x4()}};
  while (!open.empty()) {
    const auto [node, X_parent] = open.back();
    open.pop_back();
    if (!node) continue;
    const aiMatrix4x4 X = X_parent * node->mTransformation;
    for (unsigned k = 0; k < node->mNumMeshes; ++k)
      if (node->mMeshes[k] < scene_->mNumMeshes) visit(*scene_->mMeshes[node->mMeshes[k]], X);
    for (unsigned k = node->mNumChildren; k-- > 0;) open.emplace_back(node->mChildren[k], X);
  }
}

}  // namespace abut::preprocess
