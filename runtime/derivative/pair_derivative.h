#pragma once

#include <array>
#include <span>

#include "runtime/body/body.h"
#include "runtime/derivative/gumbel.h"
#include "runtime/derivative/smooth.h"
#include "runtime/derivative/witness_derivative.h"
#include "runtime/witness/pair_query.h"

// Derivatives of the witness points of any two geometries: a primitive's curvature is exact, a hull's is an
// estimate.
namespace abut::derivative {

// Returns a length of the geometry, about half the diagonal of its bounding box, m; 0 for a half-space.
inline double geometry_size(const body::Geometry& geometry) {
  return geometry.primitive() ? shape_size(witness::core_of(geometry)) : hull_size(geometry.convex());
}

// One body at its witness point: point p and unit outward normal n, both in its frame, and a tangent basis T
// of n.
struct WitnessSite {
  const body::Geometry& geometry;        // hull or primitive
  std::array<std::int32_t, 3> vertices;  // of a hull: those that carry the point
  std::size_t vertex_count;              // 0 to 3; 0 for a primitive
  Vec3<double> n, p;                     // unit normal; point, m
  Mat32<double> T;                       // (3, 2) orthonormal, orthogonal to n
  double rounding;                       // bound of that of p, m

  // The first `vertex_count` vertices.
  std::span<const std::int32_t> simplex() const { return {vertices.data(), vertex_count}; }
};

namespace detail {

// Returns the sites of both bodies. The simplex of a hull is its support vertex if the query against a curved
// partner returned none.
std::array<WitnessSite, 2> witness_sites(const body::Pair& pair, const witness::Witness<double>& witness);

TangentCurvature<double> primitive_curvature(const WitnessSite& site);

}  // namespace detail

// Computes the derivative from the pair's witness. hull_curvature(site) -> TangentCurvature<double> returns
// the curvature of a hull in the basis site.T.
template <class HullCurvature>
WitnessDerivative<double> pair_derivative(const body::Pair& pair, const witness::Witness<double>& witness,
                                          const Clamp& clamp, HullCurvature&& hull_curvature) {
  if (witness.status == Status::kInvalidInput) return detail::invalid_derivative<double>();
  const auto sites = detail::witness_sites(pair, witness);
  const auto curvature = [&](const WitnessSite& site) {
    return site.geometry.primitive() ? detail::primitive_curvature(site) : hull_curvature(site);
  };
  return differentiate<double>(witness, pair.X_AB, sites[0].T, curvature(sites[0]), curvature(sites[1]),
                               geometry_size(pair.A->geometry) + geometry_size(pair.B->geometry), clamp);
}

// Computes the first-order Gumbel estimate [Montaut2022, Eqs. 27 and 28], as gumbel.h does for two hulls, for
// any pair.
WitnessDerivative<double> gumbel_derivative(const body::Pair& pair, const witness::Witness<double>& witness,
                                            const GumbelConfig& config, const Clamp& clamp,
                                            RingWorkspace<double>& workspace);

}  // namespace abut::derivative
