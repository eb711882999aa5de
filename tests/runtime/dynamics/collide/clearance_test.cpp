// Distances of the bodies of a system and their derivatives by its velocities.
#include "runtime/dynamics/collide/clearance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "preprocess/mesh/read.h"
#include "runtime/core/error.h"
#include "tests/support/allocations.h"
#include "tests/support/pieces_geometry.h"
#include "tests/support/refusal.h"
#include "tests/support/shapes.h"
#include "tests/support/tree_scenes.h"

namespace {

using namespace abut;
using namespace abut::test;
using dynamics::Scene;
using dynamics::Shape;
using dynamics::State;
using dynamics::System;

Pose<double> pose_of(const System& system, const State& state, std::size_t shape) {
  const std::size_t placed = system.placed_body_of_shape(shape), fixed = system.fixed_count();
  const Pose<double>& X_BS = system.shape(shape).X_BS;
  if (placed < fixed) return X_BS;
  const dynamics::BodyState& body = state.bodies[placed - fixed];
  return Pose<double>{body.q_WB.toRotationMatrix(), body.p_WB} * X_BS;
}

body::Geometry mesh_geometry(const preprocess::TriangleMesh& mesh) {
  return body::Geometry(surface_and_hull(mesh));
}

// A tree of every type of joint with a mesh on a link, free bodies, fixed boxes and a plane.
Scene mixed_scene() {
  Scene scene;
  dynamics::Shape box = box_shape({0.2, 0.1, 0.15});
  for (int i = 0; i < 3; ++i) {
    box.X_BS = {exp_rotation<double>({0.3 * i, 1.0, -0.2 * i}), {0.6 * i - 0.6, 0.5, 0.1 * i}};
    scene.fixed.push_back(box);
  }
  scene.fixed.push_back(floor_at(-1));
  add(scene, random_tree(7, every_joint_type(), false));
  const body::Geometry ring = mesh_geometry(test::torus(0.15, 0.04, 24, 12));
  scene.bodies[4].shapes.push_back({ring, {exp_rotation<double>({1, 0.2, 0}), {0.1, 0, 0}}, {}});
  for (int i = 0; i < 3; ++i) {
    dynamics::Body body = free_box("box" + std::to_string(i), {0.1, 0.05, 0.08}, 1, {0, 0, 1.0 + i});
    if (i > 0) body.shapes.push_back({ring, {exp_rotation<double>({0.1, 2, 1}), {0, 0.1, 0.1}}, {}});
    scene.bodies.push_back(body);
  }
  const auto count = static_cast<std::int32_t>(scene.bodies.size());
  scene.apart.emplace_back(count - 3, count - 2);
  return scene;
}

// Of all pairs of shapes of pairs that may meet, by the distance model: (A, B, least distance) of placed
// bodies.
std::vector<std::tuple<std::size_t, std::size_t, double>> brute_force(const System& system,
                                                                      const State& state,
                                                                      proximity::DistanceModel& model) {
  std::vector<std::tuple<std::size_t, std::size_t, double>> found;
  const auto first = system.first_shape();
  for (std::size_t A = 0; A + 1 < first.size(); ++A)
    for (std::size_t B = std::max(A + 1, system.fixed_count()); B + 1 < first.size(); ++B) {
      if (!system.may_meet(A, B)) continue;
      double least = std::numeric_limits<double>::infinity();
      for (auto a = static_cast<std::size_t>(first[A]); a < static_cast<std::size_t>(first[A + 1]); ++a)
        for (auto b = static_cast<std::size_t>(first[B]); b < static_cast<std::size_t>(first[B + 1]); ++b) {
          const body::Body on_A{system.shape(a).geometry}, on_B{system.shape(b).geometry};
          const Pose<double> X = pose_of(system, state, a).inverse() * pose_of(system, state, b);
          least = std::min(least, model.separation({&on_A, &on_B, X}).distance);
        }
      found.emplace_back(A, B, least);
    }
  return found;
}

TEST(Clearances, AreTheLeastOfAllPairsOfShapes) {
  const System system(mixed_scene());
  const auto model = proximity::make_distance_model("hull");
  dynamics::Clearances clearances(system, {.threads = 1});
  const auto fixed = static_cast<std::int32_t>(system.fixed_count());
  std::size_t count = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const State state = random_state(system, seed, 1);
    const auto all = brute_force(system, state, *model);
    for (const double margin : {0.0, 0.05, 0.5, 100.0}) {
      const auto& found = clearances.find(state, margin).pairs;
      std::size_t k = 0;
      for (const auto& [A, B, distance] : all) {
        if (distance > margin) continue;
        ASSERT_LT(k, found.size());
        EXPECT_EQ(found[k].A, std::max(static_cast<std::int32_t>(A) - fixed, dynamics::kFixed));
        EXPECT_EQ(found[k].B, static_cast<std::int32_t>(B) - fixed);
        EXPECT_EQ(system.placed_body_of_shape(static_cast<std::size_t>(found[k].shape_A)), A);
        EXPECT_EQ(system.placed_body_of_shape(static_cast<std::size_t>(found[k].shape_B)), B);
        EXPECT_NEAR(found[k].distance, distance, 1e-11);
        EXPECT_LT((found[k].p_B_W - found[k].p_A_W - distance * found[k].n_W).norm(), 1e-9);
        ++k;
      }
      EXPECT_EQ(k, found.size()) << margin;
      count += k;
    }
  }
  EXPECT_GT(count, 1000u);
}

