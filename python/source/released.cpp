#include "python/source/released.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace abut::python {
namespace {

namespace py = pybind11;

std::atomic<bool> ending{false};
std::atomic<int> taking{0};  // threads that are about to reacquire the lock
std::thread::id last;        // the thread that ends the interpreter; written before `ending`
std::atomic<int> forked{0};

// A forked process has one thread, which is not reacquiring the lock.
void begin_forked() {
  taking = 0;
  ending = false;
  ++forked;
}

// Returns once no thread is about to re-enter Python.
void announce_the_end() {
  last = std::this_thread::get_id();
  ending = true;
  const py::gil_scoped_release release;
  while (taking > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

Released::~Released() {
  ++taking;
  if (ending && std::this_thread::get_id() != last) {
    --taking;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  PyEval_RestoreThread(state_);
  --taking;
}

void watch_for_the_end() {
  [[maybe_unused]] static const int watched = ::pthread_atfork(nullptr, nullptr, &begin_forked);
  py::module_::import("atexit").attr("register")(py::cpp_function(&announce_the_end));
}

int forks() { return forked; }

}  // namespace abut::python
