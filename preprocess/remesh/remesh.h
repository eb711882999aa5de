#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

// How fine a quad mesh is to be.
struct QuadTarget {
  enum class Kind { kAuto, kQuads, kEdge };
  Kind kind = Kind::kAuto;
  double value = 0;  // kQuads: their number; kEdge: their edges' length, m

  // "auto", "2000", "0.004 m".
  std::string text() const;
};

// Reads targets separated by commas, each "auto" or a number of quads, or "none". Throws InvalidInput.
std::vector<QuadTarget> quad_targets_from_string(const std::string& text);

// Smallest and largest number of quads of a target.
inline constexpr std::int64_t kLeastQuads = 24, kMostQuads = 2'000'000;

struct RemeshParameters {
  QuadTarget target;
  double crease_degrees = 50;  // between the normals of faces: what is sharper stays an edge
  int threads = 0;             // 0: all
};

// Remeshes a closed surface to quads of nearly one size whose edges follow its creases: a closed, oriented
// manifold without doublets. `surface` is the surface of `closed`. Throws InvalidInput where the target is
// out of range.
QuadMesh remesh(const TriangleMesh& closed, const ReferenceSurface& surface,
                const RemeshParameters& parameters, Report& report);

}  // namespace abut::preprocess
