#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <type_traits>

#include "preprocess/pressure/grid.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::uint64_t kMaxCompression = 1032;  // largest compression ratio of zlib

// Decodes base64, four characters for three bytes, in one run or in several that end with '=' each.
class Base64 {
 public:
  explicit Base64(std::string_view text) : text_(text) {}

  // Gets the next byte; returns false at the end.
  bool next(unsigned char& byte) {
    if (at_ == size_ && !refill()) return false;
    byte = bytes_[at_++];
    return true;
  }

 private:
  static int value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  }

  bool refill() {
    std::array<int, 4> values{};
    int given = 0;
    for (int k = 0; k < 4; ++k) {
      while (place_ < text_.size() && kBlank.find(text_[place_]) != std::string_view::npos) ++place_;
      if (place_ == text_.size()) return false;
      const char c = text_[place_++];
      if (c == '=') continue;
      values[static_cast<std::size_t>(k)] = value(c);
      if (value(c) < 0 || given != k) return false;
      ++given;
    }
    if (given < 2) return false;
    const unsigned bits = static_cast<unsigned>(values[0]) << 18 | static_cast<unsigned>(values[1]) << 12 |
                          static_cast<unsigned>(values[2]) << 6 | static_cast<unsigned>(values[3]);
    bytes_ = {static_cast<unsigned char>(bits >> 16), static_cast<unsigned char>(bits >> 8),
              static_cast<unsigned char>(bits)};
    at_ = 0;
    size_ = given - 1;
    return true;
  }

  std::string_view text_;
  std::size_t place_ = 0;
  std::array<unsigned char, 3> bytes_{};
  int at_ = 0, size_ = 0;
};

// A run of bytes, stored raw or in base64.
class Bytes {
 public:
  Bytes(std::string_view text, bool raw) : text_(text), raw_(raw), base64_(text) {}

  // The next `count` bytes, or all that are left.
  std::string take(std::uint64_t count) {
    std::string result;
    if (raw_) {
      result = text_.substr(std::min(at_, text_.size()), count);
      at_ += result.size();
    } else {
      for (unsigned char byte = 0; result.size() < count && base64_.next(byte);)
        result.push_back(static_cast<char>(byte));
    }
    return result;
  }

 private:
  std::string_view text_;
  bool raw_;
  Base64 base64_;
  std::size_t at_ = 0;
};

struct Tag {
  std::string_view name;  // with a leading '/' if it is a closing tag
  std::map<std::string_view, std::string_view> attributes;
  std::size_t end = 0;  // offset of the tag's end in the text

  std::string_view operator[](std::string_view key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string_view() : found->second;
  }
};

class XmlReader {
 public:
  XmlReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Grid read() {
    find_arrays();
    const DataArray& points = array("Points", "", "the points");
    if (points.tag["NumberOfComponents"] != "3")
      refuse("a point has other than three coordinates; give x, y, z");
    Grid grid;
    const std::vector<double> coordinates = numbers<double>(points, 3 * points_);
    for (std::size_t i = 0; i < coordinates.size(); i += 3)
      grid.points.emplace_back(coordinates[i], coordinates[i + 1], coordinates[i + 2]);
    const std::vector<std::int64_t> offsets =
        numbers<std::int64_t>(scalars("Cells", "offsets", "the cells' offsets"), cells_);
    for (std::size_t i = 0; i < offsets.size(); ++i)
      if (offsets[i] != 4 * static_cast<std::int64_t>(i + 1))
        refuse(fmt::format("cell {} is no tetrahedron; keep tetrahedra alone", i));
    grid.corners = numbers<std::int64_t>(scalars("Cells", "connectivity", "the cells' corners"), 4 * cells_);
    grid.types = numbers<std::int64_t>(scalars("Cells", "types", "the cells' types"), cells_);
    grid.pressures =
        numbers<double>(scalars("PointData", "pressure", "the scalars `pressure` of the points"), points_);
    return grid;
  }

