#pragma once

#include <chrono>
#include <type_traits>

namespace abut {

// Number of threads where a caller asks for 0: what set_default_threads said, else the environment's
// OMP_NUM_THREADS (which numerical libraries share; at most 256), else one for every processor of this
// process.
int default_threads();
void set_default_threads(int threads);  // 0: as if never called

// How long threads may spin that wait for one another: not at all where there are more than processors.
std::chrono::microseconds spin_time_for(int threads);

namespace internal {

// A call by reference: work(thread).
struct SharedWork {
  void* context;
  void (*call)(void* context, int thread);
};

void run_together(int threads, SharedWork work);

}  // namespace internal

// Calls work(0) here and meanwhile work(1) .. work(threads - 1) on workers of this thread, each when it gets
// a core: one that has not begun when work(0) returns is not called, others are waited for. So work(0)
// has to end with everything done or begun, however few of the others come. work must not throw. Within
// another such call, work(0) alone.
//
// Workers belong to the calling thread, are kept for the next call and block while there is nothing to do.
// They compute in the caller's floating-point environment. A child of fork() starts with none.
template <class Work>
void run_together(int threads, Work&& work) {
  using Type = std::remove_reference_t<Work>;
  internal::run_together(threads,
                         {const_cast<std::remove_const_t<Type>*>(&work),
                          [](void* context, int thread) { (*static_cast<Type*>(context))(thread); }});
}

}  // namespace abut
