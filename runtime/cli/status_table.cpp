#include "runtime/cli/status_table.h"

#include <fmt/format.h>

namespace abut::cli {

std::vector<Status> all_statuses() {
  const std::string_view none = to_string(static_cast<Status>(0xff));
  std::vector<Status> all;
  for (std::uint8_t value = 0; to_string(static_cast<Status>(value)) != none; ++value)
    all.push_back(static_cast<Status>(value));
  return all;
}

std::string_view meaning(Status status) {
  switch (status) {
    case Status::kOk:
      return "the answer is valid to its tolerance";
    case Status::kTouching:
      return "the answer is valid; the signed distance is zero within its tolerance";
    case Status::kClamped:
      return "the answer is valid; a direction was singular, and the derivative is that of slightly rounder "
             "bodies; of pressure fields, a body lies exactly in its own copy: zero, the mean of the forces "
             "beside it";
    case Status::kNotConverged:
      return "the best answer found within the limit of iterations: use it with care";
    case Status::kNoOverlap:
      return "the answer is valid: nothing is in contact and the wrench is zero; or no region is within the "
             "margin, or a point is beyond its field: NaN";
    case Status::kInvalidInput:
      return "the question has NaN, infinity or numbers that are too large; every number of the answer is "
             "NaN";
  }
  return {};
}

std::string describe_statuses() {
  std::string text = "Values of the column status:\n";
  for (const Status status : all_statuses())
    text += fmt::format("  {:<21}{}\n", to_string(status), meaning(status));
  return text;
}

}  // namespace abut::cli
