#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "preprocess/pressure/grid.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// Keywords of sections and attributes that are followed by an arbitrary name.
constexpr std::string_view kNamed[] = {"FIELD",   "LOOKUP_TABLE", "COLOR_SCALARS",      "VECTORS",
                                       "NORMALS", "TENSORS",      "TEXTURE_COORDINATES"};

// The words of a legacy VTK file, one by one.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  // Throws InvalidInput, naming the line of the last word.
  [[noreturn]] void refuse(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw InvalidInput(fmt::format("{}:{}: {}", file_, line, what));
  }

  std::string_view line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view result = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return result;
  }

  // The next word; empty at the end.
  std::string_view next() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n", at_), text_.size());
    const std::string_view word(text_.data() + at_, end - at_);
    at_ = end;
    return word;
  }

  // Refuses a text that ends in a digit, as some of the last number's digits may be missing.
  void require_whole() const {
    const char last = text_.empty() ? '\n' : text_.back();
    if ((last >= '0' && last <= '9') || last == '.')
      refuse("its last line has no end, and ends in a number: is it cut off? If it is whole, end the line");
  }

  // Checks the end of a section: throws if it continues with a number.
  void end_of(std::string_view section) {
    const std::size_t before = at_;
    const std::string_view word = next();
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (!word.empty() && error == std::errc() && end == word.data() + word.size())
      refuse(fmt::format("'{}' after the last number of {}: there are more than its count says; mend that",
                         word, section));
    at_ = before;
  }

  template <class Number>
  Number number(const char* what) {
    const std::string_view word = next();
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty()) refuse(fmt::format("it ends where {} should come; is it cut off?", what));
    if (error != std::errc() || end != word.data() + word.size())
      refuse(fmt::format("'{}' where {} should come; mend or write the file again", word, what));
    return value;
  }

  // Reads a number of items, each of which takes at least `least` bytes.
  std::int64_t count(const char* what, std::size_t least = 1) {
    const auto n = number<std::int64_t>(what);
    if (n < 0 || n > kMaxItems) refuse(fmt::format("{} {}; there can be 0 to {}", n, what, kMaxItems));
    if (static_cast<std::size_t>(n) > text_.size() / least)
      refuse(fmt::format("{} {}: is it cut off?", n, what));
    return n;
  }

 private:
  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

// Reads the sections of a file, in any order.
class Reader {
 public:
  explicit Reader(Words& words) : words_(words) {}

