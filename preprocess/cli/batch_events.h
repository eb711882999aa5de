#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "preprocess/cli/batch.h"

namespace abut::preprocess {

// Writes {"event": name, ...}, with the members of a JSON object appended, to standard output as one line.
void print_event(std::string_view name, const std::string& json);

// Reports a run's progress to another program: events "objects" (names), "stage" (object, stage) and
// "finished" (object, status, reason).
class BatchEvents : public BatchObserver {
 public:
  explicit BatchEvents(const std::vector<datasets::ObjectSource>& objects) : objects_(objects) {}

  void started(std::size_t object) override { stage(object, "start"); }
  void stage(std::size_t object, std::string_view stage) override;
  void finished(std::size_t object, const ObjectResult& result) override;

 private:
  const std::vector<datasets::ObjectSource>& objects_;
  bool announced_ = false;
};

}  // namespace abut::preprocess
