#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

#include "runtime/core/thread_pool.h"

namespace abut {

// The one parallel loop of the library: calls body(i, thread) for every i in [0, count), with thread in [0,
// threads); threads 0 means default_threads(). Each thread claims `chunk` indices at a time, so that a thread
// that gets no core delays only those it has begun. `body` must write only to places that belong to i (or,
// for scratch space, to thread); then the result is bit-identical for any number of threads. The first
// exception that a body throws is rethrown here once all threads are done.
template <class Body>
void parallel_for(std::int64_t count, int threads, Body&& body, std::int64_t chunk = 1) {
  if (threads <= 0) threads = default_threads();
  const std::int64_t chunks = (count + chunk - 1) / chunk;
  if (threads == 1 || chunks <= 1) {
    for (std::int64_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  std::exception_ptr error;
  std::mutex error_mutex;
  std::atomic<bool> failed{false};
  std::atomic<std::int64_t> next{0};
  run_together(static_cast<int>(std::min<std::int64_t>(threads, chunks)), [&](int thread) {
    try {
      while (!failed.load(std::memory_order_relaxed)) {
        const std::int64_t begin = chunk * next.fetch_add(1, std::memory_order_relaxed);
        if (begin >= count) return;
        for (std::int64_t i = begin; i < std::min(begin + chunk, count); ++i) body(i, thread);
      }
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      failed.store(true, std::memory_order_relaxed);
    }
  });
  if (error) std::rethrow_exception(error);
}

// Returns a chunk size for parallel_for over calls that are each worth a thread: from 1 to `most`, and small
// enough that every thread claims about kClaims chunks, so that all threads finish at about the same time.
inline std::int64_t even_chunk(std::size_t count, std::size_t threads, std::int64_t most) {
  constexpr std::size_t kClaims = 16;  // chunks per thread
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(count / (kClaims * threads)), 1, most);
}

}  // namespace abut
