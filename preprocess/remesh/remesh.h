#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

// The wanted resolution of a quad mesh.
struct QuadTarget {
  // kDefault: kDefaultQuads quads, or as kAuto where the points of so few have wrong signs (point_levels.h).
  enum class Kind { kAuto, kQuads, kEdge, kDefault };
  Kind kind = Kind::kAuto;
  double value = 0;  // kQuads: number of quads; kEdge: edge length, m

  // For example "auto", "2000", "0.004 m" or kDefaultText.
  std::string text() const;
};

inline constexpr double kDefaultQuads = 2000;
inline constexpr const char* kDefaultText = "2000-or-auto";

// Parses targets separated by commas, each "auto", kDefaultText or a number of quads, or "none". Throws
// InvalidInput.
std::vector<QuadTarget> quad_targets_from_string(const std::string& text);

// Smallest and largest number of quads of a target.
inline constexpr std::int64_t kLeastQuads = 24, kMaxQuads = 2'000'000;

struct RemeshParameters {
  QuadTarget target;
  bool fields = true;  // whether to try the field-aligned route before the isotropic one
  int threads = 0;     // 0: all processors
};

struct Remeshed {
  QuadMesh mesh;
  std::string route;                       // "fields" or "isotropic"
  double edge = 0;                         // wanted edge length, m
  int subdivisions = 0;                    // of the base mesh
  std::size_t crossings = 0, flips = 0;    // left by local repair, by TangleRule::kStrict
  std::map<std::string, double> measures;  // of the fields, if that is the route
};

// Edge length that the walls of a solid require (kAuto), m: kWallSpacing times the thickness that all but
// kThinShare of the surface exceed, but no coarser than for kAutoLeast quads and no finer than for kAutoMost.
inline constexpr double kWallSpacing = 1.25, kThinShare = 0.01;
inline constexpr std::int64_t kAutoLeast = 2000, kAutoMost = 100'000;
double auto_edge(const ReferenceSurface& surface, int threads);

// Remeshes a closed surface to quads of nearly one size whose edges follow its creases. The result is a
// closed, oriented manifold of quads without doublets. `surface` is the surface of `closed`.
//
// A base of up to about kMaxBase polygons comes from the field-aligned mesher [Jakob2015] or, if that fails
// or leaves intersections that local repair cannot remove, from isotropic triangles. Triangles are matched in
// pairs, doublets removed, vertices relaxed on the surface, and connectivity improved. For finer targets
// every quad of the base is divided into four, with further relaxation. Self-intersections and flipped quads
// are repaired locally after every step. The result reports the route and what repair could not remove.
//
// Throws InvalidInput if the target is out of range and NoQuads if no route yields quads, in particular
// TooMuchWork if the surface is a needle.
Remeshed remesh(const TriangleMesh& closed, const ReferenceSurface& surface,
                const RemeshParameters& parameters);

}  // namespace abut::preprocess
