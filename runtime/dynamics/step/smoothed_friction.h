#pragma once

namespace abut::dynamics {

// Slip at which friction is 0.7 of its value in implicit steps, m/s (rad/s of a joint that turns), where no
// setting says another: what rests on a slope of 0.95 of the friction cone creeps by three times as much,
// less than 1e-6 m/s. With less, what is out of balance within the cone takes longer to come to rest. (The
// models' own defaults are for explicit steps.)
inline constexpr double kImplicitStiction = 3e-7;

// Newton's method is lost in friction that turns round over so little slip where it starts far from the
// answer. Where it finds none in kDirectIterations, the answers for friction at rest over more slip lead
// there: by the factors kSmoothest, kSmoothest / kRatio, ... 1, each from what the two before foresee. The
// slip of what sticks goes with the factor, so that the foreseen one is right, and an iteration or two serve
// for each.
inline constexpr int kDirectIterations = 15;
inline constexpr double kSmoothest = 1e5, kRatio = 10;

// Calls search(factor, guess) for each factor in turn, which returns whether there is an answer, and then
// answer(), the velocities. The first guess is given. Returns whether all had an answer.
template <class Vector, class Search, class Answer>
bool follow_smoothed_friction(Vector guess, Search&& search, Answer&& answer) {
  Vector last;
  for (double factor = kSmoothest; factor > 0.5; factor /= kRatio) {
    if (!search(factor, guess)) return false;
    const Vector found = answer();
    guess = last.size() > 0 ? Vector(found + (found - last) / kRatio) : found;
    last = found;
  }
  return true;
}

}  // namespace abut::dynamics
