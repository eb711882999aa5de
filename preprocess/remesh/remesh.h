#pragma once

#include <cstdint>
#include <map>
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
inline constexpr std::int64_t kLeastQuads = 24, kMaxQuads = 2'000'000;

struct RemeshParameters {
  QuadTarget target;
  bool fields = true;  // the field-aligned route before the isotropic one
  int threads = 0;     // 0: all
};

struct Remeshed {
  QuadMesh mesh;
  std::string route;                       // "fields" or "isotropic"
  double edge = 0;                         // asked for, m
  int subdivisions = 0;                    // of the base mesh
  std::size_t crossings = 0, flips = 0;    // that local repair could not remove, by TangleRule::kStrict
  std::map<std::string, double> measures;  // of the fields, where that is the route
};

// Edge length that the walls of a solid ask for (kAuto), m: kWallSpacing times the thickness that all but
// kThinShare of the surface exceed, but no coarser than kAutoLeast quads and no finer than kAutoMost.
inline constexpr double kWallSpacing = 1.25, kThinShare = 0.01;
inline constexpr std::int64_t kAutoLeast = 2000, kAutoMost = 100'000;
double auto_edge(const ReferenceSurface& surface, int threads);

// Remeshes a closed surface to quads of nearly one size whose edges follow its creases: a closed, oriented
// manifold without doublets, all quads. `surface` is the surface of `closed`.
//
// A base of up to about kMaxBase polygons comes from the field-aligned mesher [Jakob2015] or, where that
// fails or leaves crossings that cannot be repaired locally, from isotropic triangles matched in pairs. Its
// triangles are matched in pairs, doublets removed, vertices relaxed on the surface, connectivity improved;
// finer targets divide every quad of the base in four, relaxing again. What crosses itself or is turned over
// is repaired locally after every step. The route and what repair could not remove are in the result.
//
// Throws InvalidInput where the target is out of range, NoQuads where no route has quads to offer,
// TooMuchWork among them where the surface is a needle.
Remeshed remesh(const TriangleMesh& closed, const ReferenceSurface& surface,
                const RemeshParameters& parameters);

}  // namespace abut::preprocess
