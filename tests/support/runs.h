#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

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

// The objects that a property of each object is tried on: in a sanitized build every fifth of them.
template <class Object>
std::vector<Object> fewer_if_sanitized(const std::vector<Object>& objects) {
#ifdef ABUT_SANITIZED
  std::vector<Object> tried;
  for (std::size_t i = 0; i < objects.size(); i += 5) tried.push_back(objects[i]);
  return tried;
#else
  return objects;
#endif
}

}  // namespace abut::test
