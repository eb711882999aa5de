#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace abut::test {

// What the tests named full.* run in (tests/CMakeLists.txt).
inline bool full_tier() { return std::getenv("ABUT_FULL") != nullptr; }

// How often a property is tried: `fast` times, or `factor` times as often in the full tier.
inline int runs(int fast, int factor = 20) { return full_tier() ? factor * fast : fast; }

// The tries of a property that is slow for the fast tier: there a third of them.
inline int fewer_if_fast(int tries) { return full_tier() ? tries : (tries + 2) / 3; }

// A sanitized build is ten times slower and looks for other mistakes: a fifth of the tries will do.
inline int fewer_if_sanitized(int tries) {
#ifdef ABUT_SANITIZED
  return (tries + 4) / 5;
#else
  return tries;
#endif
}

template <class Object>
std::vector<Object> every_fifth(const std::vector<Object>& objects) {
  std::vector<Object> tried;
  for (std::size_t i = 0; i < objects.size(); i += 5) tried.push_back(objects[i]);
  return tried;
}

// The objects that a property of each object is tried on: in a sanitized build every fifth of them.
template <class Object>
std::vector<Object> fewer_if_sanitized(const std::vector<Object>& objects) {
#ifdef ABUT_SANITIZED
  return every_fifth(objects);
#else
  return objects;
#endif
}

// Likewise of a property that is slow for the fast tier: there every fifth of them.
template <class Object>
std::vector<Object> fewer_if_fast(const std::vector<Object>& objects) {
  return full_tier() ? objects : every_fifth(objects);
}

}  // namespace abut::test
