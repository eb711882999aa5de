#include "runtime/bvh/build.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "runtime/core/error.h"

namespace abut::bvh {
namespace {

constexpr int kBins = 16;
constexpr double kLargest = 1e15;  // m: box areas stay within the range of single precision
constexpr float kInfinity = std::numeric_limits<float>::infinity();

float round_down(double x) {
  const float f = static_cast<float>(x);
  return static_cast<double>(f) > x ? std::nextafter(f, -kInfinity) : f;
}

float round_up(double x) {
  const float f = static_cast<float>(x);
  return static_cast<double>(f) < x ? std::nextafter(f, kInfinity) : f;
}

// A box in single precision. It has four lanes, the last unused, so that growing one takes a pair of vector
// instructions.
struct FloatBox {
  Eigen::Array4f lo = Eigen::Array4f::Constant(kInfinity);
  Eigen::Array4f hi = Eigen::Array4f::Constant(-kInfinity);

  void grow(const FloatBox& other) {
    lo = lo.min(other.lo);
    hi = hi.max(other.hi);
  }
  // Half the surface area; 0 when the box is empty.
  float area() const {
    if (!(lo[0] <= hi[0])) return 0;
    const Eigen::Array4f e = hi - lo;
    return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
  }
};

struct Item {
  FloatBox box;
  // Twice the box's centre, the coordinate that is binned.
  Eigen::Array4f center() const { return box.lo + box.hi; }
};

struct BinaryNode {
  FloatBox box;
  std::int32_t first, count;  // range of its primitives
  std::int32_t left = -1;     // -1: leaf
  std::int32_t right = -1;
};

class Builder {
 public:
  Builder(std::span<const Box> boxes, int leaf_size) : leaf_size_(leaf_size) {
    items_.resize(boxes.size());
    result_.order.resize(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Box& box = boxes[i];
      if (!((box.lo.array() >= -kLargest).all() && (box.lo.array() <= box.hi.array()).all() &&
            (box.hi.array() <= kLargest).all()))
        throw InvalidInput("tree builder: box " + std::to_string(i) +
                           " is inverted, not finite or beyond 1e15 m");
      for (int k = 0; k < 3; ++k) {
        items_[i].box.lo[k] = round_down(box.lo[k]);
        items_[i].box.hi[k] = round_up(box.hi[k]);
      }
      items_[i].box.lo[3] = items_[i].box.hi[3] = 0;
      result_.order[i] = static_cast<std::int32_t>(i);
    }
  }

  BuiltTree build() {
    build_binary();
    if (items_.empty())
      append_node();
    else
      collapse(0);
    return std::move(result_);
  }

 private:
  struct Split {
    int axis = -1;  // -1: none found
    int bin = 0;    // first bin of the right side
    Eigen::Array4f origin, scale;

    int bin_of(const Item& item, int a) const {
      return std::min(kBins - 1, static_cast<int>((item.center()[a] - origin[a]) * scale[a]));
    }
  };

  void build_binary() {
    if (items_.empty()) return;
    struct Task {
      std::int32_t node;
      int depth;
    };
    nodes_.reserve(2 * items_.size());
    push(0, static_cast<std::int32_t>(items_.size()));
    std::vector<Task> stack = {{0, 0}};
    while (!stack.empty()) {
      const auto [index, depth] = stack.back();
      stack.pop_back();
      const std::int32_t first = nodes_[index].first, count = nodes_[index].count;
      if (count <= leaf_size_) continue;
      // From this depth on, halving is needed to reach the leaves within the depth that remains.
      const bool halve =
          kBinaryDepth - depth <= static_cast<int>(std::bit_width(static_cast<unsigned>(count))) + 1;
      const std::int32_t left_count = halve ? split_in_half(first, count) : split_by_area(first, count);
      nodes_[index].left = push(first, left_count);
      nodes_[index].right = push(first + left_count, count - left_count);
      stack.push_back({nodes_[index].right, depth + 1});
      stack.push_back({nodes_[index].left, depth + 1});
    }
  }

  std::int32_t push(std::int32_t first, std::int32_t count) {
    FloatBox box;
    for (std::int32_t i = first; i < first + count; ++i) box.grow(items_[i].box);
    nodes_.push_back({box, first, count});
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }

  // Partitions the range at the cheapest plane between bins of any axis; returns the number of items on the
  // left.
  std::int32_t split_by_area(std::int32_t first, std::int32_t count) {
    const Split split = find_split(first, count);
    if (split.axis < 0) return split_in_half(first, count);
    std::int32_t i = first, j = first + count;
    while (i < j) {
      if (split.bin_of(items_[i], split.axis) < split.bin)
        ++i;
      else
        swap(i, --j);
    }
    return i - first;
  }

  void swap(std::int32_t i, std::int32_t j) {
    std::swap(items_[i], items_[j]);
    std::swap(result_.order[i], result_.order[j]);
  }

  struct CentersBox {
    Eigen::Array4f lo = Eigen::Array4f::Constant(kInfinity), hi = -lo;
  };
  CentersBox centers_box(std::int32_t first, std::int32_t count) const {
    CentersBox box;
    for (std::int32_t i = first; i < first + count; ++i) {
      box.lo = box.lo.min(items_[i].center());
      box.hi = box.hi.max(items_[i].center());
    }
    return box;
  }

