// Distance of the surfaces of scanned objects (16,000 triangles), 1 cm apart, beside FCL's (OBBRSS trees) in
// the same run, one thread:
//   surface_against_fcl [FOLDER]
// cold: no memory of the pair; warm: after a move of 1e-3 m and 1e-3 rad. Each figure is the median over the
// pairs of the pair's least processor time. All answers are checked against FCL's.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

#include "benchmarks/support/data.h"
#include "benchmarks/support/median.h"
#include "benchmarks/support/promises.h"
#include "datasets/dataset.h"
#include "preprocess/index/index.h"
#include "preprocess/mesh/close.h"
#include "preprocess/mesh/read.h"
#include "runtime/bvh/overlap.h"
#include "runtime/core/random.h"
#include "runtime/proximity/surface_query.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using benchmarks::median;

constexpr int kPairs = 100, kRepeats = 5;
constexpr double kApart = 0.01;  // m

double processor_us() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

template <class Body>
double least_time(Body&& body) {
  double least = 1e300;
  for (int i = 0; i < kRepeats; ++i) {
    const double start = processor_us();
    body();
    least = std::min(least, processor_us() - start);
  }
  return least;
}

struct Object {
  asset::Surface surface;
  std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> model;
};

std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> fcl_model(const asset::Surface& s) {
  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
  for (std::size_t i = 0; i < s.vertices.size(); i += 3)
    vertices.emplace_back(s.vertices[i], s.vertices[i + 1], s.vertices[i + 2]);
  for (std::size_t i = 0; i < s.triangles.size(); i += 3)
    triangles.emplace_back(s.triangles[i], s.triangles[i + 1], s.triangles[i + 2]);
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  model->beginModel();
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

// The pose of B along a random direction at which the surfaces are kApart apart.
Pose<double> place(const Object& A, const Object& B, Random& random, proximity::SurfaceScratch& scratch) {
  const auto unit = [&] {
    return Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
  };
  Pose<double> X{exp_rotation<double>(random.uniform(0, 3) * unit()), {}};
  const bvh::Ball a = bvh::ball_of(view(A.surface).tree), b = bvh::ball_of(view(B.surface).tree);
  const Vec3<double> way = unit();
  double along = a.radius + b.radius + 2 * kApart;
  for (int i = 0; i < 200; ++i) {
    X.p = a.center + along * way - X.R * b.center;
    const double d =
        proximity::surface_separation(view(A.surface), view(B.surface), X, scratch).witness.distance;
    if (std::abs(d - kApart) < 1e-9) break;
    along -= d - kApart;
  }
  return X;
}

std::vector<Object> read_objects(const std::string& folder) {
  std::vector<Object> objects;
  for (const datasets::ObjectSource& object :
       datasets::open_dataset(benchmarks::objects_folder(folder), {}).objects) {
    preprocess::Report report;
    const auto mesh = preprocess::read_mesh(object.file, 1, report);
    objects.push_back(
        {preprocess::build_surface(preprocess::close_surface(mesh, {}, report).surface), nullptr});
    objects.back().model = fcl_model(objects.back().surface);
  }
  return objects;
}

int run(int argc, char** argv) {
  const std::vector<Object> objects = read_objects(argc > 1 ? argv[1] : "");
  std::vector<double> cold, warm, theirs;
  double worst = 0;  // m: difference from FCL's distance
  proximity::SurfaceScratch scratch;
  for (int i = 0; i < kPairs; ++i) {
    Random random(11, static_cast<std::uint64_t>(i));
    const Object &A = objects[random.below(objects.size())], &B = objects[random.below(objects.size())];
    const asset::SurfaceView a = view(A.surface), b = view(B.surface);
    const Pose<double> X = place(A, B, random, scratch);
    fcl::Transform3d T = fcl::Transform3d::Identity();
    T.linear() = X.R;
    T.translation() = X.p;
    const fcl::DistanceRequestd request(true);
    const auto ask_fcl = [&] {
      fcl::DistanceResultd result;
      return fcl::distance(A.model.get(), fcl::Transform3d::Identity(), B.model.get(), T, request, result);
    };
    const proximity::SurfaceWitness found = proximity::surface_separation(a, b, X, scratch);
    worst = test::worst_of(worst, std::abs(ask_fcl() - found.witness.distance));
    const Pose<double> Y =
        X * exp<double>(1e-3 * Vec6<double>(random.normal(), random.normal(), random.normal(),
                                            random.normal(), random.normal(), random.normal())
                                   .normalized());
    cold.push_back(least_time([&] { proximity::surface_separation(a, b, X, scratch); }));
    warm.push_back(least_time([&] { proximity::surface_separation(a, b, Y, scratch, found); }));
    theirs.push_back(least_time(ask_fcl));
  }
  const double ours = median(cold), ours_warm = median(warm), fcl = median(theirs);
  std::printf("pairs,cold_us,warm_us,fcl_us,fcl_over_cold,fcl_over_warm,worst_difference_m\n");
  std::printf("%d,%.1f,%.1f,%.1f,%.2f,%.2f,%.2g\n", kPairs, ours, ours_warm, fcl, fcl / ours, fcl / ours_warm,
              worst);
  benchmarks::Promises promises;
  promises.at_most("difference from FCL, m", worst, 1e-12);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("surface_against_fcl", run, argc, argv); }
