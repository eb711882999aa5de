#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "preprocess/mesh/formats.h"
#include "runtime/core/counted.h"

namespace abut::preprocess {
namespace {

enum class Format { kAscii, kLittle, kBig };
enum class Type { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat, kDouble };

constexpr std::size_t kTypeBytes[] = {1, 1, 2, 2, 4, 4, 4, 8};

struct Property {
  std::string name;
  Type type = Type::kFloat;
  std::optional<Type> list_count;  // set for a list: the type of its length
};

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;
};

std::optional<Type> parse_type(std::string_view word) {
  constexpr std::string_view kNames[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                            {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                            {"float", "float32"}, {"double", "float64"}};
  for (int i = 0; i < 8; ++i) {
    if (word == kNames[i][0] || word == kNames[i][1]) return static_cast<Type>(i);
  }
  return std::nullopt;
}

class PlyParser {
 public:
  PlyParser(std::string_view content, const std::string& name)
      : at_(content.data()), end_(content.data() + content.size()), name_(name) {}

  TriangleMesh parse() {
    parse_header();
    for (const Element& element : elements_) {
      refuse_if_impossible(element);
      if (element.properties.empty()) continue;
      element_ = &element;
      const bool is_vertex = element.name == "vertex", is_face = element.name == "face";
      if (is_vertex) find_coordinates(element);
      if (is_face) find_corners(element);
      for (item_ = 0; item_ < element.count; ++item_) {
        if (is_vertex) {
          parse_vertex(element);
        } else if (is_face) {
          parse_face(element);
        } else {
          for (const Property& p : element.properties) skip(p);
        }
      }
    }
    check_corners();
    polygons_.cut_rest(mesh_);
    return std::move(mesh_);
  }

  // Number of bytes after the last element, without trailing blanks.
  std::size_t rest() const {
    const auto first =
        std::find_if_not(at_, end_, [](char c) { return is_blank(c) || c == '\n' || c == '\0'; });
    return static_cast<std::size_t>(end_ - first);
  }

 private:
  [[noreturn]] void refuse_header(const std::string& what) const {
    throw InvalidInput(fmt::format("{}: line {}: {}", name_, line_, what));
  }

  // Messages count elements from 1, in file order; the indices inside a PLY file count from 0.
  [[noreturn]] void refuse(const std::string& what) const {
    throw InvalidInput(
        fmt::format("{}: {} {} of {}: {}", name_, element_->name, item_ + 1, element_->count, what));
  }

  [[noreturn]] void refuse_truncated() const { refuse("the file ends here: it is truncated"); }

  std::vector<std::string_view> header_line() {
    if (at_ == end_) {
      ++line_;
      refuse_header("the file ends within its header: it is truncated");
    }
    const void* found = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    const char* stop = found ? static_cast<const char*>(found) : end_;
    ++line_;
    std::vector<std::string_view> words;
    for (const char* at = skip_blanks(at_, stop); at != stop; at = skip_blanks(at, stop)) {
      const char* start = at;
      while (at != stop && !is_blank(*at)) ++at;
      words.emplace_back(start, static_cast<std::size_t>(at - start));
      if (words.size() > 16) break;  // no relevant header line has more words
    }
    at_ = found ? stop + 1 : end_;
    return words;
  }

  void parse_header() {
    if (const auto words = header_line(); words.size() != 1 || words[0] != "ply")
      refuse_header("not a PLY file");
    bool has_format = false;
    for (;;) {
      const auto words = header_line();
      if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "end_header") break;
      if (words[0] == "format" && words.size() >= 2) {
        parse_format(words[1]);
        has_format = true;
      } else if (words[0] == "element" && words.size() == 3) {
        parse_element(words);
      } else if (words[0] == "property" && words.size() >= 3) {
        parse_property(words);
      } else {
        refuse_header(fmt::format("\"{}\" is no line of a PLY header", words[0].substr(0, 20)));
      }
    }
    if (!has_format) refuse_header("the header names no format");
  }

  void parse_format(std::string_view word) {
    if (word == "ascii") {
      format_ = Format::kAscii;
    } else if (word == "binary_little_endian") {
      format_ = Format::kLittle;
    } else if (word == "binary_big_endian") {
      format_ = Format::kBig;
    } else {
      refuse_header(fmt::format("unknown format \"{}\"", word.substr(0, 40)));
    }
  }

  void parse_element(const std::vector<std::string_view>& words) {
    Element element{std::string(words[1].substr(0, 40)), 0, {}};
    const auto [rest, error] =
        std::from_chars(words[2].data(), words[2].data() + words[2].size(), element.count);
    if (error != std::errc{} || rest != words[2].data() + words[2].size()) {
      refuse_header(fmt::format("\"{}\" is no number of elements", words[2].substr(0, 20)));
    }
    elements_.push_back(std::move(element));
  }

  void parse_property(const std::vector<std::string_view>& words) {
    if (elements_.empty()) refuse_header("a property before any element");
    const bool is_list = words[1] == "list" && words.size() == 5;
    const auto type = parse_type(words[is_list ? 3 : 1]);
    const auto count = is_list ? parse_type(words[2]) : std::nullopt;
    if (!type || (is_list && !count)) refuse_header("a property of unknown type");
    elements_.back().properties.push_back({std::string(words[is_list ? 4 : 2]), *type, count});
  }

  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }

