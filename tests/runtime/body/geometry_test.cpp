#include "runtime/body/asset_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <thread>

#include "runtime/body/body.h"
#include "runtime/body/samples.h"
#include "runtime/body/tessellation.h"
#include "runtime/body/tetrahedra.h"
#include "runtime/core/error.h"
#include "tests/support/bodies.h"
#include "tests/support/primitives.h"
#include "tests/support/refusal.h"
#include "tests/support/tetrahedron_asset.h"

namespace {

using namespace abut;
using test::refusal;
using namespace abut::body;

// Every part twice, told apart by a size.
asset::Asset two_levels() {
  asset::Asset asset = test::tetrahedron_asset();
  const auto twice = [](auto& levels) { levels.push_back(levels.front()); };
  twice(asset.surfaces);
  twice(asset.convex);
  twice(asset.volumes);
  twice(asset.points);
  twice(asset.grids);
  return asset;
}

TEST(Geometry, IdsAreUniqueAndStayWithCopies) {
  const auto asset = std::make_shared<const asset::Asset>(test::tetrahedron_asset());
  const Geometry first(asset), second(asset), ball(Sphere<double>{0.1}), same_ball(Sphere<double>{0.1});
  EXPECT_EQ(std::set({first.id(), second.id(), ball.id(), same_ball.id()}).size(), 4u);
  Geometry copy = first;
  EXPECT_EQ(copy.id(), first.id());
  EXPECT_EQ(copy.surface().vertices, first.surface().vertices);
  copy = ball;
  EXPECT_EQ(copy.id(), ball.id());
  EXPECT_EQ(copy.surface().vertices, ball.surface().vertices);
  const Geometry moved = std::move(copy);
  EXPECT_EQ(moved.id(), ball.id());
  const Body body{first};
  EXPECT_EQ(body.geometry.id(), first.id());
}

TEST(Geometry, IdsAreUniqueOverThreads) {
  constexpr std::size_t kThreads = 4, kEach = 200;
  std::vector<std::uint64_t> ids(kThreads * kEach);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < kEach; ++i) ids[t * kEach + i] = Geometry(HalfSpace<double>{}).id();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
}

TEST(Geometry, SharesTheAssetAndKeepsIt) {
  auto asset = std::make_shared<const asset::Asset>(test::tetrahedron_asset());
  const std::weak_ptr<const asset::Asset> watch = asset;
  auto geometry = std::make_unique<Geometry>(asset);
  EXPECT_EQ(geometry->surface().vertices, asset->surfaces[0].vertices.data());
  EXPECT_EQ(geometry->convex().x, asset->convex[0].vertices.data());
  EXPECT_EQ(geometry->volume().vertices, asset->volumes[0].vertices.data());
  EXPECT_EQ(geometry->points().x, asset->points[0].positions.data());
  EXPECT_EQ(geometry->mass().volume, asset->mass.volume);
  EXPECT_EQ(geometry->name(), "tetrahedron");
  EXPECT_EQ(geometry->primitive(), nullptr);
  EXPECT_EQ(geometry->half_space(), nullptr);
  auto copy = std::make_unique<Geometry>(*geometry);
  asset.reset();
  geometry.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(copy->surface().triangle_count, 4);
  copy.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Geometry, DetailChoosesTheLevels) {
  const auto asset = std::make_shared<const asset::Asset>(two_levels());
  for (int level = 0; level < 2; ++level) {
    const Geometry geometry(asset, {level, level, level, level, level});
    EXPECT_EQ(geometry.convex().x, asset->convex[static_cast<std::size_t>(level)].vertices.data());
    EXPECT_EQ(geometry.surface().vertices, asset->surfaces[static_cast<std::size_t>(level)].vertices.data());
    EXPECT_EQ(geometry.volume().vertices, asset->volumes[static_cast<std::size_t>(level)].vertices.data());
    EXPECT_EQ(geometry.points().x, asset->points[static_cast<std::size_t>(level)].positions.data());
    EXPECT_EQ(geometry.grid().rows, asset->grids[static_cast<std::size_t>(level)].rows.data());
  }
  const Geometry mixed(asset, {.convex = 1, .volume = 1});
  EXPECT_EQ(mixed.convex().x, asset->convex[1].vertices.data());
  EXPECT_EQ(mixed.surface().vertices, asset->surfaces[0].vertices.data());
}

