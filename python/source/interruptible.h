#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <type_traits>

#include "python/source/released.h"

// Long work with the interpreter lock released, between pieces of which Ctrl-C is heeded.
namespace abut::python {

// Calls work(begin, end), which may return where it came to, beyond begin, for pieces of [0, count) without
// the interpreter lock, which it holds on entry. A piece takes about a tenth of a second; the first has
// `piece` of them: 64 of the dearest questions take a few seconds, of the cheapest they are lost in noise.
// None has more than kMostOfAPiece, since cheap questions may be followed by dear ones. Throws what a
// signal's handler raises (KeyboardInterrupt).
inline constexpr std::int64_t kMostOfAPiece = 16384;
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
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    const auto taken = std::chrono::steady_clock::now() - start;
    if (taken < kShort) piece = std::min(4 * piece, kMostOfAPiece);
    if (taken > kLongPiece) piece = std::max<std::int64_t>(1, piece / 2);
  }
}

}  // namespace abut::python
