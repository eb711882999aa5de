#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace abut::cli {

// Progress of a command on standard error: a line that is rewritten a few times a second, only on a terminal;
// and at the end a line about what was done.
class Progress {
 public:
  // `unit` is the singular name of what is counted, such as "row"; `first` is the count done before.
  explicit Progress(std::string unit, double first = 0) : unit_(std::move(unit)), first_(first) {}

  // Shows "12 rows", `more`, then rate and time left; `share` is the share of the work that is done, 0 to 1
  // (0: unknown).
  void update(double done, double share, const std::string& more = {});
  // Writes "12 rows in 0.50 s (24 rows/s)", then `more`.
  void finish(double done, const std::string& more = {}) const;

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  std::string unit_;
  double first_;
  bool terminal_ = on_terminal();
  Clock::time_point start_ = Clock::now(), shown_ = start_;

  static bool on_terminal();
};

}  // namespace abut::cli
