#pragma once

#include <algorithm>
#include <chrono>

namespace abut::cli {

// When a file that grows is saved again as a whole: a second after the last save, or ten times as long as
// that took, so that saves take no more than a tenth of a run, however long it is.
class SaveTimes {
 public:
  using Clock = std::chrono::steady_clock;

  explicit SaveTimes(Clock::time_point start) : next_(start + kShortest) {}

  bool due(Clock::time_point now) const { return now > next_; }
  void saved(Clock::time_point begin, Clock::time_point end) {
    next_ = end + std::max<Clock::duration>(kShortest, kOfASave * (end - begin));
  }

 private:
  static constexpr std::chrono::seconds kShortest{1};
  static constexpr int kOfASave = 10;

  Clock::time_point next_;
};

}  // namespace abut::cli
