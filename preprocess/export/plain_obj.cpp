#include "preprocess/export/plain_obj.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>

#include "preprocess/export/words.h"
#include "preprocess/mesh/beside.h"
#include "preprocess/mesh/formats.h"
#include "preprocess/mesh/obj_lines.h"

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;

enum Kind { kVertex, kPlace, kNormal, kKinds };

// The element type that a line of OBJ defines.
std::optional<Kind> kind_of(std::string_view keyword) {
  constexpr std::string_view kKeywords[] = {"v", "vt", "vn"};
  for (int k = 0; k < kKinds; ++k)
    if (keyword == kKeywords[k]) return static_cast<Kind>(k);
  return std::nullopt;
}

struct Corner {
  std::int64_t stated[kKinds] = {0, 0, 0};  // as written; 0: none
  std::int64_t index[kKinds] = {0, 0, 0};   // from 1; 0: none that exists
};

class PlainWriter {
 public:
  PlainWriter(std::string_view content, const fs::path& file) : content_(content), file_(file) {}

  PlainObj write() {
    ObjLines counted(content_);
    for (std::string_view line; counted.next(line);)
      if (const auto kind = kind_of(take_word(line))) ++total_[*kind];
    ObjLines lines(content_);
    for (std::string_view line; lines.next(line);) add(line);
    for (const std::string& name : plain_.libraries) plain_.text += "mtllib " + name + "\n";
    plain_.text.append(points_.data(), points_.size()).append(faces_.data(), faces_.size());
    return std::move(plain_);
  }

 private:
  void add(std::string_view line) {
    const std::string_view keyword = take_word(line);
    if (const auto kind = kind_of(keyword)) {
      ++met_[*kind];
      add_point(keyword, line, *kind == kPlace ? 2 : 3);
      if (*kind == kVertex) look_for_color(line);
    } else if (keyword == "f") {
      add_face(line);
    } else if (keyword == "usemtl") {
      const std::string_view name = trimmed(line.substr(0, line.find('\0')));
      if (!name.empty()) fmt::format_to(std::back_inserter(faces_), "usemtl {}\n", name);
    } else if (keyword == "mtllib") {
      add_libraries(trimmed(line));
    }
  }

  // Missing numbers become 0, malformed ones NaN.
  void add_point(std::string_view keyword, std::string_view line, int count) {
    const auto out = std::back_inserter(points_);
    fmt::format_to(out, "{}", keyword);
    const char* at = line.data();
    const char* const end = at + line.size();
    for (int k = 0; k < count; ++k) {
      double x = 0;
      const NumberStatus status = read_coordinate(at, end, x);
      if (status == NumberStatus::kMissing) x = 0;
      if (status == NumberStatus::kMalformed) x = std::numeric_limits<double>::quiet_NaN();
      fmt::format_to(out, " {:.9g}", x);
    }
    fmt::format_to(out, "\n");
  }

  // Red, green and blue may follow the coordinates; a single number is a weight.
  void look_for_color(std::string_view line) {
    if (plain_.colored) return;
    int numbers = 0;
    for (std::string_view word = take_word(line); !word.empty() && word[0] != '#'; word = take_word(line))
      ++numbers;
    plain_.colored = numbers >= 6;
  }

  void add_face(std::string_view line) {
    corners_.clear();
    for (std::string_view word = take_word(line); !word.empty() && word[0] != '#'; word = take_word(line))
      corners_.push_back(corner_of(word));
    bool has[kKinds] = {true, true, true}, loses = false;
    for (const int k : {kPlace, kNormal}) {
      const auto count = [&](auto member) {
        return std::count_if(corners_.begin(), corners_.end(),
                             [&](const Corner& c) { return (c.*member)[k] != 0; });
      };
      has[k] = count(&Corner::index) == std::ssize(corners_);
      loses = loses || (!has[k] && count(&Corner::stated) > 0);
    }
    plain_.bare_faces += loses;
    const auto out = std::back_inserter(faces_);
    fmt::format_to(out, "f");
    for (const Corner& corner : corners_) {
      fmt::format_to(out, " {}", corner.index[kVertex]);
      if (has[kPlace] || has[kNormal]) fmt::format_to(out, "/");
      if (has[kPlace]) fmt::format_to(out, "{}", corner.index[kPlace]);
      if (has[kNormal]) fmt::format_to(out, "/{}", corner.index[kNormal]);
    }
    fmt::format_to(out, "\n");
  }

  Corner corner_of(std::string_view word) const {
    Corner corner;
    const char* at = word.data();
    const char* const end = at + word.size();
    for (int k = 0; k < kKinds; ++k) {
      std::int64_t index = 0;
      at = std::from_chars(at, end, index).ptr;
      corner.stated[k] = index;
      const std::int64_t resolved = index < 0 ? met_[k] + index + 1 : index;
      corner.index[k] = resolved > 0 && resolved <= total_[k] ? resolved : 0;
      if (at == end || *at != '/') break;
      ++at;
    }
    return corner;
  }

  // A single name with blanks in it, if such a file exists, or else several names.
  void add_libraries(std::string_view names) {
    if (names.find_first_of(" \t") == names.npos || find_beside(std::string(names), file_))
      return add_library(std::string(names));
    while (!names.empty()) {
      add_library(std::string(take_word(names)));
      names = trimmed(names);
    }
  }

  void add_library(const std::string& name) {
    std::string found = name;
    if (!find_beside(name, file_)) {
      found = file_.stem().string() + ".mtl";
      if (!find_beside(found, file_)) {
        plain_.missing.push_back(name);
        return;
      }
    }
    if (std::find(plain_.libraries.begin(), plain_.libraries.end(), found) == plain_.libraries.end())
      plain_.libraries.push_back(found);
  }

  std::string_view content_;
  fs::path file_;
  std::int64_t total_[kKinds] = {0, 0, 0}, met_[kKinds] = {0, 0, 0};
  std::vector<Corner> corners_;
  fmt::memory_buffer points_, faces_;
  PlainObj plain_;
};

}  // namespace

PlainObj plain_obj(std::string_view content, const fs::path& file) {
  return PlainWriter(content, file).write();
}

}  // namespace abut::preprocess
