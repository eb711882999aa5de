#include "runtime/dynamics/solve/coupled.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/core/error.h"
#include "runtime/dynamics/solve/even_pressure.h"
#include "tests/support/allocations.h"
#include "tests/support/contact_problems.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace abut::dynamics {
namespace {

using test::ContactProblem;

ContactReport solve(ContactProblem& problem, int threads = 1) {
  return CoupledSolver({}, threads).solve(problem.bodies, problem.contacts);
}

Vec3<double> contact_velocity(const ContactProblem& problem, const PairContact& c) {
  Vec3<double> u = Vec3<double>::Zero();
  if (c.A != kFixed) u -= test::velocity_at(problem.bodies[c.A], problem.bodies[c.A].V_WB_W, c.p_WC);
  if (c.B != kFixed) u += test::velocity_at(problem.bodies[c.B], problem.bodies[c.B].V_WB_W, c.p_WC);
  return u;
}

// Largest violation of the law in speed, with impulses against opening speeds by their product.
double law_error(const ContactProblem& problem) {
  double worst = 0;
  for (const PairContact& c : problem.contacts) {
    const Vec3<double> v = contact_velocity(problem, c);
    const double u = c.n_W.dot(v) - c.target_velocity, jn = c.n_W.dot(c.J_B_W);
    const Vec3<double> vt = v - c.n_W * c.n_W.dot(v), jt = c.J_B_W - c.n_W * jn;
    worst = test::worst_of({worst, -u, -jn, std::min(u, jn), jt.norm() - c.mu * jn});
    worst = test::worst_of(worst, (c.mu * jn * vt + vt.norm() * jt).norm());  // jt = -mu jn vt/|vt|
  }
  return worst;
}

TEST(Coupled, ABoxSlidesWithCoulombsDeceleration) {
  const double mu = 0.3, fall = 0.02;
  // also with the centre high above its contacts
  for (const double height : {0.1, 0.5, 1.0}) {
    ContactProblem problem = test::box_on_plane(0.5, height, mu, {0.6, 0.8, -fall});
    const ContactReport report = solve(problem);
    EXPECT_EQ(report.status, Status::kOk);
    const Vec6<double>& V = problem.bodies[0].V_WB_W;
    const double speed = 1 - mu * fall;
    EXPECT_LT((V - (Vec6<double>() << 0, 0, 0, 0.6 * speed, 0.8 * speed, 0).finished()).norm(), 1e-9)
        << height;
    EXPECT_LT(law_error(problem), 1e-9);
  }
}

TEST(Coupled, ABoxSticksBelowCoulombsBound) {
  ContactProblem problem = test::box_on_plane(0.5, 0.5, 0.3, {0.29 * 0.02, 0, -0.02});
  EXPECT_EQ(solve(problem).status, Status::kOk);
  EXPECT_LT(problem.bodies[0].V_WB_W.norm(), 1e-11);
}

TEST(Coupled, RandomProblemsObeyTheLaw) {
  Random random(1);
  int failed = 0;
  const int tries = test::fewer_if_sanitized(test::runs(1000));
  for (int i = 0; i < tries; ++i) {
    ContactProblem problem = test::random_problem(random);
    const ContactReport report = solve(problem);
    if (report.status != Status::kOk || law_error(problem) > 1e-8) ++failed;
  }
  EXPECT_EQ(failed, 0);
}

TEST(Coupled, MomentumIsKept) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    ContactProblem problem = test::random_problem(random);
    for (PairContact& c : problem.contacts) {
      if (c.A == kFixed) c.A = (c.B + 1) % static_cast<std::int32_t>(problem.bodies.size());
    }
    if (problem.bodies.size() < 2) continue;
    const auto momentum = [&] {
      Vec6<double> sum = Vec6<double>::Zero();
      for (const ContactBody& b : problem.bodies) {
        const Vec3<double> p = b.V_WB_W.tail<3>() / b.inverse_mass, w = b.V_WB_W.head<3>();
        sum.head<3>() += b.inverse_inertia_W.inverse() * w + b.p_WBcm.cross(p);
        sum.tail<3>() += p;
      }
      return sum;
    };
    const Vec6<double> before = momentum();
    solve(problem);
    EXPECT_LT((momentum() - before).cwiseAbs().maxCoeff(), 1e-12) << i;
  }
}

