#include "runtime/asset/hdf5_parser.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/asset/hdf5_dense.h"

namespace abut::asset {
namespace {

// Groups and arrays: an asset of ten levels has 400, and each of 1024 convex pieces adds 8.
constexpr std::size_t kMaxObjects = 16384;
constexpr int kDeepest = 8;                // groups within groups; an asset has three
constexpr std::size_t kMaxMessages = 256;  // of an object; an array has ten
constexpr std::size_t kLongestName = 255;  // bytes
constexpr std::size_t kMaxExtents = 4;
constexpr std::uint64_t kNowhere = UINT64_MAX;

// Messages of an object's header.
enum : std::uint64_t {
  kNil = 0x00,
  kDataspace = 0x01,
  kLinkInfo = 0x02,
  kDatatype = 0x03,
  kLink = 0x06,
  kExternalFiles = 0x07,
  kLayout = 0x08,
  kFilters = 0x0B,
  kAttribute = 0x0C,
  kContinuation = 0x10,
  kSymbolTable = 0x11,
  kAttributeInfo = 0x15,
};

// A number type in the file must match one of these byte by byte: version 1, little-endian, IEEE 754 or two's
// complement.
struct NumberType {
  Hdf5Type type;
  std::uint64_t size;
  std::string_view bytes;
};
using namespace std::string_view_literals;
constexpr std::array kNumberTypes = {
    NumberType{Hdf5Type::kFloat64, 8,
               "\x11\x20\x3f\x00\x08\x00\x00\x00\x00\x00\x40\x00\x34\x0b\x00\x34\xff\x03\x00\x00"sv},
    NumberType{Hdf5Type::kFloat32, 4,
               "\x11\x20\x1f\x00\x04\x00\x00\x00\x00\x00\x20\x00\x17\x08\x00\x17\x7f\x00\x00\x00"sv},
    NumberType{Hdf5Type::kInt32, 4, "\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00"sv},
    NumberType{Hdf5Type::kInt64, 8, "\x10\x08\x00\x00\x08\x00\x00\x00\x00\x00\x40\x00"sv},
    NumberType{Hdf5Type::kUint64, 8, "\x10\x00\x00\x00\x08\x00\x00\x00\x00\x00\x40\x00"sv}};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The text up to the first zero byte.
std::string_view up_to_zero(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  return text.substr(0, text.find('\0'));
}

std::string joined(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "/" + std::string(name);
}

std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }

}  // namespace

Hdf5File::Hdf5File(std::span<const std::byte> image, const std::string& file) : bytes_(image, file) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  if (image.size() < 96 || !text_of(image).starts_with(kSignature))
    bytes_.fail("the body is not an HDF5 file");
  Hdf5Cursor in(bytes_, bytes_.at(8, 88));
  in.expect_byte(0, "the version of the superblock");
  in.take(4);
  in.expect_byte(8, "the size of offsets");
  in.expect_byte(8, "the size of lengths");
  in.take(1 + 2 + 2 + 4);
  if (in.address() != 0) bytes_.fail("the base address is not 0");
  in.take(3 * 8);  // free space, end of file, driver
  in.take(8);      // name of the root
  objects_[""] = header(in.address());
  add_objects("", 1);
}

std::vector<std::string> Hdf5File::paths() const {
  std::vector<std::string> result;
  for (const auto& [path, object] : objects_) result.push_back(path);
  return result;
}

