// Derivatives of the step with rigid contact and friction against differences of the fourth order of the step
// as it ships (its solver to 1e-13), over random states of piles: how many are within 1e-6, and the share of
// kinks by their kind. Ends with an error where one is wrong and not named, or more than a third are kinks.
//
//   frictional_derivatives [STATES]      1,000
#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <set>

#include "tests/support/random_piles.h"

namespace {

using namespace abut;
using namespace abut::test;

constexpr std::size_t kKinds = 7, kVerdicts = 5;

struct Count {
  std::array<int, kVerdicts> verdicts{};
  std::array<int, kKinds> kinds{};
  double worst = 0;  // error of those that are right
  int of(DerivativeVerdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
};

void add(Count& count, const DerivativeCheck& check) {
  ++count.verdicts[static_cast<std::size_t>(check.verdict)];
  if (check.verdict == DerivativeVerdict::kRight) count.worst = std::max(count.worst, check.error);
  if (check.verdict != DerivativeVerdict::kNamed) return;
  std::set<StepKink::Kind> kinds;
  for (const StepKink& kink : check.derivatives.kinks) kinds.insert(kink.kind);
  for (const StepKink::Kind kind : kinds) ++count.kinds[static_cast<std::size_t>(kind)];
}

Count check_piles(int states, bool settled) {
  Count count;
  for (int k = 0; k < states; ++k) {
    Random random(19, static_cast<std::uint64_t>(k));
    const System system(random_pile(random, 1 + k % 3));
    StepDifferences differences(system, {.dt = 2e-3, .solver_settings = {{"tolerance", 1e-13}}});
    add(count, check_derivatives(differences, pile_state(random, differences, system, settled)));
  }
  return count;
}

void print(const char* what, int states, const Count& count) {
  using enum DerivativeVerdict;
  fmt::print("| {} | {} | {} | {:.1e} | {} | {} | {} | {} |", what, states, count.of(kRight), count.worst,
             count.of(kNamed), count.of(kNotConverged), count.of(kNearKink), count.of(kWrong));
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    if (count.kinds[kind] > 0)
      fmt::print(" {} {}", to_string(static_cast<StepKink::Kind>(kind)), count.kinds[kind]);
  fmt::print(" |\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int states = argc > 1 ? std::atoi(argv[1]) : 1000;
  fmt::print(
      "| states | of them | within 1e-6 | the worst | kinks | not converged | near a kink | wrong | kinks by "
      "kind |\n|---|---|---|---|---|---|---|---|---|\n");
  const Count moved = check_piles(states, false), settled = check_piles(states / 4, true);
  print("piles, moved", states, moved);
  print("piles, as they are", states / 4, settled);
  const bool holds = moved.of(DerivativeVerdict::kWrong) + settled.of(DerivativeVerdict::kWrong) == 0 &&
                     3 * moved.of(DerivativeVerdict::kNamed) < states;
  if (!holds) fmt::print(stderr, "derivatives are wrong where no kink is named, or kinks are many\n");
  return holds ? EXIT_SUCCESS : EXIT_FAILURE;
}
