#include "runtime/asset/schema.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/counted.h"
#include "runtime/core/error.h"

namespace abut::asset {
namespace {

using Box = Eigen::AlignedBox3d;

// Bounding boxes of primitives of `corners_each` corners, given as indices into vertices (..., 3).
std::vector<Box> boxes_of(const std::vector<double>& vertices, const std::vector<std::int32_t>& corners,
                          std::size_t corners_each) {
  std::vector<Box> boxes(corners.size() / corners_each);
  for (std::size_t i = 0; i < corners.size(); ++i)
    boxes[i / corners_each].extend(
        Eigen::Map<const Eigen::Vector3d>(&vertices[3 * static_cast<std::size_t>(corners[i])]));
  return boxes;
}

// Bounding box of the points `first` to `last` (exclusive) of an array (3, ...): all x, then all y, then all
// z.
Box box_of(const std::vector<double>& points, std::size_t first, std::size_t last) {
  const std::size_t n = points.size() / 3;
  Box box;
  for (std::size_t i = first; i < last; ++i)
    box.extend(Eigen::Vector3d(points[i], points[n + i], points[2 * n + i]));
  return box;
}

// Largest magnitude allowed for numbers of a unit; beyond it, products in a query overflow. A length is below
// 1e15 m, as in the tree's builder; a tetrahedron is higher than 1e-15 m; numbers without a unit are
// components of unit vectors and extents, up to rounding.
double largest(std::string_view unit) {
  constexpr double kLength = 1e15;
  if (unit == "1") return 1 + 1e-6;
  if (unit == "m^2") return kLength * kLength;
  return kLength;  // m, 1/m and planes
}

// Checks one part after the other; each failure is reported as "<file>: <object>: <part>: <what>".
class Checker {
 public:
  Checker(std::string_view file, const Asset& asset)
      : prefix_(std::string(file) + ": object '" + asset.name + "': ") {}

  void enter(const std::string& part) { part_ = part; }

  // Checks that an array of the part has a size that fits its shape.
  template <class T>
  void operator()(const char* name, const std::vector<T>& data, const Shape& shape, const char* unit,
                  const char*) const {
    const Shape extents = resolve(data.size(), shape);
    if (std::any_of(extents.begin(), extents.end(), [](int e) { return e < 0; }))
      fail(name, "has the wrong size");
    if constexpr (std::is_same_v<T, double>) expect_magnitude(name, data.data(), data.size(), largest(unit));
  }

  void expect_magnitude(const char* name, const double* data, std::size_t size, double most) const {
    for (std::size_t i = 0; i < size; ++i) {
      if (!std::isfinite(data[i])) fail(name, "entry " + std::to_string(i) + " is not finite");
      if (std::abs(data[i]) > most) fail(name, "entry " + std::to_string(i) + " is too large");
    }
  }

  void expect_some(const char* name, std::size_t count) const {
    if (count == 0) fail(name, "is empty");
  }

  void expect_not_negative(const char* name, const std::vector<double>& data) const {
    for (std::size_t i = 0; i < data.size(); ++i)
      if (data[i] < 0) fail(name, "entry " + std::to_string(i) + " is below 0");
  }

  void expect_size(const char* name, std::size_t size, std::size_t expected) const {
    if (size != expected)
      fail(name, "has " + counted(size, "entry", "entries") + ", not " + std::to_string(expected));
  }

  void expect_range(const char* name, const std::vector<std::int32_t>& indices, std::size_t count) const {
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= count)
        fail(name, "entry " + std::to_string(i) + " is " + std::to_string(indices[i]) +
                       ", out of range [0, " + std::to_string(count) + ")");
  }

