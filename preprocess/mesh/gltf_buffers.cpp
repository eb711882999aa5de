#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "preprocess/mesh/beside.h"
#include "preprocess/mesh/gltf_checks.h"
#include "runtime/core/counted.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess::gltf {
namespace {

// Bytes of a number of this componentType; 0 if it is unknown.
std::size_t size_of_component(std::size_t component) {
  constexpr std::size_t kFirst = 5120, kSizes[] = {1, 1, 2, 2, 0, 4, 4};
  return component < kFirst || component - kFirst >= std::size(kSizes) ? 0 : kSizes[component - kFirst];
}

// Numbers in an element of this type; 0 if it is unknown.
std::size_t numbers_in(std::string_view type) {
  constexpr std::pair<std::string_view, std::size_t> kTypes[] = {
      {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}};
  for (const auto& [name, numbers] : kTypes)
    if (name == type) return numbers;
  return 0;
}

std::array<signed char, 256> base64_digits() {
  std::array<signed char, 256> digits{};
  digits.fill(-1);
  signed char value = 0;
  for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
    digits[static_cast<unsigned char>(c)] = value++;
  return digits;
}

// The bytes that base64 text (RFC 4648) stands for; empty where it is no such text.
std::optional<std::string> from_base64(std::string_view text) {
  static const std::array<signed char, 256> kDigits = base64_digits();
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool pads = k + padding >= text.size();
    const int digit = pads ? 0 : kDigits[static_cast<unsigned char>(text[k])];
    if (digit < 0) return std::nullopt;
    word = word << 6 | static_cast<std::uint32_t>(digit);
    if (k % 4 != 3) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(word >> shift & 0xFF);
    word = 0;
  }
  bytes.erase(bytes.size() - std::min(padding, bytes.size()));
  return bytes;
}

template <class T>
std::size_t number_at(const char* at) {
  T number{};
  std::memcpy(&number, at, sizeof number);
  return number;
}

// An unsigned whole number of one, two or four bytes.
std::size_t whole_at(const char* at, std::size_t size) {
  if (size == 1) return number_at<std::uint8_t>(at);
  return size == 2 ? number_at<std::uint16_t>(at) : number_at<std::uint32_t>(at);
}

}  // namespace

bool is_unsigned(std::size_t component) {
  constexpr std::size_t kByte = 5121, kShort = 5123, kInt = 5125;
  return component == kByte || component == kShort || component == kInt;
}

std::size_t Buffers::Sparse::index(std::size_t k) const { return whole_at(indices + k * size, size); }

Buffers::Buffers(const Document& document)
    : document_(document),
      stored_(document.list("buffers").size()),
      buffers_(stored_.size()),
      is_loaded_(stored_.size()),
      views_(document.list("bufferViews").size()),
      accessors_(document.list("accessors").size()),
      sparse_(accessors_.size()),
      largest_(accessors_.size()) {
  for (std::size_t k = 0; k < views_.size(); ++k) add_view(k);
  for (std::size_t k = 0; k < accessors_.size(); ++k) add_accessor(k);
}

void Buffers::add_buffer(std::size_t index) {
  if (is_loaded_[index]) return;
  is_loaded_[index] = true;
  const std::string name = fmt::format("buffer {}", index);
  const Json& item = document_.list("buffers")[index];
  const std::size_t length = document_.whole(item, "byteLength", name).value_or(0);
  const auto found = item.is_object() ? item.find("uri") : item.end();
  const bool has_uri = item.is_object() && found != item.end();
  if (document_.is_binary && index == 0) {
    if (has_uri) document_.refuse("buffer 0 is in another file, which is not read of a .glb");
    if (!document_.binary) document_.refuse("buffer 0 is missing: the file has no chunk for it");
    if (document_.binary->size() > length + 3)
      document_.refuse(fmt::format("buffer 0 has {}, but its byteLength is {}",
                                   counted(document_.binary->size(), "byte"), length));
    buffers_[index] = *document_.binary;
  } else {
    if (!has_uri || !found->is_string()) document_.refuse(fmt::format("{} has no uri", name));
    const auto& uri = found->get_ref<const std::string&>();
    if (uri.starts_with("data:")) {
      const std::size_t comma = std::min(uri.find(','), uri.size());
      if (!std::string_view(uri).substr(0, comma).ends_with(";base64"))
        document_.refuse(fmt::format("the data: URI of {} is not in base64", name));
      auto bytes = from_base64(std::string_view(uri).substr(std::min(comma + 1, uri.size())));
      if (!bytes) document_.refuse(fmt::format("the data: URI of {} is no base64", name));
      stored_[index] = std::move(*bytes);
    } else if (const auto file = find_beside(uri, document_.file)) {
      stored_[index] = read_text(*file);
    } else {
      document_.refuse(
          fmt::format("{} is missing: there is no file '{}' beside it or below", name, uri.substr(0, 100)));
    }
    buffers_[index] = stored_[index];
  }
  if (buffers_[index].size() < length)
    document_.refuse(fmt::format("{} has {}, but its byteLength is {}", name,
                                 counted(buffers_[index].size(), "byte"), length));
  buffers_[index] = buffers_[index].substr(0, length);
}

