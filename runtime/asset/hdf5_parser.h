#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/asset/hdf5_bytes.h"

// Reads what hdf5_image.h lays out, from bytes that may be forged. HDF5's own library is unsuitable: given a
// damaged file it writes outside its buffers or loops forever. The parser knows the part of the format that
// is written here [HDF5 File Format Specification, version 3.0]: superblock 0, groups as symbol tables of
// hard links, contiguous arrays, attributes in headers or in a heap. Everything else is refused: soft and
// external links, external, chunked, compressed and virtual arrays, shared messages.
namespace abut::asset {

enum class Hdf5Type { kFloat64, kFloat32, kInt32, kInt64, kUint64, kText, kTexts };

// The Hdf5Type of numbers of type T.
template <class T>
constexpr Hdf5Type hdf5_type() {
  if constexpr (std::is_same_v<T, double>) return Hdf5Type::kFloat64;
  if constexpr (std::is_same_v<T, float>) return Hdf5Type::kFloat32;
  if constexpr (std::is_same_v<T, std::int32_t>) return Hdf5Type::kInt32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Hdf5Type::kInt64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Hdf5Type::kUint64;
}

// An attribute or data set as it lies in the image: elements of element_bytes each, little-endian. kText:
// elements of that length, padded with zeros; kTexts: texts of any length, see Hdf5File::texts().
struct Hdf5Array {
  Hdf5Type type = Hdf5Type::kFloat64;
  std::uint64_t element_bytes = 1;
  std::vector<std::uint64_t> extents;  // empty: one element
  std::span<const std::byte> data;

  std::uint64_t count() const { return data.size() / element_bytes; }

  // Copies all elements of an array of type hdf5_type<T>() to `values`, which must have room for them.
  template <class T>
  void copy_to(T* values) const {
    if (data.empty()) return;
    std::memcpy(values, data.data(), data.size());
    if constexpr (std::endian::native == std::endian::big)
      for (std::uint64_t i = 0; i < count(); ++i) {
        auto* const bytes = reinterpret_cast<std::byte*>(values + i);
        std::reverse(bytes, bytes + sizeof(T));
      }
  }

  // The text of a kText array of one element.
  std::string text() const {
    const std::string_view filled(reinterpret_cast<const char*>(data.data()), data.size());
    return std::string(filled.substr(0, filled.find('\0')));
  }
};

struct Hdf5Attribute {
  std::string name;
  std::uint64_t order = 0;  // of writing
  Hdf5Array value;
};

class Hdf5File {
 public:
  // Finds all objects. `image` must outlive this object. Throws BadAsset, naming `file` and the object, as do
  // the other members.
  Hdf5File(std::span<const std::byte> image, const std::string& file);

  // Paths of every group and array, without a leading '/'; the root's is empty.
  std::vector<std::string> paths() const;
  bool has(const std::string& path) const { return objects_.contains(path); }

  Hdf5Array array(const std::string& path);
  std::vector<Hdf5Attribute> attributes(const std::string& path);  // in the order of writing
  std::vector<std::string> texts(const Hdf5Array& array);          // of an array of kTexts

 private:
  struct Message {
    std::uint64_t type = 0, order = 0;
    std::span<const std::byte> data;
  };
  using Object = std::vector<Message>;  // its header
  struct Run {
    std::uint64_t address, size;
  };

  Object header(std::uint64_t address);
  void add(Object& object, std::uint64_t type, std::uint64_t flags, std::uint64_t order,
           std::span<const std::byte> data, std::vector<Run>& runs);
  void add_objects(const std::string& path, int depth);
  void add_symbols(std::uint64_t node, std::span<const std::byte> names, const std::string& path, int depth);
  void add_symbol(const std::string& path, std::uint64_t header_address, int depth);
  const Object& object(const std::string& path);
  const Message* find(const Object& object, std::uint64_t type) const;
  Hdf5Attribute attribute(std::span<const std::byte> message, std::uint64_t order);
  void read_type(std::span<const std::byte> message, Hdf5Array& array) const;
  std::uint64_t read_extents(std::span<const std::byte> message, Hdf5Array& array) const;
  const std::map<std::uint64_t, std::span<const std::byte>>& collection(std::uint64_t address);

  Hdf5Bytes bytes_;
  std::map<std::string, Object> objects_;
  // The objects in the global heap's collections, by address and index.
  std::map<std::uint64_t, std::map<std::uint64_t, std::span<const std::byte>>> collections_;
};

}  // namespace abut::asset
