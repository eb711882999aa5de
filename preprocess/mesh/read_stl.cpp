#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>

#include "preprocess/mesh/formats.h"
#include "runtime/core/counted.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {

constexpr std::size_t kHeaderBytes = 84,
                      kFacetBytes = 50;  // 80 bytes of comment and a count; normal, corners, attribute

template <class T>
T read_little(const char* at) {
  static_assert(std::endian::native == std::endian::little || sizeof(T) == 1);
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

void add_corner(TriangleMesh& mesh, const Eigen::Vector3d& position) {
  const auto index = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.push_back(position);
  if (index % 3 == 2) mesh.triangles.push_back({index - 2, index - 1, index});
}

TriangleMesh parse_binary(std::string_view content, const std::string& name, Report& report) {
  if (content.size() < kHeaderBytes) {
    throw InvalidInput(fmt::format("{}: face 1: the file ends within its header ({}): it is truncated", name,
                                   counted(content.size(), "byte")));
  }
  const auto count = read_little<std::uint32_t>(content.data() + 80);
  const std::size_t whole = (content.size() - kHeaderBytes) / kFacetBytes;
  if (whole < count) {
    throw InvalidInput(
        fmt::format("{}: face {}: the file ends here, but its header promises {}: it is truncated", name,
                    whole + 1, counted(count, "face")));
  }
  if (count > std::numeric_limits<std::int32_t>::max() / 3) {
    throw InvalidInput(fmt::format("{}: {} faces are more than this reader takes", name, count));
  }
  // Zeros after the facets are padding.
  if (whole > count && content.find_first_not_of('\0', kHeaderBytes + kFacetBytes * count) != content.npos)
    report.warnings.push_back(fmt::format("its header promises {}, and {} are there: the rest is left out",
                                          counted(count, "face"), whole));
  TriangleMesh mesh;
  mesh.vertices.reserve(std::size_t{3} * count);
  mesh.triangles.reserve(count);
  for (std::size_t f = 0; f < count; ++f) {
    const char* corner = content.data() + kHeaderBytes + f * kFacetBytes + 12;
    for (int c = 0; c < 3; ++c) {
      Eigen::Vector3d v;
      for (int k = 0; k < 3; ++k) {
        v[k] = read_little<float>(corner + 12 * c + 4 * k);
        if (const NumberStatus status = check_size(v[k]); status != NumberStatus::kOk)
          throw InvalidInput(fmt::format("{}: face {}: {}", name, f + 1, describe(status)));
      }
      add_corner(mesh, v);
    }
  }
  return mesh;
}

// The words of an ASCII file, with their line numbers.
class Words {
 public:
  Words(std::string_view content, const std::string& name)
      : at_(content.data()), end_(content.data() + content.size()), name_(name) {}

  // The next word in lower case; empty at the end of the file.
  std::string_view next() {
    skip();
    const char* start = at_;
    while (at_ != end_ && !is_blank(*at_) && *at_ != '\n') ++at_;
    word_.assign(start, at_);
    for (char& c : word_) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return word_;
  }

  void skip_line() {
    while (at_ != end_ && *at_ != '\n') ++at_;
  }

  void expect(const char* word, std::size_t face) {
    const std::string_view got = next();
    if (got == word) return;
    if (got.empty())
      refuse(face, fmt::format("the file ends where \"{}\" should stand: it is truncated", word));
    refuse(face, fmt::format("\"{}\" instead of \"{}\"", got.substr(0, 20), word));
  }

  double number(std::size_t face) {
    skip();
    double value = 0;
    const NumberStatus status = read_coordinate(at_, end_, value);
    if (status != NumberStatus::kOk) refuse(face, describe(status));
    return value;
  }

  [[noreturn]] void refuse(std::size_t face, const std::string& what) const {
    throw InvalidInput(fmt::format("{}: line {}: face {}: {}", name_, line_, face, what));
  }

 private:
  void skip() {
    for (; at_ != end_ && (is_blank(*at_) || *at_ == '\n'); ++at_) line_ += *at_ == '\n';
  }

  const char* at_;
  const char* end_;
  const std::string& name_;
  std::string word_;
  std::size_t line_ = 1;
};

TriangleMesh parse_ascii(std::string_view content, const std::string& name) {
  TriangleMesh mesh;
  Words words(content, name);
  bool open = false;  // between "solid" and "endsolid"
  for (std::string_view word = words.next();; word = words.next()) {
    const std::size_t face = mesh.triangles.size() + 1;
    if (word.empty() && open) words.refuse(face, "the file ends without \"endsolid\": it is truncated");
    if (word.empty()) return mesh;
    if (word == "solid" || word == "endsolid") {
      open = word == "solid";
      words.skip_line();
    } else if (word == "facet" && open) {
      words.expect("normal", face);
      for (int k = 0; k < 3; ++k) {
        if (words.next().empty()) words.refuse(face, "the file ends within a normal: it is truncated");
      }
      words.expect("outer", face);
      words.expect("loop", face);
      for (int c = 0; c < 3; ++c) {
        words.expect("vertex", face);
        const double x = words.number(face), y = words.number(face), z = words.number(face);
        add_corner(mesh, {x, y, z});
      }
      words.expect("endloop", face);
      words.expect("endfacet", face);
    } else {
      words.refuse(face,
                   fmt::format("\"{}\" instead of \"{}\"", word.substr(0, 20), open ? "facet" : "solid"));
    }
  }
}

bool starts_with_solid(std::string_view content, const std::string& name) {
  return Words(content, name).next().starts_with("solid");
}

}  // namespace

TriangleMesh parse_stl(std::string_view content, const std::string& name, Report& report) {
  // Some binary files also begin with "solid": the declared size decides first, then whether the content is
  // text at all.
  const bool size_fits =
      content.size() >= kHeaderBytes &&
      content.size() ==
          kHeaderBytes + kFacetBytes * std::size_t{read_little<std::uint32_t>(content.data() + 80)};
  const bool is_text = content.substr(0, 4096).find('\0') == content.npos;
  std::string_view text = content;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!size_fits && is_text && starts_with_solid(text, name)) return parse_ascii(text, name);
  return parse_binary(content, name, report);
}

}  // namespace abut::preprocess