  // A header may declare any size: what cannot fit into the rest of the file is refused before memory is
  // allocated.
  void refuse_if_impossible(const Element& element) const {
    std::size_t least = 0;
    for (const Property& p : element.properties) {
      least += format_ == Format::kAscii ? 1 : kTypeBytes[static_cast<int>(p.list_count.value_or(p.type))];
    }
    if (least > 0 && element.count > remaining() / least) {
      throw InvalidInput(
          fmt::format("{}: {} {}: the file ends before it, but its header promises {}: it is truncated",
                      name_, element.name, remaining() / least + 1, element.count));
    }
    if (element.count > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      throw InvalidInput(fmt::format("{}: {} elements \"{}\" are more than this reader takes", name_,
                                     element.count, element.name));
    }
  }

  void find_coordinates(const Element& element) {
    constexpr std::string_view kNames[] = {"x", "y", "z"};
    for (int k = 0; k < 3; ++k) {
      const auto found =
          std::find_if(element.properties.begin(), element.properties.end(),
                       [&](const Property& p) { return p.name == kNames[k] && !p.list_count; });
      if (found == element.properties.end()) {
        throw InvalidInput(fmt::format("{}: the vertices have no property \"{}\"", name_, kNames[k]));
      }
      coordinate_[k] = static_cast<std::size_t>(found - element.properties.begin());
    }
    mesh_.vertices.reserve(element.count);
  }

  void find_corners(const Element& element) {
    const auto found =
        std::find_if(element.properties.begin(), element.properties.end(), [](const Property& p) {
          return p.list_count && (p.name == "vertex_indices" || p.name == "vertex_index");
        });
    if (found == element.properties.end()) {
      throw InvalidInput(fmt::format("{}: the faces have no list \"vertex_indices\"", name_));
    }
    corners_property_ = static_cast<std::size_t>(found - element.properties.begin());
  }

  double number(Type type) {
    if (format_ == Format::kAscii) return ascii_number();
    const std::size_t bytes = kTypeBytes[static_cast<int>(type)];
    if (remaining() < bytes) refuse_truncated();
    char raw[8];
    std::memcpy(raw, at_, bytes);
    at_ += bytes;
    if ((format_ == Format::kBig) != (std::endian::native == std::endian::big))
      std::reverse(raw, raw + bytes);
    switch (type) {
      case Type::kInt8:
        return from_bytes<std::int8_t>(raw);
      case Type::kUint8:
        return from_bytes<std::uint8_t>(raw);
      case Type::kInt16:
        return from_bytes<std::int16_t>(raw);
      case Type::kUint16:
        return from_bytes<std::uint16_t>(raw);
      case Type::kInt32:
        return from_bytes<std::int32_t>(raw);
      case Type::kUint32:
        return from_bytes<std::uint32_t>(raw);
      case Type::kFloat:
        return from_bytes<float>(raw);
      default:
        return from_bytes<double>(raw);
    }
  }

