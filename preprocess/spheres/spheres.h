#pragma once

#include <string>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// Sphere sets: balls whose union holds a solid, as required by motion planners on GPUs.
//
//   asset::SphereSet made = make_spheres(mesh, surface, {.count = 64}, report, [](const std::string&) {});
namespace abut::preprocess {

inline constexpr int kMaxSpheres = 4096;

struct SphereParameters {
  int count = 0;  // largest number; 0: none

  std::string text() const;  // in the syntax of --spheres
};

// Parses "none" or the largest number of spheres, up to kMaxSpheres. Throws InvalidInput for anything else.
SphereParameters sphere_parameters_from_string(const std::string& text);

// Makes at most `parameters.count` (1 or more) balls that hold every point of a solid, given by its closed
// surface as a mesh and as the result of build_surface, and reach as little outside as the search finds.
// Branch and bound over convex parts of the solid proves that they hold it (pieces/left_out.h), and bounds
// how far they reach outside, as for pieces (pieces/outside.h). Deterministic: the same on any number of
// threads.
//
// Measures: spheres, spheres_outward_m.
asset::SphereSet make_spheres(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                              const SphereParameters& parameters, Report& report, const Progress& progress);

}  // namespace abut::preprocess
