#include "preprocess/mesh/formats.h"
#include "preprocess/mesh/scene_file.h"
#include "runtime/core/counted.h"

// Reader of COLLADA and glTF scenes.
namespace abut::preprocess {

TriangleMesh parse_scene(std::string_view content, const std::filesystem::path& file, Report& report) {
  const SceneFile scene(content, file);
  SceneSoup soup(file);
  scene.for_each_instance([&](const aiMesh& part, const aiMatrix4x4& X) { soup.add(part, X); });
  if (soup.left_out > 0)
    report.warnings.push_back(counted(soup.left_out, "point or line", "points and lines") + " left out");
  return std::move(soup.mesh);
}

}  // namespace abut::preprocess
