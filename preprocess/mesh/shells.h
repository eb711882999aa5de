#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "preprocess/mesh/weld.h"

// Which way the parts of a surface face, and which lie within others.
namespace abut::preprocess {

// How often the mesh winds around p: 1 inside a closed mesh that faces outward, 0 outside, -1 inside one that
// faces inward; between these for open meshes [Jacobson et al. 2013].
double winding_number(const Eigen::Vector3d& p, const TriangleMesh& mesh);

// Bounding box of each part, m.
std::vector<Eigen::AlignedBox3d> part_boxes(const TriangleMesh& mesh, const Components& parts);

// Volume that each part encloses, m^3: negative for parts that face inward.
std::vector<double> part_volumes(const TriangleMesh& mesh, const Components& parts);

// Whether part `inner` lies within part `outer`, whichever way they face: judged by one vertex.
bool lies_within(const TriangleMesh& mesh, const Components& parts, std::int32_t inner, std::int32_t outer);

// Marks the parts that face outward and lie in no other such part: what bounds a solid with its cavities
// filled, which takes in what lies in them.
std::vector<char> outermost_solids(const TriangleMesh& mesh, const Components& parts);

struct Turned {
  std::size_t shells = 0;    // outer shells that faced inward, turned over with what lies in them
  std::size_t cavities = 0;  // shells within others, facing against them: left so
};

// Turns every shell outward that lies in no other one. A shell within another keeps facing with or against
// the outermost one around it: against it, it bounds a cavity.
Turned turn_outward(TriangleMesh& mesh);

}  // namespace abut::preprocess