 private:
  struct DataArray {
    std::string_view section;
    Tag tag;
    std::string_view text;
  };

  [[noreturn]] void refuse(const std::string& what) const { throw InvalidInput(file_ + ": " + what); }

  // The '>' that ends the tag at `at`, outside quotes.
  std::size_t end_of_tag(std::size_t at) const {
    while (at < text_.size() && text_[at] != '>') {
      if (text_[at] == '"' || text_[at] == '\'') at = text_.find(text_[at], at + 1);
      if (at < text_.size()) ++at;
    }
    if (at >= text_.size()) refuse("a tag has no end; is it cut off?");
    return at;
  }

  // The next tag at or after `at`; without a name at the end of the text.
  Tag next_tag(std::size_t at) const {
    Tag tag;
    for (;;) {
      at = text_.find('<', at);
      if (at == std::string_view::npos) return tag;
      const bool comment = text_.substr(at, 4) == "<!--";
      if (!comment && text_.substr(at, 9) != "<![CDATA[") break;
      at = text_.find(comment ? "-->" : "]]>", at);
      if (at == std::string_view::npos) return tag;
    }
    const std::size_t end = end_of_tag(at);
    tag.end = end + 1;
    std::string_view body = text_.substr(at + 1, end - at - 1);
    const std::size_t name = body.find_first_of(" \t\r\n");
    tag.name = body.substr(0, name);
    body = name == std::string_view::npos ? std::string_view() : body.substr(name);
    for (;;) {
      const std::size_t equals = body.find('=');
      if (equals == std::string_view::npos) return tag;
      std::string_view key = body.substr(0, equals);
      key.remove_prefix(std::min(key.find_first_not_of(kBlank), key.size()));
      key = key.substr(0, key.find_first_of(kBlank));
      const std::size_t open = body.find_first_of("\"'", equals);
      if (open == std::string_view::npos) return tag;
      const std::size_t close = body.find(body[open], open + 1);
      if (close == std::string_view::npos) return tag;
      tag.attributes[key] = body.substr(open + 1, close - open - 1);
      body = body.substr(close + 1);
    }
  }

  void find_arrays() {
    std::string_view section;
    int pieces = 0;
    for (Tag tag = next_tag(0); !tag.name.empty(); tag = next_tag(tag.end)) {
      if (tag.name == "VTKFile") {
        start(tag);
      } else if (tag.name == "Piece") {
        if (++pieces > 1) refuse("it has more than one piece; merge them");
        points_ = count(tag["NumberOfPoints"], "NumberOfPoints");
        cells_ = count(tag["NumberOfCells"], "NumberOfCells");
      } else if (tag.name == "PointData" || tag.name == "CellData" || tag.name == "Points" ||
                 tag.name == "Cells") {
        section = tag.name;
      } else if (tag.name == "DataArray") {
        const std::size_t end = std::min(text_.find('<', tag.end), text_.size());
        arrays_.push_back({section, tag, text_.substr(tag.end, end - tag.end)});
      } else if (tag.name == "AppendedData") {
        const std::size_t begin = text_.find('_', tag.end);
        if (begin == std::string_view::npos) refuse("the appended data are missing; is it cut off?");
        appended_ = text_.substr(begin + 1);
        appended_raw_ = tag["encoding"] == "raw";
        break;  // raw bytes are not XML
      }
    }
    if (pieces == 0 || points_ == 0 || cells_ == 0) refuse("it has no points or no cells; is it cut off?");
  }

  void start(const Tag& tag) {
    if (tag["type"] != "UnstructuredGrid")
      refuse("not an unstructured grid; save tetrahedra as one (type=\"UnstructuredGrid\")");
    big_endian_ = tag["byte_order"] == "BigEndian";
    header_size_ = tag["header_type"] == "UInt64" ? 8 : 4;
    compressed_ = !tag["compressor"].empty();
    if (compressed_ && tag["compressor"] != "vtkZLibDataCompressor")
      refuse(fmt::format("compressed by {}; save it uncompressed or with zlib", tag["compressor"]));
  }

