#include "runtime/bvh/traversal.h"

#include <gtest/gtest.h>

#include "runtime/bvh/build.h"
#include "runtime/core/random.h"

namespace {

using abut::Random;
using abut::Vec3;
using abut::bvh::Box;
using abut::bvh::build_tree;
using abut::bvh::BuiltTree;

// Points as primitives: the nearest found through the tree is the nearest of all, to the bit, wherever the
// cloud lies and however little single precision tells its points apart.
template <class S>
void check(double scale, double offset) {
  std::vector<Box> boxes;
  std::vector<Vec3<S>> points;
  for (int i = 0; i < 3000; ++i) {
    Random random(11, i);
    Vec3<double> p;
    for (int k = 0; k < 3; ++k) p[k] = offset + scale * std::round(40 * random.uniform()) / 40;
    boxes.push_back({p, p});
  }
  const BuiltTree built = build_tree(boxes);
  for (const std::int32_t i : built.order) points.push_back(boxes[i].lo.cast<S>());
  std::int64_t leaves = 0;
  for (int q = 0; q < 500; ++q) {
    Random random(12, q);
    Vec3<S> query;
    for (int k = 0; k < 3; ++k) query[k] = S(offset + scale * random.uniform(-0.3, 1.3));
    if (q % 5 == 0) query = points[random.below(points.size())];
    S expected = std::numeric_limits<S>::infinity(), found = expected;
    for (const auto& p : points) expected = std::min(expected, (p - query).squaredNorm());
    abut::bvh::visit_nearest<S>(view(built.tree), query, found,
                                [&](std::int32_t first, std::int32_t count, S& bound) {
                                  ++leaves;
                                  for (std::int32_t i = first; i < first + count; ++i)
                                    bound = std::min(bound, (points[i] - query).squaredNorm());
                                });
    ASSERT_EQ(found, expected);
  }
  if (offset == 0) {
    EXPECT_LT(leaves / 500, 30);
  }
}

TEST(VisitNearest, NeverMissesTheNearest) {
  for (const double scale : {1e-6, 0.1, 1e3}) {
    for (const double offset : {0.0, 1.0, 1e4}) {
      check<double>(scale, offset);
      check<long double>(scale, offset);
      if (scale > 1e-3 && offset < 10) check<float>(scale, offset);
    }
  }
}

TEST(VisitNearest, StartsFromTheBoundItIsGiven) {
  const std::vector<Box> boxes(10, {Vec3<double>(1, 0, 0), Vec3<double>(1, 0, 0)});
  const BuiltTree built = build_tree(boxes);
  const auto visits = [&](double bound) {
    int count = 0;
    abut::bvh::visit_nearest<double>(view(built.tree), Vec3<double>::Zero(), bound,
                                     [&](std::int32_t, std::int32_t n, double&) { count += n; });
    return count;
  };
  EXPECT_EQ(visits(0.99), 0);
  EXPECT_EQ(visits(1), 10);
}

TEST(VisitNearest, EmptyTree) {
  const BuiltTree built = build_tree({});
  double bound = std::numeric_limits<double>::infinity();
  abut::bvh::visit_nearest<double>(view(built.tree), Vec3<double>::Zero(), bound,
                                   [&](std::int32_t, std::int32_t, double&) { FAIL(); });
}

// Points in a cube: none is missed, and leaves far from it are not looked at.
TEST(VisitBoxes, NeverMissesWhatMeets) {
  std::vector<Box> boxes;
  for (int i = 0; i < 3000; ++i) {
    Random random(13, i);
    const Vec3<double> p(random.uniform(), random.uniform(), random.uniform());
    boxes.push_back({p, p});
  }
  const BuiltTree built = build_tree(boxes);
  for (int q = 0; q < 200; ++q) {
    Random random(14, q);
    const Vec3<double> center(random.uniform(), random.uniform(), random.uniform());
    const double half = 0.05;
    const auto meets = [&](const Vec3<double>& low, const Vec3<double>& high) {
      return (low - center).maxCoeff() <= half && (center - high).maxCoeff() <= half;
    };
    std::int64_t expected = 0, found = 0, visited = 0;
    for (const Box& box : boxes) expected += meets(box.lo, box.hi);
    abut::bvh::visit_boxes(view(built.tree), meets, [&](std::int32_t first, std::int32_t count) {
      visited += count;
      for (std::int32_t i = first; i < first + count; ++i) {
        const Box& box = boxes[built.order[i]];
        found += meets(box.lo, box.hi);
      }
    });
    ASSERT_EQ(found, expected);
    EXPECT_LT(visited, 300);
  }
  abut::bvh::visit_boxes(
      view(build_tree({}).tree), [](const auto&, const auto&) { return true; },
      [](std::int32_t, std::int32_t) { FAIL(); });
}

}  // namespace
