#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "runtime/core/random.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/witness/pieces_query.h"
#include "tests/support/allocations.h"
#include "tests/support/pieces_geometry.h"
#include "tests/support/shapes.h"

// Contact regions of unions of convex pieces.
namespace abut::proximity {
namespace {

using witness::PiecesSolver;
using witness::PiecesWitness;

body::Geometry geometry_of(const preprocess::TriangleMesh& mesh, double error) {
  return test::pieces_geometry(mesh, {.kind = preprocess::PieceParameters::Kind::kAuto, .error = error});
}

const body::Body& chair() {
  static const body::Body body{geometry_of(test::chair_of_boxes(), 1e-4), {}};
  return body;
}

const body::Body& ring() {
  static const body::Body body{geometry_of(test::torus(0.05, 0.015, 20, 10), 4e-3), {}};
  return body;
}

bool touch(const body::Geometry& geometry, std::int32_t one, std::int32_t other) {
  if (one == other || one < 0) return one == other;
  const asset::PiecesView& pieces = geometry.pieces();
  for (std::int32_t k = pieces.adjacency_offsets[one]; k < pieces.adjacency_offsets[one + 1]; ++k)
    if (pieces.adjacency[k] == other) return true;
  return false;
}

// The least distance of every region, found by growing each from one of its pairs.
std::multiset<double> least_of_regions(const body::Pair& pair, double margin) {
  PiecesSolver solver(pair.A->geometry, pair.B->geometry);
  const std::span<const PiecesWitness> found = solver.up_to(pair.X_AB, margin);
  std::vector<PiecesWitness> left(found.begin(), found.end());
  std::multiset<double> least;
  while (!left.empty()) {
    std::vector<PiecesWitness> region{left.back()};
    left.pop_back();
    double nearest = region[0].witness.distance;
    for (std::size_t i = 0; i < region.size(); ++i)
      for (std::size_t k = left.size(); k-- > 0;)
        if (touch(pair.A->geometry, region[i].piece_A, left[k].piece_A) &&
            touch(pair.B->geometry, region[i].piece_B, left[k].piece_B)) {
          nearest = std::min(nearest, left[k].witness.distance);
          region.push_back(left[k]);
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
        }
    least.insert(nearest);
  }
  return least;
}

TEST(PiecesContacts, AreTheNearestPairsOfRegions) {
  const auto model = make_distance_model("pieces");
  const body::Body ball{body::Geometry(body::Sphere<double>{0.03}), {}},
      plate{body::Geometry(body::Box<double>{{1, 1, 0.01}}), {}};
  std::size_t most = 0;
  for (int i = 0; i < 60; ++i) {
    Random random(1, i);
    const auto unit = [&] {
      return Vec3<double>(random.normal(), random.normal(), random.normal()).normalized();
    };
    const Pose<double> X{exp_rotation<double>(random.uniform(0, 3) * unit()),
                         random.uniform(0, 0.1) * unit()};
    const Pose<double> tilted{exp_rotation<double>(0.01 * unit()), {X.p.x(), X.p.y(), -0.3 * X.p.norm()}};
    for (const body::Pair& pair : {body::Pair{&ring(), &ring(), X},
                                   {&chair(), &plate, tilted},
                                   {&ring(), &ball, X},
                                   {&ball, &chair(), X.inverse()}})
      for (const double margin : {0.0, 0.005, 0.05}) {
        const std::span<const Contact> contacts = model->contacts(pair, margin, true);
        const std::multiset<double> least = least_of_regions(pair, margin);
        ASSERT_EQ(contacts.size(), least.size()) << i << ' ' << margin;
        most = std::max(most, contacts.size());
        auto expected = least.begin();
        for (const Contact& contact : contacts) {
          EXPECT_NEAR(contact.pair.witness.distance, *expected++, 1e-12);
          EXPECT_LT((contact.pair.derivative.dd_dxi_B.tail<3>().transpose() -
                     pair.X_AB.R.transpose() * contact.pair.witness.n)
                        .norm(),
                    1e-6);
        }
        const std::size_t count = contacts.size();
        EXPECT_EQ(model->contacts({pair.B, pair.A, pair.X_AB.inverse()}, margin, false).size(), count);
      }
  }
  EXPECT_EQ(most, 4u);  // legs
}

TEST(PiecesContacts, FourLegsOnAPlateAreFour) {
  const body::Body plate{body::Geometry(body::Box<double>{{1, 1, 0.01}}), {}};
  const auto model = make_distance_model("pieces");
  double lowest = 0;
  for (const Eigen::Vector3d& v : test::chair_of_boxes().vertices) lowest = std::min(lowest, v.z());
  for (const double gap : {1e-3, 0.0, -1e-4}) {
    const Pose<double> X{Mat3<double>::Identity(), {0, 0, lowest - 0.01 - gap}};
    const std::span<const Contact> contacts = model->contacts({&chair(), &plate, X}, 2e-3, true);
    ASSERT_EQ(contacts.size(), 4u) << gap;
    std::set<std::uint32_t> pieces;
    for (const Contact& contact : contacts) {
      pieces.insert(contact.feature_A);
      EXPECT_EQ(contact.feature_B, 0u);
      EXPECT_NEAR(contact.pair.witness.distance, gap, 1e-12);
      EXPECT_NEAR(contact.pair.derivative.dd_dxi_B[5], -1, 1e-9);
      EXPECT_LE(contact.pair.witness.lower_bound, gap + 1e-12);
    }
    EXPECT_EQ(pieces.size(), 4u);
  }
  const Pose<double> far{Mat3<double>::Identity(), {0, 0, lowest - 1}};
  EXPECT_TRUE(model->contacts({&chair(), &plate, far}, 2e-3, true).empty());
  const Pose<double> none{Mat3<double>::Identity(), {std::nan(""), 0, 0}};
  EXPECT_EQ(model->contacts({&chair(), &plate, none}, 2e-3, false)[0].pair.witness.status,
            Status::kInvalidInput);
}

TEST(PiecesContacts, AllocateNothingInTheSteadyState) {
  const auto model = make_distance_model("pieces");
  const auto ask_all = [&] {
    for (int i = 0; i < 20; ++i)
      (void)model->contacts(
          {&ring(), &ring(), {exp_rotation<double>({0.1 * i, 0.3, 0}), {0.01 * i - 0.1, 0.02, 0}}}, 0.01,
          true);
  };
  ask_all();
  const std::size_t before = test::allocations();
  ask_all();
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace abut::proximity
