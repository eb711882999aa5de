#include "runtime/asset/hdf5_dense.h"

#include <algorithm>
#include <bit>

namespace abut::asset {
namespace {

constexpr std::uint64_t kHeapId = 8;              // bytes: flags, offset and length of an object in the heap
constexpr std::uint64_t kRecord = 8 + 1 + 4 + 4;  // bytes: heap id, message flags, order of writing, hash
constexpr std::uint64_t kNodePrefix = 10;         // bytes: signature, version, type, checksum
constexpr std::size_t kMaxAttributes = 1 << 16;
constexpr std::uint64_t kDeepest = 8;  // levels of inner nodes; three hold a million records

// A fractal heap without huge, tiny or filtered objects: blocks of growing size, listed row by row in a table
// of `width` columns. Blocks of rows 0 and 1 have `start` bytes, those of each later row twice as many as in
// the row before.
class FractalHeap {
 public:
  FractalHeap(Hdf5Bytes& bytes, std::uint64_t address) : bytes_(bytes) {
    Hdf5Cursor in(bytes, bytes.at(address, 142));
    in.expect("FRHP");
    in.expect_byte(0, "the version of a heap");
    if (in.number(2) != kHeapId || in.number(2) != 0) bytes.fail("has a heap of another kind");
    in.take(101);  // flags, and counts of the heap's contents and free space
    width_ = in.number(2);
    start_ = in.number(8);
    most_direct_ = in.number(8);
    offset_bytes_ = (in.number(2) + 7) / 8;
    in.take(2);
    root_ = in.address();
    rows_ = in.number(2);
    // Sizes are powers of 2, so that shifts can replace divisions.
    if (!std::has_single_bit(width_) || !std::has_single_bit(start_) || !std::has_single_bit(most_direct_) ||
        most_direct_ > kLargest || start_ > most_direct_ || offset_bytes_ < 1 || offset_bytes_ > 6)
      bytes.fail("has a heap of impossible sizes");
  }

  std::span<const std::byte> object(std::span<const std::byte> id) const {
    Hdf5Cursor in(bytes_, id);
    in.expect_byte(0, "the kind of an object in a heap");  // managed
    const std::uint64_t offset = in.number(offset_bytes_);
    const std::uint64_t length = in.number(kHeapId - 1 - offset_bytes_);
    const Block block = find(offset);
    if (length > block.size - (offset - block.offset)) bytes_.fail("has an attribute beyond its block");
    return bytes_.at(block.address + (offset - block.offset), length);
  }

 private:
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;  // bytes of a block

  struct Block {
    std::uint64_t address = 0, offset = 0, size = 0;  // offset: of its first byte in the heap
  };

  // Finds the block that contains a byte of the heap, through nested tables, each for a smaller block than
  // the one before.
  Block find(std::uint64_t offset) const {
    if (rows_ == 0) {
      if (offset >= start_) bytes_.fail("has an attribute beyond its heap");
      return {root_, 0, start_};
    }
    Block table{root_, 0, 0};
    for (std::uint64_t rows = rows_;;) {
      const std::uint64_t within = offset - table.offset, first_row = start_ * width_;
      const auto row = static_cast<std::uint64_t>(std::bit_width(within / first_row));
      if (row >= rows) bytes_.fail("has an attribute beyond its heap");
      const std::uint64_t size = row == 0 ? start_ : start_ << (row - 1),
                          row_start = row == 0 ? 0 : size * width_;
      const std::uint64_t column = (within - row_start) / size;
      const Block child{entry(table.address, row * width_ + column), table.offset + row_start + column * size,
                        size};
      if (size <= most_direct_) return child;
      table = child;
      rows = static_cast<std::uint64_t>(std::bit_width(size / first_row));
    }
  }

  std::uint64_t entry(std::uint64_t table, std::uint64_t index) const {
    Hdf5Cursor(bytes_, bytes_.at(table, 4)).expect("FHIB");
    const std::uint64_t before = 4 + 1 + 8 + offset_bytes_ + 8 * index;
    if (table > UINT64_MAX - before) bytes_.fail("refers beyond the end of the file");
    return Hdf5Cursor(bytes_, bytes_.at(table + before, 8)).address();
  }

