#include "preprocess/mesh/box_tree.h"

#include <algorithm>

namespace abut::preprocess {

void BoxTree::build(const std::vector<Box>& boxes) {
  nodes_.clear();
  leaf_of_.assign(boxes.size(), -1);
  std::vector<std::int32_t> items;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!boxes[i].isEmpty()) items.push_back(static_cast<std::int32_t>(i));
  }
  if (items.empty()) return;
  nodes_.reserve(2 * items.size());
  build(items, 0, items.size(), boxes, -1);
}

// Splits at the median along the longest side of the centres' box: depth at most log2(items) + 1.
std::int32_t BoxTree::build(std::vector<std::int32_t>& items, std::size_t begin, std::size_t end,
                            const std::vector<Box>& boxes, std::int32_t parent) {
  const auto number = static_cast<std::int32_t>(nodes_.size());
  nodes_.emplace_back();
  nodes_[number].parent = parent;
  if (end - begin == 1) {
    nodes_[number].item = items[begin];
    nodes_[number].box = boxes[items[begin]];
    leaf_of_[items[begin]] = number;
    return number;
  }
  Box centres;
  for (std::size_t i = begin; i < end; ++i) centres.extend(boxes[items[i]].center());
  int axis = 0;
  centres.sizes().maxCoeff(&axis);
  const std::size_t middle = (begin + end) / 2;
  std::nth_element(items.begin() + static_cast<std::ptrdiff_t>(begin),
                   items.begin() + static_cast<std::ptrdiff_t>(middle),
                   items.begin() + static_cast<std::ptrdiff_t>(end), [&](std::int32_t a, std::int32_t b) {
                     const double ca = boxes[a].center()[axis], cb = boxes[b].center()[axis];
                     return ca != cb ? ca < cb : a < b;
                   });
  const std::int32_t first = build(items, begin, middle, boxes, number);
  const std::int32_t second = build(items, middle, end, boxes, number);
  nodes_[number].first = first;
  nodes_[number].second = second;
  nodes_[number].box = nodes_[first].box.merged(nodes_[second].box);
  return number;
}

void BoxTree::set(std::int32_t item, const Box& box) {
  std::int32_t n = leaf_of_[item];
  nodes_[n].box = box;
  for (n = nodes_[n].parent; n >= 0; n = nodes_[n].parent) {
    Node& node = nodes_[n];
    node.box = nodes_[node.first].box.merged(nodes_[node.second].box);
  }
}

}  // namespace abut::preprocess
