#pragma once

#include <atomic>

namespace abut::python {

// Lets one thread at a time use what a handle has. One that a thread of the parent process held when this one
// was forked stays held for ever: lock() then throws std::runtime_error.
class HandleMutex {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<int> holder_{0};  // 0: nobody; 1 + forks() of the process one of whose threads has it
};

}  // namespace abut::python
