#include "preprocess/export/mtl_materials.h"

#include <algorithm>
#include <iterator>

#include "preprocess/export/words.h"
#include "preprocess/mesh/obj_lines.h"

namespace abut::preprocess {
namespace {

// An option of a map, with the number of words it takes. If that may vary, the words are numbers; `unmoved`
// is the number that has no effect.
struct MapOption {
  std::string_view name;
  int least, most;
  double unmoved;
};

constexpr MapOption kMapOptions[] = {{"-o", 1, 3, 0},      {"-s", 1, 3, 1},         {"-t", 1, 3, 0},
                                     {"-blendu", 1, 1, 0}, {"-blendv", 1, 1, 0},    {"-boost", 1, 1, 0},
                                     {"-mm", 2, 2, 0},     {"-texres", 1, 1, 0},    {"-clamp", 1, 1, 0},
                                     {"-bm", 1, 1, 0},     {"-imfchan", 1, 1, 0},   {"-type", 1, 1, 0},
                                     {"-cc", 1, 1, 0},     {"-colorspace", 1, 1, 0}};

std::string in_small_letters(std::string_view word) {
  std::string small(word);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

// Removes the words of an option from `rest`, but never the last word, which is the picture's name. Returns
// whether one of them moves the picture.
bool take_option(const MapOption& option, std::string_view& rest) {
  bool moves = false;
  for (int k = 0; k < option.most; ++k) {
    std::string_view behind = rest;
    const std::string_view word = take_word(behind);
    if (trimmed(behind).empty()) break;
    double number = 0;
    const char* at = word.data();
    const bool is_number = read_coordinate(at, at + word.size(), number) == NumberStatus::kOk;
    if (k >= option.least && !is_number) break;
    moves = moves || (option.most == 3 && is_number && number != option.unmoved);
    rest = behind;
  }
  return moves;
}

MtlPicture picture_of(std::string_view rest) {
  MtlPicture picture;
  for (;;) {
    std::string_view behind = rest;
    const std::string word = in_small_letters(take_word(behind));
    const auto* const option = std::find_if(std::begin(kMapOptions), std::end(kMapOptions),
                                            [&](const MapOption& row) { return row.name == word; });
    if (option == std::end(kMapOptions)) break;
    picture.moved = take_option(*option, behind) || picture.moved;
    rest = behind;
  }
  picture.name = trimmed(rest);
  return picture;
}

// The colour "r g b"; "r" alone is a grey.
std::optional<Eigen::Vector3d> color_of(std::string_view rest) {
  const char* at = rest.data();
  const char* const end = at + rest.size();
  Eigen::Vector3d color;
  if (read_coordinate(at, end, color[0]) != NumberStatus::kOk) return std::nullopt;
  if (skip_blanks(at, end) == end) return Eigen::Vector3d::Constant(color[0]);
  for (int k = 1; k < 3; ++k)
    if (read_coordinate(at, end, color[k]) != NumberStatus::kOk) return std::nullopt;
  return color;
}

}  // namespace

void add_mtl_materials(std::string_view content, const std::filesystem::path& folder,
                       std::map<std::string, MtlMaterial>& materials) {
  std::string material;
  ObjLines lines(content);
  for (std::string_view line; lines.next(line);) {
    const std::string keyword = in_small_letters(take_word(line));
    if (keyword == "newmtl") material = trimmed(line);
    if (keyword == "kd")
      if (const std::optional<Eigen::Vector3d> color = color_of(line)) materials[material].color = color;
    if (keyword != "map_kd") continue;
    MtlPicture picture = picture_of(line);
    picture.folder = folder;
    if (!picture.name.empty()) materials[material].picture = picture;
  }
}

}  // namespace abut::preprocess
