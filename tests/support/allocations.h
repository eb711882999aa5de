#pragma once

#include <cstddef>

namespace abut::test {

// Number of calls of malloc, and of what allocates by it (operator new, Eigen), of this program so far;
// always 0 under sanitizers, which bring a malloc of their own.
std::size_t allocations();

}  // namespace abut::test