TEST(Geometry, NamesOfAssetsSayTheLevels) {
  const auto expect = [](const std::string& text, const std::string& file, const Detail& detail) {
    const AssetChoice found = parse_asset_choice(text);
    EXPECT_EQ(found.file, file);
    for (int Detail::*part :
         {&Detail::convex, &Detail::surface, &Detail::volume, &Detail::points, &Detail::grid})
      EXPECT_EQ(found.detail.*part, detail.*part) << text;
  };
  expect("mug", "mug", {});
  expect("mug:volume=1", "mug", {.volume = 1});
  expect("mug:points=2:convex=30", "mug", {.convex = 30, .points = 2});
  expect("a:b:surface=999999999", "a:b", {.surface = 999999999});
  expect("a:b", "a:b", {});
  expect("mug:volume=1:b", "mug:volume=1:b", {});
  expect("a=b", "a=b", {});
  expect("", "", {});
  expect(":volume=1", "", {.volume = 1});
  const auto said = [](const std::string& text) { return refusal([&] { (void)parse_asset_choice(text); }); };
  EXPECT_EQ(
      said("mug:level=1"),
      "asset 'mug:level=1': no part 'level'; there are convex (a piece), surface, volume, points (levels)");
  EXPECT_EQ(said("mug:volume=1:volume=1"), "asset 'mug:volume=1:volume=1': volume is given twice");
  for (const std::string number : {"", "-1", "+1", "1.0", "1000000000", "0x1", " 1", "1 "})
    EXPECT_EQ(said("mug:volume=" + number), "asset 'mug:volume=" + number + "': volume=" + number +
                                                ": not a whole number from 0 to 999999999");
}

TEST(Geometry, LevelsThatAreNotThereAreRefused) {
  const auto asset = std::make_shared<const asset::Asset>(two_levels());
  const auto said = [&](const Detail& detail) {
    return refusal([&] { const Geometry made(asset, detail); });
  };
  EXPECT_EQ(said({.convex = 2}), "asset 'tetrahedron': convex piece 2 is asked for; it has 2");
  EXPECT_EQ(said({.surface = 2}), "asset 'tetrahedron': surface level 2 is asked for; it has 2");
  EXPECT_EQ(said({.volume = -1}), "asset 'tetrahedron': volume level -1 is asked for; it has 2");
  EXPECT_EQ(said({.points = 1000}), "asset 'tetrahedron': level of points 1000 is asked for; it has 2");
  EXPECT_EQ(said({.grid = 2}), "asset 'tetrahedron': grid 2 is asked for; it has 2");
  EXPECT_NO_THROW(Geometry(asset::Asset{}));
  for (const Detail& detail : {Detail{.convex = 1}, Detail{.surface = 1}, Detail{.volume = 1},
                               Detail{.points = 1}, Detail{.surface = -1}})
    EXPECT_THROW(Geometry(asset::Asset{}, detail), InvalidInput);
  EXPECT_THROW(Geometry(std::shared_ptr<const asset::Asset>()), InvalidInput);
}

TEST(Geometry, OfAPrimitiveHasTrianglesTetrahedraAndPoints) {
  for (const Primitive& primitive : test::solid_primitives()) {
    const Geometry geometry(primitive, 0.05);
    SCOPED_TRACE(geometry.name());
    EXPECT_EQ(geometry.name(), row_of(primitive).name);
    ASSERT_NE(geometry.primitive(), nullptr);
    EXPECT_EQ(geometry.primitive()->index(), primitive.index());
    EXPECT_EQ(geometry.half_space(), nullptr);
    EXPECT_EQ(geometry.convex().vertex_count, 0);
    EXPECT_EQ(geometry.mass().volume, mass_properties(primitive).volume);
    const asset::Surface expected = tessellate(primitive, 0.05);
    ASSERT_EQ(static_cast<std::size_t>(geometry.surface().triangle_count), expected.triangles.size() / 3);
    EXPECT_TRUE(std::equal(expected.vertices.begin(), expected.vertices.end(), geometry.surface().vertices));
    const asset::Volume volume = tetrahedralize(primitive, 0.05);
    EXPECT_EQ(geometry.volume().id, geometry.id());
    ASSERT_EQ(static_cast<std::size_t>(geometry.volume().tetrahedron_count), volume.tetrahedra.size() / 4);
    EXPECT_TRUE(std::equal(volume.vertices.begin(), volume.vertices.end(), geometry.volume().vertices));
    const asset::OrientedPoints points = sample_surface(primitive);
    ASSERT_EQ(static_cast<std::size_t>(geometry.points().point_count), points.areas.size());
    EXPECT_TRUE(std::equal(points.positions.begin(), points.positions.end(), geometry.points().x));
  }
  const Geometry plane(HalfSpace<double>{0.02});
  ASSERT_NE(plane.half_space(), nullptr);
  EXPECT_EQ(plane.half_space()->thickness, 0.02);
  EXPECT_EQ(plane.surface().triangle_count, 0);
  EXPECT_EQ(plane.volume().tetrahedron_count, 0);
  EXPECT_EQ(plane.points().point_count, 0);
}

