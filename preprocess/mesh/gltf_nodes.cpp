#include <fmt/format.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>

#include "preprocess/mesh/affine.h"
#include "preprocess/mesh/gltf_checks.h"
#include "runtime/core/counted.h"

namespace abut::preprocess::gltf {
namespace {

// Refuses what is not that many numbers that are finite in single precision.
template <std::size_t N>
std::array<double, N> numbers_of(const Json& item, const char* key, const std::string& name,
                                 const Document& document) {
  std::array<double, N> numbers{};
  const Json& list = document.list(item, key, name);
  bool are_numbers = list.size() == N;
  for (std::size_t k = 0; k < N && are_numbers; ++k) {
    are_numbers = list[k].is_number();
    if (are_numbers) numbers[k] = list[k].get<double>();
    are_numbers = are_numbers && std::abs(numbers[k]) <= std::numeric_limits<float>::max();
  }
  if (!are_numbers) document.refuse(fmt::format("the {} of {} is not {} finite numbers", key, name, N));
  return numbers;
}

void check_matrix(const Json& node, const std::string& name, const Document& document) {
  for (const char* other : {"translation", "rotation", "scale"})
    if (node.contains(other)) document.refuse(fmt::format("{} has a matrix and a {}", name, other));
  const std::array<double, 16> numbers = numbers_of<16>(node, "matrix", name, document);
  const Eigen::Matrix4d X = Eigen::Matrix4d::Map(numbers.data());
  if (!is_affine(X)) document.refuse(fmt::format("the last row of the matrix of {} is not 0 0 0 1", name));
  if (is_singular(X.topLeftCorner<3, 3>()))
    document.refuse(fmt::format("the matrix of {} flattens what is in it", name));
}

void check_frame(const Json& node, const std::string& name, const Document& document) {
  if (node.contains("matrix")) return check_matrix(node, name, document);
  if (node.contains("translation")) numbers_of<3>(node, "translation", name, document);
  if (node.contains("rotation")) {
    const std::array<double, 4> q = numbers_of<4>(node, "rotation", name, document);
    if (const double length = Eigen::Vector4d::Map(q.data()).norm(); !is_unit(length))
      document.refuse(fmt::format("the rotation of {} has the length {:.4g}, not 1", name, length));
  }
  if (node.contains("scale")) {
    const std::array<double, 3> scale = numbers_of<3>(node, "scale", name, document);
    if (is_singular(Eigen::Vector3d::Map(scale.data()).asDiagonal()))
      document.refuse(fmt::format("the scale of {} flattens what is in it", name));
  }
}

// The nodes, of which each may have one parent.
class Tree {
 public:
  explicit Tree(const Document& document)
      : document_(document), nodes_(document.list("nodes")), parents_(nodes_.size(), kNone) {}

  void check() {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      if (!nodes_[k].is_object()) document_.refuse(fmt::format("node {} is no object", k));
      for (const Json& child : document_.list(nodes_[k], "children", fmt::format("node {}", k)))
        add(node_of(child, fmt::format("'children' of node {}", k)), k);
    }
    require_shallow();
    check_scene();
    std::vector<bool> has_mesh(nodes_.size());
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (document_.index(nodes_[k], "mesh", fmt::format("node {}", k), "meshes"))
        for (std::size_t at = k; at != kNone && !has_mesh[at]; at = parents_[at]) has_mesh[at] = true;
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (has_mesh[k]) check_frame(nodes_[k], fmt::format("node {}", k), document_);
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::size_t node_of(const Json& reference, const std::string& name) const {
    if (!reference.is_number_unsigned()) document_.refuse(name + " has what is no number of a node");
    const auto node = reference.get<std::size_t>();
    if (node >= nodes_.size())
      document_.refuse(
          fmt::format("{} has node {}, but there are {}", name, node, counted(nodes_.size(), "node")));
    return node;
  }

  void add(std::size_t child, std::size_t parent) {
    if (parents_[child] != kNone)
      document_.refuse(fmt::format("node {} is a child of two, {} and {}", child, parents_[child], parent));
    parents_[child] = parent;
  }

  // Assimp traverses the nodes recursively.
  void require_shallow() const {
    constexpr std::size_t kDeepest = 1000;
    std::vector<std::size_t> depths(nodes_.size());  // 0 if not known yet
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      std::size_t depth = 0, at = node;
      for (; at != kNone && depths[at] == 0 && depth <= kDeepest; at = parents_[at]) ++depth;
      if (at != kNone) depth += depths[at];
      if (depth > kDeepest) document_.refuse(fmt::format("node {} is more than {} deep", node, kDeepest));
      for (at = node; at != kNone && depths[at] == 0; at = parents_[at]) depths[at] = depth--;
    }
  }

  void check_scene() const {
    const std::size_t scene = document_.index(document_.json, "scene", "the file", "scenes").value_or(0);
    const Json& scenes = document_.list("scenes");
    if (scenes.empty()) document_.refuse("it has no scenes");
    const std::string name = fmt::format("'nodes' of scene {}", scene);
    std::vector<bool> is_root(nodes_.size());
    for (const Json& root : document_.list(scenes[scene], "nodes", fmt::format("scene {}", scene))) {
      const std::size_t node = node_of(root, name);
      if (parents_[node] != kNone || is_root[node])
        document_.refuse(fmt::format("{} has node {}, which is there already", name, node));
      is_root[node] = true;
    }
  }

  const Document& document_;
  const Json& nodes_;
  std::vector<std::size_t> parents_;
};

}  // namespace

void require_nodes(const Document& document) { Tree(document).check(); }

}  // namespace abut::preprocess::gltf
