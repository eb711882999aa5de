#include "preprocess/mesh/collada.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "preprocess/mesh/collada_checks.h"
#include "preprocess/mesh/formats.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"

namespace abut::preprocess {
namespace collada {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

}  // namespace

void Place::refuse(std::ptrdiff_t byte, const std::string& what) const {
  const auto end = std::clamp<std::ptrdiff_t>(byte, 0, std::ssize(content));
  const auto line = 1 + std::count(content.begin(), content.begin() + end, '\n');
  throw InvalidInput(fmt::format("{}:{}: {}; export it again", file.string(), line, what));
}

Text text_of(pugi::xml_node element, const Place& place) {
  const pugi::xml_node text = element.text().data();
  for (pugi::xml_node other = text.next_sibling(); other; other = other.next_sibling())
    if (other.type() == pugi::node_pcdata || other.type() == pugi::node_cdata)
      place.refuse(other, fmt::format("the text of <{}> is in several parts", element.name()));
  return {text.value(), text.offset_debug()};
}

std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
  rest.remove_prefix(word.size());
  return word;
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  while (!next_word(text).empty()) ++words;
  return words;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string shown(std::string_view word) {
  constexpr std::size_t kLongest = 60;
  std::string text(word.substr(0, kLongest));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::optional<double> finite_number(std::string_view word) {
  // Before the point, which assimp reads as a whole number of 64 bits.
  constexpr std::size_t kMostDigits = 18;
  const std::size_t digits = word.find_first_not_of("+-0123456789");
  if (std::min(digits, word.size()) > kMostDigits + 1) return std::nullopt;
  const char* at = word.data();
  double value = 0;
  const NumberStatus status = read_coordinate(at, word.data() + word.size(), value);
  if (status != NumberStatus::kOk && status != NumberStatus::kTooLarge) return std::nullopt;
  if (at != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> whole_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 0) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

std::size_t whole_attribute(pugi::xml_node element, const char* name, std::size_t otherwise,
                            const Place& place) {
  const pugi::xml_attribute attribute = element.attribute(name);
  if (!attribute) return otherwise;
  const auto value = whole_number(trimmed(attribute.value()));
  if (!value)
    place.refuse(element, fmt::format("the {} '{}' of <{}> is no whole number from 0 on", name,
                                      shown(attribute.value()), element.name()));
  return *value;
}

std::string reference(pugi::xml_node element, const char* attribute, const Place& place) {
  const std::string_view url = element.attribute(attribute).value();
  if (!url.starts_with('#') || url.size() == 1)
    place.refuse(element, fmt::format("the {} '{}' of <{}> is no '#' with an id of this file", attribute,
                                      shown(url), element.name()));
  constexpr std::size_t kLongest = 1000;  // assimp has a copy in every part of a mesh
  if (url.size() > kLongest)
    place.refuse(element, fmt::format("the {} of <{}> is longer than {} characters", attribute,
                                      element.name(), kLongest));
  return std::string(url.substr(1));
}

bool is_in(pugi::xml_node element, std::string_view library) {
  const pugi::xml_node within = element.parent();
  return within.name() == library && within.parent().parent() == element.root();
}

}  // namespace collada

namespace {

using namespace collada;

// Overwrites with blanks, and takes out of the document, the libraries that have no part in a shape at rest.
// In assimp, controllers in a circle do not end, and animations that name what is not there end the program.
void remove_what_moves(pugi::xml_node root, std::string& content) {
  constexpr std::string_view kLibraries[] = {"library_animations", "library_animation_clips",
                                             "library_controllers", "library_cameras", "library_lights"};
  const auto start = [](pugi::xml_node element) {
    return static_cast<std::size_t>(element.offset_debug() - 1);
  };
  for (pugi::xml_node element = root.first_child(); element;) {
    pugi::xml_node next = element.next_sibling();
    while (next && next.type() != pugi::node_element) next = next.next_sibling();
    if (std::ranges::find(kLibraries, std::string_view(element.name())) != std::end(kLibraries)) {
      const std::size_t first = start(element), end = next ? start(next) : content.rfind("</COLLADA");
      std::fill(content.begin() + static_cast<std::ptrdiff_t>(first),
                content.begin() + static_cast<std::ptrdiff_t>(std::max(first, end)), ' ');
      root.remove_child(element);
    }
    element = next;
  }
}

// The checks of each element.
struct Check : pugi::xml_tree_walker {
  explicit Check(const Place& its_place) : place(its_place), sources(place), nodes(place) {}

  bool for_each(pugi::xml_node& element) override {
    if (depth() > kDeepest)
      place.refuse(element, fmt::format("elements lie more than {} deep in one another", kDeepest));
    nodes.enter(depth());
    const std::string_view name = element.name();
    if (name == "node" || name == "visual_scene") nodes.add(element, depth());
    if (name == "instance_visual_scene" && is_in(element, "scene")) nodes.set_scene(element);
    if (name == "geometry" && is_in(element, "library_geometries")) geometries.push_back(element);
    if (name == "float_array") sources.add_array(element);
    if (name == "source" && element.attribute("id")) sources.add(element);
    if (name == "unit") check_unit(element);
    if (name == "up_axis") check_up_axis(element);
    if (name == "init_from" && element.parent().name() == std::string_view("image")) check_image(element);
    return true;
  }

  // Checks the metres per unit; 1 if not stated. Assimp accepts negative values, reads " 0.001" as 1, and
  // knows no unit of a part.
  void check_unit(pugi::xml_node element) {
    const std::string_view metres = element.attribute("meter").value();
    double value = 1;
    if (!metres.empty()) {
      value = trimmed(metres) == metres ? finite_number(metres).value_or(0) : 0;
      if (!(value >= std::numeric_limits<float>::min()) || value > std::numeric_limits<float>::max())
        throw InvalidInput(
            fmt::format("{}: its unit is '{}' metres, which is no positive number; export it again",
                        place.file.string(), shown(metres)));
    }
    if (element.parent().name() != std::string_view("asset")) return;
    if (unit && *unit != value)
      place.refuse(element, fmt::format("a second unit, of {} metres beside one of {}", value, *unit));
    unit = value;
  }

  void check_up_axis(pugi::xml_node element) const {
    const std::string_view axis = trimmed(element.text().get());
    if (!axis.empty() && axis != "X_UP" && axis != "Y_UP" && axis != "Z_UP")
      place.refuse(element, fmt::format("<up_axis> is '{}', not X_UP, Y_UP or Z_UP", shown(axis)));
  }

  // Assimp ends the program where the name of a picture's file is empty.
  void check_image(pugi::xml_node element) const {
    const auto is_empty = [](pugi::xml_node name) {
      const std::string_view text = name.text().get();
      return text.empty() || text == "file://";
    };
    const std::string_view version = element.root().child("COLLADA").attribute("version").value();
    const pugi::xml_node inner = element.child("ref");
    if ((version.starts_with("1.4") && is_empty(element)) || (inner && is_empty(inner)))
      place.refuse(element, "<init_from> of an <image> names no file");
  }

  void finish() {
    std::unordered_map<std::string, Geometry> known;
    for (const pugi::xml_node element : geometries) {
      const auto [other, is_new] =
          known.try_emplace(element.attribute("id").value(), check_geometry(element, sources, place));
      other->second.is_twice = !is_new;
    }
    nodes.require_readable(known);
  }

  static constexpr int kDeepest = 1100;  // assimp recurses

  const Place& place;
  Sources sources;
  NodeGraph nodes;
  std::vector<pugi::xml_node> geometries;
  std::optional<double> unit;
};

}  // namespace

std::string readable_collada(std::string_view content, const std::filesystem::path& file) {
  const Place place{content.substr(0, content.find('\0')), file};
  pugi::xml_document document;  // parsed with assimp's options
  const pugi::xml_parse_result read =
      document.load_buffer(place.content.data(), place.content.size(), pugi::parse_full, pugi::encoding_utf8);
  if (!read) place.refuse(read.offset, fmt::format("it is no XML ({})", read.description()));
  std::string readable(place.content);
  pugi::xml_node root = document.child("COLLADA");
  remove_what_moves(root, readable);
  Check check(place);
  root.traverse(check);
  check.finish();
  return readable;
}

}  // namespace abut::preprocess
