#include "benchmarks/pieces/pieces_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "benchmarks/support/median.h"
#include "runtime/bvh/overlap.h"
#include "runtime/core/random.h"
#include "runtime/proximity/surface_query.h"
#include "runtime/witness/pieces_query.h"
#include "tests/support/worst_of.h"

namespace abut::benchmarks {
namespace {

constexpr int kPoses = 24'000;      // about half of them are apart
constexpr std::size_t kTimed = 50;  // poses of a pair

// As far apart as the balls about the surfaces are when they touch, times 0 to 1.2.
Pose<double> random_pose(Random& random, const body::Geometry& A, const body::Geometry& B) {
  const bvh::Ball a = bvh::ball_of(A.surface().tree), b = bvh::ball_of(B.surface().tree);
  Vec3<double> turn, way;
  for (int k = 0; k < 3; ++k) turn[k] = 3 * random.normal(), way[k] = random.normal();
  const Mat3<double> R = exp_rotation<double>(turn);
  return {R, a.center - R * b.center + random.uniform(0, 1.2) * (a.radius + b.radius) * way.normalized()};
}

template <class Visit>
void for_each_pair(const std::vector<ObjectOfPieces>& objects, Visit&& visit) {
  for (std::size_t i = 0; i < objects.size(); ++i)
    for (std::size_t j = i; j < objects.size(); ++j) visit(objects[i], objects[j]);
}

// Of one query, s.
template <class Query>
double time_of(const std::vector<Pose<double>>& poses, Query&& query) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round) {
    const std::clock_t begin = std::clock();
    for (const Pose<double>& X_AB : poses) query(X_AB);
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least / static_cast<double>(poses.size());
}

// Cold at each of these poses, and warm along a path of small steps from the first.
struct Ratios {
  std::vector<double> cold, warm;

  void add(witness::PiecesSolver& pieces, witness::PairSolver& hulls, const std::vector<Pose<double>>& poses,
           Random& random) {
    std::vector<Pose<double>> path(poses.size(), poses.front());
    for (std::size_t k = 1; k < path.size(); ++k) {
      Vec6<double> step;
      for (int j = 0; j < 6; ++j) step[j] = (j < 3 ? 1e-3 : 1e-4) * random.normal();
      path[k] = path[k - 1] * exp(step);
    }
    const auto cold_time = [&](auto& solver) {
      return time_of(poses, [&](const Pose<double>& X_AB) { solver.forget(), solver(X_AB); });
    };
    const auto warm_time = [&](auto& solver) {
      return time_of(path, [&](const Pose<double>& X_AB) { solver(X_AB); });
    };
    cold.push_back(cold_time(pieces) / cold_time(hulls));
    warm.push_back(warm_time(pieces) / warm_time(hulls));
  }
};

}  // namespace

void compare_with_surfaces(const std::vector<ObjectOfPieces>& objects, Promises& promises) {
  const std::size_t pairs = objects.size() * (objects.size() + 1) / 2;
  Random random(71);
  int apart = 0;
  double beyond = -std::numeric_limits<double>::infinity(), most = 0;
  proximity::SurfaceScratch scratch;
  for_each_pair(objects, [&](const ObjectOfPieces& A, const ObjectOfPieces& B) {
    witness::PiecesSolver solver(A.geometry, B.geometry);
    for (std::size_t k = 0; k < kPoses / pairs + 1; ++k) {
      const Pose<double> X_AB = random_pose(random, A.geometry, B.geometry);
      const double exact =
          proximity::surface_separation(A.geometry.surface(), B.geometry.surface(), X_AB, scratch)
              .witness.distance;
      if (!(exact > 0)) continue;
      ++apart;
      const double off = solver(X_AB).witness.distance - exact;
      const double over = std::max(off - A.inward - B.inward, -off - A.outward - B.outward);
      beyond = test::worst_of(beyond, over);
      most = test::worst_of(most, std::abs(off));
    }
  });
  fmt::print(
      "unions of pieces beside surfaces, {} poses apart: at most {:.3f} mm off, {:.3f} mm within the "
      "errors\n",
      apart, 1e3 * most, -1e3 * beyond);
  promises.at_least("poses apart", apart, 10'000);
  promises.at_most("distances of unions, beyond the errors, m", beyond, 1e-9);
}

void compare_with_hulls(const std::vector<ObjectOfPieces>& objects) {
  Random random(72);
  Ratios apart, overlapping;
  for_each_pair(objects, [&](const ObjectOfPieces& A, const ObjectOfPieces& B) {
    witness::PiecesSolver pieces(A.geometry, B.geometry);
    witness::PairSolver hulls(A.geometry, B.geometry);
    std::vector<Pose<double>> poses[2];  // apart, overlapping
    while (poses[0].size() < kTimed || poses[1].size() < kTimed) {
      const Pose<double> X_AB = random_pose(random, A.geometry, B.geometry);
      auto& of = poses[pieces(X_AB).witness.distance > 0 ? 0 : 1];
      if (of.size() < kTimed) of.push_back(X_AB);
    }
    apart.add(pieces, hulls, poses[0], random);
    overlapping.add(pieces, hulls, poses[1], random);
  });
  fmt::print(
      "a query by pieces over one of the hulls, medians of {} pairs: apart {:.1f} cold, {:.1f} warm; "
      "overlapping {:.1f} "
      "cold, {:.1f} warm\n",
      apart.cold.size(), median(apart.cold), median(apart.warm), median(overlapping.cold),
      median(overlapping.warm));
}

}  // namespace abut::benchmarks
