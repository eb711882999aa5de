#pragma once

#include <Eigen/Core>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/tetrahedralize/inradius.h"

namespace abut::preprocess {

// Lengths are relative to the local edge length of the surface; growth terms are relative to sqrt(edge x
// depth), which makes the points sparser inward and still refines the core's boundary together with the
// surface.
struct InteriorParameters {
  double core_fraction = 0.5;   // the core begins at depth (1 - core_fraction) x local inradius
  double first_layer = 0.5;     // depth of the first layer of points below the surface
  double layer_growth = 0.2;    // increment of a layer's thickness
  double spacing = 0.85;        // between points of a layer at the surface
  double core_spacing = 0.85;   // factor of the spacing on the core's boundary
  double thin_spacing = 0.65;   // spacing where the wall has room for a single sheet only
  double spacing_growth = 0.3;  // increment of the spacing
};

// Interior points for the pressure field of a closed surface, m: on the boundary of the core, below the
// surface's vertices and triangles; if the core is deep, in layers between the two that become sparser
// inward; and on the medial surface within the core. Where the wall is thin relative to its triangles, there
// is only room for one sheet near its middle.
std::vector<Eigen::Vector3d> interior_points(const TriangleMesh& surface, const LocalInradius& inradius,
                                             const InteriorParameters& parameters);

}  // namespace abut::preprocess
