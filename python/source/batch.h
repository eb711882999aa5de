#pragma once

#include <algorithm>
#include <span>

#include "python/source/arguments.h"

namespace abut::python {

// Checks pairs, whose poses and twists are valid, before any of them is answered, so that a message names the
// place in the whole batch: one of each run of the same two bodies.
template <class Check>
void check_all(std::span<const body::Pair> pairs, const char* who, bool many, Check&& check) {
  if (!many) return check(pairs.front());
  const body::Pair* before = nullptr;
  body::require_valid_batch(pairs, pairs.size(), who, [&](const body::Pair& pair) {
    if (before == nullptr || before->A != pair.A || before->B != pair.B) check(pair);
    before = &pair;
  });
}

inline int thread_count(const char* function, py::handle threads) {
  constexpr std::int64_t kMaxThreads = 4096;
  return static_cast<int>(std::min(whole_number({function, "threads"}, threads, 0), kMaxThreads));
}

}  // namespace abut::python
