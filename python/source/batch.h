#pragma once

#include <algorithm>
#include <span>

#include "python/source/arguments.h"

namespace abut::python {

// Checks pairs before any of them is answered, so that a message names the place in the whole batch.
template <class Check>
void check_all(std::span<const body::Pair> pairs, const char* who, bool many, Check&& check) {
  if (many)
    body::require_valid_batch(pairs, pairs.size(), who, check);
  else
    check(pairs.front());
}

inline int thread_count(const char* function, py::handle threads) {
  constexpr std::int64_t kMaxThreads = 4096;
  return static_cast<int>(std::min(whole_number({function, "threads"}, threads, 0), kMaxThreads));
}

}  // namespace abut::python