  // Checks that the primitives below each child form a range: work over all these ranges then takes at most
  // the depth of the tree times as long as work over all primitives.
  void expect_ranges(const bvh::Tree& tree) const {
    struct Range {
      std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0, size = 0;
    };
    std::vector<Range> below(tree.counts.size() / bvh::kWidth);
    for (std::size_t i = tree.counts.size(); i-- > 0;) {  // children follow their parent
      const std::int64_t count = tree.counts[i], child = tree.children[i];
      if (count < 0) continue;
      const Range part =
          count > 0 ? Range{child, child + count, count} : below[static_cast<std::size_t>(child)];
      if (part.last - part.first != part.size)
        fail("tree/children", "entry " + std::to_string(i) + " has what is not one range below it");
      Range& node = below[i / bvh::kWidth];
      node = {std::min(node.first, part.first), std::max(node.last, part.last), node.size + part.size};
    }
  }

  // Checks that children come after their parent, every node but the root has one, and the leaves hold each
  // primitive once: then a traversal ends and stays inside the arrays, and so does a sum over its leaves.
  void expect_tree(const bvh::Tree& tree, std::span<const Box> boxes) const {
    const std::size_t primitives = boxes.size();
    const std::size_t nodes = tree.counts.size() / bvh::kWidth;
    expect_size("tree/children", tree.children.size(), tree.counts.size());
    expect_size("tree/bounds", tree.bounds.size(), tree.counts.size() * 6);
    expect_some("tree/children", nodes);
    std::vector<int> depth(nodes, 0);  // 0: no parent found yet
    std::vector<char> covered(primitives, 0);
    depth[0] = 1;
    for (std::size_t i = 0; i < tree.counts.size(); ++i) {
      const std::int32_t count = tree.counts[i], child = tree.children[i];
      if (count == -1 && child == 0) continue;  // no child
      const std::size_t first = static_cast<std::size_t>(child);
      const bool leaf_fits = count > 0 && child >= 0 && first + static_cast<std::size_t>(count) <= primitives;
      const bool child_fits = count == 0 && child >= 0 && first > i / bvh::kWidth && first < nodes;
      if (!leaf_fits && !child_fits) fail("tree/children", "entry " + std::to_string(i) + " is out of range");
      for (std::size_t k = first; leaf_fits && k < first + static_cast<std::size_t>(count); ++k)
        if (covered[k]++ != 0)
          fail("tree/children", "entry " + std::to_string(i) + " is the second leaf of " + std::to_string(k));
      if (!child_fits) continue;
      if (depth[first] != 0)
        fail("tree/children", "entry " + std::to_string(i) + " is the second parent of a node");
      depth[first] = depth[i / bvh::kWidth] + 1;
      if (depth[first] > bvh::kMaxDepth)
        fail("tree/children", "is deeper than " + std::to_string(bvh::kMaxDepth));
    }
    if (std::find(depth.begin(), depth.end(), 0) != depth.end() ||
        std::find(covered.begin(), covered.end(), 0) != covered.end())
      fail("tree/children", "leaves something out");
    expect_boxes(tree, boxes);
  }

  // Checks that a box contains everything below it and exceeds that by no more than the largest coordinate,
  // and that the box of an unused child is inverted, since a traversal would descend into any box that it
  // meets. Children follow their parents.
  void expect_boxes(const bvh::Tree& tree, std::span<const Box> boxes) const {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Box whole;
    for (const Box& box : boxes) whole.extend(box);
    const double farthest = std::max(whole.min().cwiseAbs().maxCoeff(), whole.max().cwiseAbs().maxCoeff());
    const double room = std::max<double>(farthest, std::numeric_limits<float>::min());
    std::vector<Box> below(tree.counts.size() / bvh::kWidth);
    for (std::size_t i = tree.counts.size(); i-- > 0;) {
      const float* const low = tree.bounds.data() + i / bvh::kWidth * 6 * bvh::kWidth + i % bvh::kWidth;
      const auto first = static_cast<std::size_t>(tree.children[i]);
      Box held;
      for (std::int32_t k = 0; k < tree.counts[i]; ++k)
        held.extend(boxes[first + static_cast<std::size_t>(k)]);
      if (tree.counts[i] == 0) held = below[first];
      below[i / bvh::kWidth].extend(held);
      for (int axis = 0; axis < 3; ++axis) {
        const float lo = low[axis * bvh::kWidth], hi = low[(axis + 3) * bvh::kWidth];
        const double least = held.min()[axis], greatest = held.max()[axis];
        const bool fits = tree.counts[i] == -1
                              ? lo == kInfinity && hi == -kInfinity
                              : least - room <= lo && lo <= least && greatest <= hi && hi <= greatest + room;
        if (!fits) fail("tree/bounds", "child " + std::to_string(i) + " is not the box of what it holds");
      }
    }
  }

