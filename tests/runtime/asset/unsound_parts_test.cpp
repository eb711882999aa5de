#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "runtime/core/error.h"
#include "tests/support/tetrahedron_asset.h"

// Parts whose numbers do not fit together: not written, and so not read.
namespace {

using namespace abut;

class UnsoundParts : public testing::Test {
 protected:
  UnsoundParts()
      : file_(std::filesystem::temp_directory_path() /
              ("abut_unsound_" + std::to_string(::getpid()) + ".h5")) {}
  ~UnsoundParts() override { std::filesystem::remove(file_); }

  // What save() says of an asset; nothing where it takes it.
  std::string answer(const asset::Asset& asset) const {
    try {
      asset::save(asset, file_);
    } catch (const BadAsset& error) {
      return error.what();
    }
    return "";
  }
  void expect_refused(const char* words, const asset::Asset& asset) const {
    const std::string message = answer(asset);
    EXPECT_NE(message.find(words), std::string::npos) << "got '" << message << "', not '" << words << "'";
  }

  std::filesystem::path file_;
};

// What a query would leave the arrays by, or take for a number.
TEST_F(UnsoundParts, GridsThatAQueryWouldLeaveAreRefused) {
  const auto expect = [&](const char* words, const std::function<void(asset::DistanceGrid&)>& spoil) {
    asset::Asset a = test::tetrahedron_asset();
    spoil(a.grids[0]);
    expect_refused(words, a);
  };
  using Grid = asset::DistanceGrid;
  EXPECT_EQ(answer(test::tetrahedron_asset()), "");
  expect("lattice has 10 entries, not 5", [](Grid& g) { g.lattice.resize(10); });
  expect("lattice has 4 entries, not 5", [](Grid& g) { g.lattice.resize(4); });
  expect("lattice entry 3 is no spacing", [](Grid& g) { g.lattice[3] = 0; });
  expect("lattice entry 3 is no spacing", [](Grid& g) { g.lattice[3] = -0.125; });
  expect("lattice entry 3 is no spacing", [](Grid& g) { g.lattice[3] = 1e-300; });
  expect("lattice entry 3 is not finite", [](Grid& g) { g.lattice[3] = std::nan(""); });
  expect("lattice entry 0 is too large", [](Grid& g) { g.lattice[0] = 1e16; });
  expect("lattice entry 4 is below 0", [](Grid& g) { g.lattice[4] = -1; });
  expect("places has 6 entries, not 3", [](Grid& g) { g.places.resize(6, 1); });
  for (const std::int32_t along : {0, -1, 1 << 25, std::numeric_limits<std::int32_t>::max()})
    expect("places is out of range", [&](Grid& g) { g.places[1] = along; });
  expect("index has 3 entries", [](Grid& g) { g.places = {1 << 16, 1 << 16, 1 << 16}; });
  expect("index has 3 entries, not 6", [](Grid& g) { g.places[2] = 2; });
  expect("index has 4 entries, not 3", [](Grid& g) { g.index.push_back(-1); });
  for (const std::int32_t brick : {2, -2, 1 << 30, std::numeric_limits<std::int32_t>::min()})
    expect("index entry 2 is no brick", [&](Grid& g) { g.index[2] = brick; });
  expect("index entry 1 is no brick, or one for the second time", [](Grid& g) { g.index[1] = 1; });
  expect("index leaves a brick out", [](Grid& g) { g.index[1] = -1; });
  expect("coefficients is empty", [](Grid& g) {
    g.coefficients.clear();
    g.index = {-1, -1, -1};
  });
  expect("coefficients has the wrong size", [](Grid& g) { g.coefficients.pop_back(); });
  for (const float bad : {std::nanf(""), HUGE_VALF, -HUGE_VALF, 1e30F})
    expect("coefficients entry 70 is not finite or too large", [&](Grid& g) { g.coefficients[70] = bad; });
}

// The hull and two pieces of it, alike.
asset::Asset with_pieces() {
  asset::Asset asset = test::tetrahedron_asset();
  asset.convex.assign(3, asset.convex[0]);
  auto& p = asset.pieces.emplace_back();
  p.errors = {0.001, 0.002};
  p.adjacency_offsets = {0, 1, 2};
  p.adjacency = {1, 0};
  p.tree = test::one_leaf(2, {0, 0, 0, 1, 1, 0.34F});
  return asset;
}

TEST_F(UnsoundParts, PiecesAreWrittenAndReadAndThoseThatAQueryWouldLeaveAreRefused) {
  asset::save(with_pieces(), file_);
  const asset::Asset read = asset::load(file_);
  ASSERT_EQ(read.pieces.size(), 1U);
  EXPECT_EQ(read.pieces[0].errors, with_pieces().pieces[0].errors);
  EXPECT_EQ(read.pieces[0].adjacency, with_pieces().pieces[0].adjacency);
  EXPECT_EQ(read.pieces[0].tree.bounds, with_pieces().pieces[0].tree.bounds);
  const auto expect = [&](const char* words, const std::function<void(asset::Asset&)>& spoil) {
    asset::Asset a = with_pieces();
    spoil(a);
    expect_refused(words, a);
  };
  expect("errors is empty", [](asset::Asset& a) { a.convex.resize(1); });
  expect("errors is empty", [](asset::Asset& a) { a.convex.clear(); });
  expect("errors are a second time", [](asset::Asset& a) { a.pieces.push_back(a.pieces[0]); });
  expect("errors has 4 entries, not 2", [](asset::Asset& a) { a.pieces[0].errors.resize(4); });
  expect("errors entry 1 is below 0", [](asset::Asset& a) { a.pieces[0].errors[1] = -1e-3; });
  expect("errors entry 0 is not finite", [](asset::Asset& a) { a.pieces[0].errors[0] = std::nan(""); });
  expect("adjacency_offsets has 3 entries, not 4", [](asset::Asset& a) { a.convex.push_back(a.convex[0]); });
  expect("does not divide the entries", [](asset::Asset& a) { a.pieces[0].adjacency_offsets[1] = 5; });
  for (const std::int32_t piece : {-1, 2, std::numeric_limits<std::int32_t>::max()})
    expect("adjacency entry 0 is", [&](asset::Asset& a) { a.pieces[0].adjacency[0] = piece; });
  expect("is out of range", [](asset::Asset& a) { a.pieces[0].tree.counts[0] = 3; });
  expect("leaves something out", [](asset::Asset& a) { a.pieces[0].tree.counts[0] = 1; });
}

TEST_F(UnsoundParts, SpheresAreWrittenAndReadAndThoseThatDoNotFitTogetherAreRefused) {
  asset::Asset whole = test::tetrahedron_asset();
  whole.spheres = {{{0, 0, 0, 0.1, 0, 0}, {0.2, 0.3}, {0.01}}};
  asset::save(whole, file_);
  const asset::Asset read = asset::load(file_);
  ASSERT_EQ(read.spheres.size(), 1U);
  EXPECT_EQ(read.spheres[0].centers, whole.spheres[0].centers);
  EXPECT_EQ(read.spheres[0].radii, whole.spheres[0].radii);
  EXPECT_EQ(read.spheres[0].error, whole.spheres[0].error);
  const auto expect = [&](const char* words, const std::function<void(asset::SphereSet&)>& spoil) {
    asset::Asset a = whole;
    spoil(a.spheres[0]);
    expect_refused(words, a);
  };
  using Set = asset::SphereSet;
  expect("spheres/0/radii is empty", [](Set& s) { s.radii.clear(); });
  expect("radii entry 1 is below 0", [](Set& s) { s.radii[1] = -0.3; });
  expect("centers has 6 entries, not 3", [](Set& s) { s.radii.pop_back(); });
  expect("centers entry 2 is not finite", [](Set& s) { s.centers[2] = std::nan(""); });
  expect("radii entry 0 is too large", [](Set& s) { s.radii[0] = 1e16; });
  expect("error has 0 entries, not 1", [](Set& s) { s.error.clear(); });
  expect("error entry 0 is below 0", [](Set& s) { s.error[0] = -1; });
  whole.spheres.push_back(whole.spheres[0]);
  expect_refused("second time", whole);
}

// Numbers are told with the digits that they have: 0, or 1e-9, and not 0.000000.
TEST_F(UnsoundParts, PointsWithoutASpacingAreRefusedByTheNumber) {
  asset::Asset a = test::tetrahedron_asset();
  a.points[0].spacing[0] = 0;
  asset::save(a, file_);
  try {
    (void)asset::load(file_);
    FAIL() << "loaded";
  } catch (const BadAsset& error) {
    EXPECT_NE(std::string(error.what()).find("the spacing is 0 m; it must be positive"), std::string::npos)
        << error.what();
  }
}

// An unused child's box that anything meets would be walked into.
TEST_F(UnsoundParts, TreesThatATraversalWouldLeaveAreRefused) {
  const auto expect = [&](const char* words, const std::function<void(bvh::Tree&)>& spoil) {
    asset::Asset a = test::tetrahedron_asset();
    spoil(a.surfaces[0].tree);
    expect_refused(words, a);
  };
  expect("child 1 is not the box", [](bvh::Tree& t) { t.bounds[1] = 0; });
  expect("child 0 is not the box", [](bvh::Tree& t) { t.bounds[12] = -1; });
  expect("child 0 is not the box", [](bvh::Tree& t) { t.bounds[12] = 3.4e38F; });
  expect("child 0 is not the box", [](bvh::Tree& t) { t.bounds[0] = 1e-3F; });  // hides a corner
  expect("leaves something out", [](bvh::Tree& t) { t.counts[0] = 3; });
  expect("second leaf", [](bvh::Tree& t) { t.counts[1] = 1; });
  expect("is out of range", [](bvh::Tree& t) { t.children[1] = INT32_MIN; });
  expect("is empty", [](bvh::Tree& t) { t = {}; });
}

}  // namespace
