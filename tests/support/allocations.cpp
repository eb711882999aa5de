#include "tests/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ABUT_OWN_NEW 0
#endif
#endif
#ifndef ABUT_OWN_NEW
#define ABUT_OWN_NEW 1
#endif

namespace {
std::atomic<std::size_t> allocation_count{0};
}  // namespace

#if ABUT_OWN_NEW
// Not inlined, or the compiler sees free() meet operator new and warns.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size > 0 ? size : 1);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* p = operator new(size, std::nothrow)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

std::size_t abut::test::allocations() { return allocation_count.load(); }
