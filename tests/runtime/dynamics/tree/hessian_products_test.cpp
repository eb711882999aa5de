#include "runtime/dynamics/tree/hessian_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "runtime/dynamics/tree/derivatives.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/mimic.h"
#include "runtime/dynamics/tree/tangent.h"
#include "runtime/dynamics/tree/urdf.h"
#include "tests/support/allocations.h"
#include "tests/support/random_trees.h"
#include "tests/support/refusal.h"

namespace abut::dynamics {
namespace {

using Extended = VecX<long double>;

const Vec3<double> kPull{0.3, -0.5, -9.81};  // m/s^2

// q, v and a of inverse dynamics, or tau of forward dynamics.
template <class S>
struct Point {
  VecX<S> q, v, last;
};

Point<long double> moved(const Tree& tree, const Point<double>& from, const Extended& by) {
  const int n = tree.nv();
  Point<long double> to{from.q.cast<long double>(), from.v.cast<long double>(),
                        from.last.cast<long double>()};
  tree.integrate<long double>(from.q.cast<long double>(), by.head(n), to.q);
  to.v += by.segment(n, n);
  to.last += by.tail(n);
  return to;
}

// Derivative of f along `direction` by central differences of fourth order in long double.
Extended rate(const std::function<Extended(const Extended&)>& f, const Extended& direction,
              long double h = 1e-4L) {
  const auto at = [&](long double step) { return f(step * direction); };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

// A function of Point, the product of its second derivatives, and its gradient from the first derivatives.
struct Inverse {
  template <class S>
  static const VecX<S>& value(const Tree& tree, const Point<S>& at, BasicTreeScratch<S>& scratch) {
    return inverse_dynamics<S>(tree, at.q, at.v, at.last, scratch);
  }
  template <class S>
  static VecX<S> gradient(const Tree& tree, const Point<S>& at, const VecX<S>& weights,
                          BasicTreeScratch<S>& scratch) {
    const MatX<S>& slopes = inverse_dynamics_derivatives<S>(tree, at.q, at.v, at.last, scratch);
    VecX<S> gradient(3 * tree.nv());
    gradient << slopes.transpose() * weights, scratch.mass_matrix * weights;
    return gradient;
  }
  static const Eigen::VectorXd& product(const Tree& tree, const Point<double>& at,
                                        const Eigen::VectorXd& weights, const Eigen::VectorXd& direction,
                                        TreeScratch& scratch) {
    return inverse_dynamics_hessian_product(tree, at.q, at.v, at.last, weights, direction, scratch);
  }
};
struct Forward {
  template <class S>
  static const VecX<S>& value(const Tree& tree, const Point<S>& at, BasicTreeScratch<S>& scratch) {
    return forward_dynamics<S>(tree, at.q, at.v, at.last, scratch);
  }
  template <class S>
  static VecX<S> gradient(const Tree& tree, const Point<S>& at, const VecX<S>& weights,
                          BasicTreeScratch<S>& scratch) {
    const MatX<S>& slopes = forward_dynamics_derivatives<S>(tree, at.q, at.v, at.last, scratch);
    VecX<S> solved = weights, gradient(3 * tree.nv());
    solve_mass_matrix<S>(tree, scratch, solved);
    gradient << slopes.transpose() * weights, solved;
    return gradient;
  }
  static const Eigen::VectorXd& product(const Tree& tree, const Point<double>& at,
                                        const Eigen::VectorXd& weights, const Eigen::VectorXd& direction,
                                        TreeScratch& scratch) {
    return forward_dynamics_hessian_product(tree, at.q, at.v, at.last, weights, direction, scratch);
  }
};

struct Case {
  Case(const Tree& tree, test::TreeSource& random)
      : at{random.coordinates(tree), random.numbers(tree.nv(), 2), random.numbers(tree.nv(), 3)},
        weights(random.numbers(tree.nv(), 1)),
        direction(random.numbers(3 * tree.nv(), 1)),
        other(random.numbers(3 * tree.nv(), 1)) {}

  Point<double> at;
  Eigen::VectorXd weights, direction, other;
};

template <class Function>
void expect_differences(const Tree& tree, test::TreeSource& random, double bound) {
  const Case c(tree, random);
  TreeScratch scratch(tree);
  BasicTreeScratch<long double> extended(tree);
  const Eigen::VectorXd value = Function::product(tree, c.at, c.weights, c.direction, scratch);
  const Eigen::VectorXd gradient = scratch.gradient;
  EXPECT_LT(
      test::relative_error(gradient, Function::template gradient<double>(tree, c.at, c.weights, scratch)),
      bound / 100);
  const Extended weights = c.weights.cast<long double>();
  const Extended reference = rate(
      [&](const Extended& by) {
        return Function::template gradient<long double>(tree, moved(tree, c.at, by), weights, extended);
      },
      c.direction.cast<long double>());
  EXPECT_LT(test::relative_error(value, reference.cast<double>()), bound);
}

TEST(TreeHessianProducts, OfInverseDynamicsAreDifferencesForEveryJoint) {
  test::TreeSource random(41);
  for (int trial = 0; trial < 20; ++trial)
    expect_differences<Inverse>(Tree(random.links(test::every_joint_type()), kPull), random, 1e-11);
}

TEST(TreeHessianProducts, OfForwardDynamicsAreDifferencesForEveryJoint) {
  test::TreeSource random(42);
  for (int trial = 0; trial < 20; ++trial)
    expect_differences<Forward>(Tree(random.links(test::every_joint_type()), kPull), random, 1e-10);
}

TEST(TreeHessianProducts, OfArmsFromFilesAreDifferences) {
  test::TreeSource random(43);
  for (const char* name : {"arm/arm7.urdf", "robots/franka/fer.urdf"}) {
    const std::filesystem::path file = std::filesystem::path(ABUT_SHARED_DIR) / "data" / name;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const Tree tree(read_urdf(file).links, kPull);
    for (int trial = 0; trial < 5; ++trial) {
      expect_differences<Inverse>(tree, random, 1e-11);
      expect_differences<Forward>(tree, random, 1e-10);
    }
  }
}

template <class Function>
void expect_symmetric(const Tree& tree, test::TreeSource& random, double bound) {
  const Case c(tree, random);
  TreeScratch scratch(tree);
  const int n = 3 * tree.nv();
  Eigen::MatrixXd H(n, n);
  for (int k = 0; k < n; ++k)
    H.col(k) = Function::product(tree, c.at, c.weights, Eigen::VectorXd::Unit(n, k), scratch);
  EXPECT_LT(test::relative_error(H, H.transpose()), bound);
  EXPECT_LT(
      test::relative_error(Function::product(tree, c.at, c.weights, c.direction, scratch), H * c.direction),
      bound);
}

TEST(TreeHessianProducts, AreOfASymmetricMatrixWithJointsOfOneDegreeOfFreedom) {
  using enum JointType;
  test::TreeSource random(44);
  for (int trial = 0; trial < 20; ++trial) {
    const Tree tree(random.links({kRevolute, kPrismatic, kRevolute, kFixed, kPrismatic, kRevolute, kRevolute,
                                  kPrismatic, kRevolute}),
                    kPull);
    expect_symmetric<Inverse>(tree, random, 1e-13);
    expect_symmetric<Forward>(tree, random, 1e-11);
  }
}

// The symmetric second derivative of weights' f by the coordinates of integrate, in f's own differences.
template <class Function>
double mixed_difference(const Tree& tree, const Case& c) {
  BasicTreeScratch<long double> scratch(tree);
  const long double h = 1e-3L;
  const Extended weights = c.weights.cast<long double>();
  const auto slope = [&](const Extended& from) -> Extended {
    return rate(
        [&](const Extended& by) {
          return Extended::Constant(1, weights.dot(Function::template value<long double>(
                                           tree, moved(tree, c.at, from + by), scratch)))
              .eval();
        },
        c.other.cast<long double>(), h);
  };
  return static_cast<double>(rate(slope, c.direction.cast<long double>(), h)[0]);
}

template <class Function>
void expect_chart(const Tree& tree, test::TreeSource& random, double bound) {
  const Case c(tree, random);
  const int n = tree.nv();
  TreeScratch scratch(tree);
  const Eigen::VectorXd along = Function::product(tree, c.at, c.weights, c.direction, scratch);
  const Eigen::VectorXd along_other = Function::product(tree, c.at, c.weights, c.other, scratch);
  const MatX<double> ad = adjoint_derivative(tree, c.direction.head(n));
  const Eigen::VectorXd g = scratch.gradient.head(n);
  const double scale = 1 + along.norm() * c.other.norm();
  EXPECT_LT(std::abs(c.other.dot(along) - c.direction.dot(along_other) - g.dot(ad * c.other.head(n))) / scale,
            bound);
  Eigen::VectorXd chart = along;
  chart.head(n) -= ad.transpose() * g / 2;
  EXPECT_LT(std::abs(c.other.dot(chart) - mixed_difference<Function>(tree, c)) / scale, 1e-9);
}

TEST(TreeHessianProducts, DifferFromTheHessianOfTheChartByHalfABracket) {
  test::TreeSource random(45);
  for (int trial = 0; trial < 10; ++trial) {
    const Tree tree(random.links(test::every_joint_type()), kPull);
    expect_chart<Inverse>(tree, random, 1e-13);
    expect_chart<Forward>(tree, random, 1e-11);
  }
}

// Three copies of G on the diagonal, for (q; v; a).
Eigen::MatrixXd for_each_part(const MatX<double>& G) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(3 * G.rows(), 3 * G.cols());
  for (int k = 0; k < 3; ++k) result.block(k * G.rows(), k * G.cols(), G.rows(), G.cols()) = G;
  return result;
}

// tau_i = G' tau(G q_i + offset, G v_i, G a_i).
TEST(TreeHessianProducts, OfJointsThatMimicAreThoseOfTheIndependentOnes) {
  using enum JointType;
  test::TreeSource random(46);
  std::vector<Link> links = random.links({kRevolute, kPrismatic, kRevolute, kSpherical, kRevolute});
  links[0].joint.mimic = Mimic{2, -0.7, 0.2};
  links[4].joint.mimic = Mimic{0, 1.5, -0.1};
  const Tree tree(links, kPull);
  const MimicMap map(tree);
  TreeScratch scratch(tree);
  BasicTreeScratch<long double> extended(tree);
  const Eigen::MatrixXd G = map.matrix(), G3 = for_each_part(G);
  Case c(tree, random);
  map.obey(c.at.q);
  const Eigen::VectorXd weights = random.numbers(map.nv(), 1), direction = random.numbers(3 * map.nv(), 1);
  const Eigen::VectorXd value =
      G3.transpose() * Inverse::product(tree, c.at, G * weights, G3 * direction, scratch);
  const Extended reference = rate(
      [&](const Extended& by) -> Extended {
        const auto at = moved(tree, c.at, G3.cast<long double>() * by);
        const auto f = [&](const Extended& step) -> Extended {
          Point<long double> to = at;
          const Extended full = G3.cast<long double>() * step;
          tree.integrate<long double>(at.q, full.head(tree.nv()), to.q);
          to.v += full.segment(tree.nv(), tree.nv());
          to.last += full.tail(tree.nv());
          return G.transpose().cast<long double>() * Inverse::value<long double>(tree, to, extended);
        };
        Extended gradient(3 * map.nv());
        for (int k = 0; k < gradient.size(); ++k)
          gradient[k] = rate(f, Extended::Unit(gradient.size(), k), 1e-3L).dot(weights.cast<long double>());
        return gradient;
      },
      direction.cast<long double>(), 1e-3L);
  EXPECT_LT(test::relative_error(value, reference.cast<double>()), 1e-9);
}

TEST(TreeHessianProducts, AreLinearInWeightsAndDirection) {
  test::TreeSource random(47);
  const Tree tree(random.links(test::every_joint_type()), kPull);
  const Case c(tree, random);
  const Eigen::VectorXd more = random.numbers(tree.nv(), 1);
  TreeScratch scratch(tree);
  const auto expect_linear = [&](auto function, double bound) {
    const auto product = [&](const Eigen::VectorXd& weights, const Eigen::VectorXd& direction) {
      return Eigen::VectorXd(decltype(function)::product(tree, c.at, weights, direction, scratch));
    };
    const Eigen::VectorXd one = product(c.weights, c.direction);
    EXPECT_LT(test::relative_error(product(c.weights - 3 * more, c.direction),
                                   one - 3 * product(more, c.direction)),
              bound);
    EXPECT_LT(test::relative_error(product(c.weights, c.direction - 3 * c.other),
                                   one - 3 * product(c.weights, c.other)),
              bound);
  };
  expect_linear(Inverse{}, 1e-13);
  expect_linear(Forward{}, 1e-11);
}

TEST(TreeHessianProducts, AllocateNothing) {
  test::TreeSource random(48);
  const Tree tree(random.links(test::every_joint_type()), kPull);
  const Case c(tree, random);
  TreeScratch scratch(tree);
  const std::size_t before = test::allocations();
  Inverse::product(tree, c.at, c.weights, c.direction, scratch);
  Forward::product(tree, c.at, c.weights, c.direction, scratch);
  EXPECT_EQ(test::allocations(), before);
}

TEST(TreeHessianProducts, RefuseWrongSizesAndForgetNaN) {
  test::TreeSource random(49);
  const Tree tree(random.links({JointType::kRevolute, JointType::kSpherical}), kPull);
  const Case c(tree, random);
  TreeScratch scratch(tree);
  const auto expect_refusals = [&](auto function, const std::string& last) {
    const auto of = [&](const Point<double>& at, const Eigen::VectorXd& weights,
                        const Eigen::VectorXd& direction) {
      return test::refusal([&] { decltype(function)::product(tree, at, weights, direction, scratch); });
    };
    const Eigen::VectorXd two = Eigen::VectorXd::Zero(2);
    EXPECT_EQ(of({two, c.at.v, c.at.last}, c.weights, c.direction), "tree: 2 numbers for 5 coordinates");
    EXPECT_EQ(of({c.at.q, two, c.at.last}, c.weights, c.direction), "tree: 2 numbers for 4 velocities");
    EXPECT_EQ(of({c.at.q, c.at.v, two}, c.weights, c.direction), "tree: 2 numbers for 4 " + last);
    EXPECT_EQ(of(c.at, two, c.direction), "tree: 2 numbers for 4 weights");
    EXPECT_EQ(of(c.at, c.weights, two), "tree: 2 numbers for 12 entries of the direction");

    const Eigen::VectorXd value = decltype(function)::product(tree, c.at, c.weights, c.direction, scratch);
    const Point<double> nowhere{c.at.q, c.at.v * std::nan(""), c.at.last};
    EXPECT_TRUE(decltype(function)::product(tree, nowhere, c.weights, c.direction, scratch).hasNaN());
    EXPECT_EQ(decltype(function)::product(tree, c.at, c.weights, c.direction, scratch), value);
  };
  expect_refusals(Inverse{}, "accelerations");
  expect_refusals(Forward{}, "generalised forces");
}

}  // namespace
}  // namespace abut::dynamics
