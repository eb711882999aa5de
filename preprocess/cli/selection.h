#pragma once

#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "preprocess/cli/shards.h"

namespace abut::preprocess {

// The objects that a run makes, and those of its part that it does not.
struct Selection {
  std::vector<datasets::ObjectSource> objects, others;
};

// Selects by `only`, all if it is empty: each is the name of an object, whatever its characters, or else a
// pattern (*, ?, [..]). Throws InvalidInput if one matches nothing in the whole dataset; it may match nothing
// in a part.
Selection select(const datasets::Dataset& dataset, const std::vector<std::string>& only, const Shard& shard);

}  // namespace abut::preprocess
