// Assets that touch as unions of their convex pieces.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/dynamics/collide/piece_contact.h"
#include "runtime/dynamics/collide/piece_faces.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_file.h"
#include "tests/support/allocations.h"
#include "tests/support/pieces_geometry.h"
#include "tests/support/random_piles.h"
#include "tests/support/refusal.h"
#include "tests/support/shapes.h"

namespace {

using namespace abut;
using namespace abut::dynamics;

preprocess::TriangleMesh moved_box(const Vec3<double>& sizes, const Vec3<double>& middle) {
  preprocess::TriangleMesh mesh = test::box(sizes.x(), sizes.y(), sizes.z());
  for (Vec3<double>& v : mesh.vertices) v += middle;
  return mesh;
}

StepConfig by_pieces(int threads = 1) { return {.source = contact_source("pieces"), .threads = threads}; }

void expect_refused(const std::function<void()>& call, const std::vector<std::string>& words) {
  const std::string said = test::refusal(call);
  for (const std::string& word : words) EXPECT_NE(said.find(word), std::string::npos) << said;
}

class Pieces : public testing::Test {
 protected:
  // A table of 2 m, its top at z = 0: two boxes that meet at x = 0.
  static body::Geometry table() {
    return test::union_geometry(
        {moved_box({1, 2, 0.2}, {-0.5, 0, -0.1}), moved_box({1, 2, 0.2}, {0.5, 0, -0.1})});
  }
  // Two slopes of 45 degrees that meet in a groove along y, at z = 0.
  static body::Geometry groove() {
    const auto slope = [](double x) {
      const Vec3<double> corners[] = {{0, -1, 0}, {0, 1, 0}, {x, -1, 1}, {x, 1, 1}, {x, -1, -1}, {x, 1, -1}};
      return preprocess::convex_hull(corners);
    };
    return test::union_geometry({slope(-1), slope(1)});
  }
  static const body::Geometry& ring() {  // hole of radius 8 cm
    static const body::Geometry made = test::pieces_geometry(
        test::torus(0.1, 0.02, 24, 12),
        {.kind = preprocess::PieceParameters::Kind::kAuto, .count = 64, .error = 0.004});
    return made;
  }
  static Scene read(const std::string& text) {
    std::istringstream in(text);
    return read_scene(in, "test", [](const std::string& name) -> body::Geometry {
      if (name == "ring") return ring();
      throw InvalidInput("no asset '" + name + "'");
    });
  }
  // What moves as `text` says, on a fixed asset.
  static Scene on(const body::Geometry& fixed, const std::string& text) {
    Scene scene = read(text);
    scene.fixed.push_back({fixed, {}});
    return scene;
  }
  // Steps through `seconds`; no step adds energy.
  static void run(Simulation& simulation, double seconds) {
    while (simulation.time() < seconds) {
      const double before = simulation.report().kinetic + simulation.report().potential;
      const StepReport& report = simulation.step();
      EXPECT_LT(report.kinetic + report.potential - before - report.stabilisation_work, 1e-9)
          << simulation.time();
    }
  }
};

TEST_F(Pieces, RingHangsOnABar) {
  Simulation simulation(read("gravity 0 0 -9.81\nmu 0.5\nsbox 0 0 1 1 0 0 0 0.3 0.015 0.01\n"
                             "object r ring 1000 0 0 0.93 0.70710678 0 0.70710678 0 0 0 0 0 0 0\n"),
                        by_pieces());
  run(simulation, 3);
  EXPECT_LT(simulation.report().penetration, 1e-3);
  const BodyState& hanging = simulation.states()[0];
  EXPECT_GT(hanging.p_WB.z(), 0.9);
  EXPECT_LT(hanging.v_WB.norm(), 0.02);
}

TEST_F(Pieces, BallFallsThroughTheHoleOfARing) {
  Simulation simulation(read("gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n"
                             "object r ring 1000 0 0 0.025 1 0 0 0 0 0 0 0 0 0\n"
                             "body ball 0.1 1e-4 1e-4 1e-4 0.01 0 0.2 1 0 0 0 0 0 0 0 0 0 1\n"
                             " sphere 0.05 0 0 0 1 0 0 0\n"),
                        by_pieces());
  run(simulation, 1);
  EXPECT_NEAR(simulation.states()[1].p_WB.z(), 0.05, 1e-3);
  EXPECT_LT(simulation.states()[1].p_WB.head<2>().norm(), 0.1);
  EXPECT_NEAR(simulation.states()[0].p_WB.z(), 0.02, 5e-3);  // to the pieces' outward error
}

// Where pieces meet there is neither an edge that holds what slides over it nor a side that it can run into.
TEST_F(Pieces, WhatSlidesIsNotHeldWherePiecesMeet) {
  const std::string start =
      "gravity 0 0 -9.81\nmu 0\nbody b 1 0.01 0.01 0.01 -0.3 0 0.1 1 0 0 0 1 0 0 0 0 0 1\n";
  for (const char* shape : {" box 0.1 0.1 0.1", " sphere 0.1", " cyl 0.1 0.1"}) {
    SCOPED_TRACE(shape);
    for (const double lower : {0.0, 1e-6, 1e-5}) {
      Scene scene = on(table(), start + shape + " 0 0 0 1 0 0 0\n");
      scene.bodies[0].p_WB.z() -= lower;
      Simulation simulation(std::move(scene), by_pieces());
      run(simulation, 0.6);
      EXPECT_NEAR(simulation.states()[0].p_WB.x(), 0.3, 1e-5);
      EXPECT_NEAR(simulation.states()[0].p_WB.z(), 0.1, 1e-4);
    }
  }
}

// On two of its edges the box is as unstable as a pencil on its point: rounding decides whether it falls onto
// a face first.
TEST_F(Pieces, GrooveHolds) {
  for (const char* turned : {"1 0 0 0", "0.9238795325112867 0 0.3826834323650898 0"}) {
    for (const char* shape : {" box 0.1 0.1 0.1", " sphere 0.1"}) {
      SCOPED_TRACE(std::string(shape) + turned);
      Simulation simulation(
          on(groove(), "gravity 0 0 -9.81\nmu 0.2\nbody b 1 0.01 0.01 0.01 0.01 0 0.25 " +
                           std::string(turned) + " 0 0 0 0 0 0 1\n" + shape + " 0 0 0 1 0 0 0\n"),
          by_pieces());
      run(simulation, 6);
      EXPECT_GT(simulation.states()[0].p_WB.z(), 0.09);
      EXPECT_LT(std::abs(simulation.states()[0].p_WB.x()), 0.02);
      EXPECT_LT(simulation.states()[0].v_WB.norm(), 1e-3);
    }
  }
}

// A coin and a ring lie on all of what they touch, where pieces meet too.
TEST_F(Pieces, FacesRestOnFaces) {
  Simulation simulation(on(table(),
                           "gravity 0 0 -9.81\nmu 0.5\n"
                           "object r ring 1000 0 0.3 0.024 1 0 0 0 0 0 0 0 0 0\n"
                           "body coin 0.1 1e-4 1e-4 2e-4 0 -0.3 0.011 1 0 0 0 0 0 0 0 0 0 1\n"
                           " cyl 0.1 0.01 0 0 0 1 0 0 0\n"),
                        by_pieces());
  run(simulation, 1);
  for (const BodyState& body : simulation.states()) {
    EXPECT_LT(body.v_WB.norm(), 1e-4);
    EXPECT_GT((body.q_WB * Vec3<double>::UnitZ()).z(), 0.99);
  }
  EXPECT_NEAR(simulation.states()[1].p_WB.z(), 0.01, 1e-5);
}

// Of many points of nearly the same place rounding decides which are kept.
TEST_F(Pieces, ContactsKeepTheirNamesAndNoTwoShareOne) {
  Simulation simulation(on(table(),
                           "gravity 0 0 -9.81\nmu 0.5\nobject a ring 1000 0 0 0.024 1 0 0 0 0 0 0 0 0 0\n"
                           "object b ring 1000 0 0 0.07 1 0 0 0 0 0 0 0 0 0\n"),
                        by_pieces());
  run(simulation, 1);
  const auto names = [&] {
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> keys;
    for (const ContactImpulse& impulse : simulation.state().impulses)
      EXPECT_TRUE(keys.emplace(impulse.key.shape_A, impulse.key.shape_B, impulse.key.feature).second);
    return keys;
  };
  const auto before = names();
  EXPECT_GE(before.size(), 6U);
  simulation.step();
  const auto after = names();
  std::size_t kept = 0;
  for (const auto& name : before) kept += after.count(name);
  EXPECT_GE(2 * kept, before.size());
}

TEST_F(Pieces, StepsAllocateNothing) {
  Simulation simulation(read("gravity 0 0 -9.81\nmu 0.5\nsbox 0 0 -0.1 1 0 0 0 1 1 0.1\n"
                             "object a ring 1000 0 0 0.024 1 0 0 0 0 0 0 0 0 0\n"
                             "object b ring 1000 0 0 0.07 1 0 0 0 0 0 0 0 0 0\n"),
                        by_pieces());
  run(simulation, 3);
  const std::size_t before = test::allocations();
  for (int k = 0; k < 100; ++k) simulation.step();
  EXPECT_EQ(test::allocations(), before);
}

TEST_F(Pieces, TheSameBitsOnAnyNumberOfThreads) {
  std::string text = "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n";
  for (int k = 0; k < 8; ++k)
    text += "object r" + std::to_string(k) + " ring 1000 " + std::to_string(0.03 * k) + " 0 " +
            std::to_string(0.05 + 0.06 * k) + " 0.9 0.3 0.1 0.3 0 0 0 0 0 0\n" + "body b" +
            std::to_string(k) + " 0.1 1e-4 1e-4 1e-4 " + std::to_string(0.1 - 0.02 * k) + " 0.05 " +
            std::to_string(0.08 + 0.06 * k) + " 1 0 0 0 0 0 0 0 0 0 1\n cyl 0.02 0.03 0 0 0 1 0 0 0\n";
  const auto end = [&](int threads) {
    Simulation simulation(read(text), by_pieces(threads));
    for (int k = 0; k < 200; ++k) simulation.step();
    std::vector<double> numbers;
    for (const BodyState& body : simulation.states()) {
      numbers.insert(numbers.end(), {body.p_WB.x(), body.p_WB.y(), body.p_WB.z()});
      numbers.insert(numbers.end(), body.q_WB.coeffs().begin(), body.q_WB.coeffs().end());
    }
    return numbers;
  };
  const std::vector<double> one = end(1);
  for (const int threads : {2, 3}) EXPECT_EQ(end(threads), one);
}

TEST_F(Pieces, DerivativesOfStepsEqualDifferencesOrAKinkIsNamed) {
  constexpr std::uint64_t kStates = 20;
  const body::Geometry objects[] = {ring()};
  int right = 0;
  for (std::uint64_t k = 0; k < kStates; ++k) {
    SCOPED_TRACE(k);
    Random random(11, k);
    const System system(test::random_pile(random, 2, objects));
    StepConfig config = by_pieces();
    config.solver_settings = {{"tolerance", 1e-13}};
    test::StepDifferences differences(system, config);
    const test::DerivativeCheck check =
        check_derivatives(differences, pile_state(random, differences, system, false));
    EXPECT_NE(check.verdict, test::DerivativeVerdict::kWrong) << "error " << check.error;
    right += check.verdict == test::DerivativeVerdict::kRight;
  }
  EXPECT_GT(right, static_cast<int>(kStates) / 4);
}

// Their corners lie in the rims of one another's faces, where rounding must not say whether they touch.
TEST_F(Pieces, EqualBlocksStandOnTheirCorners) {
  for (const double size : {0.001, 0.1, 10.0}) {
    const body::Geometry block = test::union_geometry({test::box(size, size, size)});
    for (std::uint64_t trial = 0; trial < 8; ++trial) {
      SCOPED_TRACE(testing::Message() << size << ", trial " << trial);
      Random random(17, trial);
      const double half_turn = random.uniform(-1, 1), x = size * random.uniform(-1, 1);
      Scene scene;
      scene.gravity = {0, 0, -9.81};
      scene.fixed.push_back({body::Geometry(body::HalfSpace<double>{}), {}});
      for (int k = 0; k < 3; ++k) {
        Body body = object_body("b" + std::to_string(k), block, 1000, {});
        body.p_WB = {x, 0, (k + 0.5) * size};
        body.q_WB = {std::cos(half_turn), 0, 0, std::sin(half_turn)};
        scene.bodies.push_back(body);
      }
      Simulation simulation(scene, by_pieces());
      for (int k = 0; k < 100; ++k) {
        simulation.step();
        EXPECT_EQ(simulation.report().contacts, 12) << k;
      }
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_LT((simulation.states()[k].p_WB - scene.bodies[k].p_WB).norm(), 1e-9 * std::max(size, 0.1));
    }
  }
}

// Shapes in place, for contact up to `margin` (m).
PlacedShape placed(const body::Geometry& geometry, const Pose<double>& X_WS, double margin) {
  const Shape shape{geometry, {}};
  PlacedShape result = geometry.primitive() != nullptr
                           ? PlacedShape(shape)
                           : PlacedShape(shape, std::make_shared<const PieceFaces>(geometry));
  result.place(X_WS, margin);
  return result;
}

Pose<double> random_pose(Random& random, double spread) {
  const Vec3<double> turn(random.normal(), random.normal(), random.normal());
  return {exp_rotation<double>(turn),
          {spread * random.normal(), spread * random.normal(), spread * random.normal()}};
}

// Also where a face has more corners than a polygon of contact.
TEST_F(Pieces, PointsHaveTheNearest) {
  constexpr double kMargin = 0.02;
  std::vector<Vec3<double>> rims;
  for (int k = 0; k < 48; ++k)
    for (const double z : {-0.01, 0.01})
      rims.emplace_back(0.1 * std::cos(k * M_PI / 24), 0.1 * std::sin(k * M_PI / 24), z);
  const body::Geometry coin = test::union_geometry({preprocess::convex_hull(rims)}),
                       disc(body::Cylinder<double>{0.01, 0.1}), box(body::Box<double>{{0.03, 0.05, 0.02}}),
                       pill(body::Capsule<double>{0.04, 0.02}), cone(body::Cone<double>{0.03, 0.05}),
                       egg(body::Ellipsoid<double>{{0.02, 0.05, 0.03}});
  Random random(19);
  PieceWorkspace workspace;
  for (const body::Geometry* A : {&coin, &ring()}) {
    for (const body::Geometry* B : {&coin, &ring(), &disc, &box, &pill, &cone, &egg}) {
      witness::PiecesSolver solver(*A, *B);
      for (int k = 0; k < 300; ++k) {
        Pose<double> X = random_pose(random, 0.1);
        for (int i = 0; i < 2; ++i) {
          const witness::Witness<double> apart = solver(X).witness;
          X.p -= apart.distance * apart.n;
        }
        const PlacedShape of_A = placed(*A, {}, kMargin), of_B = placed(*B, X, kMargin);
        std::vector<SurfacePoint> points;
        piece_points(of_A, of_B, kMargin, workspace, points);
        double least = kMargin;
        for (const SurfacePoint& point : points) least = std::min(least, point.gap);
        EXPECT_LT(least - solver(X).witness.distance, 1.1e-3 * std::min(of_A.half.norm(), of_B.half.norm()))
            << k;
      }
    }
  }
}

// Rounding does not say which of pairs that are equally deep are left out.
TEST_F(Pieces, EquallyDeepPairsStayTogether) {
  std::vector<preprocess::TriangleMesh> cubes;
  for (int k = 0; k < 27; ++k)
    cubes.push_back(moved_box({0.1, 0.1, 0.1}, 0.1 * Vec3<double>(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)));
  const body::Geometry block = test::union_geometry(cubes), box(body::Box<double>{{0.03, 0.05, 0.02}});
  Random random(20);
  PieceWorkspace workspace;
  for (int k = 0; k < 100; ++k) {
    const Pose<double> X{exp_rotation<double>({0, 0, random.uniform(-3, 3)}),
                         {random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), 0.07}};
    std::set<std::size_t> counts;
    for (int place = 0; place < 10; ++place) {
      const Pose<double> X_WA = random_pose(random, 0.5);
      std::vector<SurfacePoint> points;
      piece_points(placed(block, X_WA, 0), placed(box, X_WA * X, 0), 0, workspace, points);
      counts.insert(points.size());
    }
    EXPECT_EQ(counts.size(), 1U) << k;
  }
}

