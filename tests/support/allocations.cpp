#include "tests/support/allocations.h"

#include <atomic>

namespace {
std::atomic<std::size_t> allocation_count{0};
}  // namespace

#ifndef ABUT_SANITIZED
static void count() { allocation_count.fetch_add(1, std::memory_order_relaxed); }

// In place of the C library's, which offers its own by these names.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t items, std::size_t size) {
  count();
  return __libc_calloc(items, size);
}
void* realloc(void* old, std::size_t size) {
  count();
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
}
#endif

std::size_t abut::test::allocations() { return allocation_count.load(); }
