#pragma once

#include <algorithm>
#include <limits>

namespace abut::dynamics {

// Slip at which friction is 0.7 of its value in implicit steps, m/s (rad/s of a joint that turns), where no
// setting says another: what rests on a slope of 0.95 of the friction cone creeps by three times as much,
// less than 1e-6 m/s. With less, what is out of balance within the cone takes longer to come to rest. (The
// models' own defaults are for explicit steps.)
inline constexpr double kImplicitStiction = 3e-7;

// What ends a search by Newton's method.
struct SearchLimits {
  double tolerance;                                // of velocities, m/s
  int iterations;                                  // at most
  int halvings = std::numeric_limits<int>::max();  // of their steps: no iteration after more in all
};

// Newton's method is lost in friction that turns round over so little slip where it starts far from the
// answer: it halves its steps again and again. Where it finds none in kDirectIterations with kDirectHalvings,
// the answers for friction at rest over more slip lead there: by the factors kSmoothest, kSmoothest / kRatio,
// ... 1, each from the one before and its derivative by the factor. The slip of what sticks goes with the
// factor, so that the foreseen answer is nearly right, and two or three iterations serve for each.
inline constexpr int kDirectIterations = 15, kDirectHalvings = 10;
inline constexpr double kSmoothest = 1e5, kRatio = 10;

// Tolerance on the way, of the standard slip over which friction turns round there; and by how much more of a
// factor the derivative by it is taken.
inline constexpr double kToleranceOnTheWay = 0.03, kFactorDifference = 1e-3;

// Calls search(factor, tolerance, guess) for each factor in turn, which returns whether there is an answer to
// the tolerance (m/s), then answer(), the velocities, and slope(factor), their derivative by the factor. The
// first guess is given, and the tolerance of the last answer. Returns whether all had an answer.
template <class Vector, class Search, class Answer, class Slope>
bool follow_smoothed_friction(Vector guess, double tolerance, Search&& search, Answer&& answer,
                              Slope&& slope) {
  for (double factor = kSmoothest;; factor /= kRatio) {
    const bool last = factor < 2;
    const double wanted =
        last ? tolerance : std::max(tolerance, kToleranceOnTheWay * factor * kImplicitStiction);
    if (!search(factor, wanted, guess)) return false;
    if (last) return true;
    guess = answer();
    const Vector change = (factor / kRatio - factor) * slope(factor);
    if (change.allFinite()) guess += change;
  }
}

}  // namespace abut::dynamics
