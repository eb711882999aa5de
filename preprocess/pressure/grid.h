#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Files with an unstructured grid and a scalar `pressure` per point, as they are written. Internal to
// import.cpp.
namespace abut::preprocess {

struct Grid {
  std::vector<Eigen::Vector3d> points;  // m
  std::vector<double> pressures;        // per point
  std::vector<std::int64_t> corners;    // four per cell
  std::vector<std::int64_t> types;      // VTK's, per cell
};

inline constexpr std::int64_t kMaxItems = 1 << 28;  // points or numbers of cells

// Both read the text of `file` and throw InvalidInput naming it: not such a file, cut off, cells of other
// than four corners, no pressure.
//
// Legacy VTK in ASCII, versions 2 to 5.1.
Grid read_legacy_grid(std::string_view text, const std::string& file);

// VTK's XML (.vtu) of one piece: arrays as text, in base64 or appended (raw or base64), plain or compressed
// by zlib, of either byte order.
Grid read_xml_grid(std::string_view text, const std::string& file);

}  // namespace abut::preprocess
