// Derivatives of the step with rigid contact and friction against differences of the fourth order of the step
// as it ships (its solver to 1e-13), over random states of piles and of arms: how many are within 1e-6, and
// the share of kinks by their kind; and what derivatives cost in steps (processor time). Ends with an error
// where one is wrong and not named, or less than two thirds of the moved states and arms are right.
//
//   frictional_derivatives [STATES]      1,000
#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <set>

#include "tests/support/random_piles.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::test;

constexpr std::size_t kKinds = 7, kVerdicts = 5;

struct Count {
  std::array<int, kVerdicts> verdicts{};
  std::array<int, kKinds> kinds{};
  double worst = 0;  // error of those that are right
  double step_time = 0,
         derivative_time = 0;  // of the process, s: of one step of each state, without and with
  int of(DerivativeVerdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
};

void add(Count& count, const DerivativeCheck& check) {
  ++count.verdicts[static_cast<std::size_t>(check.verdict)];
  if (check.verdict == DerivativeVerdict::kRight) count.worst = test::worst_of(count.worst, check.error);
  if (check.verdict != DerivativeVerdict::kNamed) return;
  std::set<StepKink::Kind> kinds;
  for (const StepKink& kink : check.derivatives.kinks) kinds.insert(kink.kind);
  for (const StepKink::Kind kind : kinds) ++count.kinds[static_cast<std::size_t>(kind)];
}

template <class Step>
double least_time(Step&& step) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const std::clock_t start = std::clock();
    step();
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

void add_times(Count& count, Integrator& integrator, const State& state) {
  constexpr int kSteps = 10;  // at once: the clock ticks in microseconds
  State next;
  StepDerivatives derivatives;
  count.step_time += least_time([&] {
                       for (int k = 0; k < kSteps; ++k) integrator.step(next = state, {});
                     }) /
                     kSteps;
  count.derivative_time += least_time([&] { integrator.step(next = state, {}, derivatives); });
}

// make(random, k): a scene.
template <class Make>
Count check(int states, bool settled, Make&& make) {
  Count count;
  for (int k = 0; k < states; ++k) {
    Random random(19, static_cast<std::uint64_t>(k));
    const System system(make(random, k));
    StepDifferences differences(system, {.dt = 2e-3, .solver_settings = {{"tolerance", 1e-13}}});
    const State state = pile_state(random, differences, system, settled);
    add(count, check_derivatives(differences, state));
    add_times(count, differences.integrator(), state);
  }
  return count;
}

void print(const char* what, int states, const Count& count) {
  using enum DerivativeVerdict;
  fmt::print("| {} | {} | {} | {:.1e} | {} | {} | {} | {} | {:.0f} |", what, states, count.of(kRight),
             count.worst, count.of(kNamed), count.of(kNotConverged), count.of(kNearKink), count.of(kWrong),
             count.derivative_time / count.step_time);
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    if (count.kinds[kind] > 0)
      fmt::print(" {} {}", to_string(static_cast<StepKink::Kind>(kind)), count.kinds[kind]);
  fmt::print(" |\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int states = argc > 1 ? std::atoi(argv[1]) : 1000;
  fmt::print(
      "| states | of them | within 1e-6 | the worst | kinks | not converged | near a kink | wrong | cost, "
      "steps "
      "| kinks by kind |\n|---|---|---|---|---|---|---|---|---|---|\n");
  const auto pile = [](Random& random, int k) { return random_pile(random, 1 + k % 3); };
  const auto arm = [](Random& random, int k) { return random_arm(random, static_cast<unsigned>(k)); };
  const Count moved = check(states, false, pile), settled = check(states / 4, true, pile),
              arms = check(states / 4, false, arm);
  print("piles, moved", states, moved);
  print("piles, as they are", states / 4, settled);
  print("arms, moved", states / 4, arms);
  const auto wrong = [](const Count& count) { return count.of(DerivativeVerdict::kWrong); };
  const auto mostly_right = [](const Count& count, int of) {
    return 3 * count.of(DerivativeVerdict::kRight) >= 2 * of;
  };
  const bool holds = wrong(moved) + wrong(settled) + wrong(arms) == 0 && mostly_right(moved, states) &&
                     mostly_right(arms, states / 4);
  if (!holds)
    fmt::print(stderr, "derivatives are wrong where no kink is named, or less than two thirds are right\n");
  return holds ? EXIT_SUCCESS : EXIT_FAILURE;
}
