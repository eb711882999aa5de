#include <fmt/format.h>

#include "preprocess/mesh/formats.h"
#include "preprocess/mesh/gltf_checks.h"
#include "runtime/core/counted.h"

namespace abut::preprocess::gltf {
namespace {

constexpr std::size_t kFloat = 5126;
enum Mode : std::size_t { kPoints, kLines, kLineLoop, kLineStrip, kTriangles, kTriangleStrip, kTriangleFan };

bool has_data(const Accessor& accessor) { return accessor.view || accessor.is_sparse; }

// Assimp takes names that begin with these for these, or for several of them.
void require_known_names(const Json& attributes, const std::string& name, const Document& document) {
  for (const auto& [attribute, accessor] : attributes.items())
    for (const std::string_view known : {"POSITION", "NORMAL", "TANGENT"})
      if (attribute.starts_with(known) && attribute != known)
        document.refuse(fmt::format("{} has an attribute '{}', which glTF does not know", name, attribute));
}

// Checks one primitive; returns the number of its corners and vertices.
std::size_t check_primitive(const Json& primitive, const std::string& name, const Document& document,
                            Buffers& buffers) {
  const Json* attributes = document.object(primitive, "attributes", name);
  if (!attributes) document.refuse(name + " has no attributes");
  require_known_names(*attributes, name, document);
  for (const Json& target : document.list(primitive, "targets", name))
    require_known_names(target, name, document);
  const auto positions = document.index(*attributes, "POSITION", name, "accessors");
  if (!positions) document.refuse(name + " has no positions");
  const Accessor& position = buffers.accessor(*positions);
  if (position.component != kFloat || position.type != "VEC3")  // assimp takes the bytes for three floats
    throw InvalidInput(
        fmt::format("{}: {} has positions that are not three floats each (quantised?), which is "
                    "not read; export it without quantisation",
                    document.file.string(), name));
  if (!has_data(position)) document.refuse(name + " has positions without data");
  std::size_t corners = position.count;
  if (const auto indices = document.index(primitive, "indices", name, "accessors")) {
    const Accessor& index = buffers.accessor(*indices);
    if (!is_unsigned(index.component) || index.type != "SCALAR" || !has_data(index) ||
        index.stride != index.size)
      document.refuse(fmt::format("{} has indices that are not whole numbers one after the other", name));
    corners = index.count;
    if (const std::size_t largest = buffers.largest(*indices); largest >= position.count)
      document.refuse(fmt::format("{} has an index {}, but {}", name, largest,
                                  counted(position.count, "vertex", "vertices")));
  }
  const std::size_t mode = document.whole(primitive, "mode", name).value_or(kTriangles);
  if (mode > kTriangleFan)
    document.refuse(fmt::format("{} has the mode {}, which glTF does not know", name, mode));
  const std::size_t least = mode == kPoints ? 1 : mode < kTriangles ? 2 : 3;
  const std::size_t step = mode == kTriangles ? 3 : mode == kLines ? 2 : 1;
  if (corners < least || corners % step != 0)
    document.refuse(fmt::format("{} has {}, which make no whole {}", name, counted(corners, "corner"),
                                mode < kTriangles ? "lines" : "triangles"));
  return corners + position.count;
}

}  // namespace

void require_meshes(const Document& document, Buffers& buffers) {
  std::size_t corners = 0;
  for (const auto& [number, mesh] : document.list("meshes").items()) {
    const std::string name = "mesh " + number;
    const Json& primitives = document.list(mesh, "primitives", name);
    if (primitives.empty()) document.refuse(name + " has no primitives");
    for (const auto& [part, primitive] : primitives.items()) {
      const std::string whole = primitives.size() == 1 ? name : fmt::format("primitive {} of {}", part, name);
      corners += check_primitive(primitive, whole, document, buffers);
      if (corners > kMaxSceneCorners)
        document.refuse(whole + ": the scene has more corners than this reader takes");
    }
  }
}

void require_animations(const Document& document, const Buffers& buffers) {
  for (const auto& [number, animation] : document.list("animations").items()) {
    const std::string name = "animation " + number;
    for (const Json& sampler : document.list(animation, "samplers", name)) {
      const auto times = document.index(sampler, "input", name, "accessors");
      const auto values = document.index(sampler, "output", name, "accessors");
      if (!times || !values) document.refuse(name + " has a sampler without input or output");
      const bool is_cubic = sampler.value("interpolation", Json()) == "CUBICSPLINE";
      if (buffers.accessor(*values).count < buffers.accessor(*times).count * (is_cubic ? 3 : 1))
        document.refuse(name + " has a sampler with fewer values than times");
    }
  }
}

}  // namespace abut::preprocess::gltf