  template <class T>
  static double from_bytes(const char* raw) {
    T value;
    std::memcpy(&value, raw, sizeof value);
    return static_cast<double>(value);
  }

  // Numbers of other properties may have any value that parses; coordinates and indices are checked where
  // they are used.
  double ascii_number() {
    while (at_ != end_ && (is_blank(*at_) || *at_ == '\n')) ++at_;
    if (at_ == end_) refuse_truncated();
    double value = 0;
    if (read_coordinate(at_, end_, value) == NumberStatus::kMalformed)
      refuse("holds a word that is not a number");
    return value;
  }

  std::size_t list_length(const Property& p) {
    const double length = number(*p.list_count);
    const std::size_t least = format_ == Format::kAscii ? 1 : kTypeBytes[static_cast<int>(p.type)];
    if (!(length >= 0) || length != std::floor(length)) refuse(fmt::format("a list of {} entries", length));
    const std::size_t most = remaining() / least;
    if (length > static_cast<double>(most)) refuse_truncated();
    return static_cast<std::size_t>(length);
  }

  void skip(const Property& p) {
    const std::size_t length = p.list_count ? list_length(p) : 1;
    for (std::size_t i = 0; i < length; ++i) number(p.type);
  }

  void parse_vertex(const Element& element) {
    Eigen::Vector3d v;
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& p = element.properties[i];
      if (p.list_count) {
        skip(p);
        continue;
      }
      const double value = number(p.type);
      for (int k = 0; k < 3; ++k) {
        if (i == coordinate_[k]) v[k] = value;
      }
    }
    for (int k = 0; k < 3; ++k) {
      if (const NumberStatus status = check_size(v[k]); status != NumberStatus::kOk) refuse(describe(status));
    }
    mesh_.vertices.push_back(v);
  }

  void parse_face(const Element& element) {
    corners_.clear();
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& p = element.properties[i];
      if (i != corners_property_) {
        skip(p);
        continue;
      }
      const std::size_t length = list_length(p);
      if (length < 3) refuse(fmt::format("has {} corners", length));
      if (length > kMaxFaceCorners) refuse(too_many_corners(length));
      for (std::size_t c = 0; c < length; ++c) {
        const double index = number(p.type);
        if (!(index >= 0 && index < std::numeric_limits<std::int32_t>::max()) || index != std::floor(index)) {
          refuse(fmt::format("vertex index {} is out of range: indices count from 0", index));
        }
        corners_.push_back(static_cast<std::int32_t>(index));
      }
    }
    polygons_.add(corners_, mesh_);
  }

  void check_corners() const {
    if (const auto missing = polygons_.missing(mesh_))
      throw InvalidInput(
          fmt::format("{}: face {}: vertex index {} is out of range: the file has {}, counted "
                      "from 0",
                      name_, missing->polygon + 1, missing->corner,
                      counted(mesh_.vertices.size(), "vertex", "vertices")));
  }

  const char* at_;
  const char* end_;
  const std::string& name_;
  std::size_t line_ = 0;
  Format format_ = Format::kAscii;
  std::vector<Element> elements_;
  const Element* element_ = nullptr;
  std::uint64_t item_ = 0;
  std::size_t coordinate_[3] = {0, 0, 0};
  std::size_t corners_property_ = 0;
  std::vector<std::int32_t> corners_;
  Polygons polygons_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh parse_ply(std::string_view content, const std::string& name, Report& report) {
  PlyParser parser(content, name);
  TriangleMesh mesh = parser.parse();
  if (const std::size_t rest = parser.rest(); rest > 0)
    report.warnings.push_back(
        fmt::format("{} after all that its header promises: left out", counted(rest, "byte")));
  return mesh;
}

}  // namespace abut::preprocess
