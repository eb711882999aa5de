#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "preprocess/mesh/collada_checks.h"
#include "runtime/core/error.h"

namespace abut::preprocess::collada {
namespace {

// The name under which a node can be instanced besides its id.
std::string name_of(pugi::xml_node element) {
  const bool is_scene = element.name() == std::string_view("visual_scene");
  return element.attribute("name").as_string(is_scene ? "Scene" : "");
}

// The materials that an instance of a geometry gives its primitives, by their symbols.
std::map<std::string, std::string> bound_materials(pugi::xml_node instance) {
  std::map<std::string, std::string> bound;
  for (const pugi::xml_node bind : instance.children("bind_material"))
    for (const pugi::xml_node material : bind.child("technique_common").children("instance_material")) {
      std::string target = material.attribute("target").value();
      if (target.starts_with('#')) target.erase(0, 1);
      bound[material.attribute("symbol").value()] = target;
    }
  return bound;
}

}  // namespace

void NodeGraph::enter(int level) {
  while (!within_.empty() && within_.back().level >= level) within_.pop_back();
}

void NodeGraph::add(pugi::xml_node element, int level) {
  const std::size_t index = nodes_.size();
  const bool is_scene = element.name() == std::string_view("visual_scene");
  const bool is_read = within_.empty() ? is_in(element, is_scene ? "library_visual_scenes" : "library_nodes")
                                       : !is_scene && element.parent() == nodes_[within_.back().node].element;
  if (!is_read) return;
  const std::size_t scene = is_scene ? index : within_.empty() ? kNone : nodes_[within_.back().node].scene;
  nodes_.push_back({.element = element, .scene = scene, .is_in_library = within_.empty()});
  if (const std::string id = element.attribute("id").value(); !id.empty()) ids_[id].push_back(index);
  if (const std::string name = name_of(element); !name.empty()) names_[name].push_back(index);
  if (!within_.empty()) nodes_[within_.back().node].children.push_back(index);
  within_.push_back({index, level});
  if (within_.size() > kDeepest + 1) refuse_deep(nodes_.back());
}

void NodeGraph::set_scene(pugi::xml_node instance) {
  if (scene_instance_) place_.refuse(instance, "a second <instance_visual_scene>");
  scene_instance_ = instance;
}

void NodeGraph::require_readable(const std::unordered_map<std::string, Geometry>& geometries) {
  geometries_ = &geometries;
  const std::size_t root = scene();
  measure(root, 0, root);
}

void NodeGraph::refuse_deep(const Node& node) const {
  place_.refuse(node.element, fmt::format("nodes lie more than {} deep in one another", kDeepest));
}

void NodeGraph::require_few(std::size_t size, const Node& node) const {
  if (size > kMax)
    place_.refuse(node.element, fmt::format("instances of nodes make more than {} of them", kMax));
}

std::size_t NodeGraph::the_only(const std::vector<std::size_t>& found, pugi::xml_node instance) const {
  if (found.size() > 1)
    place_.refuse(instance, fmt::format("<{}> refers to '{}', which two nodes are called", instance.name(),
                                        shown(instance.attribute("url").value())));
  return found.empty() ? kNone : found.front();
}

std::vector<std::size_t> NodeGraph::in_libraries(const std::string& id) const {
  std::vector<std::size_t> found;
  if (const auto known = ids_.find(id); known != ids_.end())
    std::copy_if(known->second.begin(), known->second.end(), std::back_inserter(found),
                 [&](std::size_t node) { return nodes_[node].is_in_library; });
  return found;
}

std::size_t NodeGraph::scene() const {
  if (!scene_instance_)
    throw InvalidInput(fmt::format("{}: it has no <scene> with an <instance_visual_scene>; export it again",
                                   place_.file.string()));
  const std::string id = reference(scene_instance_, "url", place_);
  const std::size_t found = the_only(in_libraries(id), scene_instance_);
  if (found == kNone)
    place_.refuse(scene_instance_, fmt::format("there is no <visual_scene> '{}'", shown(id)));
  return found;
}

std::size_t NodeGraph::find(pugi::xml_node instance, std::size_t scene) {
  const std::string id = reference(instance, "url", place_);
  const auto [known, is_new] = found_.try_emplace(id, kNone);
  if (is_new) known->second = search(id, instance, scene);
  return known->second;
}

// Assimp looks for an id directly in libraries, then for the first node of the scene with this id or name.
std::size_t NodeGraph::search(const std::string& id, pugi::xml_node instance, std::size_t scene) const {
  if (const std::size_t found = the_only(in_libraries(id), instance); found != kNone) return found;
  std::vector<std::size_t> found;
  for (const Numbers* known : {&ids_, &names_})
    if (const auto nodes = known->find(id); nodes != known->end())
      for (const std::size_t node : nodes->second)
        if (nodes_[node].scene == scene && std::ranges::find(found, node) == found.end()) {
          found.push_back(node);
          if (found.size() > 1) break;
        }
  if (found.empty())
    place_.refuse(instance, fmt::format("there is no node '{}' in the scene or directly in <library_nodes>",
                                        shown(id)));
  return the_only(found, instance);
}

// Computes size and depth of the node, which lies at depth `above`. Meshes are placed in assimp's order.
void NodeGraph::measure(std::size_t index, std::size_t above, std::size_t scene) {
  Node& node = nodes_[index];
  if (node.is_open) place_.refuse(node.element, "this node has an instance of itself in it");
  if (above + node.depth > kDeepest) refuse_deep(node);
  if (node.size > 0) return;
  node.is_open = true;
  if (const pugi::xml_node skew = node.element.child("skew"))  // assimp ends the program
    place_.refuse(skew, "<skew> is not read: make it a <matrix>");
  std::size_t size = 1;
  const auto add = [&](std::size_t child) {
    measure(child, above + 1, scene);
    size += nodes_[child].size;
    node.depth = std::max(node.depth, 1 + nodes_[child].depth);
    node.has_meshes = node.has_meshes || nodes_[child].has_meshes;
    require_few(size, nodes_[child]);
  };
  for (const std::size_t child : node.children) add(child);
  for (const pugi::xml_node instance : node.element.children("instance_node")) add(find(instance, scene));
  const std::size_t primitives = add_meshes(node);
  size += primitives;
  require_few(size, node);
  node.has_meshes = node.has_meshes || primitives > 0;
  if (node.has_meshes) check_frames(node.element, place_);
  node.size = size;
  node.is_open = false;
}

std::size_t NodeGraph::add_meshes(const Node& node) {
  std::size_t primitives = 0;
  for (const pugi::xml_node instance : node.element.children()) {
    const std::string_view name = instance.name();
    if (name == "instance_controller")
      place_.refuse(instance,
                    "<instance_controller>: the mesh has a skin or morph targets, which are not applied: "
                    "apply them");
    if (name != "instance_geometry") continue;
    primitives += add_mesh(instance);
    require_few(primitives, node);
  }
  return primitives;
}

// The number of the geometry's primitives. Of a geometry in parts, assimp keeps every part with each material
// once; a part with a new material gets the faces of another part, if a part before it was kept already.
std::size_t NodeGraph::add_mesh(pugi::xml_node instance) {
  const std::string id = reference(instance, "url", place_);
  const auto found = geometries_->find(id);
  if (found == geometries_->end())
    place_.refuse(instance, fmt::format("there is no <geometry> '{}'", shown(id)));
  const Geometry& geometry = found->second;
  if (geometry.is_twice)
    place_.refuse(geometry.element, fmt::format("two <geometry> have the id '{}'", shown(id)));
  if (!geometry.element.child("mesh") &&
      !geometry.element.child("spline"))  // a curve is left out, as lines are
    place_.refuse(geometry.element, fmt::format("<geometry> '{}' has no <mesh>: make it one", shown(id)));
  const std::map<std::string, std::string> bound = bound_materials(instance);
  bool is_known = false;
  for (std::size_t part = 0; part < geometry.materials.size(); ++part) {
    const auto own = bound.find(geometry.materials[part]);
    const std::string material = own != bound.end() ? own->second
                                 : bound.empty()    ? ""
                                                    : bound.begin()->second;
    const bool is_new = placed_.emplace(id, part, material).second;
    if (is_new && is_known)
      place_.refuse(instance,
                    fmt::format("<geometry> '{}' has parts that are placed with several materials, which is "
                                "not read: use the same in every place",
                                shown(id)));
    is_known = is_known || !is_new;
  }
  return geometry.materials.size();
}

}  // namespace abut::preprocess::collada