double energy(const ContactProblem& problem) {
  double sum = 0;
  for (const ContactBody& b : problem.bodies) {
    const Vec3<double> w = b.V_WB_W.head<3>();
    sum +=
        w.dot(b.inverse_inertia_W.inverse() * w) / 2 + b.V_WB_W.tail<3>().squaredNorm() / b.inverse_mass / 2;
  }
  return sum;
}

TEST(Coupled, FrictionOnlyTakesEnergyOut) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    ContactProblem problem = test::random_problem(random);
    for (PairContact& c : problem.contacts) c.target_velocity = 0;
    const ContactProblem start = problem;
    ASSERT_EQ(solve(problem).status, Status::kOk);
    EXPECT_LE(energy(problem), energy(start) * (1 + 1e-9));
    // each contact's friction against the mean of its velocities before and after the whole step is not bound
    // to lose energy, against the velocity after it is
    for (const PairContact& c : problem.contacts) {
      const Vec3<double> u = contact_velocity(problem, c);
      const Vec3<double> friction = c.J_B_W - c.n_W * c.n_W.dot(c.J_B_W);
      EXPECT_LE(friction.dot(u), 1e-8);
    }
  }
}

// The same problem in a world that is turned by R and moved by p, with lengths, masses and speeds multiplied.
ContactProblem transformed(const ContactProblem& problem, const Mat3<double>& R, const Vec3<double>& p,
                           double length, double mass) {
  ContactProblem out = problem;
  for (ContactBody& b : out.bodies) {
    b.p_WBcm = length * (R * b.p_WBcm) + p;
    b.inverse_mass /= mass;
    b.inverse_inertia_W = (R * b.inverse_inertia_W * R.transpose()).eval() / (mass * length * length);
    b.V_WB_W.head<3>() = (R * b.V_WB_W.head<3>()).eval();
    b.V_WB_W.tail<3>() = (length * (R * b.V_WB_W.tail<3>())).eval();
  }
  for (PairContact& c : out.contacts) {
    c.p_WC = length * (R * c.p_WC) + p;
    c.n_W = (R * c.n_W).eval();
    c.target_velocity *= length;
    c.J_B_W = (mass * length * (R * c.J_B_W)).eval();
  }
  return out;
}