TEST(Geometry, PrimitivesThatAreNoneAreRefused) {
  EXPECT_THROW(Geometry(Sphere<double>{0}), InvalidInput);
  EXPECT_THROW(Geometry(HalfSpace<double>{-1}), InvalidInput);
  for (const double bad : {0.0, 0.6, std::nan("")})
    EXPECT_THROW(Geometry(Sphere<double>{0.1}, bad).surface(), InvalidInput);
}

// Witness queries take them as they are.
TEST(Geometry, PrimitivesThatAreNotMadeOfPartsAreNamed) {
  const Geometry large(Sphere<double>{1e15}), flat(Ellipsoid<double>{{1e-200, 1e6, 0.01}});
  const std::string refused = "'sphere:1e+15': tree builder";
  EXPECT_TRUE(refusal([&] { (void)large.surface(); }).starts_with(refused));
  EXPECT_TRUE(refusal([&] { (void)large.volume(); }).starts_with(refused));
  EXPECT_TRUE(refusal([&] { (void)flat.points(); }).starts_with("'ellipsoid:1e-200:1e+06:0.01': oriented"));
}

TEST(Geometry, ThePartsOfAPrimitiveAreMadeOnceForAllThreads) {
  for (int round = 0; round < 20; ++round) {
    const Geometry geometry(Sphere<double>{0.1}, 1e-2);
    constexpr std::size_t kThreads = 8;
    struct Seen {
      asset::SurfaceView surface;
      asset::VolumeView volume;
      asset::PointsView points;
    };
    std::vector<Seen> seen(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&seen, t, copy = geometry] {
        seen[t] = {copy.surface(), copy.volume(), copy.points()};
      });
    for (std::thread& thread : threads) thread.join();
    for (const auto& [surface, volume, points] : seen) {
      EXPECT_EQ(volume.vertices, geometry.volume().vertices);
      EXPECT_EQ(points.x, geometry.points().x);
      EXPECT_EQ(surface.vertices, geometry.surface().vertices);
      EXPECT_EQ(surface.triangle_count, geometry.surface().triangle_count);
      EXPECT_GT(surface.triangle_count, 0);
    }
  }
}

TEST(Geometry, SaysWhatItLacks) {
  const Geometry whole(test::tetrahedron_asset()), empty(asset::Asset{}), ball(Sphere<double>{0.1}),
      plane(HalfSpace<double>{});
  for (const unsigned part : {kNoPart, kConvexPart, kSurfacePart, kVolumePart, kGridPart})
    EXPECT_EQ(whole.missing_part(part), nullptr);
  EXPECT_EQ(empty.missing_part(kNoPart), nullptr);
  EXPECT_STREQ(empty.missing_part(kConvexPart), "has no convex hull; preprocess the object again");
  EXPECT_STREQ(empty.missing_part(kSurfacePart), "has no surface; preprocess the object again");
  EXPECT_STREQ(empty.missing_part(kVolumePart), "has no tetrahedra; preprocess the object again with --tets");
  EXPECT_STREQ(empty.missing_part(kPointsPart),
               "has no oriented points; preprocess the object again with --quads");
  EXPECT_STREQ(empty.missing_part(kGridPart),
               "has no distance grid; preprocess the object again with --grid auto");
  EXPECT_EQ(ball.missing_part(kConvexPart | kSurfacePart | kVolumePart | kPointsPart), nullptr);
  EXPECT_EQ(plane.missing_part(kConvexPart), nullptr);
  EXPECT_STREQ(plane.missing_part(kSurfacePart), "is a half-space: it has no surface");
  EXPECT_STREQ(plane.missing_part(kVolumePart), "is a half-space: it has no tetrahedra");
  EXPECT_STREQ(plane.missing_part(kPointsPart), "is a half-space: it has no oriented points");
}

