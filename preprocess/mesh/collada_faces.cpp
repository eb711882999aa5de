#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "preprocess/mesh/collada_checks.h"
#include "runtime/core/counted.h"

namespace abut::preprocess::collada {
namespace {

constexpr std::string_view kPrimitives[] = {"triangles", "polylist",   "polygons", "trifans",
                                            "tristrips", "linestrips", "lines"};
// Meanings of inputs that assimp knows; it leaves out others.
constexpr std::string_view kSemantics[] = {"VERTEX",   "POSITION",    "NORMAL",  "TEXCOORD",  "COLOR",
                                           "BINORMAL", "TEXBINORMAL", "TANGENT", "TEXTANGENT"};

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Reads the whole numbers of <p> or <vcount>, `what` of which each is.
std::vector<std::uint32_t> numbers_of(pugi::xml_node element, const char* what, const Place& place) {
  const Text text = text_of(element, place);
  std::vector<std::uint32_t> numbers;
  std::string_view rest = text.all;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    const auto number = whole_number(word);
    if (!number)
      place.refuse(text.byte + (word.data() - text.all.data()),
                   fmt::format("'{}' in <{}> is no {}", shown(word), element.name(), what));
    numbers.push_back(*number);
  }
  return numbers;
}

// The <vertices> of a mesh.
struct Vertices {
  std::string id;
  std::size_t count = 0;
  bool are_there = false;
};

Vertices check_vertices(pugi::xml_node element, Sources& sources, const Place& place) {
  Vertices vertices{.id = element.attribute("id").value(),
                    .count = std::numeric_limits<std::size_t>::max(),
                    .are_there = true};
  std::size_t positions = 0;
  for (const pugi::xml_node input : element.children("input")) {
    const std::string_view semantic = input.attribute("semantic").value();
    if (!is_one_of(semantic, kSemantics) || semantic == "VERTEX") continue;
    const bool are_positions = semantic == "POSITION";
    positions += are_positions;
    vertices.count =
        std::min(vertices.count, are_positions ? sources.count_of_positions(input) : sources.count_of(input));
  }
  if (positions != 1)
    place.refuse(element, fmt::format("<vertices> '{}' have {} with the semantic POSITION, not one",
                                      shown(vertices.id), counted(positions, "input")));
  return vertices;
}

// Checks one primitive element: its inputs, its counts and its indices.
class Primitive {
 public:
  Primitive(pugi::xml_node element, const Vertices& vertices, Sources& sources, const Place& place)
      : element_(element), name_(element.name()), vertices_(vertices), sources_(sources), place_(place) {}

  // The number of its faces, lines included.
  std::size_t check() {
    count_ = whole_attribute(element_, "count", 0, place_);
    for (const pugi::xml_node child : element_.children()) {
      const std::string_view name = child.name();
      if (name == "input") add_input(child);
      if (name == "vcount") add_sizes(child);
      if (name == "p") check_indices(child);
      if (name == "ph") place_.refuse(child, "a polygon with holes is not read: cut it into triangles");
    }
    const bool has_own_lists =
        is_one_of(name_, std::array<std::string_view, 4>{"polygons", "trifans", "tristrips", "linestrips"});
    if (has_own_lists ? lists_ != count_ : lists_ == 0 && count_ > 0 && name_ != "lines")
      place_.refuse(element_, fmt::format("<{}> of count {} has {}", name_, count_, counted(lists_, "<p>")));
    return faces_;
  }

 private:
  struct Limit {
    std::size_t offset, count;
  };

  void add_input(pugi::xml_node input) {
    if (lists_ > 0) place_.refuse(input, fmt::format("an <input> of <{}> comes after its <p>", name_));
    const std::string semantic = input.attribute("semantic").value();
    const std::size_t offset = whole_attribute(input, "offset", 0, place_);
    stride_ = std::max(stride_, offset + 1);
    if (!is_one_of(semantic, kSemantics)) return;
    known_stride_ = std::max(known_stride_, offset + 1);
    if (semantic == "POSITION")
      place_.refuse(input, fmt::format("positions in <{}> are not read: name <vertices> there", name_));
    if (semantic != "VERTEX") {
      limits_.push_back({offset, sources_.count_of(input)});
      return;
    }
    if (has_vertices_) place_.refuse(input, fmt::format("<{}> has two inputs of vertices", name_));
    has_vertices_ = true;
    const std::string id = reference(input, "source", place_);
    if (!vertices_.are_there || id != vertices_.id)
      place_.refuse(input, fmt::format("there are no <vertices> '{}' before it in its mesh", shown(id)));
    limits_.push_back({offset, vertices_.count});
  }