  std::uint64_t count(std::string_view word, const char* what) const {
    std::int64_t n = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error != std::errc() || end != word.data() + word.size() || n < 0 || n > kMaxItems)
      refuse(fmt::format("{} is '{}', not a number from 0 to {}", what, word, kMaxItems));
    return static_cast<std::uint64_t>(n);
  }

  // Finds an array by section and name; an empty name selects the section's only one.
  const DataArray& array(std::string_view section, std::string_view name, const char* what) const {
    const DataArray* found = nullptr;
    for (const DataArray& a : arrays_) {
      if (a.section != section || (!name.empty() && a.tag["Name"] != name)) continue;
      if (found) refuse(at(a) + "is a second one; keep one");
      found = &a;
    }
    if (!found) refuse(fmt::format("{} are missing (a DataArray in {})", what, section));
    return *found;
  }

  const DataArray& scalars(std::string_view section, std::string_view name, const char* what) const {
    const DataArray& found = array(section, name, what);
    const std::string_view components = found.tag["NumberOfComponents"];
    if (!components.empty() && components != "1")
      refuse(fmt::format("{}has more than one component ({}); give one number after the other", at(found),
                         components));
    return found;
  }

  template <class Number>
  std::vector<Number> numbers(const DataArray& array, std::uint64_t expected) const {
    const std::string_view format = array.tag["format"];
    std::vector<Number> result;
    if (format == "ascii") {
      result = from_text<Number>(array);
    } else if (format == "binary") {
      result = from_bytes<Number>(array, Bytes(array.text, false), expected);
    } else if (format == "appended") {
      const std::uint64_t offset = count(array.tag["offset"], "an offset");
      if (offset >= appended_.size()) refuse(at(array) + "lies beyond the appended data; is it cut off?");
      result = from_bytes<Number>(array, Bytes(appended_.substr(offset), appended_raw_), expected);
    } else {
      refuse(fmt::format("{}has the format '{}'; there are ascii, binary and appended", at(array), format));
    }
    if (result.size() != expected)
      refuse(fmt::format("{}has {} numbers, not {}; is it cut off?", at(array), result.size(), expected));
    return result;
  }

  std::string at(const DataArray& array) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(array.tag.end), '\n');
    return fmt::format("the array '{}' of {} (line {}) ", array.tag["Name"], array.section, line);
  }

  template <class Number>
  std::vector<Number> from_text(const DataArray& array) const {
    std::vector<Number> result;
    std::string_view rest = array.text;
    for (;;) {
      rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
      if (rest.empty()) return result;
      const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
      Number value{};
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || end != word.data() + word.size())
        refuse(fmt::format("{}has '{}' for a number", at(array), word));
      result.push_back(value);
      rest.remove_prefix(word.size());
    }
  }

  template <class Stored, class Number>
  std::vector<Number> converted(const std::string& bytes) const {
    std::vector<Number> result(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < result.size(); ++i) {
      std::array<char, sizeof(Stored)> one;
      std::memcpy(one.data(), bytes.data() + i * sizeof(Stored), sizeof(Stored));
      if (big_endian_) std::reverse(one.begin(), one.end());
      Stored value;
      std::memcpy(&value, one.data(), sizeof(Stored));
      result[i] = static_cast<Number>(value);  // NOLINT(bugprone-signed-char-misuse): Int8 is a number
    }
    return result;
  }

  template <class Number>
  std::vector<Number> from_bytes(const DataArray& array, Bytes bytes, std::uint64_t expected) const {
    const std::string_view type = array.tag["type"];
    if (std::is_integral_v<Number> && type.starts_with("Float"))
      refuse(fmt::format("{}has the type '{}' where whole numbers stand; save it as Int64", at(array), type));
    const auto read = [&]<class Stored>(Stored) {
      const std::string data = compressed_ ? inflated(array, bytes, sizeof(Stored), expected)
                                           : plain(array, bytes, sizeof(Stored), expected);
      if (array.tag["format"] == "binary" && !bytes.take(1).empty())
        refuse(at(array) + "goes on after the bytes that its header counts; mend the counts");
      return converted<Stored, Number>(data);
    };
    if (type == "Float64") return read(double{});
    if (type == "Float32") return read(float{});
    if (type == "Int64" || type == "UInt64") return read(std::int64_t{});
    if (type == "Int32") return read(std::int32_t{});
    if (type == "UInt32") return read(std::uint32_t{});
    if (type == "UInt8") return read(std::uint8_t{});
    if (type == "Int8") return read(std::int8_t{});
    refuse(fmt::format("{}has the type '{}'; save it as Float64 or Int64", at(array), type));
  }

  [[noreturn]] void refuse_size(const DataArray& array, std::uint64_t bytes, std::size_t width,
                                std::uint64_t expected) const {
    refuse(fmt::format("{}has {} bytes, not {} for {} numbers of type {}; mend the counts", at(array), bytes,
                       width * expected, expected, array.tag["type"]));
  }

  std::optional<std::uint64_t> header(Bytes& bytes) const {
    const std::string word = bytes.take(header_size_);
    if (word.size() != header_size_) return std::nullopt;
    return header_size_ == 8 ? converted<std::uint64_t, std::uint64_t>(word)[0]
                             : converted<std::uint32_t, std::uint64_t>(word)[0];
  }

  // Reads an uncompressed array: `expected` numbers of `width` bytes each, or fewer if the data end early.
  std::string plain(const DataArray& array, Bytes& bytes, std::size_t width, std::uint64_t expected) const {
    const std::optional<std::uint64_t> size = header(bytes);
    if (size && *size > width * expected) refuse_size(array, *size, width, expected);
    return bytes.take(size.value_or(0));
  }

  // Reads a compressed array: number of blocks, their size, the size of the last block if it differs, and
  // their compressed sizes; then the blocks. Allocates no more than the array needs and the file's bytes can
  // contain.
  std::string inflated(const DataArray& array, Bytes& bytes, std::size_t width,
                       std::uint64_t expected) const {
    const std::uint64_t most = width * expected;
    const auto damaged = [&]() { refuse(at(array) + "has a damaged header; is it cut off?"); };
    const auto blocks = header(bytes), block_size = header(bytes), last_size = header(bytes);
    if (!last_size || *blocks > text_.size() || *last_size > *block_size) damaged();
    const std::uint64_t whole = *blocks - (*blocks > 0 && *last_size > 0 ? 1 : 0);
    if (*block_size > 0 && whole > text_.size() * kMaxCompression / *block_size) damaged();
    const std::uint64_t total = whole * *block_size + (whole < *blocks ? *last_size : 0);
    if (total / kMaxCompression > text_.size()) damaged();
    if (total > most) refuse_size(array, total, width, expected);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t i = 0; i < *blocks; ++i) {
      const auto size = header(bytes);
      if (!size) damaged();
      sizes.push_back(*size);
    }
    std::string result(total, '\0');
    std::uint64_t done = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::string packed = bytes.take(std::min<std::uint64_t>(sizes[i], text_.size()));
      const std::uint64_t part = i < whole ? *block_size : *last_size;
      uLongf size = part;
      if (::uncompress(reinterpret_cast<Bytef*>(result.data() + done), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()) != Z_OK ||
          size != part)
        refuse(at(array) + "cannot be decompressed; is it cut off?");
      done += part;
    }
    return result;
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<DataArray> arrays_;
  std::string_view appended_;
  bool appended_raw_ = false, big_endian_ = false, compressed_ = false;
  std::size_t header_size_ = 4;
  std::uint64_t points_ = 0, cells_ = 0;
};

}  // namespace

Grid read_xml_grid(std::string_view text, const std::string& file) { return XmlReader(text, file).read(); }

}  // namespace abut::preprocess
