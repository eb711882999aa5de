#include "runtime/asset/hdf5_bytes.h"

#include <cstring>

#include "runtime/core/error.h"

namespace abut::asset {

std::span<const std::byte> Hdf5Bytes::at(std::uint64_t address, std::uint64_t size) {
  if (address > image_.size() || size > image_.size() - address) fail("refers beyond the end of the file");
  spend(size);
  return image_.subspan(address, size);
}

void Hdf5Bytes::spend(std::uint64_t bytes) {
  if (bytes > budget_) fail("holds parts that overlap or go in circles");
  budget_ -= bytes;
}

void Hdf5Bytes::fail(const std::string& what) const {
  throw BadAsset(file_ + ": " + (place_.empty() ? "" : place_ + ": ") + what + "; make the file again");
}

std::span<const std::byte> Hdf5Cursor::take(std::uint64_t size) {
  if (size > run_.size()) bytes_.fail("ends too early");
  const auto taken = run_.first(size);
  run_ = run_.subspan(size);
  return taken;
}

std::uint64_t Hdf5Cursor::number(std::size_t size) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const std::byte byte : take(size)) {
    value |= std::to_integer<std::uint64_t>(byte) << shift;
    shift += 8;
  }
  return value;
}

void Hdf5Cursor::expect(std::string_view signature) {
  if (std::memcmp(take(signature.size()).data(), signature.data(), signature.size()) != 0)
    bytes_.fail("has no '" + std::string(signature) + "' where one must be");
}

void Hdf5Cursor::expect_byte(std::uint64_t value, const char* what) {
  if (const std::uint64_t found = number(1); found != value)
    bytes_.fail(std::string(what) + " is " + std::to_string(found) + ", not " + std::to_string(value));
}

}  // namespace abut::asset
