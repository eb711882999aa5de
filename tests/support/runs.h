#pragma once

#include <cstdlib>

namespace abut::test {

// How often a property is tried: `fast` times, or `factor` times as often in the full tier (ABUT_FULL=1).
inline int runs(int fast, int factor = 20) {
  return std::getenv("ABUT_FULL") != nullptr ? factor * fast : fast;
}

}  // namespace abut::test
