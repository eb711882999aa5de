#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace abut::python {

// Room for answers that all get written, not filled beforehand: the threads that write them touch their
// memory first, not one for all of them.
template <class T>
class Room {
 public:
  Room() = default;
  explicit Room(std::size_t count) : items_(std::make_unique_for_overwrite<T[]>(count)), size_(count) {}
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
  std::unique_ptr<T[]> items_;
  std::size_t size_ = 0;
};

}  // namespace abut::python
