#pragma once

#include <string>
#include <vector>

#include "preprocess/mesh/weld.h"

// The separate parts of a soup: which of them make up the object.
namespace abut::preprocess {

inline constexpr double kNoise = 1e-2;  // parts below this extent, of the diagonal, are specks

struct Parts {
  Components of;
  std::vector<double> areas, extents;  // m^2; diagonal of the bounding box, m
  std::int32_t largest = 0;            // by area
  double area = 0;                     // of all, m^2
};
Parts measure_parts(const TriangleMesh& mesh);

// Parts that belong to the largest one: they cross it, or are closed and come within `gap` (m) of it from
// outside, directly or by way of others; specks (extent up to `speck`, m) do not. One mark per part.
std::vector<char> joined_to_largest(const TriangleMesh& mesh, const Parts& parts, double gap, double speck);

// Parts that `keep` does not mark, lie within the largest and face against it.
std::size_t count_dropped_cavities(const TriangleMesh& mesh, const Parts& parts,
                                   const std::vector<char>& keep, double speck);

// Share of the area in parts that `keep` does not mark, but for those within the largest, which adds them to
// its solid.
double left_out_share(const TriangleMesh& mesh, const Parts& parts, const std::vector<char>& keep);
inline constexpr double kMostLeftOut = 0.5;  // of the area: what keeps less is not the object

// Whether most of the area that `keep` does not mark is in parts of one or two faces.
bool leaves_out_loose_faces(const TriangleMesh& mesh, const Parts& parts, const std::vector<char>& keep);

// The parts that `keep` marks. A warning tells how much area and, of closed parts, volume went, with `advice`
// after it; the measures components_dropped, dropped_area_percent and dropped_volume_percent count it, the
// last two in percent of what was there before anything was dropped. Throws InvalidInput where more than
// kMostLeftOut is left out.
TriangleMesh drop_parts(const TriangleMesh& mesh, const Parts& parts, const std::vector<char>& keep,
                        const std::string& advice, Report& report);

// Adds what was dropped to a measure: `percent` of what is left after all that the measure has already.
void add_dropped(const std::string& measure, double percent, Report& report);

}  // namespace abut::preprocess
