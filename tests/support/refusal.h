#pragma once

#include <functional>
#include <string>

#include "runtime/core/error.h"

namespace abut::test {

// What a call says when it refuses its input.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace abut::test
