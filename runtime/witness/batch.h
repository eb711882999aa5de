#pragma once

#include <span>
#include <vector>

#include "runtime/asset/pair.h"
#include "runtime/witness/epa.h"
#include "runtime/witness/witness.h"

namespace abut::witness {

// Witness of the convex hulls of two assets (m, frame A), its input checked: throws InvalidInput for a
// missing asset, an asset without a hull, a pose that is not finite or whose rotation is none.
Witness<double> separation(const asset::PosedPair& pair);

// Witnesses of many pairs on all threads: the same bits for any number of threads. Keeps the workspaces:
// after the first call with the hardest pairs nothing is allocated.
class BatchSeparation {
 public:
  explicit BatchSeparation(int threads = 0);  // 0: one per processor

  // results[i] answers pairs[i]. Throws InvalidInput, naming the pair, before anything is computed, and where
  // the lengths differ.
  void operator()(std::span<const asset::PosedPair> pairs, std::span<Witness<double>> results);

 private:
  std::vector<Workspace<double>> workspaces_;
};

}  // namespace abut::witness