  Hdf5Bytes& bytes_;
  std::uint64_t width_ = 0, start_ = 0, most_direct_ = 0, offset_bytes_ = 0, root_ = 0, rows_ = 0;
};

// Number of bytes needed for a count of up to `most`.
std::uint64_t bytes_for(std::uint64_t most) {
  return (static_cast<std::uint64_t>(std::bit_width(most)) + 7) / 8;
}

class NameTree {
 public:
  NameTree(Hdf5Bytes& bytes, std::uint64_t address) : bytes_(bytes) {
    Hdf5Cursor in(bytes, bytes.at(address, 34));
    in.expect("BTHD");
    in.expect_byte(0, "the version of an index");
    in.expect_byte(kType, "the kind of an index");
    const std::uint64_t node_bytes = in.number(4);
    const std::uint64_t record = in.number(2);
    depth_ = in.number(2);
    in.take(2);
    root_ = in.address();
    root_records_ = in.number(2);
    if (record != kRecord || depth_ > kDeepest || node_bytes < 64 || node_bytes > (1U << 20))
      bytes.fail("has an index of another kind");
    // The widths of the counts stored next to a child's address follow from how many records a node can hold.
    std::uint64_t most = (node_bytes - kNodePrefix) / kRecord, all = most;
    count_bytes_ = bytes_for(most);
    for (std::uint64_t level = 1; level <= depth_; ++level) {
      total_bytes_.push_back(level == 1 ? 0 : bytes_for(all));
      const std::uint64_t pointer = 8 + count_bytes_ + total_bytes_.back();
      most = (node_bytes - kNodePrefix - pointer) / (kRecord + pointer);
      all = std::min<std::uint64_t>((most + 1) * all + most, UINT64_MAX >> 24);
    }
  }

  template <class Visit>
  void visit(Visit&& record) {
    visit_node(root_, root_records_, depth_, record);
  }

 private:
  static constexpr std::uint64_t kType = 8;  // names of attributes

  template <class Visit>
  void visit_node(std::uint64_t address, std::uint64_t records, std::uint64_t level, Visit& record) {
    if (address == UINT64_MAX) return;  // an empty tree
    const std::uint64_t pointer = level == 0 ? 0 : 8 + count_bytes_ + total_bytes_[level - 1];
    Hdf5Cursor in(bytes_,
                  bytes_.at(address, 6 + records * kRecord + (level == 0 ? 0 : records + 1) * pointer));
    in.expect(level == 0 ? "BTLF" : "BTIN");
    in.expect_byte(0, "the version of an index");
    in.expect_byte(kType, "the kind of an index");
    for (std::uint64_t i = 0; i < records; ++i) record(Hdf5Cursor(bytes_, in.take(kRecord)));
    if (level == 0) return;
    for (std::uint64_t i = 0; i <= records; ++i) {
      const std::uint64_t child = in.address(), below = in.number(count_bytes_);
      in.take(total_bytes_[level - 1]);
      visit_node(child, below, level - 1, record);
    }
  }

  Hdf5Bytes& bytes_;
  std::uint64_t root_ = 0, root_records_ = 0, depth_ = 0, count_bytes_ = 0;
  std::vector<std::uint64_t> total_bytes_;  // by level - 1
};

}  // namespace

std::vector<DenseAttribute> dense_attributes(Hdf5Bytes& bytes, std::uint64_t heap_address,
                                             std::uint64_t tree_address) {
  const FractalHeap heap(bytes, heap_address);
  std::vector<DenseAttribute> found;
  NameTree(bytes, tree_address).visit([&](Hdf5Cursor in) {
    if (found.size() >= kMaxAttributes) bytes.fail("has too many attributes");
    const auto id = in.take(kHeapId);
    in.expect_byte(0, "the flags of an attribute");  // not shared
    const std::uint64_t order = in.number(4);
    found.push_back({heap.object(id), order});
  });
  return found;
}

}  // namespace abut::asset
