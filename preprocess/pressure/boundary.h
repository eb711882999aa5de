#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

// The surface of tetrahedra that somebody else has made. Internal to import.cpp.
namespace abut::preprocess {

struct VolumeBoundary {
  TriangleMesh mesh;                     // over all vertices of the volume
  std::vector<std::int32_t> tetrahedra;  // behind each triangle
};

// The faces that only one tetrahedron has, from outside. Throws InvalidInput, naming `file` and the
// tetrahedra, where more than two share a face, or two do on the same side of it. Tetrahedra have positive
// volume.
VolumeBoundary boundary_of(const TetrahedralMesh& mesh, const std::string& file);

// Throws InvalidInput, naming `file` and the tetrahedra, where the boundary is not that of a solid: bodies
// that meet in an edge or a point alone, cross, touch, or lie within each other. Of tetrahedra of positive
// volume that pass none overlap: each point has as many around it as the boundary winds around it [exact
// predicates; within each other: by solid angles].
void check_boundary(const VolumeBoundary& boundary, const std::string& file);

}  // namespace abut::preprocess