  Grid read() {
    words_.require_whole();
    (void)words_.line();
    (void)words_.line();
    if (words_.next() != "ASCII") words_.refuse("not in ASCII; save it so, or as .vtu");
    if (words_.next() != "DATASET" || words_.next() != "UNSTRUCTURED_GRID")
      words_.refuse("not an unstructured grid; save tetrahedra as one (DATASET UNSTRUCTURED_GRID)");
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next()) section(word);
    if (grid_.points.empty() || grid_.corners.empty())
      words_.refuse("it has no points or no cells; is it cut off?");
    if (grid_.types.empty()) words_.refuse("it has no CELL_TYPES; give 10 for each cell");
    if (grid_.pressures.empty())
      words_.refuse("it has no scalar `pressure` per point (POINT_DATA, SCALARS pressure double 1)");
    return std::move(grid_);
  }

 private:
  void section(std::string_view word) {
    if (word == "POINTS") {
      points();
    } else if (word == "CELLS") {
      cells();
      match_types();
    } else if (word == "CELL_TYPES") {
      types();
      match_types();
    } else if (word == "POINT_DATA") {
      const std::int64_t count = words_.count("points with data");
      if (count != static_cast<std::int64_t>(grid_.points.size()))
        words_.refuse(fmt::format("POINT_DATA is of {} points, POINTS has {}", count, grid_.points.size()));
      of_points_ = true;
    } else if (word == "CELL_DATA") {
      of_points_ = false;
    } else if (word == "SCALARS") {
      attribute();
    } else if (std::ranges::find(kNamed, word) != std::end(kNamed)) {
      (void)words_.next();                          // skip its numbers like words
    } else if (word == "pressure" && of_points_) {  // an array of a FIELD
      if (words_.count("components") != 1)
        words_.refuse("the pressure has more than one component; give one number per point");
      if (words_.count("values") != static_cast<std::int64_t>(grid_.points.size()))
        words_.refuse("there is not one pressure per point; give as many as POINTS has");
      (void)words_.next();
      scalars(word);
    }
  }

  void once(bool first, std::string_view section) const {
    if (!first) words_.refuse(fmt::format("a second section {}; keep one", section));
  }

  void points() {
    once(grid_.points.empty(), "POINTS");
    grid_.points.resize(static_cast<std::size_t>(words_.count("points", 6)));
    (void)words_.next();
    for (Eigen::Vector3d& v : grid_.points)
      for (int k = 0; k < 3; ++k) v[k] = words_.number<double>("a coordinate");
    words_.end_of("POINTS");
  }

  void types() {
    once(grid_.types.empty(), "CELL_TYPES");
    grid_.types.resize(static_cast<std::size_t>(words_.count("cell types", 2)));
    for (std::int64_t& type : grid_.types) type = words_.number<std::int64_t>("a cell type");
    words_.end_of("CELL_TYPES");
  }

  // Compares the numbers of cells and types; either section may come first.
  void match_types() const {
    const std::size_t cells = grid_.corners.size() / 4;
    if (cells > 0 && !grid_.types.empty() && grid_.types.size() != cells)
      words_.refuse(fmt::format("CELL_TYPES has {} types, and CELLS has {} cells; give one for each",
                                grid_.types.size(), cells));
  }

  void attribute() {
    const std::string_view name = words_.next();
    if (!of_points_ || (name != "pressure" && name != "extent")) return;  // skip its numbers
    (void)words_.next();
    std::string_view table = words_.next();
    if (table != "LOOKUP_TABLE") {
      if (table != "1") words_.refuse("the pressure has more than one component; give one number per point");
      table = words_.next();
    }
    if (table != "LOOKUP_TABLE")
      words_.refuse("no LOOKUP_TABLE after SCALARS pressure; add the line `LOOKUP_TABLE default`");
    (void)words_.next();
    scalars(name);
  }

  void scalars(std::string_view name) {
    if (!grid_.pressures.empty())
      words_.refuse(fmt::format("the array `{}` is a second one of `pressure` or `extent`; keep one", name));
    grid_.pressures.resize(grid_.points.size());
    for (double& p : grid_.pressures) p = words_.number<double>("a pressure");
    words_.end_of(name);
  }

  // Reads "CELLS n size" with rows of a count and indices, or (since 5.0) separate offsets and indices.
  void cells() {
    once(grid_.corners.empty(), "CELLS");
    const std::int64_t rows = words_.count("cells"), size = words_.count("numbers of cells");
    const std::string_view word = words_.next();
    if (word != "OFFSETS") {
      std::int64_t corners = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), corners);
      if (error != std::errc()) words_.refuse("no cells after CELLS; is it cut off?");
      for (std::int64_t i = 0; i < rows; ++i) {
        if (i > 0) corners = words_.number<std::int64_t>("a cell's number of corners");
        row(i, corners);
      }
      if (size != 5 * rows)
        words_.refuse(fmt::format("CELLS {} {}: {} tetrahedra take {} numbers; mend its counts", rows, size,
                                  rows, 5 * rows));
      return words_.end_of("CELLS");
    }
    (void)words_.next();
    for (std::int64_t i = 0; i < rows; ++i)
      if (words_.number<std::int64_t>("an offset") != 4 * i)
        words_.refuse(fmt::format("cell {} is no tetrahedron; keep tetrahedra alone", i > 0 ? i - 1 : 0));
    if (size != 4 * (rows - 1))
      words_.refuse(
          fmt::format("CELLS {} {}: {} offsets of tetrahedra are for {} numbers of CONNECTIVITY; mend its "
                      "counts",
                      rows, size, rows, 4 * (rows - 1)));
    if (words_.next() != "CONNECTIVITY") words_.refuse("no CONNECTIVITY after the offsets; is it cut off?");
    (void)words_.next();
    for (std::int64_t i = 0; 4 * i < size; ++i) row(i, 4);
    words_.end_of("CONNECTIVITY");
  }

  void row(std::int64_t i, std::int64_t corners) {
    if (corners != 4)
      words_.refuse(fmt::format("cell {} has {} corners, not 4; keep tetrahedra alone", i, corners));
    for (int k = 0; k < 4; ++k) grid_.corners.push_back(words_.number<std::int64_t>("an index"));
  }

  Words& words_;
  Grid grid_;
  bool of_points_ = false;
};

}  // namespace

Grid read_legacy_grid(std::string_view text, const std::string& file) {
  Words words(text, file);
  return Reader(words).read();
}

}  // namespace abut::preprocess
