// Support queries and cold separation queries on convex hulls of scanned objects, and warm against cold
// queries along walks of overlapping curved shapes, one thread; derivatives of 100,000 overlapping pairs by
// every estimator, two threads:
//   witness_benchmark [--benchmark_filter=...]
// Random relative poses of random pairs, sorted by sign; every answer's bounds are checked before anything is
// timed. Needs the reference meshes beside the project.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/support/data.h"
#include "preprocess/index/index.h"
#include "preprocess/mesh/read.h"
#include "runtime/core/random.h"
#include "runtime/derivative/estimator.h"
#include "runtime/witness/solver.h"

namespace {

using namespace abut;

struct Query {
  asset::ConvexView A, B;
  Pose<double> X_AB;
};

struct Queries {
  std::vector<asset::ConvexPiece> hulls;
  std::vector<Query> apart, overlapping;
  bool certified = true;
};

Vec3<double> random_vector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

const Queries& queries() {
  static const Queries instance = [] {
    constexpr std::size_t kCount = 1000;
    Queries q;
    std::set<std::filesystem::path> objects;  // in the same order on every machine
    for (const auto& entry : std::filesystem::directory_iterator(benchmarks::objects_folder()))
      if (entry.is_directory()) objects.insert(entry.path());
    for (const auto& object : objects) {
      preprocess::Report report;
      const auto mesh = preprocess::read_mesh(object / "google_16k" / "textured.obj", 1.0, report);
      q.hulls.push_back(preprocess::build_convex_piece(mesh.vertices));
    }
    Random random(1);
    witness::Workspace<double> workspace;
    while (q.apart.size() < kCount || q.overlapping.size() < kCount) {
      Query query{asset::view(q.hulls[random.below(q.hulls.size())]),
                  asset::view(q.hulls[random.below(q.hulls.size())]), Pose<double>{}};
      query.X_AB.R =
          rotation_from_quaternion(random.normal(), random.normal(), random.normal(), random.normal());
      query.X_AB.p = 0.08 * random_vector(random);
      const auto w = witness::separation(query.A, query.B, query.X_AB, workspace);
      q.certified = q.certified && w.upper_bound - w.lower_bound < 1e-12;
      std::vector<Query>& set = w.distance > 0 ? q.apart : q.overlapping;
      if (set.size() < kCount) set.push_back(query);
    }
    return q;
  }();
  return instance;
}

void separation(benchmark::State& state, const std::vector<Query>& set) {
  if (!queries().certified) return state.SkipWithError("an answer's bounds are too wide");
  witness::Workspace<double> workspace;
  std::size_t i = 0;
  for (auto _ : state) {
    const Query& q = set[i++ % set.size()];
    benchmark::DoNotOptimize(witness::separation(q.A, q.B, q.X_AB, workspace));
  }
}

void separation_apart(benchmark::State& state) { separation(state, queries().apart); }
void separation_overlapping(benchmark::State& state) { separation(state, queries().overlapping); }

void support(benchmark::State& state) {
  const std::vector<Query>& set = queries().apart;
  if (set.empty()) return state.SkipWithError("the reference meshes are missing");
  Random random(2);
  std::vector<Vec3<double>> directions(1024);
  for (auto& n : directions) n = random_vector(random);
  std::size_t i = 0;
  for (auto _ : state) {
    ++i;
    benchmark::DoNotOptimize(witness::support(set[i % set.size()].A, directions[i % directions.size()]));
  }
}

// Poses of a walk in which two shapes overlap all the time: each is turned by about `stride` (rad) and
// shifted by a tenth of that (m) from the one before.
template <class ShapeA, class ShapeB>
std::vector<Pose<double>> overlapping_walk(const ShapeA& A, const ShapeB& B, double stride) {
  Random random(3);
  std::vector<Pose<double>> walk;
  Pose<double> X_AB;
  while (walk.size() < 1000) {
    Pose<double> next = X_AB;
    if (walk.size() % 100 == 0) {
      next.R = rotation_from_quaternion(random.normal(), random.normal(), random.normal(), random.normal());
      next.p = 0.03 * random_vector(random);
    } else {
      Vec6<double> xi;
      xi << stride * random_vector(random), 0.1 * stride * random_vector(random);
      next = X_AB * exp(xi);
    }
    const auto w = witness::separation(A, B, next);
    if (!(w.distance < 0) || (w.status != Status::kOk && w.status != Status::kTouching)) continue;
    X_AB = next;
    walk.push_back(next);
  }
  return walk;
}

// Ten walks of a hundred steps; stride in rad is 10^-range(0).
template <class ShapeA, class ShapeB>
void walk_of(benchmark::State& state, const ShapeA& A, const ShapeB& B, bool warm) {
  const std::vector<Pose<double>> walk =
      overlapping_walk(A, B, std::pow(10., -static_cast<double>(state.range(0))));
  witness::WitnessSolver<double, ShapeA, ShapeB> solver(A, B);
  witness::Workspace<double> workspace;
  std::size_t i = 0;
  for (auto _ : state) {
    const Pose<double>& X_AB = walk[i++ % walk.size()];
    benchmark::DoNotOptimize(warm ? solver(X_AB) : witness::separation(A, B, X_AB, workspace));
  }
}

const witness::Cylinder<double> kCylinder{0.06, 0.05};
const witness::Cone<double> kCone{0.06, 0.05};
const witness::Ellipsoid<double> kEllipsoid{{0.1, 0.06, 0.05}}, kFlatEllipsoid{{0.05, 0.08, 0.02}};

void cylinder_cone(benchmark::State& state, bool warm) { walk_of(state, kCylinder, kCone, warm); }
void cylinder_ellipsoid(benchmark::State& state, bool warm) {
  walk_of(state, kCylinder, kFlatEllipsoid, warm);
}
void two_ellipsoids(benchmark::State& state, bool warm) { walk_of(state, kEllipsoid, kFlatEllipsoid, warm); }

// Pairs of hulls at random poses, all of them overlapping.
struct Batch {
  std::vector<body::Body> bodies;
  std::vector<body::Pair> pairs;
};

const Batch& overlapping_batch() {
  static const Batch instance = [] {
    constexpr std::size_t kPairs = 100'000;
    Batch batch;
    for (const asset::ConvexPiece& hull : queries().hulls) {
      asset::Asset asset;
      asset.convex.push_back(hull);
      batch.bodies.push_back({body::Geometry(std::move(asset))});
    }
    Random random(4);
    while (batch.pairs.size() < kPairs && !batch.bodies.empty()) {
      body::Pair pair;
      pair.A = &batch.bodies[random.below(batch.bodies.size())];
      pair.B = &batch.bodies[random.below(batch.bodies.size())];
      pair.X_AB.R =
          rotation_from_quaternion(random.normal(), random.normal(), random.normal(), random.normal());
      pair.X_AB.p = 0.08 * random_vector(random);
      if (witness::separation(pair.A->geometry.convex(), pair.B->geometry.convex(), pair.X_AB).distance < 0)
        batch.pairs.push_back(pair);
    }
    return batch;
  }();
  return instance;
}

// Items a second: pairs, each a cold query and its derivative.
void derivatives(benchmark::State& state, std::string_view method, const SettingValues& settings) {
  const Batch& batch = overlapping_batch();
  if (batch.pairs.empty()) return state.SkipWithError("the reference meshes are missing");
  derivative::BatchEstimator estimator(method, settings, 2);
  std::vector<derivative::PairDerivative> results(batch.pairs.size());
  for (auto _ : state) estimator(batch.pairs, results);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(results.size()));
}

void register_derivatives(const std::string& name, std::string_view method, const SettingValues& settings) {
  benchmark::RegisterBenchmark(("derivatives_overlapping/" + name).c_str(), derivatives, method, settings)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(cylinder_cone, cold, false)->DenseRange(3, 5);
BENCHMARK_CAPTURE(cylinder_cone, warm, true)->DenseRange(3, 5);
BENCHMARK_CAPTURE(cylinder_ellipsoid, cold, false)->DenseRange(3, 5);
BENCHMARK_CAPTURE(cylinder_ellipsoid, warm, true)->DenseRange(3, 5);
BENCHMARK_CAPTURE(two_ellipsoids, cold, false)->DenseRange(3, 5);
BENCHMARK_CAPTURE(two_ellipsoids, warm, true)->DenseRange(3, 5);
BENCHMARK(support);
BENCHMARK(separation_apart);
BENCHMARK(separation_overlapping);

}  // namespace

int main(int argc, char** argv) {
  register_derivatives("gumbel, one ring", "gumbel", {{"rings", "1"}});
  for (const derivative::EstimatorRow& row : derivative::estimators())
    register_derivatives(std::string(row.name), row.name, {});
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