void Buffers::add_view(std::size_t index) {
  const std::string name = fmt::format("bufferView {}", index);
  const Json& item = document_.list("bufferViews")[index];
  const auto buffer = document_.index(item, "buffer", name, "buffers");
  if (!buffer) document_.refuse(name + " has no buffer");
  add_buffer(*buffer);
  const View view{.buffer = *buffer,
                  .offset = document_.whole(item, "byteOffset", name).value_or(0),
                  .length = document_.whole(item, "byteLength", name).value_or(0),
                  .stride = document_.whole(item, "byteStride", name).value_or(0)};
  if (view.offset + view.length > buffers_[*buffer].size())
    document_.refuse(fmt::format("{} reaches to byte {} of buffer {}, which has {}", name,
                                 view.offset + view.length, *buffer, buffers_[*buffer].size()));
  if (view.stride > 0 && (view.stride < 4 || view.stride > 252 || view.stride % 4 != 0))
    document_.refuse(
        fmt::format("the byteStride of {} is {}, no multiple of 4 from 4 to 252", name, view.stride));
  views_[index] = view;
}

void Buffers::add_accessor(std::size_t index) {
  const std::string name = fmt::format("accessor {}", index);
  const Json& item = document_.list("accessors")[index];
  Accessor& accessor = accessors_[index];
  accessor.component = document_.whole(item, "componentType", name).value_or(0);
  if (item.is_object() && item.contains("type") && item["type"].is_string()) accessor.type = item["type"];
  accessor.size = size_of_component(accessor.component) * numbers_in(accessor.type);
  if (accessor.size == 0) document_.refuse(name + " has no componentType or type that glTF knows");
  accessor.count = document_.whole(item, "count", name).value_or(0);
  if (accessor.count == 0 || accessor.count > std::numeric_limits<std::uint32_t>::max())
    document_.refuse(fmt::format("the count of {} is {}", name, accessor.count));
  accessor.view = document_.index(item, "bufferView", name, "bufferViews");
  accessor.offset = document_.whole(item, "byteOffset", name).value_or(0);
  accessor.stride = accessor.size;
  if (accessor.view) {
    const View& view = views_[*accessor.view];
    if (view.stride > 0) accessor.stride = view.stride;
    if (accessor.stride < accessor.size)
      document_.refuse(fmt::format("{} has elements of {} bytes, but bufferView {} a byteStride of {}", name,
                                   accessor.size, *accessor.view, view.stride));
    const std::size_t end = accessor.offset + (accessor.count - 1) * accessor.stride + accessor.size;
    if (end > view.length)
      document_.refuse(fmt::format("{} reaches to byte {} of bufferView {}, which has {}", name, end,
                                   *accessor.view, view.length));
  }
  if (const Json* sparse_item = document_.object(item, "sparse", name)) {
    accessor.is_sparse = true;
    sparse_[index] = sparse(*sparse_item, accessor, name);
  }
}

std::string_view Buffers::bytes(std::size_t view) const {
  return buffers_[views_[view].buffer].substr(views_[view].offset, views_[view].length);
}

// Assimp writes wherever the indices say, and copies the other elements as if they had no stride.
Buffers::Sparse Buffers::sparse(const Json& item, const Accessor& accessor, const std::string& name) const {
  const std::size_t count = document_.whole(item, "count", name).value_or(0);
  if (count == 0 || count > accessor.count)
    document_.refuse(
        fmt::format("{} of {} has {} sparse elements", name, counted(accessor.count, "element"), count));
  if (accessor.stride != accessor.size)
    document_.refuse(fmt::format("{} has sparse elements among interleaved ones, which is not read", name));
  const auto place = [&](const char* key, std::size_t size) {
    const Json* part = document_.object(item, key, name);
    const auto view = part ? document_.index(*part, "bufferView", name, "bufferViews") : std::nullopt;
    if (!view) document_.refuse(fmt::format("the sparse {} of {} have no bufferView", key, name));
    const std::size_t offset = document_.whole(*part, "byteOffset", name).value_or(0);
    if (offset + count * size > views_[*view].length)
      document_.refuse(fmt::format("the sparse {} of {} go beyond bufferView {}", key, name, *view));
    return bytes(*view).data() + offset;
  };
  const Json* indices = document_.object(item, "indices", name);
  const std::size_t component = indices ? document_.whole(*indices, "componentType", name).value_or(0) : 0;
  if (!is_unsigned(component))
    document_.refuse(fmt::format("the sparse indices of {} are no unsigned whole numbers", name));
  const std::size_t size = size_of_component(component);
  const Sparse sparse{count, size, place("indices", size), place("values", accessor.size)};
  std::size_t least = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = sparse.index(k);
    if (at < least || at >= accessor.count)
      document_.refuse(fmt::format("sparse index {} of {} is {}, not above the one before or beyond its {}",
                                   k, name, at, counted(accessor.count, "element")));
    least = at + 1;
  }
  return sparse;
}

std::size_t Buffers::largest(std::size_t index) {
  if (largest_[index]) return *largest_[index];
  const Accessor& accessor = accessors_[index];
  const Sparse& sparse = sparse_[index];
  const char* first = accessor.view ? bytes(*accessor.view).data() + accessor.offset : nullptr;
  std::size_t largest = 0, next = 0;
  for (std::size_t k = 0; k < accessor.count; ++k) {
    const bool is_sparse = next < sparse.count && sparse.index(next) == k;
    const char* at = is_sparse ? sparse.values + next * accessor.size
                     : first   ? first + k * accessor.stride
                               : nullptr;
    if (is_sparse) ++next;
    if (at) largest = std::max(largest, whole_at(at, accessor.size));
  }
  largest_[index] = largest;
  return largest;
}

}  // namespace abut::preprocess::gltf
