#pragma once

#include <functional>
#include <string>
#include <vector>

#include "preprocess/pieces/outside.h"
#include "preprocess/pieces/part.h"

// Cutting a solid into parts whose hulls hold little else, and uniting such hulls again. Internal to the
// pieces.
namespace abut::preprocess {

// Told of what is going on, for people.
using PieceProgress = std::function<void(const std::string& text)>;

// A part of the solid and its hull.
struct HulledPart {
  Part part;
  Polytope hull;
  Overreach over;
  std::size_t number = 0;  // of it in `cuts`
};

// That part `of` was cut by the plane: it is what is behind, a new part, with the next number, what is
// before.
struct CutMade {
  std::size_t of;
  Plane plane;
};

// Cuts parts in two until no hull reaches farther outside than `allowed` (m) or there are `most`: ever the
// part that reaches farthest, by that of some tens of planes after which the two hulls hold the least of what
// is too far outside. Planes: through the point farthest outside and beside the surface nearest to it, and
// across the part. The same on any number of threads.
void cut_parts(const asset::SurfaceView& surface, const OutsideLattice& lattice, double allowed,
               std::size_t most, std::vector<HulledPart>& parts, std::vector<CutMade>& cuts,
               const PieceProgress& progress);

// A hull of the hulls of some parts.
struct United {
  Polytope hull;
  std::vector<std::size_t> parts;  // ascending
};

// Unites hulls of neighbours as long as their hull reaches no farther outside than `allowed` (m), ever those
// two that reach least; and on, whatever the reach, while there are more than `most` of them.
std::vector<United> unite_hulls(const OutsideLattice& lattice, double allowed, std::size_t most,
                                std::vector<Polytope> hulls, const PieceProgress& progress);

}  // namespace abut::preprocess
