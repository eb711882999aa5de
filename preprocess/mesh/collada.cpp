#include "preprocess/mesh/collada.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
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

// Up to its '>' outside quotes, with it; a '<' is in no tag outside quotes. Empty where it does not end.
std::string_view tag_of(std::string_view rest) {
  char quote = 0;
  for (std::size_t k = 1; k < rest.size() && (rest[k] != '<' || quote != 0); ++k) {
    if (rest[k] == '>' && quote == 0) return rest.substr(0, k + 1);
    if (rest[k] == quote)
      quote = 0;
    else if (quote == 0 && (rest[k] == '"' || rest[k] == '\''))
      quote = rest[k];
  }
  return {};
}

// The value between its quotes; none: empty. Attributes are gone through one by one, for a value may hold
// what looks like one.
std::string_view attribute(std::string_view tag, std::string_view name) {
  std::string_view rest = tag.substr(std::min(tag.find_first_of(kBlank), tag.size()));
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
    const std::size_t equals = rest.find('='), quote = rest.find_first_of("\"'");
    if (equals == rest.npos || quote == rest.npos || quote < equals) return {};
    const std::string_view found = rest.substr(0, std::min(equals, rest.find_first_of(kBlank)));
    const std::size_t end = rest.find(rest[quote], quote + 1);
    if (end == rest.npos) return {};
    if (found == name) return rest.substr(quote + 1, end - quote - 1);
    rest.remove_prefix(end + 1);
  }
}

// Metres of a unit; empty: not said. Assimp takes what is negative, and of "0,001" the 0.
void check_unit(std::string_view metres, const std::filesystem::path& file) {
  if (metres.empty()) return;
  double value = 0;
  const auto [end, error] = std::from_chars(metres.data(), metres.data() + metres.size(), value);
  if (error != std::errc() || end != metres.data() + metres.size() || !(value > 0) || !std::isfinite(value))
    throw InvalidInput(fmt::format(
        "{}: its unit is '{}' metres, which is no positive number; export it again", file.string(), metres));
}

// Where what holds no tags and begins at `at` has its end; `at` for a tag. [XML 1.0, 2.5-2.7]
std::size_t end_of_other(std::string_view content, std::size_t at) {
  constexpr std::string_view kOthers[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
  for (const auto& [begin, end] : kOthers)
    if (content.substr(at).starts_with(begin))
      return std::min(content.find(end, at + begin.size()), content.size());
  return at;
}

void append_utf8(std::uint32_t character, std::string& text) {
  const auto byte = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
  const int more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kFirst[] = {0, 0xC0, 0xE0, 0xF0};
  byte(kFirst[more] | (character >> (6 * more)));
  for (int k = more; k-- > 0;) byte(0x80 | ((character >> (6 * k)) & 0x3F));
}

// Appends the character of the reference that `value` begins with [XML 1.0, 4.1, 4.6]; the bytes that it
// takes, 0 for none, which assimp leaves as it is.
std::size_t append_reference(std::string_view value, std::string& text) {
  constexpr std::string_view kNamed[][2] = {
      {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
  for (const auto& [reference, character] : kNamed)
    if (value.starts_with(reference)) return text += character, reference.size();
  if (!value.starts_with("&#")) return 0;
  const bool is_hexadecimal = value.starts_with("&#x");
  const char* const digits = value.data() + (is_hexadecimal ? 3 : 2);
  std::uint32_t character = 0;
  const auto [end, error] =
      std::from_chars(digits, value.data() + value.size(), character, is_hexadecimal ? 16 : 10);
  if (error != std::errc() || end == value.data() + value.size() || *end != ';' || character > 0x10FFFF)
    return 0;
  append_utf8(character, text);
  return static_cast<std::size_t>(end + 1 - value.data());
}

// By which assimp finds a node: with characters for the references to them, and blanks for tabs and line
// ends.
std::string name_in(std::string_view value) {
  std::string name;
  while (!value.empty()) {
    if (const std::size_t taken = append_reference(value, name); taken > 0) {
      value.remove_prefix(taken);
      continue;
    }
    name += kBlank.find(value[0]) == kBlank.npos ? value[0] : ' ';
    value.remove_prefix(1);
  }
  return name;
}

// The nodes as assimp goes down them, by recursion: into those within a node, and into those that it names,
// as often as it does.
class NodeGraph {
 public:
  explicit NodeGraph(const std::filesystem::path& file) : file_(file) {}

  void open(std::string_view tag, std::ptrdiff_t line) {
    const std::size_t node = nodes_.size();
    nodes_.push_back({.line = line, .is_root = within_.empty()});
    ids_[name_in(attribute(tag, "id"))].push_back(node);
    names_[name_in(attribute(tag, "name"))].push_back(node);
    if (!within_.empty()) nodes_[within_.back()].children.push_back(node);
    within_.push_back(node);
    if (within_.size() > kDeepest) refuse_deep(line);
  }
  void close() {
    if (!within_.empty()) within_.pop_back();
  }
  void instance(std::string_view tag) {
    if (within_.empty()) return;
    std::string url = name_in(attribute(tag, "url"));
    if (url.starts_with('#')) url.erase(0, 1);
    if (!url.empty()) nodes_[within_.back()].instances.push_back(std::move(url));
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
    std::vector<std::string> instances{};
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
  const std::vector<std::size_t>& find(const std::string& id) const {
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
    for (const std::string& id : node.instances)
      for (const std::size_t child : find(id)) add(child);
    node.size = size;
    node.is_open = false;
  }

  const std::filesystem::path& file_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> within_;  // the open ones, outermost first
  std::map<std::string, std::vector<std::size_t>> ids_, names_;
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
    if (const std::size_t end = end_of_other(content, at); end != at) {
      at = end;
      continue;
    }
    const bool closes = rest.starts_with("</");
    const std::string_view tag = rest.substr(closes ? 2 : 1);
    const std::string_view whole = tag_of(rest);
    if (whole.empty())
      throw InvalidInput(fmt::format("{}:{}: a tag that does not end; export it again", file.string(),
                                     line + std::count(seen, rest.data(), '\n')));
    at += whole.size() - 1;
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
    if (name == "unit" && !closes) check_unit(attribute(whole, "meter"), file);
    if (!in_primitives || closes || name != "p") continue;
    const std::string_view indices = rest.substr(whole.size());
    check_indices(indices.substr(0, indices.find('<')), content, file);
  }
  nodes.require_few();
}

}  // namespace abut::preprocess
