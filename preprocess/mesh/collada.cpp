#include "preprocess/mesh/collada.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

#include "datasets/listing.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kPrimitives[] = {"triangles", "polylist",   "polygons", "trifans",
                                            "tristrips", "linestrips", "lines"};

// A position in a file, for messages.
struct Place {
  std::string_view content;
  const std::filesystem::path& file;

  std::ptrdiff_t line(std::ptrdiff_t byte) const {
    const auto end = std::clamp<std::ptrdiff_t>(byte, 0, std::ssize(content));
    return 1 + std::count(content.begin(), content.begin() + end, '\n');
  }
  [[noreturn]] void refuse(std::ptrdiff_t byte, const std::string& what) const {
    throw InvalidInput(fmt::format("{}:{}: {}; export it again", file.string(), line(byte), what));
  }
};

// Checks the indices of one <p> element.
void check_indices(pugi::xml_node p, const Place& place) {
  const pugi::xml_node text = p.text().data();
  const std::string_view all = text.value();
  std::string_view rest = all;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
    if (rest.empty()) return;
    const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
    std::int32_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (error != std::errc() || end != word.data() + word.size() || index < 0)
      place.refuse(text.offset_debug() + (word.data() - all.data()),
                   fmt::format("'{}' in <p> is no index of a vertex", word.substr(0, 30)));
    rest.remove_prefix(word.size());
  }
}

bool in_primitives(pugi::xml_node p) {
  for (pugi::xml_node within = p.parent(); within; within = within.parent())
    if (std::ranges::find(kPrimitives, std::string_view(within.name())) != std::end(kPrimitives)) return true;
  return false;
}

// Checks the metres per unit; empty if not stated. Assimp accepts negative values, and reads "0,001" as 0.
void check_unit(std::string_view metres, const std::filesystem::path& file) {
  if (metres.empty()) return;
  double value = 0;
  const auto [end, error] = std::from_chars(metres.data(), metres.data() + metres.size(), value);
  if (error != std::errc() || end != metres.data() + metres.size() || !(value > 0) || !std::isfinite(value))
    throw InvalidInput(fmt::format(
        "{}: its unit is '{}' metres, which is no positive number; export it again", file.string(), metres));
}

// The graph of nodes as assimp traverses it recursively: into nested nodes, and into the nodes that instances
// name, once for each instance.
class NodeGraph {
 public:
  explicit NodeGraph(const Place& place) : place_(place) {}

  // Called before everything else for an element at depth `level`, in the order of the file.
  void enter(int level) {
    while (!within_.empty() && within_.back().level >= level) within_.pop_back();
  }
  void add(pugi::xml_node node, int level) {
    const std::size_t index = nodes_.size();
    nodes_.push_back({.byte = node.offset_debug(), .is_root = within_.empty()});
    ids_[node.attribute("id").value()].push_back(index);
    names_[node.attribute("name").value()].push_back(index);
    if (!within_.empty()) nodes_[within_.back().node].children.push_back(index);
    within_.push_back({index, level});
    if (within_.size() > kDeepest) refuse_deep(nodes_.back());
  }
  // Records an instance element, which names another node.
  void add_instance(pugi::xml_node instance) {
    if (within_.empty()) return;
    std::string url = instance.attribute("url").value();
    if (url.starts_with('#')) url.erase(0, 1);
    if (!url.empty()) nodes_[within_.back().node].instances.push_back(std::move(url));
  }

  void require_few() {
    std::size_t all = 0;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      measure(node, 0);
      if (nodes_[node].is_root) all += nodes_[node].size;
      require_few(all, nodes_[node]);
    }
  }

 private:
  static constexpr std::size_t kDeepest = 1000, kMax = 1'000'000;
  struct Node {
    std::ptrdiff_t byte;  // offset of its tag in the file
    bool is_root;
    std::vector<std::size_t> children{};
    std::vector<std::string> instances{};
    std::size_t size = 0;   // number of nodes: itself and all below it; 0 if unknown
    std::size_t depth = 0;  // nesting depth below it
    bool is_open = false;
  };
  struct Within {
    std::size_t node;
    int level;
  };

  [[noreturn]] void refuse_deep(const Node& node) const {
    place_.refuse(node.byte, fmt::format("nodes lie more than {} deep in one another", kDeepest));
  }
  void require_few(std::size_t nodes, const Node& node) const {
    if (nodes > kMax)
      place_.refuse(node.byte, fmt::format("instances of nodes make more than {} of them", kMax));
  }

  // Nodes with this id or, if there are none, with this name.
  const std::vector<std::size_t>& find(const std::string& id) const {
    static const std::vector<std::size_t> kNone;
    for (const auto* known : {&ids_, &names_})
      if (const auto found = known->find(id); found != known->end()) return found->second;
    return kNone;
  }

  // Computes size and depth of the node, which lies at depth `above`.
  void measure(std::size_t index, std::size_t above) {
    Node& node = nodes_[index];
    if (node.is_open) place_.refuse(node.byte, "this node has an instance of itself in it");
    if (above + node.depth >= kDeepest) refuse_deep(node);
    if (node.size > 0) return;
    node.is_open = true;
    std::size_t size = 1;
    const auto add = [&](std::size_t child) {
      measure(child, above + 1);
      size += nodes_[child].size;
      node.depth = std::max(node.depth, 1 + nodes_[child].depth);
      require_few(size, node);
    };
    for (const std::size_t child : node.children) add(child);
    for (const std::string& id : node.instances)
      for (const std::size_t child : find(id)) add(child);
    node.size = size;
    node.is_open = false;
  }

  const Place& place_;
  std::vector<Node> nodes_;
  std::vector<Within> within_;  // the current node's ancestors and the last node itself, outermost first
  std::map<std::string, std::vector<std::size_t>> ids_, names_;
};

// The checks of each element.
struct Check : pugi::xml_tree_walker {
  explicit Check(const Place& its_place) : place(its_place), nodes(place) {}

  bool for_each(pugi::xml_node& element) override {
    nodes.enter(depth());
    const std::string_view name = element.name();
    if (name == "node") nodes.add(element, depth());
    if (name == "instance_node") nodes.add_instance(element);
    if (name == "unit") check_unit(element.attribute("meter").value(), place.file);
    if (name == "p" && in_primitives(element)) check_indices(element, place);
    return true;
  }

  const Place& place;
  NodeGraph nodes;
};

}  // namespace

void require_readable_collada(std::string_view content, const std::filesystem::path& file) {
  if (datasets::lower_extension(file) != ".dae") return;
  const Place place{content.substr(0, content.find('\0')), file};
  pugi::xml_document document;  // parsed with assimp's options
  const pugi::xml_parse_result read =
      document.load_buffer(place.content.data(), place.content.size(), pugi::parse_full, pugi::encoding_utf8);
  if (!read) place.refuse(read.offset, fmt::format("it is no XML ({})", read.description()));
  Check check(place);
  document.traverse(check);
  check.nodes.require_few();
}

}  // namespace abut::preprocess