  Split find_split(std::int32_t first, std::int32_t count) const {
    const auto [lo, hi] = centers_box(first, count);
    Split best;
    best.origin = lo;
    // An axis cannot be divided where the extent is 0 or so small that the quotient overflows.
    for (int a = 0; a < 4; ++a) {
      const float scale = kBins / (hi[a] - lo[a]);
      best.scale[a] = std::isfinite(scale) ? scale : 0;
    }
    std::array<std::array<FloatBox, kBins>, 3> boxes;
    std::array<std::array<std::int32_t, kBins>, 3> counts{};
    for (std::int32_t i = first; i < first + count; ++i) {
      for (int a = 0; a < 3; ++a) {
        const int bin = best.bin_of(items_[i], a);
        boxes[a][bin].grow(items_[i].box);
        ++counts[a][bin];
      }
    }
    float best_cost = kInfinity;
    for (int a = 0; a < 3; ++a) choose_bin(a, boxes[a], counts[a], count, best_cost, best);
    return best;
  }

  static void choose_bin(int axis, const std::array<FloatBox, kBins>& boxes,
                         const std::array<std::int32_t, kBins>& counts, std::int32_t count, float& best_cost,
                         Split& best) {
    std::array<float, kBins> right_cost;
    FloatBox right;
    std::int32_t right_count = 0;
    for (int b = kBins - 1; b > 0; --b) {
      right.grow(boxes[b]);
      right_count += counts[b];
      right_cost[b] = right.area() * static_cast<float>(right_count);
    }
    FloatBox left;
    std::int32_t left_count = 0;
    for (int b = 1; b < kBins; ++b) {
      left.grow(boxes[b - 1]);
      left_count += counts[b - 1];
      const float cost = left.area() * static_cast<float>(left_count) + right_cost[b];
      if (left_count > 0 && left_count < count && cost < best_cost) {
        best_cost = cost;
        best.axis = axis;
        best.bin = b;
      }
    }
  }

  // Halves the range along the longest axis of the centres' box; for coincident centres any halves will do.
  std::int32_t split_in_half(std::int32_t first, std::int32_t count) {
    const auto [lo, hi] = centers_box(first, count);
    int axis = 0;
    (hi - lo).maxCoeff(&axis);
    std::vector<std::int32_t> places(count);
    for (std::int32_t i = 0; i < count; ++i) places[i] = first + i;
    const auto key = [&](std::int32_t i) { return std::pair{items_[i].center()[axis], result_.order[i]}; };
    std::nth_element(places.begin(), places.begin() + count / 2, places.end(),
                     [&](std::int32_t i, std::int32_t j) { return key(i) < key(j); });
    std::vector<Item> items(count);
    std::vector<std::int32_t> order(count);
    for (std::int32_t i = 0; i < count; ++i) {
      items[i] = items_[places[i]];
      order[i] = result_.order[places[i]];
    }
    std::copy(items.begin(), items.end(), items_.begin() + first);
    std::copy(order.begin(), order.end(), result_.order.begin() + first);
    return count / 2;
  }

  std::int32_t append_node() {
    Tree& tree = result_.tree;
    const auto node = static_cast<std::int32_t>(tree.counts.size() / kWidth);
    tree.children.insert(tree.children.end(), kWidth, 0);
    tree.counts.insert(tree.counts.end(), kWidth, -1);
    tree.bounds.insert(tree.bounds.end(), 3 * kWidth, kInfinity);
    tree.bounds.insert(tree.bounds.end(), 3 * kWidth, -kInfinity);
    return node;
  }

  // Appends the four-wide node for a binary node and, in depth-first order, everything below it: it opens the
  // inner child of the largest area until there are four children. The binary depth bounds the recursion.
  std::int32_t collapse(std::int32_t root) {
    std::array<std::int32_t, kWidth> children = {root};
    int size = 1;
    while (size < kWidth) {
      int widest = -1;
      for (int c = 0; c < size; ++c) {
        if (nodes_[children[c]].left < 0) continue;
        if (widest < 0 || nodes_[children[c]].box.area() > nodes_[children[widest]].box.area()) widest = c;
      }
      if (widest < 0) break;
      const BinaryNode& opened = nodes_[children[widest]];
      // Siblings stay next to each other, so that a node's children are in the order of their primitives.
      std::copy_backward(children.begin() + widest + 1, children.begin() + size, children.begin() + size + 1);
      children[widest] = opened.left;
      children[widest + 1] = opened.right;
      ++size;
    }
    const std::int32_t node = append_node();
    for (int c = 0; c < size; ++c) {
      const BinaryNode& child = nodes_[children[c]];
      for (int k = 0; k < 3; ++k) {
        result_.tree.bounds[(node * 6 + k) * kWidth + c] = child.box.lo[k];
        result_.tree.bounds[(node * 6 + 3 + k) * kWidth + c] = child.box.hi[k];
      }
      const bool leaf = child.left < 0;
      const std::int32_t target = leaf ? child.first : collapse(children[c]);
      result_.tree.children[node * kWidth + c] = target;
      result_.tree.counts[node * kWidth + c] = leaf ? child.count : 0;
    }
    return node;
  }

  // The wide tree is no deeper than the binary one.
  static constexpr int kBinaryDepth = kMaxDepth;

  int leaf_size_;
  std::vector<Item> items_;
  std::vector<BinaryNode> nodes_;
  BuiltTree result_;
};

}  // namespace

BuiltTree build_tree(std::span<const Box> boxes, int leaf_size) { return Builder(boxes, leaf_size).build(); }

}  // namespace abut::bvh
