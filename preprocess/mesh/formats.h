#pragma once

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/core/error.h"

// Helpers that the mesh readers share. Each parser takes a file's whole content and its name (for messages)
// and throws InvalidInput.
namespace abut::preprocess {

TriangleMesh parse_obj(std::string_view content, const std::string& name, Report& report);
TriangleMesh parse_ply(std::string_view content, const std::string& name, Report& report);
TriangleMesh parse_stl(std::string_view content, const std::string& name, Report& report);
// Parses COLLADA and glTF, together with the files in the same folder or below that the scene names.
TriangleMesh parse_scene(std::string_view content, const std::filesystem::path& file, Report& report);

// Warns that duplicate vertices are merged, if there are any.
void warn_of_duplicates(std::size_t count, Report& report);

// Cuts one polygon into triangles appended to `mesh`: a fan if it is convex, else ears. Corners index
// mesh.vertices.
void append_polygon(const std::vector<std::int32_t>& corners, TriangleMesh& mesh);

// The polygons of a file in which faces may come before their vertices.
class Polygons {
 public:
  // Cuts a polygon if its corners exist; else keeps it for cut_rest().
  void add(const std::vector<std::int32_t>& corners, TriangleMesh& mesh);

  // The first polygon, counted from 0, with a corner that does not exist, and that corner's index.
  struct Missing {
    std::size_t polygon = 0;
    std::int32_t corner = 0;
  };
  std::optional<Missing> missing(const TriangleMesh& mesh) const;

  // Cuts those kept, in their order. None may be missing a corner.
  void cut_rest(TriangleMesh& mesh) const;

 private:
  std::size_t added_ = 0;
  std::vector<std::int32_t> corners_;                 // of all that are kept
  std::vector<std::size_t> numbers_, first_corners_;  // of each that is kept
};

// Largest valid coordinate, in file units; beyond it squares and products lose their meaning.
inline constexpr double kLargestCoordinate = 1e15;

// More corners than any sensible face has. All triangles of a larger face would share a corner, and mesh
// repair walks around the faces of each vertex.
inline constexpr std::size_t kMaxFaceCorners = 10000;

// Most corners of faces, and vertices, of a scene.
inline constexpr std::size_t kMaxSceneCorners = std::numeric_limits<std::int32_t>::max() / 4;

// Message for a face with more corners.
std::string too_many_corners(std::size_t corners);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// Token readers over [at, end), which contains no newline unless the caller treats newlines as blanks.
inline const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

enum class NumberStatus { kOk, kMissing, kMalformed, kNotFinite, kTooLarge };

// Whether a parsed number is valid as a coordinate.
inline NumberStatus check_size(double value) {
  if (!std::isfinite(value)) return NumberStatus::kNotFinite;
  return std::abs(value) <= kLargestCoordinate ? NumberStatus::kOk : NumberStatus::kTooLarge;
}

// Reads one coordinate at `at` (after blanks) and moves `at` past it.
inline NumberStatus read_coordinate(const char*& at, const char* end, double& value) {
  at = skip_blanks(at, end);
  if (at == end) return NumberStatus::kMissing;
  const char* start = *at == '+' ? at + 1 : at;
  const auto [rest, error] = std::from_chars(start, end, value);
  if (error == std::errc::invalid_argument) return NumberStatus::kMalformed;
  at = rest;
  // from_chars reports overflow and underflow by the same error; "1e-400" is a harmless zero.
  if (error == std::errc::result_out_of_range) {
    const std::string_view text(start, static_cast<std::size_t>(rest - start));
    if (text.find("e-") == text.npos && text.find("E-") == text.npos) {
      value = std::numeric_limits<double>::infinity();
      return NumberStatus::kNotFinite;
    }
    value = 0;
  }
  if (at != end && !is_blank(*at) && *at != '\n') return NumberStatus::kMalformed;
  return check_size(value);
}

// Message for a bad coordinate.
inline const char* describe(NumberStatus status) {
  switch (status) {
    case NumberStatus::kMissing:
      return "has fewer than three coordinates: the file seems truncated";
    case NumberStatus::kMalformed:
      return "has a coordinate that is not a number";
    case NumberStatus::kTooLarge:
      return "has a coordinate larger than 1e15: wrong units?";
    default:
      return "has a coordinate that is not a finite number";
  }
}

}  // namespace abut::preprocess
