#pragma once

#include <string>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// Sphere sets: balls whose union holds a solid, as planners on GPUs ask for.
//
//   asset::SphereSet made = make_spheres(mesh, surface, {.count = 64}, report, [](const std::string&) {});
namespace abut::preprocess {

inline constexpr int kMaxSpheres = 4096;

struct SphereParameters {
  int count = 0;  // at most; 0: none

  std::string text() const;  // as --spheres takes it
};

// "none" or their largest number, up to kMaxSpheres. Throws InvalidInput for anything else.
SphereParameters sphere_parameters_from_string(const std::string& text);

// At most `parameters.count` balls (1 or more) that hold every point of a solid, given by its closed surface
// as a mesh and as what build_surface made of it, and reach as little outside as the search finds. That they
// hold it is shown by branch and bound over convex parts of the solid (pieces/left_out.h), and how far they
// reach out as for pieces (pieces/outside.h). The same on any number of threads.
//
// Measures: spheres, spheres_outward_m.
asset::SphereSet make_spheres(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                              const SphereParameters& parameters, Report& report, const Progress& progress);

}  // namespace abut::preprocess