  void add_sizes(pugi::xml_node vcount) {
    if (has_sizes_) place_.refuse(vcount, "a second <vcount>");
    has_sizes_ = true;
    const std::vector<std::uint32_t> sizes = numbers_of(vcount, "number of corners", place_);
    if (sizes.size() != count_)
      place_.refuse(vcount, fmt::format("<{}> of count {} has {} in <vcount>", name_, count_,
                                        counted(sizes.size(), "number")));
    corners_ = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  }

  void check_indices(pugi::xml_node p) {
    ++lists_;
    const std::vector<std::uint32_t> indices = numbers_of(p, "index of a vertex", place_);
    if (indices.empty() && count_ == 0) return;
    if (!has_vertices_) place_.refuse(element_, fmt::format("<{}> has no input of vertices", name_));
    if (known_stride_ != stride_)
      place_.refuse(element_,
                    fmt::format("the last <input> of <{}> has a semantic that is not known", name_));
    if (indices.size() % stride_ != 0)
      place_.refuse(p, fmt::format("<p> has {}, which are no whole corners of {} each",
                                   counted(indices.size(), "index", "indices"), stride_));
    check_corners(p, indices.size() / stride_);
    for (const Limit& limit : limits_) check_limit(p, indices, limit);
  }

  void check_corners(pugi::xml_node p, std::size_t corners) {
    const auto refuse = [&](const std::string& what) {
      place_.refuse(p, fmt::format("<{}> of count {} has {} in a <p>, {}", name_, count_,
                                   counted(corners, "corner"), what));
    };
    const bool is_one_list = name_ == "triangles" || name_ == "polylist" || name_ == "lines";
    if (is_one_list && lists_ > 1) place_.refuse(p, fmt::format("a second <p> in <{}>", name_));
    if (name_ == "polylist" && !has_sizes_) place_.refuse(p, "<polylist> has no <vcount> before its <p>");
    if (name_ == "polylist" && corners != corners_)
      refuse(fmt::format("but its <vcount> promises {}", corners_));
    if (name_ == "triangles" && corners != 3 * count_) refuse(fmt::format("not {}", 3 * count_));
    if (name_ == "tristrips" && corners < 3) refuse("too few for a triangle");
    if (name_ == "linestrips" && corners < 2) refuse("too few for a line");
    if (name_ == "trifans" && corners != 3)
      refuse("a fan, which is not read: make it triangles");  // assimp makes it one polygon
    faces_ += is_one_list ? count_ : name_ == "tristrips" ? corners - 2 : 1;
  }

  void check_limit(pugi::xml_node p, const std::vector<std::uint32_t>& indices, const Limit& limit) const {
    for (std::size_t k = limit.offset; k < indices.size(); k += stride_) {
      if (indices[k] < limit.count) continue;
      const Text text = text_of(p, place_);
      std::string_view rest = text.all, word;
      for (std::size_t skipped = 0; skipped <= k; ++skipped) word = next_word(rest);
      place_.refuse(text.byte + (word.data() - text.all.data()),
                    fmt::format("index {} in <p> is beyond the {} of its source", indices[k],
                                counted(limit.count, "element")));
    }
  }

  pugi::xml_node element_;
  std::string_view name_;
  const Vertices& vertices_;
  Sources& sources_;
  const Place& place_;
  std::size_t count_ = 0;                      // as its attribute says
  std::size_t stride_ = 1, known_stride_ = 1;  // indices a corner, and those that assimp counts
  std::vector<Limit> limits_;
  bool has_vertices_ = false, has_sizes_ = false;
  std::size_t corners_ = 0;  // as <vcount> says
  std::size_t lists_ = 0, faces_ = 0;
};

// What assimp reads of a mesh: every element of these names, wherever it is in it.
struct Mesh : pugi::xml_tree_walker {
  Mesh(Geometry& its_geometry, Sources& its_sources, const Place& its_place)
      : geometry(its_geometry), sources(its_sources), place(its_place) {}

  bool for_each(pugi::xml_node& element) override {
    const std::string_view name = element.name();
    if (name == "vertices") {
      if (vertices.are_there) place.refuse(element, "a second <vertices> in one mesh");
      vertices = check_vertices(element, sources, place);
    }
    if (is_one_of(name, kPrimitives) && Primitive(element, vertices, sources, place).check() > 0)
      geometry.materials.emplace_back(element.attribute("material").value());
    return true;
  }

  Geometry& geometry;
  Sources& sources;
  const Place& place;
  Vertices vertices;
};

}  // namespace

Geometry check_geometry(pugi::xml_node element, Sources& sources, const Place& place) {
  Geometry geometry{.element = element};
  pugi::xml_node mesh = element.child("mesh");
  if (mesh.next_sibling("mesh")) place.refuse(mesh.next_sibling("mesh"), "a second <mesh> in one geometry");
  Mesh walk(geometry, sources, place);
  mesh.traverse(walk);
  return geometry;
}

}  // namespace abut::preprocess::collada
