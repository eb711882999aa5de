// Pressure-field contact on the 200 reference poses against a reference implementation in the same run;
// checks the answers first. CSV on standard output, one row per pose; a summary on standard error.
//   pressure_field_speed [--level 1000] [--passes 7]
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

#include "benchmarks/pressure/reference_field.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/median.h"
#include "benchmarks/support/promises.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/core/random.h"
#include "tests/support/pressure_field_data.h"

namespace {

using namespace abut;
using benchmarks::median;
using contact::PairWrench;
using contact::Want;

// Processor time of this thread, us: other work on the machine does not count.
double now() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

struct Row {
  const test::PressureFieldQuery* query = nullptr;
  body::Pair pair;
  const reference_field::Body *A = nullptr, *B = nullptr;
  Pose<double> X_AB_moved;  // by 1e-4 m and rad
  std::size_t candidates = 0;
  double reference = 1e300, wrench = 1e300, jacobian = 1e300, warm = 1e300;  // us, best of all passes
};

void check(const Row& row, contact::Model& model, std::size_t& candidates) {
  const reference_field::Answer reference = reference_field::wrench(*row.A, *row.B, row.pair.X_AB);
  const PairWrench ours = model.wrench(row.pair, Want::kValue);
  candidates = reference.candidates;
  if (!((reference.F_BBo_B - ours.F_BBo_B).norm() <= 1e-9 * ours.F_BBo_B.norm()))
    throw std::runtime_error(fmt::format("the two disagree on {} and {}: area {} and {}", row.query->object_A,
                                         row.query->object_B, reference.area, ours.area));
}

// One pass of each kind over all poses, one kind after the other, as a loop of queries.
void time_once(std::vector<Row>& rows, contact::Model& model) {
  const auto pass = [&](double Row::*time, const auto& work) {
    for (Row& row : rows) {
      const double begin = now();
      work(row);
      row.*time = std::min(row.*time, now() - begin);
    }
  };
  pass(&Row::reference, [](Row& row) { (void)reference_field::wrench(*row.A, *row.B, row.pair.X_AB); });
  pass(&Row::wrench, [&](Row& row) { (void)model.wrench(row.pair, Want::kValue); });
  pass(&Row::jacobian, [&](Row& row) { (void)model.wrench(row.pair, Want::kJacobian); });
  for (Row& row : rows) {
    // The first query of two bodies is taken for the only one; the second keeps its pairs for the third.
    for (int i = 0; i < 2; ++i) {
      body::Pair before = row.pair;
      before.X_AB.p.x() += i == 0 ? 0.01 : 0;
      (void)model.wrench(before, Want::kValue);
    }
    body::Pair moved = row.pair;
    moved.X_AB = row.X_AB_moved;
    const double begin = now();
    (void)model.wrench(moved, Want::kValue);
    row.warm = std::min(row.warm, now() - begin);
  }
}

int report(const std::vector<Row>& rows) {
  std::vector<double> reference, per_pair, wrench, jacobian, warm, speedup, share, warm_gain;
  fmt::print("object_A,object_B,candidates,reference_us,wrench_us,jacobian_us,warm_us\n");
  for (const Row& r : rows) {
    fmt::print("{},{},{},{:.2f},{:.2f},{:.2f},{:.2f}\n", r.query->object_A, r.query->object_B, r.candidates,
               r.reference, r.wrench, r.jacobian, r.warm);
    reference.push_back(r.reference);
    per_pair.push_back(1e3 * r.reference / static_cast<double>(r.candidates));
    wrench.push_back(r.wrench);
    jacobian.push_back(r.jacobian);
    warm.push_back(r.warm);
    speedup.push_back(r.reference / r.wrench);
    share.push_back(r.jacobian / r.wrench);
    warm_gain.push_back(r.wrench / r.warm);
  }
  fmt::print(stderr,
             "medians over {} poses: reference {:.1f} us, {:.0f} ns per candidate pair (peer: 433); wrench "
             "{:.1f} us, with "
             "Jacobian {:.1f}, warm {:.1f}\nmedian ratios: reference / wrench {:.2f}, Jacobian / wrench "
             "{:.2f}, wrench / warm {:.2f}\n",
             rows.size(), median(reference), median(per_pair), median(wrench), median(jacobian), median(warm),
             median(speedup), median(share), median(warm_gain));
  benchmarks::Promises promises;
  promises.at_most("wrench with Jacobian over wrench", median(share), 2.5);
  promises.at_least("wrench over warm wrench", median(warm_gain), 1.5);
  return promises.verdict();
}

int run(int level, int passes) {
  benchmarks::require_reference("pressure_field");
  const std::vector<test::PressureFieldQuery> queries = test::read_pressure_field_queries();
  test::ReferenceVolumes volumes(level);
  std::map<std::string, reference_field::Body> reference;
  std::map<std::string, body::Body> bodies;
  const auto model = contact::make_pressure_field_model();
  Random random(1);
  std::vector<Row> rows;
  for (const test::PressureFieldQuery& query : queries) {
    Row row;
    row.query = &query;
    const auto body_of = [&](const std::string& object) {
      return &bodies.try_emplace(object, volumes.body(object, {.modulus = 1})).first->second;
    };
    const auto reference_of = [&](const std::string& object) {
      return &reference.try_emplace(object, volumes[object].volume).first->second;
    };
    row.pair = {body_of(query.object_A), body_of(query.object_B), query.X_AB};
    row.A = reference_of(query.object_A);
    row.B = reference_of(query.object_B);
    Vec6<double> xi;
    for (int k = 0; k < 6; ++k) xi[k] = random.uniform(-1e-4, 1e-4);
    row.X_AB_moved = query.X_AB * exp(xi);
    check(row, *model, row.candidates);
    rows.push_back(row);
  }
  for (int pass = 0; pass < passes; ++pass) time_once(rows, *model);
  return report(rows);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 1000, passes = 7;
  CLI::App app{"Speed of pressure-field contact on the reference poses."};
  app.add_option("--level", level, "300, 1000 or 3000 (finest bodies)")->capture_default_str();
  app.add_option("--passes", passes, "best of so many")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return run(level, passes);
  } catch (const std::exception& error) {
    fmt::print(stderr, "pressure_field_speed: {}\n", error.what());
    return 1;
  }
}
