#pragma once

#include "runtime/body/body.h"
#include "runtime/core/random.h"
#include "runtime/derivative/contact_pose.h"

// Problems of contact-pose generation [Montaut2022, Eq. 30] as the paper's tables draw them.
namespace abut::benchmarks {

using Problem = derivative::ContactPoseProblem;
using Solution = derivative::ContactPoseSolution;

// How targets are drawn. The paper does not say; it decides everything (docs/witness_derivatives.md).
enum class Law : char {
  kVertices = 'V',  // a vertex of each
  kContact = 'C',   // the witness pair of a random touching pose
  kUniform = 'U',   // uniform on both surfaces: two face interiors meet only flat
};

// Problem `index` of a pair; the same numbers for the same seed.
Problem draw_problem(const body::Body& A, const body::Body& B, Law law, std::uint64_t seed,
                     std::uint64_t index);

// No pose away from flat contact costs less, m^2: one witness point is on an edge then, so at least
// min over the bodies of (distance of the target from the nearest edge)^2 / 2.
double cost_floor_away_from_flat_contact(const Problem& problem);

}  // namespace abut::benchmarks
