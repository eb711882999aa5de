#pragma once

#include <algorithm>
#include <limits>

namespace abut::dynamics {

// Stiction speed of implicit steps, m/s (rad/s for a revolute joint), where no setting gives another: the
// slip at which friction is 0.7 of its full value. What rests on a slope at 0.95 of the friction cone creeps
// at three times this speed, less than 1e-6 m/s. With a smaller one, what is out of balance within the cone
// takes longer to come to rest. (The models' own defaults are for explicit steps.)
inline constexpr double kImplicitStiction = 3e-7;
// sqrt(g size) of objects of 1 m, the unit of dimensionless slip settings, m/s.
inline constexpr double kGreatestUnit = 3;

// Limits at which Newton's method ends.
struct SearchLimits {
  double tolerance;  // of velocities, m/s
  int iterations;    // largest number
  // Largest total number of halved steps before a further iteration.
  int halvings = std::numeric_limits<int>::max();
};

// Friction multiplies the rounding of velocities by its slope over the stiction speed, which at some m/s is
// more than a tolerance of 1e-9 m/s. A search therefore also ends, with a solution, where Newton's step is
// within kRoundingOfVelocity and the residual within kResidualByRounding of the velocities (in the kinetic
// metric, sqrt(v'Mv)).
inline constexpr double kRoundingOfVelocity = 256 * std::numeric_limits<double>::epsilon();
inline constexpr double kResidualByRounding = 1e-9;

// Continuation in the stiction speed. Far from the solution, Newton's method fails on friction that reverses
// over so little slip: it halves its steps again and again. Where it finds no solution within
// kDirectIterations and kDirectHalvings, the problem is solved in turn for stiction speeds larger by the
// factors kSmoothest, kSmoothest / kRatio, ... 1, each time starting from the last solution and its
// derivative with respect to the factor. The slip of sticking contacts is proportional to the factor, so that
// the predicted solution is nearly right and two or three iterations suffice for each.
inline constexpr int kDirectIterations = 15, kDirectHalvings = 10;
inline constexpr double kSmoothest = 1e5, kRatio = 10;

// Tolerance for intermediate factors, relative to kImplicitStiction times the factor; and the relative
// increment of the factor at which the derivative with respect to it is taken.
inline constexpr double kToleranceOnTheWay = 0.03, kFactorDifference = 1e-3;

// Calls, for each factor in turn, search(factor, tolerance, guess), which returns whether there is a solution
// to the tolerance (m/s); then answer(), which returns its velocities, and slope(factor), which returns their
// derivative with respect to the factor. `guess` is the first guess, `tolerance` that of the last solution.
// Returns whether every search succeeded.
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
