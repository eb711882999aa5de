// Processor time of the algorithms on a tree of 35 joints, and what first derivatives and Hessian-vector
// products cost beside the functions themselves:
//   tree_benchmark [ROBOT.urdf ...]
// Answers are checked before they are timed: forward against inverse dynamics, derivatives and products
// against differences.

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/support/promises.h"
#include "runtime/dynamics/tree/derivatives.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/hessian_products.h"
#include "runtime/dynamics/tree/urdf.h"
#include "tests/support/random_trees.h"

namespace {

using namespace abut;
using dynamics::MatX;
using dynamics::Tree;
using dynamics::TreeScratch;

constexpr int kRepeats = 21;     // of which the median counts
constexpr double kBatch = 2e-3;  // s, of one repeat: many times the clock's resolution

struct Question {
  Eigen::VectorXd q, v, a, tau, weights, direction;
};

// Two legs of six joints at the pelvis, a trunk of three, on it two arms of eight and a head of four.
Tree humanoid(dynamics::JointType root, test::TreeSource& random) {
  using enum dynamics::JointType;
  std::vector<dynamics::Link> links = random.links(std::vector<dynamics::JointType>(36, kRevolute));
  links[0].parent = -1;
  links[0].joint.type = root;
  int next = 1;
  const auto chain = [&](int parent, int count) {
    for (int k = 0; k < count; ++k, ++next) {
      links[static_cast<std::size_t>(next)].parent = parent;
      parent = next;
    }
    return parent;
  };
  chain(0, 6);
  chain(0, 6);
  const int chest = chain(0, 3);
  chain(chest, 8);
  chain(chest, 8);
  chain(chest, 4);
  for (dynamics::Link& link : links) link.joint.armature = 0;
  return Tree(links, {0, 0, -9.81});
}

double thread_time() {  // of the processor, s
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double nanoseconds(const std::function<void()>& work) {
  const auto seconds = [&](int count) {
    const double start = thread_time();
    for (int k = 0; k < count; ++k) work();
    return thread_time() - start;
  };
  int count = 1;
  while (seconds(count) < kBatch) count *= 2;
  std::vector<double> times;
  for (int k = 0; k < kRepeats; ++k) times.push_back(seconds(count) / count);
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return 1e9 * times[kRepeats / 2];
}

// Largest error of the derivatives of forward dynamics against central differences, and of forward dynamics
// put into inverse dynamics; relative.
double largest_error(const Tree& tree, const Question& at) {
  TreeScratch scratch(tree);
  const int n = tree.nv();
  const double h = 1e-5;
  const MatX<double> value = forward_dynamics_derivatives(tree, at.q, at.v, at.tau, scratch);
  MatX<double> reference(n, 2 * n);
  for (int k = 0; k < 2 * n; ++k) {
    const auto moved = [&](double step) {
      Eigen::VectorXd q = at.q, v = at.v;
      if (k < n)
        tree.integrate(at.q, step * Eigen::VectorXd::Unit(n, k), q);
      else
        v[k - n] += step;
      return Eigen::VectorXd(forward_dynamics(tree, q, v, at.tau, scratch));
    };
    reference.col(k) = (moved(h) - moved(-h)) / (2 * h);
  }
  const Eigen::VectorXd a = forward_dynamics(tree, at.q, at.v, at.tau, scratch);
  const Eigen::VectorXd back = inverse_dynamics(tree, at.q, at.v, a, scratch);
  return std::max((value - reference).norm() / reference.norm(),
                  (back - at.tau).norm() / (1 + at.tau.norm()));
}

// Of a product of second derivatives against central differences of its gradient; relative. `product` is one
// of hessian_products.h at q, v and the third argument `last`.
template <class Product>
double product_error(const Tree& tree, const Question& at, const Eigen::VectorXd& last, Product product) {
  TreeScratch scratch(tree);
  const int n = tree.nv();
  const double h = 1e-5;
  const auto gradient = [&](double step) {
    const Eigen::VectorXd by = step * at.direction;
    Eigen::VectorXd q;
    tree.integrate(at.q, by.head(n), q);
    product(tree, q, at.v + by.segment(n, n), last + by.tail(n), at.weights, at.direction, scratch);
    return Eigen::VectorXd(scratch.gradient);
  };
  const Eigen::VectorXd reference = (gradient(h) - gradient(-h)) / (2 * h);
  const Eigen::VectorXd value = product(tree, at.q, at.v, last, at.weights, at.direction, scratch);
  return (value - reference).norm() / reference.norm();
}

double worst(const Tree& tree, const Question& at) {
  return std::max({largest_error(tree, at),
                   product_error(tree, at, at.a, dynamics::inverse_dynamics_hessian_product<double>),
                   product_error(tree, at, at.tau, dynamics::forward_dynamics_hessian_product<double>)});
}

// Times over the functions themselves: of first derivatives and of Hessian-vector products.
struct Ratios {
  double d_inverse, d_forward, dd_inverse, dd_forward;
};

// A row of the table.
Ratios measure(const std::string& name, const Tree& tree, test::TreeSource& random) {
  const int n = tree.nv();
  const Question at{random.coordinates(tree), random.numbers(n, 1), random.numbers(n, 1),
                    random.numbers(n, 1),     random.numbers(n, 1), random.numbers(3 * n, 1)};
  TreeScratch scratch(tree);
  if (const double error = worst(tree, at); !(error < 1e-6)) {
    std::fprintf(stderr, "%s: answers are off by %g\n", name.c_str(), error);
    std::exit(1);
  }
  const double inverse = nanoseconds([&] { inverse_dynamics(tree, at.q, at.v, at.a, scratch); });
  const double mass = nanoseconds([&] { mass_matrix(tree, at.q, scratch); });
  const double forward = nanoseconds([&] { forward_dynamics(tree, at.q, at.v, at.tau, scratch); });
  const double d_inverse =
      nanoseconds([&] { inverse_dynamics_derivatives(tree, at.q, at.v, at.a, scratch); });
  const double d_forward =
      nanoseconds([&] { forward_dynamics_derivatives(tree, at.q, at.v, at.tau, scratch); });
  const double dd_inverse = nanoseconds(
      [&] { inverse_dynamics_hessian_product(tree, at.q, at.v, at.a, at.weights, at.direction, scratch); });
  const double dd_forward = nanoseconds(
      [&] { forward_dynamics_hessian_product(tree, at.q, at.v, at.tau, at.weights, at.direction, scratch); });
  const Ratios ratios{d_inverse / inverse, d_forward / forward, dd_inverse / inverse, dd_forward / forward};
  std::printf("%s,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.2f,%.2f,%.2f,%.2f\n", name.c_str(), n, inverse,
              mass, forward, d_inverse, d_forward, dd_inverse, dd_forward, ratios.d_inverse, ratios.d_forward,
              ratios.dd_inverse, ratios.dd_forward);
  return ratios;
}

}  // namespace

int main(int argc, char** argv) {
  test::TreeSource random(35);
  std::printf(
      "tree,nv,inverse_ns,mass_matrix_ns,forward_ns,d_inverse_ns,d_forward_ns,product_inverse_ns,"
      "product_forward_ns,d_inverse_ratio,d_forward_ratio,product_inverse_ratio,product_forward_ratio\n");
  const Ratios ratios =
      measure("humanoid of 35 joints", humanoid(dynamics::JointType::kFixed, random), random);
  measure("the same on a free joint", humanoid(dynamics::JointType::kFree, random), random);
  for (int k = 1; k < argc; ++k)
    measure(argv[k], Tree(dynamics::read_urdf(argv[k]).links, {0, 0, -9.81}), random);
  benchmarks::Promises promises;
  promises.at_most("derivatives of inverse dynamics, times the function", ratios.d_inverse, 3.5);
  promises.at_most("derivatives of forward dynamics, times the function", ratios.d_forward, 4);
  promises.at_most("Hessian-vector product of inverse dynamics, times the function", ratios.dd_inverse, 6);
  promises.at_most("Hessian-vector product of forward dynamics, times the function", ratios.dd_forward, 6);
  return promises.verdict();
}
