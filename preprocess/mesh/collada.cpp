#include "preprocess/mesh/collada.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

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

}  // namespace

void require_readable_collada(std::string_view content, const std::filesystem::path& file) {
  if (datasets::lower_extension(file) != ".dae") return;
  constexpr int kDeepest = 1000;  // nodes: assimp goes down them by recursion
  bool in_primitives = false;
  int depth = 0;
  for (std::size_t at = content.find('<'); at < content.size(); at = content.find('<', at + 1)) {
    const std::string_view rest = content.substr(at);
    if (rest.starts_with("<!--")) {
      at = std::min(content.find("-->", at), content.size());
      continue;
    }
    const bool closes = rest.starts_with("</");
    const std::string_view tag = rest.substr(closes ? 2 : 1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n/>"));
    if (std::ranges::find(kPrimitives, name) != std::end(kPrimitives)) in_primitives = !closes;
    if (name == "node" && content[std::min(content.find('>', at), content.size()) - 1] != '/')
      depth += closes ? -1 : 1;
    if (depth > kDeepest)
      throw InvalidInput(fmt::format("{}:{}: nodes lie more than {} deep in one another; export it again",
                                     file.string(), 1 + std::count(content.data(), rest.data(), '\n'),
                                     kDeepest));
    if (!in_primitives || closes || name != "p") continue;
    const std::string_view indices = tag.substr(std::min(tag.find('>'), tag.size() - 1) + 1);
    check_indices(indices.substr(0, indices.find('<')), content, file);
  }
}

}  // namespace abut::preprocess
