#pragma once

#include <string>
#include <vector>

#include "preprocess/mesh/weld.h"

// The separate parts (connected components) of a soup: which of them make up the object.
namespace abut::preprocess {

inline constexpr double kNoise = 1e-2;  // parts whose extent over the diagonal is below this are specks

struct Parts {
  Components of;
  std::vector<double> areas, extents;  // m^2; diagonals of the bounding boxes, m
  std::int32_t largest = 0;            // the part of the largest area, or the outermost closed one around it
  double area = 0;                     // total area, m^2
};
Parts measure_parts(const TriangleMesh& mesh);

// Marks the parts that belong to the largest one: those that intersect it, or are closed and come within
// `gap` (m) of it from outside, directly or through other parts. Specks (extent up to `speck`, m) do not. One
// flag for each part.
std::vector<char> joined_to_largest(const TriangleMesh& mesh, const Parts& parts, double gap, double speck);

// Number of parts that `keep` does not mark, lie within the largest part, have the opposite orientation, and
// are larger than specks.
std::size_t count_dropped_cavities(const TriangleMesh& mesh, const Parts& parts,
                                   const std::vector<char>& keep, double speck);

// Share of the area in parts that `keep` does not mark. If that is more than kMaxLeftOut and the largest
// part is closed, parts within the largest are not counted: they add nothing to its solid.
double left_out_share(const TriangleMesh& mesh, const Parts& parts, const std::vector<char>& keep);
inline constexpr double kMaxLeftOut = 0.5;  // share of the area; with more left out it is another object

// Whether most of the area that `keep` does not mark is in parts of one or two faces.
bool leaves_out_loose_faces(const TriangleMesh& mesh, const Parts& parts, const std::vector<char>& keep);

// The parts that `keep` marks. If parts are dropped, a warning reports their share of the area and of the
// volume of closed parts, followed by `advice`. The measures components_dropped, dropped_area_percent and
// dropped_volume_percent accumulate, the last two in percent of the mesh before anything was dropped. Throws
// InvalidInput if more than kMaxLeftOut is left out.
TriangleMesh drop_parts(const TriangleMesh& mesh, const Parts& parts, const std::vector<char>& keep,
                        const std::string& advice, Report& report);

// Adds a further loss to a measure of cumulative loss: `percent` refers to what remained after the losses
// that the measure already contains.
void add_dropped(const std::string& measure, double percent, Report& report);

}  // namespace abut::preprocess
