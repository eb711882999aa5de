#pragma once

#include <cstdlib>

namespace abut::test {

// How often a property is tried: `fast` times, or `factor` times as often in the full tier (ABUT_FULL=1).
inline int runs(int fast, int factor = 20) {
  return std::getenv("ABUT_FULL") != nullptr ? factor * fast : fast;
}

// A sanitized build is ten times slower and looks for other mistakes: a fifth of the tries will do.
inline int fewer_if_sanitized(int tries) {
#ifdef ABUT_SANITIZED
  return (tries + 4) / 5;
#else
  return tries;
#endif
}

}  // namespace abut::test