// Flat corners are not in sight from few directions.
TEST_F(Pieces, FacesAreThoseOfTheHull) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    Random random(18, trial);
    std::vector<Vec3<double>> corners(4 + trial % 5);
    for (Vec3<double>& p : corners) p = {random.normal(), random.normal(), random.normal()};
    const preprocess::TriangleMesh hull = preprocess::convex_hull(corners);
    const PieceFaces faces(test::union_geometry({hull}));
    double of_hull = 0, of_faces = 0, of_polygons = 0;
    for (const preprocess::Triangle& t : hull.triangles) {
      const Vec3<double>& a = hull.vertices[t[0]];
      of_hull += (hull.vertices[t[1]] - a).cross(hull.vertices[t[2]] - a).norm() / 2;
    }
    for (const PieceFace& face : faces.of(0)) {
      of_faces += face.area;
      for (std::size_t k = 2; k < static_cast<std::size_t>(face.size); ++k)
        of_polygons +=
            face.normal.dot((face.corner[k - 1] - face.corner[0]).cross(face.corner[k] - face.corner[0])) / 2;
    }
    EXPECT_NEAR(of_faces / of_hull, 1, 1e-6);
    EXPECT_NEAR(of_polygons / of_hull, 1, 1e-6);
  }
}

TEST_F(Pieces, RefusesWhatHasNone) {
  asset::Asset without = test::surface_and_hull(test::box(0.1, 0.1, 0.1));
  Scene scene;
  scene.bodies.push_back(object_body("lamp", body::Geometry(without), 1000, {}));
  expect_refused([&] { Simulation(scene, by_pieces()); },
                 {"body 'lamp'", "no convex pieces", "--pieces auto"});
  scene = read("object r ring 1000 0 0 0 1 0 0 0 0 0 0 0 0 0\n");
  StepConfig config = by_pieces();
  config.integrator = "implicit";
  expect_refused([&] { Simulation(scene, config); }, {"pieces", "midpoint"});
  config = by_pieces();
  config.source.model = "point";
  expect_refused([&] { Simulation(scene, config); }, {"pieces", "point"});
}

}  // namespace
