#include "runtime/dynamics/tree/hessian_products.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "runtime/dynamics/tree/derivatives.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/urdf.h"
#include "tests/support/allocations.h"
#include "tests/support/random_trees.h"

namespace abut::dynamics {
namespace {

using Extended = VecX<long double>;

// q, v and a or tau.
template <class S>
struct Point {
  VecX<S> q, v, last;
};

Point<long double> moved(const Tree& tree, const Point<double>& from, const Extended& direction) {
  const int n = tree.nv();
  Point<long double> to{from.q.cast<long double>(), from.v.cast<long double>(),
                        from.last.cast<long double>()};
  tree.integrate<long double>(from.q.cast<long double>(), direction.head(n), to.q);
  to.v += direction.segment(n, n);
  to.last += direction.tail(n);
  return to;
}

// Derivative of f along `direction` by central differences of fourth order in long double.
Eigen::VectorXd rate(const std::function<Extended(const Extended&)>& f, const Extended& direction) {
  const long double h = 1e-4L;
  const auto at = [&](long double step) { return f(step * direction); };
  return ((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)).cast<double>();
}

// weights' [dtau/dq dtau/dv M], as a column.
template <class S>
VecX<S> inverse_gradient(const Tree& tree, const Point<S>& at, const VecX<S>& weights,
                         BasicTreeScratch<S>& scratch) {
  VecX<S> gradient(3 * tree.nv());
  const MatX<S>& slopes = inverse_dynamics_derivatives<S>(tree, at.q, at.v, at.last, scratch);
  gradient << slopes.transpose() * weights, scratch.mass_matrix * weights;
  return gradient;
}

struct Case {
  Point<double> at;
  Eigen::VectorXd weights, direction;
  Case(const Tree& tree, test::TreeSource& random)
      : at{random.coordinates(tree), random.numbers(tree.nv(), 2), random.numbers(tree.nv(), 3)},
        weights(random.numbers(tree.nv(), 1)),
        direction(random.numbers(3 * tree.nv(), 1)) {}
};

void expect_inverse_products(const Tree& tree, test::TreeSource& random) {
  const Case c(tree, random);
  TreeScratch scratch(tree);
  BasicTreeScratch<long double> extended(tree);
  const Eigen::VectorXd value =
      inverse_dynamics_hessian_product(tree, c.at.q, c.at.v, c.at.last, c.weights, c.direction, scratch);
  const Eigen::VectorXd gradient = scratch.gradient;
  EXPECT_LT(test::relative_error(gradient, inverse_gradient<double>(tree, c.at, c.weights, scratch)), 1e-13);
  const Eigen::VectorXd reference = rate(
      [&](const Extended& step) {
        return inverse_gradient<long double>(tree, moved(tree, c.at, step), c.weights.cast<long double>(),
                                             extended);
      },
      c.direction.cast<long double>());
  EXPECT_LT(test::relative_error(value, reference), 1e-11);
}

TEST(TreeHessianProducts, OfInverseDynamicsAreDifferencesForEveryJoint) {
  test::TreeSource random(41);
  for (int trial = 0; trial < 20; ++trial)
    expect_inverse_products(Tree(random.links(test::every_joint_type()), {0.3, -0.5, -9.81}), random);
}

TEST(TreeHessianProducts, OfArmsFromFilesAreDifferences) {
  test::TreeSource random(42);
  for (const char* name : {"arm/arm7.urdf", "robots/franka/fer.urdf"}) {
    const std::filesystem::path file = std::filesystem::path(ABUT_SHARED_DIR) / "data" / name;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const Tree tree(read_urdf(file).links, {0, 0, -9.81});
    for (int trial = 0; trial < 5; ++trial) expect_inverse_products(tree, random);
  }
}

}  // namespace
}  // namespace abut::dynamics
