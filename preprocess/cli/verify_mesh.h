#pragma once

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Surface_mesh.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/asset/asset.h"

// Parts of assets as CGAL meshes. Internal to verify_geometry.h's functions.
namespace abut::preprocess {

using VerifiedMesh = CGAL::Surface_mesh<CGAL::Exact_predicates_inexact_constructions_kernel::Point_3>;

// Empty if the triangles are not a manifold.
std::optional<VerifiedMesh> verified_mesh(const std::vector<VerifiedMesh::Point>& points,
                                          const std::int32_t* triangles, std::int32_t count);

std::vector<VerifiedMesh::Point> points_of(const asset::SurfaceView& surface);
std::vector<VerifiedMesh::Point> points_of(const asset::ConvexView& piece);

}  // namespace abut::preprocess
