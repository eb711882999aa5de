#pragma once

#include "benchmarks/paper/diffcollision2026_optimisation/queries.h"

namespace abut::benchmarks {

struct Outcome {
  double loss = 0;  // m^2, of the bodies' own witness points at the last pose
  int queries = 0;
  double seconds = 0;  // of the processor
};

// How a gradient by B's pose becomes a step of B.
enum class Transport {
  kNone,     // at B's origin
  kContact,  // the gradient is transported to the point midway between the witness points, and the step back:
             // a force at the contact turns nothing
  kBoth,  // as published: A's step, by the gradient at its origin, transported to B and taken off B's, before
          // both are scaled; of turns the half
};

// The optimiser of [Chen2025]: so many steps along the normalised gradient (w; v), w multiplied by 10 rad and
// v by 0.01 m, both by 1, 0.1 and 0.01 over the first 10, the middle 80 and the last 10 % of them.
Outcome descend(const TargetProblem& problem, const MakeQuery& make_query, Transport transport,
                int steps = 2000);

// Where Gauss-Newton starts again when it stalls.
enum class Restart {
  kRandom,   // B's target at A's, B turned at random, its middle beyond: of the targets' places alone
  kAligned,  // the targets kMargin apart, the surfaces' normals there opposed, turned about them at random
             // and tilted a little
};

// Gauss-Newton on (p1 - tp1; p2 - tp2; d - margin) with backtracking, from the problem's start and then from
// others, lifted off where the surfaces cross, until it is solved or 200 starts or 10,000 queries were in
// vain; ends at the best pose met.
Outcome solve(const TargetProblem& problem, const MakeQuery& make_query, Restart restart, std::uint64_t seed);

}  // namespace abut::benchmarks
