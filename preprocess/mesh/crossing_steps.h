#pragma once

// The envelope check is never requested here, and compiling it takes half a minute.
#define CGAL_PMP_REMOVE_SELF_INTERSECTION_NO_POLYHEDRAL_ENVELOPE_CHECK

#include <CGAL/Polygon_mesh_processing/angle_and_area_smoothing.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Polygon_mesh_processing/triangulate_hole.h>
#include <CGAL/utility.h>

#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "preprocess/mesh/surface_mesh.h"

// The steps of CGAL's remove_self_intersections that are expensive to compile, each instantiated in its own
// file: crossing_smoothing.cpp, crossing_holes.cpp, crossing_checks.cpp. Internal to those and
// repair_crossings.cpp.
namespace abut::preprocess::crossing {

namespace parameters = CGAL::parameters;
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

using Faces = decltype(faces(std::declval<SurfaceMesh&>()));
using Constrained = boost::property_map<SurfaceMesh, CGAL::dynamic_edge_property_t<bool>>::type;
using Smoothing = decltype(parameters::edge_is_constrained_map(std::declval<Constrained>())
                               .number_of_iterations(100)
                               .use_safety_constraints(false)
                               .use_area_smoothing(false));

using Points = std::vector<SurfaceMesh::Point>;
using Output = std::back_insert_iterator<std::vector<CGAL::Triple<int, int, int>>>;
using Filling = decltype(parameters::geom_traits(std::declval<const Kernel&>()));
using FillingByAnyPoint =
    decltype(parameters::use_delaunay_triangulation(false).geom_traits(std::declval<const Kernel&>()));

using FaceSet = std::set<SurfaceMesh::Face_index>;
using Checking = decltype(parameters::vertex_point_map(
                              std::declval<boost::property_map<SurfaceMesh, CGAL::vertex_point_t>::type>())
                              .geom_traits(std::declval<const Kernel&>()));

}  // namespace abut::preprocess::crossing

namespace CGAL::Polygon_mesh_processing {

namespace crossing = abut::preprocess::crossing;
extern template void angle_and_area_smoothing(const crossing::Faces&, abut::preprocess::SurfaceMesh&,
                                              const crossing::Smoothing&);
extern template crossing::Output triangulate_hole_polyline(const crossing::Points&, const crossing::Points&,
                                                           crossing::Output, const crossing::Filling&);
extern template crossing::Output triangulate_hole_polyline(const crossing::Points&, const crossing::Points&,
                                                           crossing::Output,
                                                           const crossing::FillingByAnyPoint&);

extern template bool does_self_intersect<Sequential_tag>(const crossing::Faces&,
                                                         const abut::preprocess::SurfaceMesh&,
                                                         const parameters::Default_named_parameters&);
extern template bool does_self_intersect<Sequential_tag>(const crossing::FaceSet&,
                                                         const abut::preprocess::SurfaceMesh&,
                                                         const crossing::Checking&);

}  // namespace CGAL::Polygon_mesh_processing
