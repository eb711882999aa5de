#pragma once

#include <chrono>
#include <type_traits>

namespace abut {

// Number of threads used where a caller requests 0: the one given to set_default_threads, else the
// environment variable OMP_NUM_THREADS (shared with numerical libraries; at most 256), else one for each
// processor of this process.
int default_threads();
void set_default_threads(int threads);  // 0: back to the environment or the processors

// How long threads that wait for one another may spin: 0 where there are more of them than processors.
std::chrono::microseconds spin_time_for(int threads);

namespace internal {

// A type-erased reference to a callable: call(context, thread) runs work(thread).
struct SharedWork {
  void* context;
  void (*call)(void* context, int thread);
};

void run_together(int threads, SharedWork work);

}  // namespace internal

// Calls work(0) on this thread and meanwhile work(1) .. work(threads - 1) on its workers, each when it gets a
// core. A worker that has not begun when work(0) returns is skipped, the others are waited for. So work(0)
// must not return before every task is done or begun, however few of the workers take part. work must not
// throw. A nested call only calls work(0).
//
// Workers belong to the calling thread, are kept for the next call and block while there is nothing to do.
// They compute in the caller's floating-point environment. The child of a fork() starts with none.
template <class Work>
void run_together(int threads, Work&& work) {
  using Type = std::remove_reference_t<Work>;
  internal::run_together(threads,
                         {const_cast<std::remove_const_t<Type>*>(&work),
                          [](void* context, int thread) { (*static_cast<Type*>(context))(thread); }});
}

}  // namespace abut