  void expect_rows(const char* name, const std::vector<std::int32_t>& offsets, std::size_t entries) const {
    if (offsets.empty() || offsets.front() != 0 || static_cast<std::size_t>(offsets.back()) != entries ||
        !std::is_sorted(offsets.begin(), offsets.end()))
      fail(name, "does not divide the entries into rows");
  }

  [[noreturn]] void fail(const std::string& array, const std::string& what) const {
    throw BadAsset(prefix_ + part_ + array + " " + what + "; make the asset again");
  }

 private:
  std::string prefix_;
  std::string part_;
};

void check_part(const Surface& s, const Asset&, const Checker& checker) {
  const std::size_t vertices = s.vertices.size() / 3, triangles = s.triangles.size() / 3;
  checker.expect_some("triangles", triangles);
  checker.expect_size("vertex_normals", s.vertex_normals.size(), s.vertices.size());
  checker.expect_size("neighbours", s.neighbours.size(), s.triangles.size());
  checker.expect_range("triangles", s.triangles, vertices);
  checker.expect_range("neighbours", s.neighbours, triangles);
  checker.expect_tree(s.tree, boxes_of(s.vertices, s.triangles, 3));
  checker.expect_ranges(s.tree);
}

// Checks what the contact model requires: tetrahedra with positive volume, and no pressure on the surface.
void check_field(const Volume& v, const Checker& checker) {
  using Point = Eigen::Map<const Eigen::Vector3d>;
  for (std::size_t t = 0; t < v.tetrahedra.size() / 4; ++t) {
    const std::int32_t* corners = v.tetrahedra.data() + 4 * t;
    const auto point = [&](int k) {
      return Point(v.vertices.data() + 3 * static_cast<std::size_t>(corners[k]));
    };
    const Eigen::Vector3d a = point(0);
    if (!((point(1) - a).cross(point(2) - a).dot(point(3) - a) > 0))
      checker.fail("tetrahedra", "entry " + std::to_string(t) + " has no positive volume");
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t j = 0; j < 4; ++j)
        if (j != k && v.neighbours[4 * t + k] < 0 && v.extent[static_cast<std::size_t>(corners[j])] != 0)
          checker.fail("extent", "entry " + std::to_string(corners[j]) + " is on the surface and not 0");
  }
  for (std::size_t i = 0; i < v.extent.size(); ++i)
    if (v.extent[i] < 0 || v.extent[i] > 1)
      checker.fail("extent", "entry " + std::to_string(i) + " is outside [0, 1]");
}

