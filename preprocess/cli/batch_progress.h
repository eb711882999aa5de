#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "preprocess/cli/batch.h"

namespace abut::preprocess {

// Shows a run's progress on standard output: on a terminal one line for each running object and one overall
// with the time left, redrawn in place; otherwise a plain line for each finished object. Failures always go
// to standard error.
class BatchProgress : public BatchObserver {
 public:
  BatchProgress(const std::vector<datasets::ObjectSource>& objects, bool quiet);

  void started(std::size_t object) override;
  void stage(std::size_t object, std::string_view stage) override;
  void finished(std::size_t object, const ObjectResult& result) override;
  void tick() override;

  // Erases the redrawn lines from the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    std::string stage;
    Clock::time_point begin;
  };
  void draw();
  std::string overall() const;

  std::vector<std::string> names_;
  std::vector<double> sizes_;  // bytes of the sources, for the estimate of the time left
  std::size_t width_ = 0;
  bool quiet_, terminal_;
  int drawn_lines_ = 0;
  std::size_t finished_ = 0, failed_ = 0;
  double made_bytes_ = 0, left_bytes_ = 0;
  std::map<std::size_t, Running> running_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace abut::preprocess
