#pragma once

#include <atomic>

namespace abut::python {

// Lets one thread at a time use the state of a handle. A mutex that a thread of the parent process held when
// this process was forked stays locked for ever: lock() then throws std::runtime_error.
class HandleMutex {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<int> holder_{0};  // 0: nobody; 1 + forks() of the process whose thread holds it
};

}  // namespace abut::python
