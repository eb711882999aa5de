#include "python/source/handle_mutex.h"

#include <stdexcept>

#include "python/source/released.h"

namespace abut::python {

void HandleMutex::lock() {
  const int mine = 1 + forks();
  int holder = 0;
  while (!holder_.compare_exchange_weak(holder, mine, std::memory_order_acquire)) {
    if (holder != 0 && holder != mine)
      throw std::runtime_error(
          "abut: another thread was using this object when the process was forked; make a new one here");
    if (holder != 0) holder_.wait(holder);
    holder = 0;
  }
}

void HandleMutex::unlock() {
  holder_.store(0, std::memory_order_release);
  holder_.notify_one();
}

}  // namespace abut::python