void check_part(const Volume& v, const Asset&, const Checker& checker) {
  const std::size_t vertices = v.vertices.size() / 3, tetrahedra = v.tetrahedra.size() / 4;
  checker.expect_some("tetrahedra", tetrahedra);
  checker.expect_size("neighbours", v.neighbours.size(), 4 * tetrahedra);
  checker.expect_size("extent", v.extent.size(), vertices);
  checker.expect_size("gradients", v.gradients.size(), 3 * tetrahedra);
  checker.expect_size("face_planes", v.face_planes.size(), 16 * tetrahedra);
  checker.expect_size("extent_ranges", v.extent_ranges.size(), 2 * tetrahedra);
  checker.expect_range("tetrahedra", v.tetrahedra, vertices);
  for (std::size_t i = 0; i < v.neighbours.size(); ++i)
    if (v.neighbours[i] < -1 || v.neighbours[i] >= static_cast<std::int32_t>(tetrahedra))
      checker.fail("neighbours", "entry " + std::to_string(i) + " is out of range");
  checker.expect_tree(v.tree, boxes_of(v.vertices, v.tetrahedra, 4));
  checker.expect_size("tree/extent_ranges", v.tree_extent_ranges.size(), 2 * v.tree.counts.size());
  for (std::size_t i = 0; i < v.tree_extent_ranges.size(); ++i)
    if (std::isnan(v.tree_extent_ranges[i]))
      checker.fail("tree/extent_ranges", "entry " + std::to_string(i) + " is not a number");
  check_field(v, checker);
}

void check_part(const OrientedPoints& p, const Asset&, const Checker& checker) {
  const std::size_t points = p.areas.size(), vertices = p.vertices.size() / 3;
  checker.expect_some("areas", points);
  checker.expect_not_negative("areas", p.areas);
  checker.expect_not_negative("thickness", p.thickness);
  checker.expect_not_negative("spacing", p.spacing);
  checker.expect_size("positions", p.positions.size(), 3 * points);
  checker.expect_size("normals", p.normals.size(), 3 * points);
  checker.expect_size("thickness", p.thickness.size(), points);
  checker.expect_size("quads", p.quads.size(), 4 * points);
  checker.expect_size("spacing", p.spacing.size(), 4);
  checker.expect_range("quads", p.quads, vertices);
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < points; ++i) boxes.push_back(box_of(p.positions, i, i + 1));
  checker.expect_tree(p.tree, boxes);
}

void check_part(const DistanceGrid& g, const Asset&, const Checker& checker) {
  checker.expect_size("lattice", g.lattice.size(), 5);
  checker.expect_size("places", g.places.size(), 3);
  if (!(g.lattice[3] >= 1 / largest("m"))) checker.fail("lattice", "entry 3 is no spacing");
  if (!(g.lattice[4] >= 0)) checker.fail("lattice", "entry 4 is below 0");
  std::int64_t places = 1;
  for (const std::int32_t along : g.places) {
    // The product of two numbers of 32 bits fits into 64; once it exceeds the maximum it stays there.
    if (along < 1 || along > kMaxPlaces) checker.fail("places", "is out of range");
    places = std::min<std::int64_t>(places * along, std::numeric_limits<std::int32_t>::max());
  }
  checker.expect_size("index", g.index.size(), static_cast<std::size_t>(places));
  const std::size_t bricks = g.coefficients.size() / kBrickSize;
  checker.expect_some("coefficients", bricks);
  std::vector<char> met(bricks, 0);
  for (std::size_t i = 0; i < g.index.size(); ++i) {
    if (g.index[i] == -1) continue;
    if (g.index[i] < 0 || static_cast<std::size_t>(g.index[i]) >= bricks ||
        met[static_cast<std::size_t>(g.index[i])]++ != 0)
      checker.fail("index", "entry " + std::to_string(i) + " is no brick, or one for the second time");
  }
  if (std::find(met.begin(), met.end(), 0) != met.end()) checker.fail("index", "leaves a brick out");
  for (std::size_t i = 0; i < g.coefficients.size(); ++i)
    if (!(std::abs(g.coefficients[i]) <= static_cast<float>(largest("m"))))
      checker.fail("coefficients", "entry " + std::to_string(i) + " is not finite or too large");
}

