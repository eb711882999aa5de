#include "runtime/asset/schema.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/core/error.h"

namespace abut::asset {
namespace {

// The checks of one part, each failure named "<file>: <object>: <part>: <what>".
class Checker {
 public:
  Checker(std::string_view file, const Asset& asset)
      : prefix_(std::string(file) + ": object '" + asset.name + "': ") {}

  void enter(const std::string& part) { part_ = part; }

  // Every array of the part has a size that fits its shape.
  template <class T>
  void operator()(const char* name, const std::vector<T>& data, const Shape& shape, const char*,
                  const char*) const {
    const Shape extents = resolve(data.size(), shape);
    if (std::any_of(extents.begin(), extents.end(), [](int e) { return e < 0; }))
      fail(name, "has the wrong size");
    if constexpr (std::is_same_v<T, double>) {
      const auto bad = std::find_if(data.begin(), data.end(), [](double x) { return !std::isfinite(x); });
      if (bad != data.end()) fail(name, "entry " + std::to_string(bad - data.begin()) + " is not finite");
    }
  }

  void expect_size(const char* name, std::size_t size, std::size_t expected) const {
    if (size != expected)
      fail(name, "has " + std::to_string(size) + " entries, not " + std::to_string(expected));
  }

  void expect_range(const char* name, const std::vector<std::int32_t>& indices, std::size_t count) const {
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= count)
        fail(name, "entry " + std::to_string(i) + " is " + std::to_string(indices[i]) +
                       ", out of range [0, " + std::to_string(count) + ")");
  }

  // Children come after their parent and leaves cover primitives that exist: a traversal ends and stays
  // inside.
  void expect_tree(const bvh::Tree& tree, std::size_t primitives) const {
    const std::size_t nodes = tree.counts.size() / bvh::kWidth;
    expect_size("tree/children", tree.children.size(), tree.counts.size());
    expect_size("tree/bounds", tree.bounds.size(), tree.counts.size() * 6);
    std::vector<int> depth(nodes, 1);
    for (std::size_t i = 0; i < tree.counts.size(); ++i) {
      const std::int32_t count = tree.counts[i], child = tree.children[i];
      if (count == -1) continue;
      const std::size_t first = static_cast<std::size_t>(child);
      const bool leaf_fits = count > 0 && child >= 0 && first + static_cast<std::size_t>(count) <= primitives;
      const bool child_fits = count == 0 && child >= 0 && first > i / bvh::kWidth && first < nodes;
      if (!leaf_fits && !child_fits) fail("tree/children", "entry " + std::to_string(i) + " points nowhere");
      if (!child_fits) continue;
      depth[first] = depth[i / bvh::kWidth] + 1;
      if (depth[first] > bvh::kMaxDepth)
        fail("tree/children", "is deeper than " + std::to_string(bvh::kMaxDepth));
    }
  }

  void expect_rows(const char* name, const std::vector<std::int32_t>& offsets, std::size_t entries) const {
    if (offsets.front() != 0 || static_cast<std::size_t>(offsets.back()) != entries ||
        !std::is_sorted(offsets.begin(), offsets.end()))
      fail(name, "does not divide the entries into rows");
  }

 private:
  [[noreturn]] void fail(const std::string& array, const std::string& what) const {
    throw BadAsset(prefix_ + part_ + array + " " + what + "; make the asset again");
  }

  std::string prefix_;
  std::string part_;
};

void check_surface(const Surface& s, Checker& checker) {
  visit_surface(s, checker);
  const std::size_t vertices = s.vertices.size() / 3, triangles = s.triangles.size() / 3;
  checker.expect_size("vertex_normals", s.vertex_normals.size(), s.vertices.size());
  checker.expect_size("neighbours", s.neighbours.size(), s.triangles.size());
  checker.expect_range("triangles", s.triangles, vertices);
  checker.expect_range("neighbours", s.neighbours, triangles);
  checker.expect_tree(s.tree, triangles);
}

void check_convex(const ConvexPiece& c, Checker& checker) {
  visit_convex(c, checker);
  const std::size_t vertices = c.vertices.size() / 3;
  checker.expect_size("adjacency_offsets", c.adjacency_offsets.size(), vertices + 1);
  checker.expect_rows("adjacency_offsets", c.adjacency_offsets, c.adjacency.size());
  checker.expect_range("triangles", c.triangles, vertices);
  checker.expect_range("adjacency", c.adjacency, vertices);
  checker.expect_range("support_lookup", c.support_lookup, vertices);
}

}  // namespace

Shape resolve(std::size_t size, const Shape& shape) {
  std::size_t fixed = 1;
  int free = 0;
  for (const int extent : shape) extent == kFree ? ++free : fixed *= static_cast<std::size_t>(extent);
  const std::size_t rest = size / fixed;
  const std::size_t length =
      free == 2 ? static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(rest)))) : rest;
  const bool fits = fixed * (free == 2 ? length * length : length) == size;
  Shape result = shape;
  for (int& extent : result)
    if (extent == kFree) extent = fits ? static_cast<int>(length) : -1;
  return result;
}

void check(const Asset& asset, std::string_view file) {
  Checker checker(file, asset);
  for (std::size_t i = 0; i < asset.surfaces.size(); ++i) {
    checker.enter("surface/" + std::to_string(i) + "/");
    check_surface(asset.surfaces[i], checker);
  }
  for (std::size_t i = 0; i < asset.convex.size(); ++i) {
    checker.enter("convex/" + std::to_string(i) + "/");
    check_convex(asset.convex[i], checker);
  }
}

}  // namespace abut::asset
