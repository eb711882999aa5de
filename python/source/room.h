#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace abut::python {

// An array for answers that are all written later; its items are default-initialised. Thus the threads that
// write the items touch their memory first, not one thread for all. Large arrays use huge pages where the
// system has them: the first touch of a page takes some microseconds, with small pages up to a sixth of the
// time of an answer.
template <class T>
class Room {
 public:
  Room() = default;
  explicit Room(std::size_t count) : items_(allocate(count)), size_(count) {
    std::uninitialized_default_construct_n(data(), count);
  }
  Room(const Room& other) : Room(other.size_) { std::copy(other.begin(), other.end(), begin()); }
  Room(Room&& other) noexcept = default;
  Room& operator=(const Room&) = delete;
  Room& operator=(Room&& other) noexcept = default;
  ~Room() = default;

  void resize(std::size_t count) { *this = Room(count); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() const { return items_.get(); }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  T& operator[](std::size_t i) const { return items_[i]; }
  T& front() const { return items_[0]; }

 private:
  static_assert(std::is_trivially_destructible_v<T>);
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;  // bytes, on x86-64

  struct Free {
    void operator()(T* items) const { std::free(items); }
  };

  static T* allocate(std::size_t count) {
    if (count > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
    const std::size_t wanted = std::max<std::size_t>(count * sizeof(T), 1);
    const std::size_t alignment = wanted < 2 * kHugePage ? std::max<std::size_t>(alignof(T), 16) : kHugePage;
    const std::size_t bytes = (wanted + alignment - 1) / alignment * alignment;
    void* const items = std::aligned_alloc(alignment, bytes);
    if (items == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (alignment == kHugePage) ::madvise(items, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(items);
  }

  std::unique_ptr<T[], Free> items_;
  std::size_t size_ = 0;
};

}  // namespace abut::python
