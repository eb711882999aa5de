#pragma once

#include <cmath>
#include <vector>

#include "benchmarks/paper/montaut2022/hulls.h"
#include "runtime/core/random.h"
#include "runtime/witness/separation.h"

namespace abut::benchmarks {

// A pair of hulls in relative pose with its witness, certified.
struct HullQuery {
  std::size_t object_A, object_B;
  asset::ConvexView A, B;
  Pose<double> X_AB;
  witness::Witness<double> witness;
};

// `count` random pairs of hulls in random poses that overlap, and as many that do not: the distance of the
// frames is normally distributed, 8 cm on each axis.
struct HullQueries {
  std::vector<HullQuery> overlapping, apart;
};

inline HullQueries random_queries(const std::vector<NamedHull>& hulls, std::size_t count,
                                  std::uint64_t seed) {
  HullQueries queries;
  Random random(seed);
  while (queries.apart.size() < count || queries.overlapping.size() < count) {
    HullQuery q{};
    q.object_A = random.below(hulls.size());
    q.object_B = random.below(hulls.size());
    q.A = asset::view(hulls[q.object_A].piece);
    q.B = asset::view(hulls[q.object_B].piece);
    const double w = random.normal(), x = random.normal(), y = random.normal(), z = random.normal();
    q.X_AB.R = rotation_from_quaternion(w, x, y, z);
    for (int k = 0; k < 3; ++k) q.X_AB.p[k] = 0.08 * random.normal();
    q.witness = witness::separation<double>(q.A, q.B, q.X_AB);
    if (q.witness.upper_bound - q.witness.lower_bound > 1e-12) continue;
    std::vector<HullQuery>& set = q.witness.distance > 0 ? queries.apart : queries.overlapping;
    if (set.size() < count) set.push_back(q);
  }
  return queries;
}

}  // namespace abut::benchmarks
