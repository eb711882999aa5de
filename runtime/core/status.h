#pragma once

#include <cstdint>
#include <string_view>

namespace abut {

// How a numerical query ended. Kernels return it in their result and never throw.
enum class Status : std::uint8_t {
  kOk,            // the answer holds to the requested tolerance
  kTouching,      // the answer holds; the signed distance is zero within the tolerance
  kClamped,       // the answer holds; a singular direction was clamped (which: see the result)
  kNotConverged,  // the iteration limit was reached; the bounds in the result say how good the answer is
  kNoOverlap,     // nothing in contact
  kInvalidInput,  // NaN, infinity or an empty shape went in; every number in the result is NaN
};

// Name of the status in answers: "ok", "not_converged". docs/conventions.md explains each.
constexpr std::string_view to_string(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kTouching:
      return "touching";
    case Status::kClamped:
      return "clamped";
    case Status::kNotConverged:
      return "not_converged";
    case Status::kNoOverlap:
      return "no_overlap";
    case Status::kInvalidInput:
      return "invalid_input";
  }
  return "unknown";
}

}  // namespace abut
