#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "preprocess/mesh/weld.h"

// The orientation of the parts of a surface, and which parts lie within others.
namespace abut::preprocess {

// Winding number of the mesh around p: 1 inside a closed mesh that faces outward, 0 outside, -1 inside one
// that faces inward; fractional for open meshes [Jacobson et al. 2013].
double winding_number(const Eigen::Vector3d& p, const TriangleMesh& mesh);

// Bounding box of each part, m.
std::vector<Eigen::AlignedBox3d> part_boxes(const TriangleMesh& mesh, const Components& parts);

// Volume that each part encloses, m^3; negative for parts that face inward.
std::vector<double> part_volumes(const TriangleMesh& mesh, const Components& parts);

// Whether part `inner` lies within part `outer`, regardless of their orientation; decided at one vertex.
bool lies_within(const TriangleMesh& mesh, const Components& parts, std::int32_t inner, std::int32_t outer);

// Marks the parts that face outward and lie in no other such part: they bound the solid with its cavities
// filled, which contains everything inside them.
std::vector<char> outermost_solids(const TriangleMesh& mesh, const Components& parts);

struct Turned {
  std::size_t shells = 0;    // outer shells that faced inward, reversed with all that lies in them
  std::size_t cavities = 0;  // shells within others, oppositely oriented, which are left so
};

// Reverses every shell that faces inward and lies in no other one. A shell within another keeps its
// orientation relative to the outermost shell around it; if that is opposite, it bounds a cavity.
Turned turn_outward(TriangleMesh& mesh);

}  // namespace abut::preprocess
