#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// An unstructured grid with a scalar `pressure` at each point, as stored in a file. Internal to import.cpp.
namespace abut::preprocess {

struct Grid {
  std::vector<Eigen::Vector3d> points;  // m
  std::vector<double> pressures;        // for each point
  std::vector<std::int64_t> corners;    // four for each cell
  std::vector<std::int64_t> types;      // VTK's cell types, for each cell
};

inline constexpr std::int64_t kMaxItems = 1 << 28;  // limit of points, or of integers in the cells

// Both readers parse the text of `file` and throw InvalidInput naming it if it is not such a file, is
// truncated, has cells without exactly four corners, or has no pressure.
//
// Reads legacy VTK in ASCII, versions 2 to 5.1.
Grid read_legacy_grid(std::string_view text, const std::string& file);

// Reads VTK's XML (.vtu) with a single piece: arrays as text, in base64 or appended (raw or base64), plain or
// compressed by zlib, in either byte order.
Grid read_xml_grid(std::string_view text, const std::string& file);

}  // namespace abut::preprocess
