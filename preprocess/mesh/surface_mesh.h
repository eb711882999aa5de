#pragma once

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Surface_mesh.h>

#include <array>
#include <vector>

#include "preprocess/mesh/mesh.h"

// Meshes in CGAL's types. Internal to the files that call its algorithms.
namespace abut::preprocess {

using SurfaceMesh = CGAL::Surface_mesh<CGAL::Exact_predicates_inexact_constructions_kernel::Point_3>;

std::vector<SurfaceMesh::Point> to_points(const TriangleMesh& mesh);
std::vector<std::array<std::size_t, 3>> to_polygons(const TriangleMesh& mesh);

// Vertices and faces keep their numbers. The mesh must be manifold by indices.
SurfaceMesh to_surface_mesh(const TriangleMesh& mesh);
// Converts back, after collecting the garbage of `mesh`.
TriangleMesh to_triangle_mesh(SurfaceMesh& mesh);

}  // namespace abut::preprocess
