#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>
#include <gtest/gtest.h>

#include "preprocess/index/index.h"
#include "preprocess/mesh/close.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "tests/support/shapes.h"
#include "tests/support/worst_of.h"

// Distance and sign on real surfaces against CGAL: distance with exact constructions, side with exact
// predicates.
namespace {

using abut::Random;
using abut::Vec3;
using abut::preprocess::TriangleMesh;
using Exact = CGAL::Exact_predicates_exact_constructions_kernel;
using Inexact = CGAL::Exact_predicates_inexact_constructions_kernel;

template <class Kernel>
CGAL::Surface_mesh<typename Kernel::Point_3> to_cgal(const TriangleMesh& mesh) {
  using Mesh = CGAL::Surface_mesh<typename Kernel::Point_3>;
  using Vertex = typename Mesh::Vertex_index;
  Mesh result;
  for (const auto& v : mesh.vertices) result.add_vertex({v.x(), v.y(), v.z()});
  for (const auto& t : mesh.triangles) result.add_face(Vertex(t[0]), Vertex(t[1]), Vertex(t[2]));
  return result;
}

class YcbDistance : public testing::TestWithParam<const char*> {};

TEST_P(YcbDistance, AgreesWithExactQueries) {
  auto mesh = abut::test::welded_ycb(GetParam());
  if (!mesh) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
  abut::preprocess::Report report;
  *mesh = abut::preprocess::close_surface(*mesh, {}, report).surface;
  const abut::asset::Surface surface = abut::preprocess::build_surface(*mesh);
  using Primitive = CGAL::AABB_face_graph_triangle_primitive<CGAL::Surface_mesh<Exact::Point_3>>;
  const auto exact_mesh = to_cgal<Exact>(*mesh);
  const auto side_mesh = to_cgal<Inexact>(*mesh);
  ASSERT_EQ(exact_mesh.number_of_faces(), mesh->triangles.size());
  CGAL::AABB_tree<CGAL::AABB_traits<Exact, Primitive>> tree(faces(exact_mesh).first, faces(exact_mesh).second,
                                                            exact_mesh);
  const CGAL::Side_of_triangle_mesh<CGAL::Surface_mesh<Inexact::Point_3>, Inexact> side(side_mesh);
  const double diagonal = mesh->diagonal();
  double worst = 0;
  int inside = 0;
  constexpr int kPoints = 2000;
  for (int i = 0; i < kPoints; ++i) {
    Random random(41, i);
    const auto& t = mesh->triangles[random.below(mesh->triangles.size())];
    // From a corner, an edge or the middle of a triangle; a quarter of the points anywhere around the object,
    // the others at most 2 % of its diagonal away along each axis, half of these by a length down to a
    // millionth of that.
    const double weight[3][3] = {{1, 0, 0}, {0.4, 0.6, 0}, {0.2, 0.5, 0.3}};
    Vec3<double> p = Vec3<double>::Zero();
    for (int k = 0; k < 3; ++k) p += weight[i % 3][k] * mesh->vertices[t[k]];
    const Vec3<double> u(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    p += diagonal * (i % 4 == 0 ? 1.0 : i % 4 == 1 ? 0.02 : 0.02 * std::pow(10, random.uniform(-6, 0))) * u;
    const auto found = abut::distance::signed_distance<double>(view(surface), p);
    const double expected =
        std::sqrt(CGAL::to_double(CGAL::exact(tree.squared_distance({p.x(), p.y(), p.z()}))));
    const bool expected_inside = side({p.x(), p.y(), p.z()}) == CGAL::ON_BOUNDED_SIDE;
    inside += expected_inside;
    // 1e-12 of the distance; below 1e-5 of the diagonal 1e-17 of it, a few roundings of a triangle's edge.
    const double floor = std::max(expected, 1e-5 * diagonal);
    worst = abut::test::worst_of(worst, std::abs(std::abs(found.distance) - expected) / floor);
    ASSERT_NEAR(std::abs(found.distance), expected, 1e-12 * floor) << i;
    ASSERT_EQ(found.distance < 0, expected_inside) << i << " at " << found.distance;
  }
  EXPECT_GT(inside, kPoints / 5);
  RecordProperty("worst_relative_error", std::to_string(worst * 1e15) + "e-15");
}

INSTANTIATE_TEST_SUITE_P(, YcbDistance,
                         testing::Values("002_master_chef_can", "003_cracker_box", "011_banana", "025_mug",
                                         "051_large_clamp", "061_foam_brick"),
                         [](const auto& object) { return std::string(object.param).substr(4); });

}  // namespace