// Messages come in runs: the first follows the header's prefix, the others are where continuation messages
// say.
Hdf5File::Object Hdf5File::header(std::uint64_t address) {
  Object object;
  std::vector<Run> runs;
  const bool first_version = text_of(bytes_.at(address, 4)) != "OHDR";
  std::uint64_t order_bytes = 0;
  if (first_version) {
    Hdf5Cursor in(bytes_, bytes_.at(address, 12));
    in.expect_byte(1, "the version of a header");
    in.take(1 + 2 + 4);
    runs.push_back({address + 16, in.number(4)});
  } else {
    Hdf5Cursor in(bytes_, bytes_.at(address + 4, 2));
    in.expect_byte(2, "the version of a header");
    const std::uint64_t flags = in.number(1), size_bytes = std::uint64_t{1} << (flags & 3);
    const std::uint64_t at = address + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    order_bytes = flags & 4 ? 2 : 0;
    runs.push_back({at + size_bytes, Hdf5Cursor(bytes_, bytes_.at(at, size_bytes)).number(size_bytes)});
  }
  const std::uint64_t prefix = first_version ? 8 : 4 + order_bytes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Hdf5Cursor in(bytes_, bytes_.at(runs[i].address, runs[i].size));
    std::uint64_t behind = 0;  // checksum of a continuation; the size of the first run excludes its checksum
    if (!first_version && i > 0) {
      in.expect("OCHK");
      behind = 4;
    }
    while (in.left() >= prefix + behind) {
      const std::uint64_t type = in.number(first_version ? 2 : 1), size = in.number(2), flags = in.number(1);
      const std::uint64_t order = in.number(first_version ? 3 : order_bytes);
      add(object, type, flags, order, in.take(size), runs);
    }
  }
  return object;
}

void Hdf5File::add(Object& object, std::uint64_t type, std::uint64_t flags, std::uint64_t order,
                   std::span<const std::byte> data, std::vector<Run>& runs) {
  if (type == kNil) return;
  if (flags & 2) bytes_.fail("has a message that lives elsewhere");
  if (type == kFilters) bytes_.fail("is compressed or filtered");
  if (type == kExternalFiles) bytes_.fail("has its data in another file");
  if (type == kLink || type == kLinkInfo) bytes_.fail("has links other than hard ones");
  if (type == kContinuation) {
    Hdf5Cursor in(bytes_, data);
    const std::uint64_t address = in.address(), size = in.number(8);
    runs.push_back({address, size});
    return;
  }
  if (object.size() >= kMaxMessages) bytes_.fail("has too long a header");
  object.push_back({type, order, data});
}

const Hdf5File::Message* Hdf5File::find(const Object& object, std::uint64_t type) const {
  const auto found =
      std::find_if(object.begin(), object.end(), [&](const Message& m) { return m.type == type; });
  return found == object.end() ? nullptr : &*found;
}

// Adds the members of a group, recursively: leaves of a version 1 B-tree list them, with names in a heap.
void Hdf5File::add_objects(const std::string& path, int depth) {
  const Message* table = find(objects_.at(path), kSymbolTable);
  if (table == nullptr) return;
  if (depth > kDeepest) bytes_.fail("has groups nested too deeply");
  Hdf5Cursor in(bytes_, table->data);
  const std::uint64_t root = in.address();
  Hdf5Cursor heap(bytes_, bytes_.at(in.address(), 32));
  heap.expect("HEAP");
  heap.expect_byte(0, "the version of a heap");
  heap.take(3);
  const std::uint64_t size = heap.number(8);
  heap.take(8);
  const std::span<const std::byte> names = bytes_.at(heap.address(), size);
  struct Node {
    std::uint64_t address, level;
  };
  std::vector<Node> stack = {{root, kNowhere}};
  while (!stack.empty()) {
    const auto [address, level] = stack.back();
    stack.pop_back();
    if (level == 0) {
      add_symbols(address, names, path, depth);
      continue;
    }
    Hdf5Cursor node(bytes_, bytes_.at(address, 24));
    node.expect("TREE");
    node.expect_byte(0, "the kind of an index");
    const std::uint64_t own = node.number(1), entries = node.number(2);
    if (level != kNowhere && own + 1 != level) bytes_.fail("has an index that goes in circles");
    Hdf5Cursor children(bytes_, bytes_.at(address + 24, 16 * entries));
    for (std::uint64_t i = 0; i < entries; ++i) {
      children.take(8);  // the key before the child
      stack.push_back({children.address(), own});
    }
  }
}

