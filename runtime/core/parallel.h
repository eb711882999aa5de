#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace abut {

// Number of threads that parallel_for uses when asked for 0.
inline int default_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

// The one parallel loop of the library: calls body(i, thread) for i in [0, count), thread in [0, threads).
// `body` must write to places that belong to i (or, for scratch space, to thread) only; then the result is
// the same bits for any number of threads. The first exception thrown by a body is rethrown here once all
// threads are done.
template <class Body>
void parallel_for(std::int64_t count, int threads, Body&& body, std::int64_t chunk = 1) {
  if (threads <= 0) threads = default_threads();
  if (threads == 1 || count <= 1) {
    for (std::int64_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  std::exception_ptr error;
  std::mutex error_mutex;
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic, chunk) num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i) {
    if (failed.load(std::memory_order_relaxed)) continue;
    try {
#ifdef _OPENMP
      body(i, omp_get_thread_num());
#else
      body(i, 0);
#endif
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      failed.store(true, std::memory_order_relaxed);
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace abut
