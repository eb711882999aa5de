#pragma once

#include <ctime>

namespace abut::benchmarks {

// Processor time of the calling thread, s.
inline double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace abut::benchmarks
