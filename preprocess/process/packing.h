#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

// Serialises arrays into one string, to pass them from a child process to its parent. A reader takes values
// in the order in which the writer put them.
namespace abut::preprocess {

class Packer {
 public:
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.data(), values.size());
  }
  void put(std::string_view text) { put(text.data(), text.size()); }

  std::string bytes;

 private:
  template <class T>
  void put(const T* values, std::size_t count) {
    bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
    bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
  }
};

class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  bool done() const { return at_ == end_; }

  // Reads the next array into a vector or a string.
  template <class Values>
  void take(Values& values) {
    std::size_t count = 0;
    std::memcpy(&count, at_, sizeof count);
    at_ += sizeof count;
    values.resize(count);
    const std::size_t size = count * sizeof(typename Values::value_type);
    if (size > 0) std::memcpy(static_cast<void*>(values.data()), at_, size);
    at_ += size;
  }

 private:
  const char *at_, *end_;
};

}  // namespace abut::preprocess
