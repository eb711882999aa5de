#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <type_traits>

#include "python/source/released.h"

// Long work with the interpreter lock released, interruptible by Ctrl-C between pieces.
namespace abut::python {

// Calls work(begin, end) for pieces of [0, count). The caller must hold the interpreter lock; work runs
// without it, and may return the index where it stopped, beyond begin, or leave an exception set. Sizes are
// adapted so that a piece takes about a tenth of a second; the first has `piece` items: 64 of the most
// expensive questions take a few seconds, 64 of the cheapest no measurable time. No piece has more than
// kMaxOfAPiece, since expensive questions may follow cheap ones. Throws what a signal handler raises
// (KeyboardInterrupt).
inline constexpr std::int64_t kMaxOfAPiece = 16384;
inline constexpr std::chrono::milliseconds kLongPiece{200};
template <class Work>
void in_pieces(std::int64_t count, Work&& work, std::int64_t piece = 64) {
  constexpr std::chrono::milliseconds kShort{30};
  for (std::int64_t begin = 0; begin < count;) {
    const std::int64_t end = std::min(begin + piece, count);
    const auto start = std::chrono::steady_clock::now();
    {
      const Released release;
      if constexpr (std::is_void_v<std::invoke_result_t<Work&, std::int64_t, std::int64_t>>) {
        work(begin, end);
        begin = end;
      } else {
        begin = work(begin, end);
      }
    }
    if (PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    const auto taken = std::chrono::steady_clock::now() - start;
    if (taken < kShort) piece = std::min(4 * piece, kMaxOfAPiece);
    if (taken > kLongPiece) piece = std::max<std::int64_t>(1, piece / 2);
  }
}

// Ends the work of several threads, without the interpreter lock, at Ctrl-C: they call check() often.
class Interruption {
 public:
  struct Interrupted {};  // thrown by check()

  // In the thread that waits for the work, with the interpreter lock.
  Interruption() : main_(is_main_thread()) {}

  // Throws Interrupted once a signal handler has raised an exception, which is then set in the thread that
  // made this. Only Python's main thread runs handlers.
  void check() {
    if (interrupted_.load(std::memory_order_relaxed)) throw Interrupted{};
    if (!main_ || std::this_thread::get_id() != thread_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    const pybind11::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0) return;
    interrupted_ = true;
    throw Interrupted{};
  }

 private:
  static bool is_main_thread() {
    const auto threading = pybind11::module_::import("threading");
    return threading.attr("main_thread")().is(threading.attr("current_thread")());
  }

  bool main_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::atomic<bool> interrupted_ = false;
};

}  // namespace abut::python