void Hdf5File::add_symbols(std::uint64_t node, std::span<const std::byte> names, const std::string& path,
                           int depth) {
  Hdf5Cursor in(bytes_, bytes_.at(node, 8));
  in.expect("SNOD");
  in.expect_byte(1, "the version of a list of members");
  in.take(1);
  const std::uint64_t entries = in.number(2);
  Hdf5Cursor list(bytes_, bytes_.at(node + 8, 40 * entries));
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::uint64_t name_at = list.number(8), header_address = list.address(), kind = list.number(4);
    list.take(4 + 16);
    if (name_at >= names.size()) bytes_.fail("has a member without a name");
    const std::string_view name =
        up_to_zero(names.subspan(name_at, std::min(kLongestName + 1, names.size() - name_at)));
    if (name.empty() || name.size() > kLongestName || name.find('/') != name.npos)
      bytes_.fail("has a member without a proper name");
    const std::string member = joined(path, name);
    if (kind == 2) bytes_.fail("'" + member + "' is a soft link");
    add_symbol(member, header_address, depth);
    bytes_.enter(path);
  }
}

void Hdf5File::add_symbol(const std::string& path, std::uint64_t header_address, int depth) {
  if (objects_.size() >= kMaxObjects)
    bytes_.fail("has more than " + std::to_string(kMaxObjects) + " groups and arrays");
  bytes_.enter(path);
  const auto [at, fresh] = objects_.try_emplace(path);
  if (!fresh) bytes_.fail("is there twice");
  at->second = header(header_address);
  add_objects(path, depth + 1);
}

const Hdf5File::Object& Hdf5File::object(const std::string& path) {
  bytes_.enter(path);
  const auto found = objects_.find(path);
  if (found == objects_.end()) bytes_.fail("missing");
  return found->second;
}

Hdf5Array Hdf5File::array(const std::string& path) {
  const Object& set = object(path);
  const Message *space = find(set, kDataspace), *type = find(set, kDatatype), *layout = find(set, kLayout);
  if (space == nullptr || type == nullptr || layout == nullptr) bytes_.fail("is no array");
  Hdf5Array result;
  read_type(type->data, result);
  const std::uint64_t count = read_extents(space->data, result);
  Hdf5Cursor in(bytes_, layout->data);
  in.expect_byte(3, "the version of a layout");
  in.expect_byte(1, "the kind of a layout");  // contiguous
  const std::uint64_t address = in.address(), size = in.number(8);
  // Empty arrays occupy no space in the file.
  if (count == 0) return result;
  if (count > size / result.element_bytes || count * result.element_bytes != size)
    bytes_.fail("has the wrong number of bytes");
  result.data = bytes_.at(address, size);
  return result;
}

std::vector<Hdf5Attribute> Hdf5File::attributes(const std::string& path) {
  const Object& owner = object(path);
  std::vector<Hdf5Attribute> result;
  for (const Message& message : owner)
    if (message.type == kAttribute) result.push_back(attribute(message.data, message.order));
  if (const Message* info = find(owner, kAttributeInfo)) {
    Hdf5Cursor in(bytes_, info->data);
    in.expect_byte(0, "the version of a list of attributes");
    if (in.number(1) & 1) in.take(2);
    const std::uint64_t heap = in.address(), tree = in.address();
    if (heap != kNowhere)
      for (const DenseAttribute& dense : dense_attributes(bytes_, heap, tree))
        result.push_back(attribute(dense.message, dense.order));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Hdf5Attribute& a, const Hdf5Attribute& b) { return a.order < b.order; });
  return result;
}

