#include <fmt/format.h>

#include <cmath>

#include "benchmarks/soft_potential/scenes.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/soft_contact.h"
#include "datasets/dataset.h"
#include "preprocess/index/index.h"
#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/surface_sampler.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/ssdf/kernel.h"
#include "tests/support/worst_of.h"

namespace abut::soft_potential_scenes {

namespace {

constexpr int kSamples = 20'000;  // near the surface, and as many in the box around it
constexpr double kJudged = 0.1;   // samples nearer to the surface are not judged, spacings

// The surface of the quads, each cut along a diagonal.
asset::Surface surface_of_quads(const asset::PointsView& points) {
  preprocess::QuadMesh mesh;
  for (std::int32_t i = 0; i < points.vertex_count; ++i)
    mesh.vertices.emplace_back(Vec3<double>::Map(points.vertices + 3 * i));
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    const std::int32_t* const q = points.quads + 4 * std::ptrdiff_t(i);
    mesh.quads.push_back({q[0], q[1], q[2], q[3]});
  }
  return preprocess::build_surface(preprocess::triangulate(mesh));
}

// Points uniform by area on the surface, moved by up to a spacing; then points of 1.3 times its ball's box.
std::vector<Vec3<double>> places(const body::Geometry& object) {
  const preprocess::SurfaceSampler sample(object.surface());
  const asset::PointsView points = object.points();
  const double reach = 1.3 * points.blocks.radius;
  Random random(2, 1);
  std::vector<Vec3<double>> result;
  for (int i = 0; i < kSamples; ++i)
    result.emplace_back(sample(random).first + points.spacing * preprocess::in_unit_ball(random));
  for (int i = 0; i < kSamples; ++i)
    result.emplace_back(
        Vec3<double>::Map(points.blocks.center) +
        reach * Vec3<double>(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)));
  return result;
}

// Wrong signs of a field.
struct Wrong {
  int near = 0;  // of the samples near the surface
  int far = 0;   // farther than a spacing from it
  // Largest distances from the surface, spacings, of samples that are outside and taken for inside, and the
  // other way round.
  double ghost = 0, hollow = 0;

  void add(double value, double exact, bool is_near) {
    if ((value < 0) == (exact < 0)) return;
    near += is_near ? 1 : 0;
    far += std::abs(exact) > 1 ? 1 : 0;
    double& farthest = exact > 0 ? ghost : hollow;
    farthest = test::worst_of(farthest, std::abs(exact));
  }
};

void row(const std::string& name, const body::Geometry& object, Promises& promises) {
  const asset::Surface quads = surface_of_quads(object.points());
  const ssdf::KernelField field(object.points(), ssdf::KernelKind::kTwoStage,
                                ssdf::default_eps1(object.points()));
  const std::vector<Vec3<double>> p = places(object);
  std::vector<ssdf::SoftDistance<double>> soft(p.size());
  field.distances(p, ssdf::Order::kValue, soft, 1e-9, 1);
  Wrong of_points, of_quads;
  int judged = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double exact = distance::signed_distance<double>(object.surface(), p[i]).distance,
                 spacings = exact / object.points().spacing;
    if (!(std::abs(spacings) > kJudged)) continue;
    const bool near = i < kSamples;
    judged += near ? 1 : 0;
    of_points.add(soft[i].value, spacings, near);
    of_quads.add(distance::signed_distance<double>(asset::view(quads), p[i]).distance, spacings, near);
  }
  const double points_percent = 100.0 * of_points.near / judged,
               quads_percent = 100.0 * of_quads.near / judged;
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {} | {:.2f} | {:.2f} |\n", name, object.points().point_count,
             points_percent, quads_percent, of_points.far, of_points.ghost, of_points.hollow);
  std::fflush(stdout);
  promises.at_most(name + ", wrong signs beyond those of the quads, %", points_percent - quads_percent, 0.3);
  promises.at_most(name + ", farthest ghost, spacings", of_points.ghost, 1);
}

}  // namespace

void signs(Promises& promises) {
  fmt::print(
      "\n| object | quads | wrong signs within a spacing, points, % | the quads' own, % | beyond a spacing, "
      "of "
      "40,000 | farthest outside, spacings | farthest inside |\n|---|---|---|---|---|---|---|\n");
  for (const datasets::ObjectSource& object :
       datasets::open_dataset(benchmarks::objects_folder(), {}).objects)
    row(object.name, body::Geometry(preprocess::make_asset(object, benchmarks::points_and_grid({2000}), {})),
        promises);
}

}  // namespace abut::soft_potential_scenes
