#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

// Bounded access to the bytes of an HDF5 image that may be forged. All reading goes through this class, which
// stays within the image and within a budget of a few times its size: time and memory of reading are linear
// in the size of the file, however its parts refer to one another. All failures throw BadAsset, naming the
// file and the place. Internal to the parser.
namespace abut::asset {

class Hdf5Bytes {
 public:
  Hdf5Bytes(std::span<const std::byte> image, std::string file)
      : image_(image), file_(std::move(file)), budget_(kReadings * image.size()) {}

  // Returns `size` bytes at `address`, and charges them to the budget.
  std::span<const std::byte> at(std::uint64_t address, std::uint64_t size);

  // Charges the budget for bytes that are copied.
  void spend(std::uint64_t bytes);

  void enter(std::string place) { place_ = std::move(place); }  // what is being read, for messages
  [[noreturn]] void fail(const std::string& what) const;

 private:
  static constexpr std::uint64_t kReadings = 4;  // a valid file is read once, its indices twice

  std::span<const std::byte> image_;
  std::string file_, place_;
  std::uint64_t budget_;
};

// Reads a run of bytes field by field.
class Hdf5Cursor {
 public:
  Hdf5Cursor(const Hdf5Bytes& bytes, std::span<const std::byte> run) : bytes_(bytes), run_(run) {}

  std::size_t left() const { return run_.size(); }
  std::span<const std::byte> take(std::uint64_t size);
  std::uint64_t number(std::size_t size);  // little-endian, up to eight bytes
  std::uint64_t address() { return number(8); }
  void expect(std::string_view signature);
  void expect_byte(std::uint64_t value, const char* what);

 private:
  const Hdf5Bytes& bytes_;
  std::span<const std::byte> run_;
};

}  // namespace abut::asset
