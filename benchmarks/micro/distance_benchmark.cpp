// Exact distance queries against CGAL's tree with inexact constructions, on one object at several distances:
//   distance_benchmark [--benchmark_filter=...]
// The object is a scanned banana (16,384 triangles) where the reference data is there, else a torus of as
// many.
#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Surface_mesh.h>
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "preprocess/index/index.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "tests/support/shapes.h"

namespace {

using abut::Random;
using abut::Vec3;
using abut::preprocess::TriangleMesh;
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using PeerMesh = CGAL::Surface_mesh<Kernel::Point_3>;
using PeerTree =
    CGAL::AABB_tree<CGAL::AABB_traits<Kernel, CGAL::AABB_face_graph_triangle_primitive<PeerMesh>>>;

struct Object {
  TriangleMesh mesh;
  abut::asset::Surface surface;
  PeerMesh peer_mesh;
  std::unique_ptr<PeerTree> peer;
};

const Object& object() {
  static const Object instance = [] {
    Object o;
    o.mesh = abut::test::welded_ycb("011_banana").value_or(abut::test::torus(0.08, 0.02, 128, 64));
    o.surface = abut::preprocess::build_surface(o.mesh);
    for (const auto& v : o.mesh.vertices) o.peer_mesh.add_vertex({v.x(), v.y(), v.z()});
    for (const auto& t : o.mesh.triangles)
      o.peer_mesh.add_face(PeerMesh::Vertex_index(t[0]), PeerMesh::Vertex_index(t[1]),
                           PeerMesh::Vertex_index(t[2]));
    return o;
  }();
  return instance;
}

PeerTree& peer() {
  static PeerTree tree = [] {
    PeerTree t(faces(object().peer_mesh).first, faces(object().peer_mesh).second, object().peer_mesh);
    t.accelerate_distance_queries();
    return t;
  }();
  return tree;
}

// Points within `reach` diagonals of the surface along each axis.
std::vector<Vec3<double>> query_points(double reach) {
  std::vector<Vec3<double>> points;
  const TriangleMesh& mesh = object().mesh;
  for (int i = 0; i < 4096; ++i) {
    Random random(1, i);
    const auto& t = mesh.triangles[random.below(mesh.triangles.size())];
    const Vec3<double> u(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    points.push_back((mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3 +
                     mesh.diagonal() * reach * u);
  }
  return points;
}

// Reach of the query points in thousandths of the diagonal.
double reach(const benchmark::State& state) { return static_cast<double>(state.range(0)) / 1000; }

void signed_distance(benchmark::State& state) {
  const auto points = query_points(reach(state));
  const auto surface = view(object().surface);
  for (std::size_t i = 0; i < points.size(); i += 16) {
    const auto& p = points[i];
    const double expected = std::sqrt(peer().squared_distance({p.x(), p.y(), p.z()}));
    const double found = std::abs(abut::distance::signed_distance<double>(surface, p).distance);
    if (!(std::abs(found - expected) <= 1e-10 * expected)) return state.SkipWithError("differs from CGAL");
  }
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(abut::distance::signed_distance<double>(surface, points[i]));
    i = (i + 1) % points.size();
  }
}

// Distance alone: the peer has no sign in the same query.
void cgal_squared_distance(benchmark::State& state) {
  const auto points = query_points(reach(state));
  std::size_t i = 0;
  for (auto _ : state) {
    const auto& p = points[i];
    benchmark::DoNotOptimize(peer().squared_distance({p.x(), p.y(), p.z()}));
    i = (i + 1) % points.size();
  }
}

void build_surface(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(abut::preprocess::build_surface(object().mesh));
}

void build_convex_piece(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(abut::preprocess::build_convex_piece(object().mesh.vertices));
}

BENCHMARK(signed_distance)->Arg(2)->Arg(20)->Arg(500);
BENCHMARK(cgal_squared_distance)->Arg(2)->Arg(20)->Arg(500);
BENCHMARK(build_surface)->Unit(benchmark::kMillisecond);
BENCHMARK(build_convex_piece)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
