#include "preprocess/pressure/refine.h"

#include <map>
#include <utility>

namespace abut::preprocess {

TriangleMesh refine(const TriangleMesh& mesh) {
  TriangleMesh result;
  result.vertices = mesh.vertices;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
  const auto middle = [&](std::int32_t a, std::int32_t b) {
    const auto [it, added] =
        middles.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(result.vertices.size()));
    if (added) result.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]) / 2);
    return it->second;
  };
  for (const auto& [a, b, c] : mesh.triangles) {
    const std::int32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    result.triangles.insert(result.triangles.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
  }
  return result;
}

}  // namespace abut::preprocess
