#pragma once

#include <vector>

#include "benchmarks/support/promises.h"
#include "runtime/body/geometry.h"

// Unions of convex pieces beside the surfaces that they stand for, and what their queries cost beside those
// of hulls.
namespace abut::benchmarks {

// An object with a surface and pieces.
struct ObjectOfPieces {
  body::Geometry geometry;
  double outward = 0, inward = 0;  // errors of the union, m
};

// Of 10,000 random pairs and poses: apart, the distance of the unions is within both bodies' errors of that
// of the surfaces.
void compare_with_surfaces(const std::vector<ObjectOfPieces>& objects, Promises& promises);

// Prints processor time of a query by pieces over that of one of the hulls, in the median over the pairs:
// cold, each at a random pose; warm, along a path of small steps; apart and overlapping.
void compare_with_hulls(const std::vector<ObjectOfPieces>& objects);

}  // namespace abut::benchmarks
