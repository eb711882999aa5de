#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/core/random.h"
#include "runtime/dynamics/solve/contact_problem.h"
#include "tests/support/random_values.h"

// Small contact problems for the solvers' tests.
namespace abut::test {

struct ContactProblem {
  std::vector<dynamics::ContactBody> bodies;
  std::vector<dynamics::PairContact> contacts;
};

inline dynamics::ContactBody random_body(Random& random) {
  dynamics::ContactBody body;
  body.p_WBcm = random_vector(random);
  body.inverse_mass = std::exp(random.uniform(-1, 1));
  const Mat3<double> R = exp_rotation<double>(2 * random_vector(random));
  const Vec3<double> inertia(random.uniform(2, 20), random.uniform(2, 20), random.uniform(2, 20));
  body.inverse_inertia_W = body.inverse_mass * (R * inertia.asDiagonal() * R.transpose());
  body.V_WB_W << random_vector(random), random_vector(random);
  return body;
}

// Velocity of the body's point at p_WC when its twist is V.
inline Vec3<double> velocity_at(const dynamics::ContactBody& body, const Vec6<double>& V,
                                const Vec3<double>& p_WC) {
  const Vec3<double> w = V.head<3>();
  return V.tail<3>() + w.cross(p_WC - body.p_WBcm);
}

// A motion of all bodies about an expansion from (0, 0, -10).
inline std::vector<Vec6<double>> opening_motion(Random& random,
                                                const std::vector<dynamics::ContactBody>& bodies) {
  std::vector<Vec6<double>> motion(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    motion[i] << 0.3 * random_vector(random), 0.3 * random_vector(random);
    motion[i].tail<3>() += 0.2 * (bodies[i].p_WBcm - Vec3<double>(0, 0, -10));
  }
  return motion;
}

// A contact of B with A, between the two. target_velocity is at most u_n - mu |u_t| of `motion`: where this
// holds at all contacts of a problem an answer is known to exist.
inline void add_random_contact(Random& random, std::int32_t A, std::int32_t B, double most_mu,
                               const std::vector<Vec6<double>>& motion, ContactProblem& problem) {
  dynamics::PairContact c;
  c.A = A == B ? dynamics::kFixed : A;
  c.B = B;
  const Vec3<double> centre_A =
      c.A == dynamics::kFixed ? Vec3<double>(0, 0, -10) : problem.bodies[c.A].p_WBcm;
  const Vec3<double> apart = (problem.bodies[c.B].p_WBcm - centre_A).normalized();
  do {
    c.n_W = random_vector(random).normalized();
  } while (c.n_W.dot(apart) < 0.3);
  c.p_WC = (c.A == dynamics::kFixed ? problem.bodies[c.B].p_WBcm - 0.3 * apart
                                    : Vec3<double>((problem.bodies[c.B].p_WBcm + centre_A) / 2)) +
           0.2 * random_vector(random);
  c.mu = random.uniform(0, most_mu);
  Vec3<double> u = velocity_at(problem.bodies[c.B], motion[c.B], c.p_WC);
  if (c.A != dynamics::kFixed) u -= velocity_at(problem.bodies[c.A], motion[c.A], c.p_WC);
  const double u_n = c.n_W.dot(u);
  c.target_velocity =
      std::min(random.below(3) == 0 ? random.uniform(-0.1, 0.5) : 0, u_n - c.mu * (u - u_n * c.n_W).norm());
  problem.contacts.push_back(c);
}

// One to four bodies around which one to eight contacts lie: among each other, with the world, some of them
// many times between one pair. An answer is known to exist. A quarter of the problems have little friction
// and mostly one answer only.
inline ContactProblem random_problem(Random& random) {
  ContactProblem problem;
  const auto bodies = static_cast<std::int32_t>(1 + random.below(4));
  for (std::int32_t i = 0; i < bodies; ++i) problem.bodies.push_back(random_body(random));
  const double most_mu = random.below(4) == 0 ? 0.05 : 1.2;
  const std::vector<Vec6<double>> motion = opening_motion(random, problem.bodies);
  const auto contacts = static_cast<std::int32_t>(1 + random.below(8));
  for (std::int32_t k = 0; k < contacts; ++k) {
    const auto B = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(bodies)));
    const auto A = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(bodies) + 1)) - 1;
    add_random_contact(random, A, B, most_mu, motion, problem);
  }
  return problem;
}

// One island of so many contacts, one and a half to six for each body as in piles, an answer known to exist:
// bodies in a tower, each on one of the three before it or on the world, and contacts among neighbours
// besides.
inline ContactProblem random_island(Random& random, int contacts, double most_mu) {
  ContactProblem problem;
  const int bodies = std::max(2, static_cast<int>(contacts / random.uniform(1.5, 6)));
  for (int i = 0; i < bodies; ++i) {
    problem.bodies.push_back(random_body(random));
    problem.bodies.back().p_WBcm.z() += i;
  }
  const std::vector<Vec6<double>> motion = opening_motion(random, problem.bodies);
  const auto below = [&](int body) {
    return std::max(dynamics::kFixed, body - 1 - static_cast<std::int32_t>(random.below(3)));
  };
  for (int k = 0; k < contacts; ++k) {
    const int body = k < bodies ? k : static_cast<int>(random.below(static_cast<std::uint64_t>(bodies)));
    const std::int32_t A = k < bodies && k > 0 ? std::max(0, below(body)) : below(body);
    add_random_contact(random, A, body, most_mu, motion, problem);
  }
  return problem;
}

// A box of unit mass, half sizes (a, a, height), resting with four corners on the plane z = 0; after one step
// of gravity at 10 m/s^2 and dt seconds it has fallen speed (0, 0, -10 dt), and slides with v.
inline ContactProblem box_on_plane(double a, double height, double mu, const Vec3<double>& v) {
  ContactProblem problem;
  dynamics::ContactBody box;
  box.p_WBcm << 0, 0, height;
  box.inverse_mass = 1;
  const double xy = (a * a + height * height) / 3, z = 2 * a * a / 3;
  box.inverse_inertia_W = Vec3<double>(1 / xy, 1 / xy, 1 / z).asDiagonal();
  box.V_WB_W << 0, 0, 0, v;
  problem.bodies.push_back(box);
  for (const double x : {-a, a}) {
    for (const double y : {-a, a}) {
      dynamics::PairContact c;
      c.B = 0;
      c.p_WC << x, y, 0;
      c.mu = mu;
      problem.contacts.push_back(c);
    }
  }
  return problem;
}

}  // namespace abut::test
