#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/ssdf/kernel.h"

namespace abut::cli {

inline constexpr std::string_view kPointQuantity = "ssdf";  // --what: points, not pairs

// The columns of a file of points; idx may be missing.
inline constexpr std::array<std::string_view, 5> kPointColumns = {"idx", "obj", "x", "y", "z"};

struct PointQueryCount {
  std::size_t rows = 0, unanswered = 0;
};

// Soft signed distances of points from the assets of a folder, exact ones from primitives ("@sphere:0.02"):
// reads a CSV with columns obj, x, y, z (m, in the object's frame; idx if present) and writes value (m),
// gradient and Hessian (1/m) with these settings (a point outside every support of the kernel, or beyond the
// reach of the grid, has status no_overlap). `path` "-" reads standard input, `out` is an OutputFile's; jobs
// 0: one thread per core. Throws InvalidInput, BadAsset or IoError.
PointQueryCount query_points(const std::string& assets, const std::string& path, const std::string& out,
                             int jobs, const ssdf::SoftDistanceConfig& config);

}  // namespace abut::cli
