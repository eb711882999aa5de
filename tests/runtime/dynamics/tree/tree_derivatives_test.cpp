#include <gtest/gtest.h>

#include <functional>

#include "runtime/dynamics/tree/derivatives.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "tests/support/allocations.h"
#include "tests/support/random_trees.h"

namespace abut::dynamics {
namespace {

using Extended = VecX<long double>;

// [df/dq df/dv] by central differences of fourth order in long double.
MatX<double> differences(const Tree& tree, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                         const std::function<Extended(const Extended& q, const Extended& v)>& f) {
  const int n = tree.nv();
  const long double h = 1e-4L;
  MatX<double> result(n, 2 * n);
  for (int k = 0; k < 2 * n; ++k) {
    const auto moved = [&](long double step) {
      Extended q1 = q.cast<long double>(), v1 = v.cast<long double>();
      if (k < n)
        tree.integrate<long double>(q.cast<long double>(), Extended::Unit(n, k) * step, q1);
      else
        v1[k - n] += step;
      return f(q1, v1);
    };
    result.col(k) = ((8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)).cast<double>();
  }
  return result;
}

double error(const MatX<double>& value, const MatX<double>& reference) {
  return (value - reference).cwiseAbs().maxCoeff() / (1 + reference.cwiseAbs().maxCoeff());
}

TEST(TreeDerivatives, OfInverseDynamicsAreDifferencesForEveryJoint) {
  test::TreeSource random(11);
  for (int trial = 0; trial < 5; ++trial) {
    const Tree tree(random.links(test::every_joint_type()), {0.3, -0.5, -9.81});
    const Eigen::VectorXd q = random.coordinates(tree), v = random.numbers(tree.nv(), 2),
                          a = random.numbers(tree.nv(), 3);
    TreeScratch scratch(tree);
    BasicTreeScratch<long double> extended(tree);
    const MatX<double> value = inverse_dynamics_derivatives(tree, q, v, a, scratch);
    const MatX<double> reference = differences(tree, q, v, [&](const Extended& q1, const Extended& v1) {
      return inverse_dynamics<long double>(tree, q1, v1, a.cast<long double>(), extended);
    });
    EXPECT_LT(error(value, reference), 1e-11);
    const MatX<double> M = scratch.mass_matrix;
    EXPECT_LT(error(M, mass_matrix(tree, q, scratch)), 1e-13);
  }
}

TEST(TreeDerivatives, OfForwardDynamicsAreDifferencesForEveryJoint) {
  test::TreeSource random(12);
  for (int trial = 0; trial < 5; ++trial) {
    const Tree tree(random.links(test::every_joint_type()), {0.3, -0.5, -9.81});
    const Eigen::VectorXd q = random.coordinates(tree), v = random.numbers(tree.nv(), 2),
                          tau = random.numbers(tree.nv(), 3);
    TreeScratch scratch(tree);
    BasicTreeScratch<long double> extended(tree);
    const MatX<double> value = forward_dynamics_derivatives(tree, q, v, tau, scratch);
    const MatX<double> reference = differences(tree, q, v, [&](const Extended& q1, const Extended& v1) {
      return forward_dynamics<long double>(tree, q1, v1, tau.cast<long double>(), extended);
    });
    EXPECT_LT(error(value, reference), 1e-10);
    // By the generalised forces: the inverse of the mass matrix.
    Eigen::VectorXd column = Eigen::VectorXd::Unit(tree.nv(), 2);
    solve_mass_matrix(tree, scratch, column);
    const Eigen::VectorXd unit = scratch.mass_matrix * column;
    EXPECT_LT((unit - Eigen::VectorXd::Unit(tree.nv(), 2)).norm(), 1e-12);
  }
}

TEST(TreeDerivatives, AllocateNothing) {
  test::TreeSource random(13);
  const Tree tree(random.links(test::every_joint_type()), {0, 0, -9.81});
  const Eigen::VectorXd q = random.coordinates(tree), v = random.numbers(tree.nv(), 2);
  TreeScratch scratch(tree);
  const std::size_t before = test::allocations();
  inverse_dynamics_derivatives(tree, q, v, v, scratch);
  forward_dynamics_derivatives(tree, q, v, v, scratch);
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace abut::dynamics
