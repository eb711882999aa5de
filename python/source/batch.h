#pragma once

#include <algorithm>
#include <mutex>
#include <span>

#include "python/source/answers.h"
#include "python/source/arguments.h"
#include "python/source/handle_mutex.h"
#include "python/source/interruptible.h"

namespace abut::python {

// Checks pairs, whose poses and twists are valid, before any of them is answered, so that a message names the
// index in the whole batch. Of each run of pairs with the same two bodies only the first is checked.
template <class Check>
void check_all(std::span<const body::Pair> pairs, const char* who, bool many, Check&& check) {
  if (!many) return check(pairs.front());
  const body::Pair* before = nullptr;
  body::require_valid_batch(pairs, pairs.size(), who, [&](const body::Pair& pair) {
    if (before == nullptr || before->A != pair.A || before->B != pair.B) check(pair);
    before = &pair;
  });
}

// Answers pairs by one(pair) or, if many, by batch(pairs, results) in pieces; without the interpreter lock,
// under `mutex`, after all pairs have passed `check`.
template <class Result, class Check, class One, class Batch>
Answers<Result> answered(const Pairs& pairs, const char* who, HandleMutex& mutex, Check&& check, One&& one,
                         Batch&& batch) {
  Answers<Result> answers(pairs.all().size(), pairs.many());
  check_all(pairs.all(), who, pairs.many(), check);
  if (!pairs.many()) {
    const Released release;
    const std::lock_guard lock(mutex);
    answers.items[0] = one(pairs.front());
    return answers;
  }
  in_pieces(static_cast<std::int64_t>(answers.items.size()), [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    batch(pairs.all().subspan(begin, end - begin), std::span(answers.items).subspan(begin, end - begin));
  });
  return answers;
}

inline int thread_count(const char* function, py::handle threads) {
  constexpr std::int64_t kMaxThreads = 1024;
  const Name name{function, "threads"};
  const std::int64_t count = whole_number(name, threads, 0);
  if (count > kMaxThreads)
    refuse(name, "is " + std::to_string(count) + "; it must be at most " + std::to_string(kMaxThreads));
  return static_cast<int>(count);
}

}  // namespace abut::python
