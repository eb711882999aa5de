#pragma once

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "benchmarks/paper/montaut2022/hulls.h"
#include "benchmarks/paper/montaut2022/paper_estimators.h"
#include "benchmarks/paper/montaut2022/pose_problems.h"
#include "benchmarks/paper/montaut2022/trace_plot.h"
#include "tests/support/bodies.h"

namespace abut::benchmarks {

// Convergence of contact-pose generation on two scanned hulls: the median over many target pairs (law C:
// witness pairs of touching poses), where the paper shows one problem.
class HullPairFigure {
 public:
  static constexpr int kIterations = derivative::ContactPoseConfig{}.iterations;
  using Solve = std::function<Solution(const Problem&)>;

  // From the command line: ends the program where that is wrong or asks for help. Throws
  // std::runtime_error where there are no two objects.
  HullPairFigure(int argc, char** argv, const std::string& title, const std::string& prefix)
      : prefix_(prefix) {
    std::string objects;
    CLI::App app(title);
    app.add_option("--problems", problems_, "target pairs")->capture_default_str();
    app.add_option("--objects", objects, kObjectsHelp);
    app.add_option("--out", prefix_, "prefix of the files")->capture_default_str();
    app.add_option("--seed", seed_)->capture_default_str();
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      std::exit(app.exit(error));
    }
    objects = objects_folder(objects).string();
    hulls_ = read_ycb_hulls(objects);
    if (hulls_.size() < 2) throw std::runtime_error("fewer than two objects of the YCB layout in " + objects);
    for (const NamedHull* hull : {&first(), &second()}) bodies_.push_back(test::hull_body(hull->piece));
  }

  std::uint64_t seed() const { return seed_; }
  const std::string& prefix() const { return prefix_; }
  std::string pair() const { return first().name + " and " + second().name; }

  // Prints a line of it.
  Curve curve(const std::string& name, const Solve& solve) const {
    const body::Body &A = bodies_[0], &B = bodies_[1];
    std::vector<Solution> solutions(static_cast<std::size_t>(problems_));
    parallel_for(problems_, 0, [&](std::int64_t i, int) {
      solutions[static_cast<std::size_t>(i)] =
          solve(draw_problem(A, B, Law::kContact, seed_, static_cast<std::uint64_t>(i)));
    });
    Curve result{name, median_trace(solutions, kIterations)};
    std::printf("%-26s median cost after 10, 25, 50 iterations: %.1e %.1e %.1e\n", name.c_str(),
                result.cost[10], result.cost[25], result.cost[50]);
    return result;
  }
  Curve curve(const std::string& name, const Differentiator& differentiator) const {
    return curve(name, Solve([&](const Problem& p) {
                   return derivative::gauss_newton_contact_pose(p, differentiator, kIterations);
                 }));
  }

 private:
  const NamedHull& first() const { return hulls_.front(); }
  const NamedHull& second() const { return hulls_[hulls_.size() / 2]; }

  int problems_ = 50;
  std::uint64_t seed_ = 1;
  std::string prefix_;
  std::vector<NamedHull> hulls_;
  std::vector<body::Body> bodies_;  // first and second
};

}  // namespace abut::benchmarks
