#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/body/geometry.h"
#include "runtime/ssdf/kernel.h"

namespace abut::cli {

inline constexpr std::string_view kPointQuantity = "ssdf";  // the --what that takes points, not pairs

// The columns of a file of points; idx may be missing.
inline constexpr std::array<std::string_view, 5> kPointColumns = {"idx", "obj", "x", "y", "z"};

struct PointQueryCount {
  std::size_t rows = 0, unanswered = 0;
};

// Answers soft signed distances of points from the assets of a folder, and exact ones from primitives
// ("@sphere:0.02"): reads a CSV file with the columns obj, x, y, z (m, in the object's frame) and,
// optionally, idx, and writes value (m), gradient and Hessian (1/m) with the settings `config`. A point
// outside every support of the kernel, or beyond the reach of the grid, has status no_overlap. `path` "-"
// reads standard input, `out` is as for OutputFile; jobs 0: one thread per core. Calls `made` with
// every geometry when its first point is read. Throws InvalidInput, BadAsset or IoError.
PointQueryCount query_points(const std::string& assets, const std::string& path, const std::string& out,
                             int jobs, const ssdf::SoftDistanceConfig& config,
                             const std::function<void(const body::Geometry&)>& made);

}  // namespace abut::cli
