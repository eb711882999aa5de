#pragma once

#include "runtime/contact/model.h"
#include "tests/contract/contract.h"
#include "tests/support/runs.h"

namespace abut::contact {
inline void PrintTo(const ModelRow& row, std::ostream* out) { *out << row.name; }
}  // namespace abut::contact

// The pairs that the contract tests of contact models run on.
namespace abut::test {

inline bool takes_volumes(const contact::ModelRow& row) { return (row.needs & body::kVolumePart) != 0; }
inline bool takes_points(const contact::ModelRow& row) { return (row.needs & body::kPointsPart) != 0; }

// Ordered pairs of hulls, then what else the row takes: primitives and half-spaces, of tetrahedra rigid or
// compliant. Friction where it costs no time.
inline std::vector<NamedPair> all_pairs(const contact::ModelRow& row) {
  const body::Material soft{.friction = takes_points(row) ? 0.5 : 0};
  const auto hulls = contract_hulls(soft), primitives = contract_primitives(soft),
             rigid = contract_primitives({.modulus = body::kRigid});
  const std::vector<NamedBody> one = {hulls[0]};
  std::vector<NamedPair> pairs = hull_pairs(hulls);
  const auto add = [&](const std::vector<NamedPair>& more) {
    pairs.insert(pairs.end(), more.begin(), more.end());
  };
  add(primitive_pairs(primitives));
  if (!takes_volumes(row)) {
    add(mixed_pairs(takes_points(row) ? one : hulls, primitives));
    return pairs;
  }
  add(mixed_pairs(hulls, rigid));
  add(mixed_pairs(hulls, {primitives.back()}));
  add(mixed_pairs(one, primitives));
  add(mixed_pairs({primitives[0], primitives[2]}, rigid));
  return pairs;
}

template <class Test>
void for_each_pair(const contact::ModelRow& row, int poses, Test&& test) {
  Random random(11);
  for (const auto& [A, B] : all_pairs(row)) {
    for (int k = 0; k < fewer_if_sanitized(fewer_if_fast(poses)); ++k) {
      const Pose<double> X_AB = random_pose(random, A.size + B.size, random.uniform(0.2, 1.0));
      SCOPED_TRACE(A.name + " and " + B.name + ", pose " + std::to_string(k));
      const Vec6<double> V_A = random_vector6(random, 1), V_B = random_vector6(random, 1);
      test(A, B, X_AB, V_A, V_B);
    }
  }
}

}  // namespace abut::test
