// abut-query: soft-minimum contact and soft distances of primitives.
#include <gtest/gtest.h>

#include "runtime/contact/model.h"
#include "runtime/ssdf/soft_distances.h"
#include "tests/runtime/cli/query_fixture.h"

namespace {

using namespace abut;
using test::Outcome;
using test::pose_row;
using test::table;

class SoftQuery : public test::Query {};

TEST_F(SoftQuery, SoftMinimumWithPrimitives) {
  const Pose<double> beside{exp_rotation<double>({0.1, 0.2, 0.3}), {0.01, 0.02, -0.0498}};
  const std::pair<const char*, body::Primitive> bodies[] = {
      {"@sphere:0.02", body::Sphere<double>{0.02}},
      {"@box:0.02:0.03:0.02", body::Box<double>{{0.02, 0.03, 0.02}}},
      {"@half_space", body::HalfSpace<double>{}}};
  const body::Body ball = body("ball", {.friction = 0.4});
  for (const auto& [name, primitive] : bodies) {
    SCOPED_TRACE(name);
    const body::Body other = test::body_of(primitive, {.friction = 0.4});
    for (const bool first : {false, true}) {
      const Pose<double> X_AB = first ? beside.inverse() : beside;
      const auto w =
          contact::contact_wrench("soft_minimum", {first ? &other : &ball, first ? &ball : &other, X_AB});
      ASSERT_EQ(w.status, Status::kOk);
      const Vec6<double> on_A = -shift_wrench(X_AB, w.F_BBo_B);
      const std::string pair = first ? std::string(name) + ",ball" : std::string("ball,") + name;
      for (const std::string what : {"wrench", "wrench_derivative", "wrench_hessian"}) {
        const Outcome got = run("assets poses.csv --mu-a 0.4 --mu-b 0.4 --model soft_minimum --what " + what,
                                header + pose_row(0, pair, X_AB));
        ASSERT_EQ(got.exit_code, 0) << got.err;
        const auto rows = table(got.out);
        const auto column = [&](const std::string& of) {
          return std::stod(rows[1].at(std::find(rows[0].begin(), rows[0].end(), of) - rows[0].begin()));
        };
        EXPECT_NEAR(column("fx"), on_A[3], 1e-12 * on_A.norm());
        EXPECT_NEAR(column("fz"), on_A[5], 1e-12 * on_A.norm());
        EXPECT_NEAR(column("tauy"), on_A[1], 1e-12 * on_A.norm());
      }
    }
  }
}

TEST_F(SoftQuery, DistancesFromPrimitivesAreExact) {
  const Outcome got = run("assets poses.csv --what ssdf",
                          "obj,x,y,z\n@sphere:0.02,0.03,0,0\n@half_space,1,2,-3\nball,0.06,0,0\n");
  ASSERT_EQ(got.exit_code, 0) << got.err;
  const auto rows = table(got.out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_NEAR(std::stod(rows[1][5]), 0.01, 1e-17);
  EXPECT_EQ(std::stod(rows[1][6]), 1);
  EXPECT_EQ(std::stod(rows[2][5]), -3);
  EXPECT_EQ(std::stod(rows[3][5]), ssdf::soft_distance(body("ball").geometry, {0.06, 0, 0}).value);
  const Outcome without = run("assets poses.csv --what ssdf --field grid", "obj,x,y,z\nball,0,0,0\n");
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("has no distance grid"), std::string::npos) << without.err;
  const Outcome refused = run("assets poses.csv --what ssdf", "obj,x,y,z\n@ball:1,0,0,0\n");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("poses.csv:2: 'ball:1' is no primitive"), std::string::npos) << refused.err;
}

}  // namespace
