#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

// The surface of tetrahedra from an external source. Internal to import.cpp.
namespace abut::preprocess {

struct VolumeBoundary {
  TriangleMesh mesh;                     // over all vertices of the volume
  std::vector<std::int32_t> tetrahedra;  // the tetrahedron behind each triangle
};

// Extracts the faces that belong to a single tetrahedron, oriented outward. All tetrahedra must have positive
// volume. Throws InvalidInput, naming `file` and the tetrahedra, if more than two share a face, or two lie on
// the same side of it.
VolumeBoundary boundary_of(const TetrahedralMesh& mesh, const std::string& file);

// Throws InvalidInput, naming `file` and the tetrahedra, if the boundary is not that of a solid: bodies that
// meet only in an edge or a point, intersect, touch, or lie within each other. If tetrahedra of positive
// volume pass, none overlap: as many cover each point as the boundary winds around it. Predicates are exact,
// except for nesting, which is decided by solid angles.
void check_boundary(const VolumeBoundary& boundary, const std::string& file);

}  // namespace abut::preprocess
