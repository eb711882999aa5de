#include <gtest/gtest.h>

#include <functional>

#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/kinematics.h"
#include "tests/support/allocations.h"
#include "tests/support/random_trees.h"
#include "tests/support/refusal.h"

namespace abut::dynamics {
namespace {

const Vec3<double> kGravity(0.3, -0.5, -9.81);

TEST(TreeDynamics, ForwardDynamicsSolvesTheEquationOfMotion) {
  test::TreeSource random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const Tree tree(random.links(test::every_joint_type()), kGravity);
    const Eigen::VectorXd q = random.coordinates(tree), v = random.numbers(tree.nv(), 2),
                          tau = random.numbers(tree.nv(), 5);
    TreeScratch scratch(tree);
    const Eigen::VectorXd a = forward_dynamics(tree, q, v, tau, scratch);
    const Eigen::VectorXd inverse = inverse_dynamics(tree, q, v, a, scratch);
    EXPECT_LT((inverse - tau).norm(), 1e-11 * (1 + a.norm()));
    const Eigen::VectorXd bias = bias_force(tree, q, v, scratch);
    const MatX<double> M = mass_matrix(tree, q, scratch);
    EXPECT_LT((M * a + bias - tau).norm(), 1e-11 * (1 + a.norm()));
    factor_mass_matrix(tree, scratch);
    Eigen::VectorXd x = tau - bias;
    solve_mass_matrix(tree, scratch, x);
    EXPECT_LT((x - a).norm(), 1e-10 * (1 + a.norm()));
    EXPECT_NEAR(kinetic_energy(tree, q, v, scratch), 0.5 * v.dot(M * v), 1e-12 * v.squaredNorm() * M.norm());
  }
}

// A double pendulum of two point-like rods in a plane, in closed form.
TEST(TreeDynamics, DoublePendulumHasItsMassMatrix) {
  std::vector<Link> links(2);
  const double length = 0.8, mass = 1.5, I = 0.02;
  for (int i = 0; i < 2; ++i) {
    links[i].name = "rod" + std::to_string(i);
    links[i].parent = i - 1;
    links[i].joint.type = JointType::kRevolute;
    links[i].joint.axis_J = Vec3<double>::UnitY();
    if (i == 1) links[i].joint.X_PJ.p = {0, 0, -length};
    links[i].inertia = {mass, {0, 0, -length}, Vec3<double>(I, I, I).asDiagonal()};
  }
  const Tree tree(links, {0, 0, -9.81});
  TreeScratch scratch(tree);
  const Eigen::Vector2d q(0.4, 0.9);
  const MatX<double>& M = mass_matrix<double>(tree, q, scratch);
  const double ml2 = mass * length * length, c = std::cos(q[1]);
  EXPECT_NEAR(M(1, 1), I + ml2, 1e-14);
  EXPECT_NEAR(M(0, 1), I + ml2 * (1 + c), 1e-14);
  EXPECT_NEAR(M(0, 0), 2 * I + ml2 * (3 + 2 * c), 1e-14);
  const Eigen::VectorXd b = bias_force<double>(tree, q, Eigen::Vector2d::Zero(), scratch);
  EXPECT_NEAR(b[1], mass * 9.81 * length * std::sin(q[0] + q[1]), 1e-13);
}

struct State {
  Eigen::VectorXd q, v;
};

State runge_kutta(const Tree& tree, const State& start, double dt, int steps) {
  TreeScratch scratch(tree);
  const Eigen::VectorXd tau = Eigen::VectorXd::Zero(tree.nv());
  State state = start;
  // In the tangent at the start of the step; dexp^-1 of each joint by its first two terms is what order four
  // needs.
  const auto rate = [&](const Eigen::VectorXd& u, const Eigen::VectorXd& v, Eigen::VectorXd& u_rate) {
    Eigen::VectorXd q;
    tree.integrate(state.q, u, q);
    u_rate = v;
    for (int i = 0; i < tree.link_count(); ++i) {
      Vec6<double> U = Vec6<double>::Zero(), V = U;
      for (int d = tree.first_v(i); d < tree.end_v(i); ++d) {
        U += tree.subspace(d) * u[d];
        V += tree.subspace(d) * v[d];
      }
      const Vec6<double> once = detail::cross_motion(U, V), twice = detail::cross_motion(U, once);
      for (int d = tree.first_v(i); d < tree.end_v(i); ++d)
        u_rate[d] += tree.subspace(d).dot(once / 2 + twice / 12);
    }
    return Eigen::VectorXd(forward_dynamics(tree, q, v, tau, scratch));
  };
  for (int k = 0; k < steps; ++k) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(tree.nv());
    Eigen::VectorXd u1, u2, u3, u4;
    const Eigen::VectorXd a1 = rate(zero, state.v, u1);
    const Eigen::VectorXd a2 = rate(dt / 2 * u1, state.v + dt / 2 * a1, u2);
    const Eigen::VectorXd a3 = rate(dt / 2 * u2, state.v + dt / 2 * a2, u3);
    const Eigen::VectorXd a4 = rate(dt * u3, state.v + dt * a3, u4);
    tree.integrate(state.q, dt / 6 * (u1 + 2 * u2 + 2 * u3 + u4), state.q);
    state.v += dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return state;
}

TEST(TreeDynamics, KeepsEnergyToTheOrderOfTheIntegrator) {
  test::TreeSource random(4);
  const Tree tree(random.links(test::every_joint_type()), kGravity);
  TreeScratch scratch(tree);
  const State start{random.coordinates(tree), random.numbers(tree.nv(), 1)};
  const auto energy = [&](const State& state) {
    return kinetic_energy(tree, state.q, state.v, scratch) + potential_energy(tree, state.q, scratch);
  };
  const auto drift = [&](int steps) {
    return std::abs(energy(runge_kutta(tree, start, 0.2 / steps, steps)) - energy(start));
  };
  const double coarse = drift(64), fine = drift(128);
  EXPECT_LT(fine, 1e-4);
  EXPECT_GT(coarse / fine, 10);  // 16 at order four
}

TEST(TreeDynamics, AFloatingTreeKeepsItsMomentum) {
  test::TreeSource random(5);
  auto links = random.links(test::every_joint_type());
  for (std::size_t i = 1; i < links.size(); ++i) links[i].parent = std::max(links[i].parent, 0);
  for (Link& link : links) link.joint.armature = 0;  // its reaction is on no link
  const Tree tree(links);
  TreeScratch scratch(tree);
  const State start{random.coordinates(tree), random.numbers(tree.nv(), 1)};
  const Vec6<double> before = spatial_momentum(tree, start.q, start.v, scratch);
  const auto drift = [&](int steps) {
    const State end = runge_kutta(tree, start, 0.2 / steps, steps);
    return (spatial_momentum(tree, end.q, end.v, scratch) - before).norm() / before.norm();
  };
  const double coarse = drift(64), fine = drift(128);
  EXPECT_LT(fine, 1e-5);
  EXPECT_GT(coarse / fine, 10);
}

TEST(TreeKinematics, TwistsAndAccelerationsAreRatesOfPoses) {
  test::TreeSource random(6);
  const Tree tree(random.links(test::every_joint_type()), kGravity);
  const Eigen::VectorXd q = random.coordinates(tree), v = random.numbers(tree.nv(), 2),
                        a = random.numbers(tree.nv(), 2);
  using Extended = VecX<long double>;
  BasicTreeScratch<long double> scratch(tree);
  const long double h = 1e-5L;
  // At time t of the motion with rate v + t a in the tangent, to second order in t.
  const auto at_time = [&](long double t) {
    const Extended u = t * v.cast<long double>() + t * t / 2 * a.cast<long double>();
    Extended q1;
    tree.integrate<long double>(q.cast<long double>(), u, q1);
    move_links<long double>(tree, q1, v.cast<long double>() + t * a.cast<long double>(),
                            a.cast<long double>(), scratch);
  };
  for (int i = 0; i < tree.link_count(); ++i) {
    at_time(h);
    const auto X_after = pose_of_link(scratch, i);
    const Vec6<long double> V_after = twist_of_link(scratch, i);
    at_time(-h);
    const auto X_before = pose_of_link(scratch, i);
    const Vec6<long double> V_before = twist_of_link(scratch, i);
    at_time(0);
    const auto X = pose_of_link(scratch, i);
    const Mat3<long double> W = X.R.transpose() * (X_after.R - X_before.R) / (2 * h);
    Vec6<long double> V;
    V << W(2, 1), W(0, 2), W(1, 0), X.R.transpose() * (X_after.p - X_before.p) / (2 * h);
    const Vec6<long double> value = twist_of_link(scratch, i);
    EXPECT_LT((value - V).norm(), 1e-7L) << i;
    EXPECT_LT((acceleration_of_link(scratch, i) - (V_after - V_before) / (2 * h)).norm(), 1e-7L) << i;
    const MatX<long double> J = body_jacobian(tree, scratch, i);
    EXPECT_LT((J * v.cast<long double>() - value).norm(), 1e-15L) << i;
    const Vec3<long double> p_LQ(0.3L, -0.2L, 0.1L);
    MatX<long double> J_point;
    point_jacobian(tree, scratch, i, p_LQ, J_point);
    const Vec3<long double> velocity = (X_after * p_LQ - X_before * p_LQ) / (2 * h);
    EXPECT_LT((J_point * v.cast<long double>() - velocity).norm(), 1e-7L) << i;
  }
}

TEST(TreeDynamics, FarFromTheOriginNoDigitsAreLost) {
  test::TreeSource random(7);
  auto links = random.links(test::every_joint_type());
  for (std::size_t i = 1; i < links.size(); ++i) links[i].parent = std::max(links[i].parent, 0);
  const Tree near(links, kGravity);
  links[0].joint.X_PJ.p += Vec3<double>(1e6, -2e6, 3e6);
  const Tree far(links, kGravity);
  const Eigen::VectorXd q = random.coordinates(near), v = random.numbers(near.nv(), 2);
  TreeScratch scratch(near);
  const Eigen::VectorXd tau = bias_force(near, q, v, scratch);
  EXPECT_EQ((bias_force(far, q, v, scratch) - tau).norm(), 0);
}

TEST(TreeDynamics, AllocatesNothingAndRefusesWrongSizes) {
  test::TreeSource random(8);
  const Tree tree(random.links(test::every_joint_type()), kGravity);
  const Eigen::VectorXd q = random.coordinates(tree), v = random.numbers(tree.nv(), 2);
  TreeScratch scratch(tree);
  const std::size_t before = test::allocations();
  inverse_dynamics(tree, q, v, v, scratch);
  forward_dynamics(tree, q, v, v, scratch);
  mass_matrix(tree, q, scratch);
  move_links(tree, q, v, v, scratch);
  body_jacobian(tree, scratch, 3);
  spatial_momentum(tree, q, v, scratch);
  EXPECT_EQ(test::allocations(), before);
  EXPECT_EQ(test::refusal([&] { inverse_dynamics(tree, q, Eigen::VectorXd(2), v, scratch); }),
            "tree: 2 numbers for " + std::to_string(tree.nv()) + " velocities");
}

}  // namespace
}  // namespace abut::dynamics
