#pragma once

#include <cstddef>

namespace abut::test {

// Number of operator new calls of this program so far; always 0 under the thread sanitizer, which brings an
// operator new of its own.
std::size_t allocations();

}  // namespace abut::test
