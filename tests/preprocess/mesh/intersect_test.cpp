#include "preprocess/mesh/intersect.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "exact_check.h"
#include "preprocess/mesh/box_tree.h"
#include "runtime/core/random.h"

namespace abut::preprocess {
namespace {

// Corners on a small integer grid touch, overlap in a plane and share points all the time. The oracle works
// with exact constructions and other predicates.
TEST(MeetImproperly, AgreesWithExactConstructionsOnDegenerateContacts) {
  Random random(7);
  std::array<int, 2> seen{};
  for (int shared = 0; shared <= 2; ++shared) {
    for (int trial = 0; trial < 4000; ++trial) {
      TriangleMesh mesh;
      for (int v = 0; v < 6 - shared; ++v) {
        const auto x = [&] { return static_cast<double>(random.below(4)); };
        const double a = x(), b = x(), c = x();
        mesh.vertices.emplace_back(a, b, c);
      }
      mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
      if (shared == 1) mesh.triangles[1] = {3, 0, 4};
      if (shared == 2) mesh.triangles[1] = {2, 1, 3};
      const auto corners = [&](const Triangle& t) {
        return Corners{mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
      };
      const Corners s = corners(mesh.triangles[0]), t = corners(mesh.triangles[1]);
      if (shape_quality(s) == 0 || shape_quality(t) == 0) continue;
      const bool expected = count_exact_intersections(mesh) > 0;
      ++seen[expected];
      ASSERT_EQ(meet_improperly(mesh.triangles[0], s, mesh.triangles[1], t), expected)
          << "shared " << shared << ", trial " << trial;
      ASSERT_EQ(meet_improperly(mesh.triangles[1], t, mesh.triangles[0], s), expected);
    }
  }
  EXPECT_GT(seen[0], 1000);
  EXPECT_GT(seen[1], 1000);
}

TEST(BoxTree, FindsWhatBruteForceFindsWhileBoxesChange) {
  Random random(3);
  const auto random_box = [&] {
    Eigen::Vector3d lo, size;
    for (int k = 0; k < 3; ++k) {
      lo[k] = random.uniform();
      size[k] = 0.1 * random.uniform();
    }
    return BoxTree::Box(lo, Eigen::Vector3d(lo + size));
  };
  std::vector<BoxTree::Box> boxes;
  for (int i = 0; i < 300; ++i) boxes.push_back(random_box());
  boxes[17].setEmpty();
  BoxTree tree;
  tree.build(boxes);
  for (int step = 0; step < 500; ++step) {
    const auto item = static_cast<std::int32_t>(random.below(300));
    if (item != 17) {
      boxes[item] = step % 5 == 0 ? BoxTree::Box() : random_box();
      tree.set(item, boxes[item]);
    }
    const BoxTree::Box query = random_box();
    std::vector<std::int32_t> found, expected;
    tree.any([&](const BoxTree::Box& box) { return box.intersects(query); },
             [&](std::int32_t i) {
               found.push_back(i);
               return false;
             });
    for (std::int32_t i = 0; i < 300; ++i) {
      if (!boxes[i].isEmpty() && boxes[i].intersects(query)) expected.push_back(i);
    }
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace abut::preprocess
