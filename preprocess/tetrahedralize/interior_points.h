#pragma once

#include <Eigen/Core>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/tetrahedralize/inradius.h"

namespace abut::preprocess {

// Lengths are relative to the surface's edges nearby; growth is relative to sqrt(edge x depth), which thins
// the points out inward and still refines the core's boundary with the surface.
struct InteriorParameters {
  double core_fraction = 0.5;   // the core begins at depth (1 - core_fraction) x local inradius
  double first_layer = 0.5;     // depth of the first layer of points below the surface
  double layer_growth = 0.2;    // added to a layer's thickness
  double spacing = 0.85;        // between points of a layer at the surface
  double core_spacing = 0.85;   // of that, on the core's boundary
  double thin_spacing = 0.65;   // where the wall has room for one sheet only
  double spacing_growth = 0.3;  // added to the spacing
};

// Points for the field inside a closed surface, m: on the boundary of the core, below the surface's vertices
// and triangles; where the core is deep, in layers between the two that thin out inward; and on the medial
// surface within the core. Where the wall is thin for its triangles, one sheet near its middle is all there
// is room for.
std::vector<Eigen::Vector3d> interior_points(const TriangleMesh& surface, const LocalInradius& inradius,
                                             const InteriorParameters& parameters);

}  // namespace abut::preprocess