void check_part(const ConvexPiece& c, const Asset&, const Checker& checker) {
  const std::size_t vertices = c.vertices.size() / 3;
  checker.expect_some("vertices", vertices);
  checker.expect_some("support_lookup", c.support_lookup.size());
  checker.expect_size("adjacency_offsets", c.adjacency_offsets.size(), vertices + 1);
  checker.expect_rows("adjacency_offsets", c.adjacency_offsets, c.adjacency.size());
  checker.expect_range("triangles", c.triangles, vertices);
  checker.expect_range("adjacency", c.adjacency, vertices);
  checker.expect_range("support_lookup", c.support_lookup, vertices);
  checker.expect_range("candidates", c.candidates, vertices);
  if (c.candidate_offsets.empty()) return checker.expect_size("candidates", c.candidates.size(), 0);
  checker.expect_size("candidate_offsets", c.candidate_offsets.size(), c.support_lookup.size() + 1);
  checker.expect_rows("candidate_offsets", c.candidate_offsets, c.candidates.size());
  for (std::size_t cell = 0; cell < c.support_lookup.size(); ++cell)
    if (c.candidate_offsets[cell] == c.candidate_offsets[cell + 1])
      checker.fail("candidates", "row " + std::to_string(cell) + " is empty");
}

void check_part(const Pieces& p, const Asset& asset, const Checker& checker) {
  if (&p != asset.pieces.data()) checker.fail("errors", "are a second time");
  const std::size_t pieces = asset.convex.empty() ? 0 : asset.convex.size() - 1;  // without the hull
  checker.expect_some("errors", pieces);
  checker.expect_size("errors", p.errors.size(), 2);
  checker.expect_not_negative("errors", p.errors);
  checker.expect_size("adjacency_offsets", p.adjacency_offsets.size(), pieces + 1);
  checker.expect_rows("adjacency_offsets", p.adjacency_offsets, p.adjacency.size());
  checker.expect_range("adjacency", p.adjacency, pieces);
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::vector<double>& vertices = asset.convex[i + 1].vertices;
    boxes.push_back(box_of(vertices, 0, vertices.size() / 3));
  }
  checker.expect_tree(p.tree, boxes);
}

void check_part(const SphereSet& s, const Asset& asset, const Checker& checker) {
  if (&s != asset.spheres.data()) checker.fail("radii", "are a second time");
  checker.expect_some("radii", s.radii.size());
  checker.expect_not_negative("radii", s.radii);
  checker.expect_size("centers", s.centers.size(), 3 * s.radii.size());
  checker.expect_size("error", s.error.size(), 1);
  checker.expect_not_negative("error", s.error);
}

void check_mass(const MassProperties& mass, Checker& checker) {
  const double length = largest("m"), area = length * length, volume = area * length;
  checker.expect_magnitude("area", &mass.area, 1, area);
  checker.expect_magnitude("volume", &mass.volume, 1, volume);
  checker.expect_magnitude("center_of_mass", mass.center_of_mass, 3, length);
  checker.expect_magnitude("inertia", mass.inertia, 9, volume * area);
}

}  // namespace

Shape resolve(std::size_t size, const Shape& shape) {
  std::size_t fixed = 1;
  int free = 0;
  for (const int extent : shape) extent == kFree ? ++free : fixed *= static_cast<std::size_t>(extent);
  const std::size_t rest = size / fixed;
  const std::size_t length =
      free == 2 ? static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(rest)))) : rest;
  // Kernels count entries in 32 bits.
  const bool fits = size <= std::size_t{std::numeric_limits<std::int32_t>::max()} &&
                    fixed * (free == 2 ? length * length : length) == size;
  Shape result = shape;
  for (int& extent : result)
    if (extent == kFree) extent = fits ? static_cast<int>(length) : -1;
  return result;
}

void check(const Asset& asset, std::string_view file) {
  Checker checker(file, asset);
  visit_parts(asset, [&](const std::string& name, const auto& parts, Presence, auto&& visit_arrays) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      checker.enter(name + "/" + std::to_string(i) + "/");
      visit_arrays(parts[i], checker);
      check_part(parts[i], asset, checker);
    }
  });
  checker.enter("mass/");
  check_mass(asset.mass, checker);
}

}  // namespace abut::asset