TEST(Pair, WhatIsWrongIsNamed) {
  const Body ball = test::body_of(Sphere<double>{0.1}), plane = test::body_of(HalfSpace<double>{});
  const asset::Asset nothing = [] {
    asset::Asset asset;
    asset.name = "void";
    return asset;
  }();
  const Body empty = test::body_of(nothing);
  const auto said = [&](const Pair& pair, unsigned needs = kConvexPart) {
    return refusal([&] { require_valid(pair, needs, "this query"); });
  };
  EXPECT_EQ(said({&ball, &ball, {}}), "nothing thrown");
  EXPECT_EQ(said({nullptr, &ball, {}}), "this query: body A is missing");
  EXPECT_EQ(said({&ball, nullptr, {}}), "this query: body B is missing");
  EXPECT_EQ(said({&empty, &ball, {}}),
            "this query: body A ('void') has no convex hull; preprocess the object again");
  EXPECT_EQ(said({&ball, &empty, {}}),
            "this query: body B ('void') has no convex hull; preprocess the object again");
  EXPECT_EQ(said({&ball, &plane, {}}, kPointsPart),
            "this query: body B ('half_space') is a half-space: it has no oriented points");
  EXPECT_EQ(
      refusal([&] { require_valid(empty.geometry, kPointsPart, "this query"); }),
      "this query: the geometry ('void') has no oriented points; preprocess the object again with --quads");
  EXPECT_EQ(refusal([&] {
              require_valid({&ball, &empty, {}}, kConvexPart, kNoPart, "this query");
            }),
            "nothing thrown");
  for (const double bad : {std::nan(""), kRigid}) {
    Pair pair{&ball, &ball, {}};
    pair.X_AB.p.y() = bad;
    EXPECT_EQ(said(pair), "this query: the pose X_AB has an entry that is NaN or infinite");
    pair = {&ball, &ball, {}};
    pair.V_AB_B[4] = bad;
    EXPECT_EQ(said(pair), "this query: the twist V_AB_B has an entry that is NaN or infinite");
  }
  Pair pair{&ball, &ball, {}};
  pair.X_AB.R *= 1 + kRotationTolerance / 3;  // an error of two thirds of the tolerance
  EXPECT_EQ(said(pair), "nothing thrown");
  pair.X_AB.R *= 1 + kRotationTolerance;
  EXPECT_EQ(said(pair),
            "this query: R_AB of the pose is not a rotation; normalise it (or its quaternion) first");
  pair.X_AB.R = Vec3<double>(1, 1, -1).asDiagonal();
  EXPECT_NE(said(pair), "nothing thrown");
}

TEST(Material, OutOfRangeIsNamed) {
  const auto said = [](const Material& material) {
    return refusal([&] { require_valid(material, "this model", "B"); });
  };
  EXPECT_EQ(said({}), "nothing thrown");
  EXPECT_EQ(said({.modulus = kRigid}), "nothing thrown");
  EXPECT_EQ(said({.modulus = 1e-18, .dissipation = 1e12, .friction = 1e12}), "nothing thrown");
  EXPECT_EQ(said({.modulus = -3}),
            "this model: the modulus of B is -3 Pa; it must be from 1e-18 to 1e18, or its body rigid");
  for (const double bad : {0.0, 1e-19, 1e19, -kRigid, std::nan("")})
    EXPECT_NE(said({.modulus = bad}).find("the modulus of B"), std::string::npos) << bad;
  for (const double bad : {-1e-300, 1e13, kRigid, std::nan("")}) {
    EXPECT_NE(said({.dissipation = bad}).find("the dissipation of B"), std::string::npos) << bad;
    EXPECT_NE(said({.friction = bad}).find("the friction of B"), std::string::npos) << bad;
  }
}

TEST(Material, FrictionOfAPairIsTheHarmonicMean) {
  const auto of = [](double a, double b) { return pair_friction({.friction = a}, {.friction = b}); };
  EXPECT_DOUBLE_EQ(of(0.3, 0.6), 0.4);
  EXPECT_DOUBLE_EQ(of(0.6, 0.3), 0.4);
  EXPECT_DOUBLE_EQ(of(0.5, 0.5), 0.5);
  EXPECT_EQ(of(0, 0.5), 0);
  EXPECT_EQ(of(0.5, 0), 0);
  EXPECT_EQ(of(0, 0), 0);
  EXPECT_DOUBLE_EQ(of(1e12, 1e12), 1e12);
}

}  // namespace
