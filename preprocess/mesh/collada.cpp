#include "preprocess/mesh/collada.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "datasets/listing.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kPrimitives[] = {"triangles", "polylist",   "polygons", "trifans",
                                            "tristrips", "linestrips", "lines"};

// The indices of one <p>, a view of `content`.
void check_indices(std::string_view indices, std::string_view content, const std::filesystem::path& file) {
  while (true) {
    indices.remove_prefix(std::min(indices.find_first_not_of(kBlank), indices.size()));
    if (indices.empty()) return;
    const std::string_view word = indices.substr(0, indices.find_first_of(kBlank));
    std::int32_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (error != std::errc() || end != word.data() + word.size() || index < 0)
      throw InvalidInput(fmt::format("{}:{}: '{}' in <p> is no index of a vertex; export it again",
                                     file.string(), 1 + std::count(content.data(), word.data(), '\n'),
                                     word.substr(0, 30)));
    indices.remove_prefix(word.size());
  }
}

// Up to its '>' outside quotes, with it; a '<' is in no tag.
std::string_view tag_of(std::string_view rest) {
  char quote = 0;
  for (std::size_t k = 1; k < rest.size() && rest[k] != '<'; ++k) {
    if (rest[k] == '>' && quote == 0) return rest.substr(0, k + 1);
    if (rest[k] == quote)
      quote = 0;
    else if (quote == 0 && (rest[k] == '"' || rest[k] == '\''))
      quote = rest[k];
  }
  return rest.substr(0, 1);
}

// The value between its quotes; none: empty.
std::string_view attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name, 1); at < tag.size(); at = tag.find(name, at + 1)) {
    if (kBlank.find(tag[at - 1]) == kBlank.npos) continue;
    const std::string_view rest = tag.substr(at + name.size());
    const std::size_t equals = std::min(rest.find_first_not_of(kBlank), rest.size());
    if (!rest.substr(equals).starts_with('=')) continue;
    const std::size_t quote = rest.find_first_of("\"'", equals);
    if (quote == rest.npos) continue;
    return rest.substr(quote + 1, rest.find(rest[quote], quote + 1) - quote - 1);
  }
  return {};
}

// The nodes as assimp goes down them, by recursion: into those within a node, and into those that it names,
// as often as it does.
class NodeGraph {
 public:
  explicit NodeGraph(const std::filesystem::path& file) : file_(file) {}

  void open(std::string_view tag, std::ptrdiff_t line) {
    const std::size_t node = nodes_.size();
    nodes_.push_back({.line = line, .is_root = within_.empty()});
    ids_[attribute(tag, "id")].push_back(node);
    names_[attribute(tag, "name")].push_back(node);
    if (!within_.empty()) nodes_[within_.back()].children.push_back(node);
    within_.push_back(node);
    if (within_.size() > kDeepest) refuse_deep(line);
  }
  void close() {
    if (!within_.empty()) within_.pop_back();
  }
  void instance(std::string_view tag) {
    std::string_view url = attribute(tag, "url");
    url.remove_prefix(url.starts_with('#') ? 1 : 0);
    if (!within_.empty() && !url.empty()) nodes_[within_.back()].instances.push_back(url);
  }

  void require_few() {
    std::size_t all = 0;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      measure(node, 0);
      if (nodes_[node].is_root) all += nodes_[node].size;
      require_few(all, nodes_[node].line);
    }
  }

 private:
  static constexpr std::size_t kDeepest = 1000, kMost = 1'000'000;
  struct Node {
    std::ptrdiff_t line;
    bool is_root;
    std::vector<std::size_t> children{};
    std::vector<std::string_view> instances{};
    std::size_t size = 0;   // nodes: itself and all below it; 0: not known
    std::size_t depth = 0;  // of those below it
    bool is_open = false;
  };

  [[noreturn]] void refuse(std::ptrdiff_t line, const std::string& what) const {
    throw InvalidInput(fmt::format("{}:{}: {}; export it again", file_.string(), line, what));
  }
  [[noreturn]] void refuse_deep(std::ptrdiff_t line) const {
    refuse(line, fmt::format("nodes lie more than {} deep in one another", kDeepest));
  }
  void require_few(std::size_t nodes, std::ptrdiff_t line) const {
    if (nodes > kMost) refuse(line, fmt::format("instances of nodes make more than {} of them", kMost));
  }

  // By its id; by their names where none has it.
  const std::vector<std::size_t>& find(std::string_view id) const {
    static const std::vector<std::size_t> kNone;
    for (const auto* known : {&ids_, &names_})
      if (const auto found = known->find(id); found != known->end()) return found->second;
    return kNone;
  }

  // Of the node, which lies `above` deep.
  void measure(std::size_t index, std::size_t above) {
    Node& node = nodes_[index];
    if (node.is_open) refuse(node.line, "this node has an instance of itself in it");
    if (above + node.depth >= kDeepest) refuse_deep(node.line);
    if (node.size > 0) return;
    node.is_open = true;
    std::size_t size = 1;
    const auto add = [&](std::size_t child) {
      measure(child, above + 1);
      size += nodes_[child].size;
      node.depth = std::max(node.depth, 1 + nodes_[child].depth);
      require_few(size, node.line);
    };
    for (const std::size_t child : node.children) add(child);
    for (const std::string_view id : node.instances)
      for (const std::size_t child : find(id)) add(child);
    node.size = size;
    node.is_open = false;
  }

  const std::filesystem::path& file_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> within_;  // the open ones, outermost first
  std::map<std::string_view, std::vector<std::size_t>> ids_, names_;
};

}  // namespace

void require_readable_collada(std::string_view content, const std::filesystem::path& file) {
  if (datasets::lower_extension(file) != ".dae") return;
  bool in_primitives = false;
  NodeGraph nodes(file);
  std::ptrdiff_t line = 1;  // of `seen`
  const char* seen = content.data();
  for (std::size_t at = content.find('<'); at < content.size(); at = content.find('<', at + 1)) {
    const std::string_view rest = content.substr(at);
    if (rest.starts_with("<!--")) {
      at = std::min(content.find("-->", at), content.size());
      continue;
    }
    const bool closes = rest.starts_with("</");
    const std::string_view tag = rest.substr(closes ? 2 : 1);
    const std::string_view whole = tag_of(rest);
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n/>"));
    if (std::ranges::find(kPrimitives, name) != std::end(kPrimitives)) in_primitives = !closes;
    if (name == "node" && closes) nodes.close();
    if (name == "node" && !closes) {
      line += std::count(seen, rest.data(), '\n');
      seen = rest.data();
      nodes.open(whole, line);
      if (whole.ends_with("/>")) nodes.close();
    }
    if (name == "instance_node" && !closes) nodes.instance(whole);
    if (!in_primitives || closes || name != "p") continue;
    const std::string_view indices = tag.substr(std::min(tag.find('>'), tag.size() - 1) + 1);
    check_indices(indices.substr(0, indices.find('<')), content, file);
  }
  nodes.require_few();
}

}  // namespace abut::preprocess
