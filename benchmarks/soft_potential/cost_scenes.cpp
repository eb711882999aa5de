#include <fmt/format.h>

#include "benchmarks/soft_potential/scenes.h"
#include "benchmarks/soft_potential/solids.h"

namespace abut::soft_potential_scenes {

namespace {

using contact::Want;

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

}  // namespace

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
