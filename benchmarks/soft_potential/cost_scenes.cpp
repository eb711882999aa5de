#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "benchmarks/soft_potential/scenes.h"
#include "benchmarks/soft_potential/solids.h"

namespace abut::soft_potential_scenes {

namespace {

using contact::Want;

constexpr double kTwoThreads = 1.6;  // times as fast as one

void time_rows(const char* study, const body::Body& mug, const body::Body& banana, const Pose<double>& X) {
  contact::WrenchHessian hessian;
  std::vector<Contender> all = contenders(mug, banana);
  const SettingValues lattice{{"field", "lattice"}};
  all.push_back({"soft potential, lattice", true, lattice, contact::make_model("soft_potential", lattice),
                 &mug, &banana});
  for (const Contender& one : all) {
    fmt::print("{};{};{};{}", study, mug.geometry.points().point_count,
               benchmarks::quads_inside(mug.geometry, banana.geometry, X), one.title);
    for (const Want want : {Want::kValue, Want::kJacobian, Want::kJacobian | Want::kHessian})
      fmt::print(";{:.4f}", 1e3 * benchmarks::seconds([&] {
                              one.model->wrench({&mug, &banana, X}, want, &hessian);
                            }));
    fmt::print("\n");
    std::fflush(stdout);
  }
}

// By the clock, the least of some runs taken in turns with others.
double milliseconds(const std::function<void()>& call) {
  constexpr int kCalls = 5;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / kCalls;
}

void time_threads(const char* field, const body::Pair& pair, Promises& promises) {
  constexpr int kRounds = 40;
  std::array<double, 2> best{1e300, 1e300};
  std::array<std::unique_ptr<contact::Model>, 2> models;
  for (int i = 0; i < 2; ++i)
    models[i] = contact::make_model("soft_potential", {{"field", field}, {"pair_threads", i + 1}});
  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < 2; ++i)
      best[i] = std::min(best[i], milliseconds([&] { models[i]->wrench(pair, Want::kJacobian); }));
  const contact::PairWrench one = models[0]->wrench(pair, Want::kJacobian),
                            two = models[1]->wrench(pair, Want::kJacobian);
  promises.at_most(fmt::format("{}: numbers of two threads that differ from those of one", field),
                   static_cast<double>((one.F_BBo_B.array() != two.F_BBo_B.array()).count() +
                                       (one.dF_dxi_B.array() != two.dF_dxi_B.array()).count()),
                   0);
  fmt::print("| {} | {:.3f} | {:.3f} | {:.2f} |\n", field, best[0], best[1], best[0] / best[1]);
  std::fflush(stdout);
  if (std::thread::hardware_concurrency() >= 2)
    promises.at_least(fmt::format("{}: speed of two threads on a pair in that of one", field),
                      best[0] / best[1], kTwoThreads);
}

}  // namespace

void threads(Promises& promises) {
  const body::Body mug = scanned("mug"), banana = scanned("banana");
  const Pose<double> X = benchmarks::in_contact(mug.geometry, banana.geometry, 200);
  fmt::print("| field | one thread, ms | two | times |\n|---|---|---|---|\n");
  for (const char* field : {"points", "lattice", "grid"}) time_threads(field, {&mug, &banana, X}, promises);
}

void cost(Promises&) {
  fmt::print("study;quads;inside;law;wrench_ms;jacobian_ms;hessian_ms\n");
  const body::Body mug = scanned("mug"), banana = scanned("banana");
  for (const int inside : {10, 25, 50, 100, 200, 400})
    time_rows("area", mug, banana, benchmarks::in_contact(mug.geometry, banana.geometry, inside));
  const Pose<double> X = benchmarks::in_contact(mug.geometry, banana.geometry, 200);
  for (const int quads : {500, 1000, 2000, 4000, 8000, 16000})
    time_rows("resolution", scanned("mug", quads), scanned("banana", quads), X);
}

}  // namespace abut::soft_potential_scenes
