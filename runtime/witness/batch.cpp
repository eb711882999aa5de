#include "runtime/witness/batch.h"

#include <string>

#include "runtime/core/parallel.h"
#include "runtime/witness/separation.h"

namespace abut::witness {

Witness<double> separation(const asset::PosedPair& pair) {
  asset::require_valid(pair, asset::kConvexPart, "separation");
  return separation<double>(pair.A->convex, pair.B->convex, pair.X_AB);
}

BatchSeparation::BatchSeparation(int threads)
    : workspaces_(static_cast<std::size_t>(threads > 0 ? threads : default_threads())) {}

void BatchSeparation::operator()(std::span<const asset::PosedPair> pairs,
                                 std::span<Witness<double>> results) {
  if (pairs.size() != results.size()) {
    throw InvalidInput("separation: " + std::to_string(pairs.size()) + " pairs but room for " +
                       std::to_string(results.size()) + " results");
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    try {
      asset::require_valid(pairs[i], asset::kConvexPart, "separation");
    } catch (const InvalidInput& error) {
      throw InvalidInput("pair " + std::to_string(i) + ": " + error.what());
    }
  }
  parallel_for(
      static_cast<std::int64_t>(pairs.size()), static_cast<int>(workspaces_.size()),
      [&](std::int64_t i, int thread) {
        const asset::PosedPair& pair = pairs[static_cast<std::size_t>(i)];
        results[static_cast<std::size_t>(i)] = separation<double>(
            pair.A->convex, pair.B->convex, pair.X_AB, workspaces_[static_cast<std::size_t>(thread)]);
      },
      16);
}

}  // namespace abut::witness
