#include "preprocess/cli/batch_events.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "preprocess/cli/summary.h"

namespace abut::preprocess {
namespace {

void print(std::string_view name, nlohmann::json json) {
  json["event"] = name;
  fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::fflush(stdout);
}

}  // namespace

void print_event(std::string_view name, const std::string& json) { print(name, nlohmann::json::parse(json)); }

void BatchEvents::stage(std::size_t object, std::string_view stage) {
  if (!announced_) {
    announced_ = true;
    nlohmann::json names = nlohmann::json::array();
    for (const datasets::ObjectSource& source : objects_) names.push_back(source.name);
    print("objects", {{"names", names}});
  }
  print("stage", {{"object", objects_[object].name}, {"stage", stage}});
}

void BatchEvents::finished(std::size_t object, const ObjectResult& result) {
  const bool failed = result.status == ObjectStatus::kFailed;
  print("finished", {{"object", objects_[object].name},
                     {"status", status_text(result)},
                     {"reason", failed ? failure_text(result) : result.reason}});
}

}  // namespace abut::preprocess
