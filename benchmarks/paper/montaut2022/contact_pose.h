#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/core/random.h"
#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/separation.h"

// Contact-pose generation [Montaut2022, Eq. 30]: find the pose at which given points of two hulls are their
// witness points, in contact.
namespace abut::benchmarks {

struct Problem {
  body::Body body_A, body_B;
  asset::ConvexView A, B;  // their hulls
  Vec3<double> target_A;   // in A, m
  Vec3<double> target_B;   // in B, m
  Pose<double> start;      // X_AB
  double size;             // m: half the sum of the two largest half extents
};

// How targets are drawn. The paper does not say; it decides everything (docs/witness_derivatives.md).
enum class Law : char {
  kVertices = 'V',  // a vertex of each
  kContact = 'C',   // the witness pair of a random touching pose
  kUniform = 'U',   // uniform on both surfaces: two face interiors meet only flat
};

// Problem `index` of a pair; the same numbers for the same seed. `size` as above.
Problem draw_problem(const body::Body& A, const body::Body& B, double size, Law law, std::uint64_t seed,
                     std::uint64_t index);

// Cost of Eq. 30, r'r / 2 with r = (p1 - target; p2 - target, in B; p1 - p2), m^2.
double cost(const Problem& problem, const Pose<double>& X_AB, const witness::Witness<double>& witness);

// The same on the set of witness points, for flat contact: max(|target_A - X target_B|, |d|)^2 / 2, m^2.
double set_valued_cost(const Problem& problem, const Pose<double>& X_AB,
                       const witness::Witness<double>& witness);

// No pose away from flat contact costs less: one witness point is on an edge then, so at least
// min over the bodies of (distance of the target from the nearest edge)^2 / 2.
double cost_floor_away_from_flat_contact(const Problem& problem);

// Derivative of a witness at a pose; `stream` names the random numbers of this call.
using Differentiator = std::function<derivative::WitnessDerivative<double>(
    const Problem&, const Pose<double>&, const witness::Witness<double>&, std::uint64_t stream)>;

struct Solution {
  Pose<double> X_AB;
  double cost;                // the best one met
  std::vector<double> trace;  // best cost before each iteration and after the last
};

// The paper's method: Gauss-Newton with backtracking on the plain cost, with estimated derivatives.
Solution gauss_newton(const Problem& problem, const Differentiator& differentiator, int iterations);

// Ours: Gauss-Newton with backtracking on the residual of two soft bodies (soft_witness.h) whose temperature
// shrinks every iteration, then on the polytopes' own residual with their own derivative as soon as that is
// close. A search that stalls starts again from a pose turned and shifted at random. Every step counts as an
// iteration.
struct SoftSettings {
  double first_temperature = 1;    // in units of the problem's size
  double shrink = 0.6;             // per iteration
  double last_temperature = 1e-3;  // then the polytopes' own residual
  double close = 1e-6;             // cost in units of size^2 at which it is tried earlier
  bool set_valued = false;         // score by the set of witness points; then the polytopes' step is left out
};
Solution soft_gauss_newton(const Problem& problem, int iterations, const SoftSettings& settings = {});

}  // namespace abut::benchmarks