// Version 1: name, type and extents, each padded to eight bytes, then the data.
Hdf5Attribute Hdf5File::attribute(std::span<const std::byte> message, std::uint64_t order) {
  Hdf5Cursor in(bytes_, message);
  in.expect_byte(1, "the version of an attribute");
  in.take(1);
  const std::uint64_t name_size = in.number(2), type_size = in.number(2), space_size = in.number(2);
  Hdf5Attribute result;
  result.name = up_to_zero(in.take(padded(name_size)).first(name_size));
  result.order = order;
  read_type(in.take(padded(type_size)).first(type_size), result.value);
  const std::uint64_t count = read_extents(in.take(padded(space_size)).first(space_size), result.value);
  if (count > in.left() / result.value.element_bytes)
    bytes_.fail("attribute '" + result.name + "' ends too early");
  bytes_.spend(count * result.value.element_bytes);
  result.value.data = in.take(count * result.value.element_bytes);
  return result;
}

void Hdf5File::read_type(std::span<const std::byte> message, Hdf5Array& array) const {
  constexpr std::uint64_t kString = 0x13, kVariable = 0x19;  // version 1
  for (const NumberType& number : kNumberTypes) {
    if (!text_of(message).starts_with(number.bytes)) continue;
    array.type = number.type;
    array.element_bytes = number.size;
    return;
  }
  Hdf5Cursor in(bytes_, message);
  const std::uint64_t kind = in.number(1), details = in.number(3);
  array.element_bytes = in.number(4);
  if (kind == kString && array.element_bytes > 0) {
    array.type = Hdf5Type::kText;
  } else if (kind == kVariable && (details & 0xf) == 1 && array.element_bytes == 16) {
    array.type = Hdf5Type::kTexts;
  } else {
    bytes_.fail("is of an unknown type");
  }
}

// Returns the product of the extents.
std::uint64_t Hdf5File::read_extents(std::span<const std::byte> message, Hdf5Array& array) const {
  Hdf5Cursor in(bytes_, message);
  in.expect_byte(1, "the version of extents");
  const std::uint64_t rank = in.number(1);
  in.take(1 + 1 + 4);
  if (rank > kMaxExtents) bytes_.fail("has " + std::to_string(rank) + " extents");
  std::uint64_t count = 1;
  for (std::uint64_t i = 0; i < rank; ++i) {
    const std::uint64_t extent = in.number(8);
    if (extent != 0 && count > UINT64_MAX / extent) bytes_.fail("has impossible extents");
    count *= extent;
    array.extents.push_back(extent);
  }
  return count;
}

// Each element is a length, the address of a collection and an index in it.
std::vector<std::string> Hdf5File::texts(const Hdf5Array& array) {
  std::vector<std::string> result;
  Hdf5Cursor in(bytes_, array.data);
  while (in.left() > 0) {
    const std::uint64_t length = in.number(4), address = in.address(), index = in.number(4);
    if (length == 0) {
      result.emplace_back();
      continue;
    }
    const auto& objects = collection(address);
    const auto found = objects.find(index);
    if (found == objects.end() || length > found->second.size()) bytes_.fail("has a text that is nowhere");
    bytes_.spend(length);
    result.emplace_back(up_to_zero(found->second.first(length)));
  }
  return result;
}

const std::map<std::uint64_t, std::span<const std::byte>>& Hdf5File::collection(std::uint64_t address) {
  const auto [at, fresh] = collections_.try_emplace(address);
  if (!fresh) return at->second;
  Hdf5Cursor head(bytes_, bytes_.at(address, 16));
  head.expect("GCOL");
  head.expect_byte(1, "the version of a heap");
  head.take(3);
  const std::uint64_t size = head.number(8);
  if (size < 16) bytes_.fail("has an empty heap");
  Hdf5Cursor in(bytes_, bytes_.at(address + 16, size - 16));
  while (in.left() >= 16) {
    const std::uint64_t index = in.number(2);
    in.take(2 + 4);
    const std::uint64_t object_size = in.number(8);
    if (index == 0) break;  // free space
    if (object_size > in.left()) bytes_.fail("has a heap that ends too early");
    at->second[index] = in.take(std::min<std::uint64_t>(padded(object_size), in.left())).first(object_size);
  }
  return at->second;
}

}  // namespace abut::asset