// Bounding boxes, whose distance is zero in any overlap, do not hide the deeper of two.
TEST(Clearances, AreTheDeepestOfSeveralOverlaps) {
  Scene scene;
  scene.fixed.push_back(box_shape({1, 1, 1}));
  dynamics::Body body = free_box("body", {0.1, 0.1, 0.1}, 1, {0, 0, 1.099});
  body.shapes.push_back(box_shape({0.1, 0.1, 0.1}));
  body.shapes.back().X_BS.p = {0.3, 0, -0.02};
  scene.bodies.push_back(body);
  const System system(scene);
  dynamics::Clearances clearances(system, {.threads = 1});
  const auto& found = clearances.find(system.initial_state(), 0).pairs;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].distance, -0.021, 1e-12);
  EXPECT_EQ(found[0].shape_B, 2);
}

// The margin is that of the distance itself: a box whose corner region is near is not taken by its bounds.
TEST(Clearances, EndAtTheMargin) {
  Scene scene;
  scene.fixed.push_back(floor_at(0));
  scene.bodies.push_back(free_box("box", {0.1, 0.1, 0.1}, 1, {0, 0, 0.15}));
  const System system(scene);
  dynamics::Clearances clearances(system, {.threads = 1});
  const double distance = clearances.find(system.initial_state(), 1).pairs.at(0).distance;
  EXPECT_NEAR(distance, 0.05, 1e-15);
  EXPECT_EQ(clearances.find(system.initial_state(), distance).pairs.size(), 1u);
  EXPECT_TRUE(clearances.find(system.initial_state(), std::nextafter(distance, 0)).pairs.empty());
}

// Squares of distances overflow from 1e155 m on.
TEST(Clearances, OfBodiesAtTheEndOfTheNumbers) {
  const body::Geometry cube = mesh_geometry(preprocess::TriangleMesh(test::box(1, 1, 1)));
  for (const char* model : {"hull", "surface"}) {
    for (const double away : {1e150, 1e155, 1e160, 1e200, 1e300}) {
      Scene scene;
      scene.fixed.push_back(box_shape({0.1, 0.1, 0.1}));
      scene.fixed.push_back(floor_at(-1));
      scene.fixed.push_back({cube, {}, {}});
      dynamics::Body body = free_box("body", {0.1, 0.1, 0.1}, 1, {0, 0, away});
      body.shapes[0] = {cube, {}, {}};
      scene.bodies = {body};
      const System system(scene);
      dynamics::Clearances clearances(system, {.model = model, .threads = 1});
      const auto& found = clearances.find(system.initial_state(), 1e307).pairs;
      ASSERT_EQ(found.size(), 3u) << model << ' ' << away;
      for (const dynamics::Clearance& pair : found)
        EXPECT_TRUE(std::abs(pair.distance / away - 1) < 1e-12 ||
                    (std::isnan(pair.distance) && pair.status != Status::kOk))
            << model << ' ' << away << ' ' << pair.distance << ' ' << to_string(pair.status);
      EXPECT_TRUE(clearances.find(system.initial_state(), 0.9 * away).pairs.empty()) << model << ' ' << away;
    }
  }
}