TEST(Coupled, TheWorldsAxesAndUnitsDoNotMatter) {
  Random random(6);
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    const ContactProblem problem = test::random_problem(random);
    const Mat3<double> R = test::random_rotation(random);
    const Vec3<double> p = test::random_vector(random);
    for (const double length : {1.0, 0.01}) {
      const double mass = length * length * length;
      ContactProblem once = problem;
      const ContactReport report = solve(once);
      ContactProblem other = transformed(problem, R, p, length, mass);
      EXPECT_EQ(solve(other).status, Status::kOk);
      // where Newton's method was not needed the same states of the contacts are found, else another answer
      // may be
      if (report.iterations >= 16) continue;
      const ContactProblem expected = transformed(once, R, p, length, mass);
      for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
        const Vec6<double> difference = other.bodies[k].V_WB_W - expected.bodies[k].V_WB_W;
        EXPECT_LT(difference.head<3>().norm() + difference.tail<3>().norm() / length, 1e-8) << i;
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
}

void expect_same_bits(const ContactProblem& all, std::initializer_list<int> counts) {
  ContactProblem one = all;
  const ContactReport report = solve(one);
  for (const int threads : counts) {
    ContactProblem many = all;
    EXPECT_EQ(solve(many, threads).residual, report.residual);
    for (std::size_t i = 0; i < all.bodies.size(); ++i) {
      EXPECT_EQ(std::memcmp(many.bodies[i].V_WB_W.data(), one.bodies[i].V_WB_W.data(), 6 * sizeof(double)),
                0);
    }
    for (std::size_t k = 0; k < all.contacts.size(); ++k) {
      EXPECT_EQ(std::memcmp(many.contacts[k].J_B_W.data(), one.contacts[k].J_B_W.data(), 3 * sizeof(double)),
                0);
    }
  }
}

TEST(Coupled, ThreadsDoNotChangeABit) {
  Random random(3);
  // many islands in one problem
  ContactProblem all;
  for (int i = 0; i < 60; ++i) {
    const ContactProblem one = test::random_problem(random);
    const auto first = static_cast<std::int32_t>(all.bodies.size());
    all.bodies.insert(all.bodies.end(), one.bodies.begin(), one.bodies.end());
    for (PairContact c : one.contacts) {
      c.B += first;
      if (c.A != kFixed) c.A += first;
      all.contacts.push_back(c);
    }
  }
  expect_same_bits(all, {2, 3, 8, 16});
}

// One island along a line: neighbours touch each other and the world, and a few bodies others far away.
ContactProblem long_island(Random& random) {
  ContactProblem problem;
  constexpr int kBodies = 150;
  for (int i = 0; i < kBodies; ++i) {
    problem.bodies.push_back(test::random_body(random));
    problem.bodies.back().p_WBcm.x() += 0.1 * i;
  }
  for (int k = 0; k < 600; ++k) {
    PairContact c;
    c.A = k % kBodies;
    const auto step = static_cast<std::int32_t>(1 + random.below(k % 50 == 0 ? kBodies - 1 : 10));
    c.B = (c.A + step) % kBodies;
    if (k % 7 == 0) c.A = kFixed;
    c.p_WC = problem.bodies[c.B].p_WBcm + 0.3 * test::random_vector(random);
    c.n_W = test::random_vector(random).normalized();
    c.mu = random.uniform(0, 1);
    problem.contacts.push_back(c);
  }
  return problem;
}

TEST(Coupled, ThreadsDoNotChangeABitOfOneLargeIsland) {
  Random random(5);
  expect_same_bits(long_island(random), {2, 3, 8, 16});
}

// One half of such an island has no body.
TEST(Coupled, ThreadsDoNotChangeABitOfOneBodyWithManyContacts) {
  Random random(8);
  ContactProblem problem;
  problem.bodies.push_back(test::random_body(random));
  for (int k = 0; k < 300; ++k) {
    PairContact c;
    c.B = 0;
    c.p_WC = problem.bodies[0].p_WBcm + 0.3 * test::random_vector(random);
    c.n_W = (Vec3<double>(0, 0, 2) + test::random_vector(random)).normalized();
    c.mu = random.uniform(0, 1);
    problem.contacts.push_back(c);
  }
  expect_same_bits(problem, {2, 3, 8, 16});
}

// Every contact stands in one unit, whose parts hold its bodies; units of equal turns on two parts would
// race.
TEST(Coupled, UnitsOfALargeIslandTouchTheirPartsAlone) {
  Random random(6);
  ContactProblem problem = long_island(random);
  CoupledSolver solver;
  solver.solve(problem.bodies, problem.contacts);
  const Islands& islands = solver.rows().islands;
  ASSERT_EQ(islands.size(), 1);
  ASSERT_GE(islands.part_count(), 4);
  std::vector<int> seen(problem.contacts.size(), 0);
  std::vector<std::vector<std::int32_t>> turns(static_cast<std::size_t>(islands.part_count()));
  const auto part_of = [&](std::int32_t body) {
    std::int32_t part = 0;
    while (islands.place_of_body(body) >= islands.body_places(part).end) ++part;
    return part;
  };
  for (std::int32_t unit = 0; unit < islands.unit_count(); ++unit) {
    const WorkUnit& work = islands.unit(unit);
    turns[static_cast<std::size_t>(work.a)].push_back(work.turn_a);
    if (work.b != work.a) turns[static_cast<std::size_t>(work.b)].push_back(work.turn_b);
    const Islands::Range places = islands.places_of_unit(unit);
    for (std::int32_t place = places.begin; place < places.end; ++place) {
      const std::int32_t k = islands.order()[static_cast<std::size_t>(place)];
      ++seen[static_cast<std::size_t>(k)];
      for (const std::int32_t body : {problem.contacts[k].A, problem.contacts[k].B}) {
        if (body == kFixed) continue;
        EXPECT_TRUE(part_of(body) == work.a || part_of(body) == work.b);
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(problem.contacts.size(), 1));
  for (std::vector<std::int32_t>& of_part : turns) {
    std::sort(of_part.begin(), of_part.end());
    for (std::size_t k = 0; k < of_part.size(); ++k) EXPECT_EQ(of_part[k], static_cast<std::int32_t>(k));
  }
}

TEST(Coupled, AllocatesNothingInTheSteadyState) {
  Random random(4);
  CoupledSolver solver;
  std::vector<ContactProblem> problems;
  for (int i = 0; i < 20; ++i) problems.push_back(test::random_problem(random));
  for (int round = 0; round < 2; ++round) {
    for (const ContactProblem& start : problems) {
      ContactProblem problem = start;  // the copy allocates: counted apart
      const std::size_t here = test::allocations();
      solver.solve(problem.bodies, problem.contacts);
      if (round == 1) {
        EXPECT_EQ(test::allocations(), here);
      }
    }
  }
}

TEST(Coupled, DegenerateInput) {
  ContactProblem empty;
  EXPECT_EQ(solve(empty).status, Status::kOk);

  ContactProblem frictionless = test::box_on_plane(0.5, 0.5, 0, {1, 0, -0.02});
  EXPECT_EQ(solve(frictionless).status, Status::kOk);
  EXPECT_LT((frictionless.bodies[0].V_WB_W.tail<3>() - Vec3<double>(1, 0, 0)).norm(), 1e-10);

  // every contact 50 times, in parallel
  ContactProblem many = test::box_on_plane(0.5, 0.5, 0.3, {1, 0, -0.02});
  const std::vector<PairContact> once = many.contacts;
  for (int i = 1; i < 50; ++i) many.contacts.insert(many.contacts.end(), once.begin(), once.end());
  EXPECT_EQ(solve(many).status, Status::kOk);
  EXPECT_NEAR(many.bodies[0].V_WB_W[3], 1 - 0.3 * 0.02, 1e-9);

  // a heavy body that nothing moves, and two of them
  ContactProblem table = test::box_on_plane(0.5, 0.5, 0.3, {0, 0, -0.02});
  table.bodies.push_back(ContactBody{});
  table.bodies.back().V_WB_W << 0, 0, 0, 0.5, 0, 0;
  for (PairContact& c : table.contacts) c.A = 1;
  PairContact idle;
  idle.A = 1;
  idle.B = kFixed;
  idle.J_B_W << 1, 2, 3;
  table.contacts.push_back(idle);
  EXPECT_EQ(solve(table).status, Status::kOk);
  EXPECT_NEAR(table.bodies[0].V_WB_W[3], 0.3 * 0.02, 1e-9);  // dragged along
  EXPECT_EQ(table.bodies[1].V_WB_W[3], 0.5);
  EXPECT_EQ(table.contacts.back().J_B_W.norm(), 0);
}

// On planes that are none of the coordinates', of any size.
TEST(Coupled, APressureThatIsLinearStaysSo) {
  for (const double size : {1e-6, 1e-4, 1e-2, 1.0, 1e3}) {
    const Mat3<double> R = exp_rotation<double>({0.3, -0.2, 0.1});
    std::vector<PairContact> contacts;
    for (int k = 0; k < 64; ++k) {
      const double x = k / 8 - 3.5, y = k % 8 - 3.5;
      PairContact c;
      c.n_W = R.col(2);
      c.p_WC = size / 8 * (R * Vec3<double>(x, y, 0)) + size * Vec3<double>(1, 2, 3);
      c.area = size * size / 64;
      c.J_B_W = (1 + 0.1 * x - 0.05 * y) * c.n_W;
      contacts.push_back(c);
    }
    const std::vector<PairContact> linear = contacts;
    even_out(contacts);
    double off = 0;
    for (std::size_t k = 0; k < linear.size(); ++k)
      off = std::max(off, (contacts[k].J_B_W - linear[k].J_B_W).norm());
    EXPECT_LT(off, 1e-12) << size;
  }
}

TEST(Coupled, BadInputIsRefusedByName) {
  const auto refused = [](auto&& spoil) {
    ContactProblem problem = test::box_on_plane(0.5, 0.5, 0.3, {1, 0, -0.02});
    spoil(problem);
    try {
      solve(problem);
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refused([&](ContactProblem& p) { p.bodies[0].V_WB_W[2] = nan; }).find("body 0"),
            std::string::npos);
  EXPECT_NE(refused([&](ContactProblem& p) { p.contacts[2].p_WC[0] = nan; }).find("contact 2"),
            std::string::npos);
  EXPECT_NE(refused([&](ContactProblem& p) { p.contacts[1].mu = -0.1; }).find("mu is negative"),
            std::string::npos);
  EXPECT_NE(refused([&](ContactProblem& p) { p.contacts[1].B = 7; }).find("contact 1"), std::string::npos);
  EXPECT_NE(refused([&](ContactProblem& p) { p.contacts[1].B = kFixed; }).find("contact 1"),
            std::string::npos);
  EXPECT_NE(refused([&](ContactProblem& p) { p.contacts[3].n_W *= 2; }).find("unit"), std::string::npos);
  EXPECT_NE(refused([&](ContactProblem& p) { p.bodies[0].inverse_mass = -1; }).find("negative"),
            std::string::npos);
}

}  // namespace
}  // namespace abut::dynamics