// Fourth-order differences along each velocity, of the distance of the same bodies.
void expect_slopes(const System& system, const dynamics::ClearanceConfig& config, int seeds,
                   double tolerance) {
  dynamics::Clearances clearances(system, config), others(system, config);
  const dynamics::SystemTree& tree = clearances.tree();
  int compared = 0, off = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    dynamics::VecX<double> q, v, moved;
    tree.coordinates(random_state(system, static_cast<unsigned>(seed), 0), q, v);
    const dynamics::ClearanceList& found = clearances.find({&q, 1}, 0.3);
    const auto distances = [&](const dynamics::VecX<double>& direction, double step) {
      tree.tree().integrate(q, step * direction, moved);
      return others.find({&moved, 1}, 0.4).pairs;
    };
    for (Eigen::Index i = 0; i < found.velocities; ++i) {
      const dynamics::VecX<double> direction = tree.independent().col(i);
      constexpr double h = 1e-4;
      const std::vector<dynamics::Clearance> at[] = {distances(direction, -2 * h), distances(direction, -h),
                                                     distances(direction, h), distances(direction, 2 * h)};
      for (std::size_t k = 0; k < found.pairs.size(); ++k) {
        double d[4];
        bool same = true;  // the same shapes carry the distance
        for (int s = 0; s < 4; ++s) {
          const auto other = std::find_if(at[s].begin(), at[s].end(), [&](const auto& pair) {
            return pair.shape_A == found.pairs[k].shape_A && pair.shape_B == found.pairs[k].shape_B;
          });
          same = same && other != at[s].end();
          if (same) d[s] = other->distance;
        }
        if (!same) continue;
        const double slope = (d[0] - 8 * d[1] + 8 * d[2] - d[3]) / (12 * h);
        ++compared;
        off += std::abs(slope - found.dd_dv(k)[i]) > tolerance;
      }
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_LE(off, compared / 100) << compared;  // polytopes: steps that cross from feature to feature
}

TEST(Clearances, SlopesAreDifferencesAlongTheVelocities) {
  expect_slopes(System(mixed_scene()), {.threads = 1}, 20, 1e-6);
}

TEST(Clearances, OfSurfacesToo) { expect_slopes(System(mixed_scene()), {.model = "surface"}, 4, 1e-6); }

TEST(Clearances, HaveTheSameBitsForAnyNumberOfThreads) {
  const System system(mixed_scene());
  std::vector<State> states;
  for (unsigned seed = 0; seed < 50; ++seed) states.push_back(random_state(system, seed, 1));
  dynamics::Clearances one(system, {.threads = 1});
  const dynamics::ClearanceList expected = one.find(states, 0.3);
  for (const int threads : {2, 3}) {
    dynamics::Clearances many(system, {.threads = threads});
    const dynamics::ClearanceList& found = many.find(states, 0.3);
    ASSERT_EQ(found.pairs.size(), expected.pairs.size());
    EXPECT_EQ(found.slopes, expected.slopes);
    for (std::size_t k = 0; k < found.pairs.size(); ++k) {
      EXPECT_EQ(found.pairs[k].state, expected.pairs[k].state);
      EXPECT_EQ(found.pairs[k].B, expected.pairs[k].B);
      EXPECT_EQ(found.pairs[k].distance, expected.pairs[k].distance);
      EXPECT_EQ(found.pairs[k].p_A_W, expected.pairs[k].p_A_W);
    }
  }
  const std::size_t before = allocations();
  one.find(states, 0.3);
  EXPECT_EQ(allocations(), before);
}

// A tree that floats, alone: its distances do not change when the whole of it moves.
TEST(Clearances, DoNotChangeWhenAllMovesAlong) {
  Scene scene;
  using enum dynamics::JointType;
  add(scene, random_tree(3, {kFree, kRevolute, kSpherical, kRevolute, kPrismatic, kRevolute}, true));
  const System system(scene);
  dynamics::Clearances none(system, {.threads = 1}),
      clearances(system, {.within_groups = true, .threads = 1});
  std::size_t count = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const State state = random_state(system, seed, 0);
    EXPECT_TRUE(none.find(state, 10).pairs.empty());  // of one group
    const dynamics::ClearanceList& found = clearances.find(state, 10);
    for (std::size_t k = 0; k < found.pairs.size(); ++k) {
      const dynamics::Clearance& pair = found.pairs[k];
      const auto& joint = *system.body(static_cast<std::size_t>(pair.B)).joint;
      EXPECT_NE(joint.parent, pair.A);
      EXPECT_LT(found.dd_dv(k).head<6>().norm(), 1e-12);  // the base's
      EXPECT_GT(found.dd_dv(k).norm(), 1e-3);
    }
    count += found.pairs.size();
  }
  EXPECT_GT(count, 100u);
}

TEST(Clearances, RefuseWhatTheModelDoesNotTake) {
  const System system(mixed_scene());
  const std::string said = refusal([&] { dynamics::Clearances(system, {.model = "pieces", .threads = 1}); });
  EXPECT_NE(said.find("A is fixed shape 0, B shape 1 of body 'link4"), std::string::npos) << said;
  dynamics::Clearances clearances(system, {.threads = 1});
  EXPECT_THROW(clearances.find(system.initial_state(), -1), InvalidInput);
  EXPECT_THROW(clearances.find(system.initial_state(), NAN), InvalidInput);
}

// The Franka arm above a table, among boxes, as planners ask for it. The hulls of its links are their
// surfaces.
TEST(Clearances, OfTheFrankaArm) {
  const std::filesystem::path file = std::filesystem::path(ABUT_SHARED_DIR) / "data/robots/franka/fer.urdf";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
  Scene scene;
  TreeSource random(5);
  scene.fixed.push_back(floor_at(-0.05));
  for (int i = 1; i < 20; ++i) {
    Shape box = box_shape({random.number(0.02, 0.1), random.number(0.02, 0.1), random.number(0.02, 0.2)});
    const double angle = random.number(-3, 3), away = random.number(0.4, 0.9);
    box.X_BS = {exp_rotation<double>(random.vector(1)),
                {away * std::cos(angle), away * std::sin(angle), random.number(0, 0.9)}};
    scene.fixed.push_back(box);
  }
  dynamics::add_robot(scene, "fer", dynamics::read_urdf(file), {}, [](const dynamics::Mesh& mesh) {
    preprocess::Report report;
    return mesh_geometry(preprocess::convex_hull(preprocess::read_mesh(mesh.file, 1, report).vertices));
  });
  const System system(scene);
  expect_slopes(system, {.within_groups = true, .threads = 1}, 10, 1e-6);
}

}  // namespace
