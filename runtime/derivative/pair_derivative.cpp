#include "runtime/derivative/pair_derivative.h"

#include <algorithm>

namespace abut::derivative {

namespace {

WitnessSite site(const body::Geometry& geometry, const std::int32_t* vertices, std::int32_t count,
                 const Vec3<double>& n, const Vec3<double>& p, const Mat32<double>& T, double rounding) {
  WitnessSite result{geometry, {}, 0, n, p, T, rounding};
  if (geometry.primitive()) return result;
  for (std::int32_t k = 0; k < count; ++k)
    if (vertices[k] >= 0) result.vertices[result.vertex_count++] = vertices[k];
  if (result.vertex_count == 0)
    result.vertices[result.vertex_count++] = witness::support<double>(geometry.convex(), n).index;
  return result;
}

}  // namespace

namespace detail {

std::array<WitnessSite, 2> witness_sites(const body::Pair& pair, const witness::Witness<double>& witness) {
  const Mat3<double> R_BA = pair.X_AB.R.transpose();
  const Mat32<double> T = tangent_basis(witness.n), T_B = R_BA * T;
  const double rounding = point_rounding(witness, pair.X_AB);
  return {site(pair.A->geometry, witness.vertex_A, witness.simplex_size, witness.n, witness.p1, T, rounding),
          site(pair.B->geometry, witness.vertex_B, witness.simplex_size, -(R_BA * witness.n),
               R_BA * (witness.p2 - pair.X_AB.p), T_B, rounding)};
}

TangentCurvature<double> primitive_curvature(const WitnessSite& site) {
  return on_plane(curvature(witness::core_of(site.geometry), site.n, site.p, site.rounding), site.T);
}

}  // namespace detail

WitnessDerivative<double> gumbel_derivative(const body::Pair& pair, const witness::Witness<double>& witness,
                                            const GumbelConfig& config, const Clamp& clamp,
                                            RingWorkspace<double>& workspace) {
  return pair_derivative(pair, witness, clamp, [&](const WitnessSite& site) {
    const asset::ConvexView& hull = site.geometry.convex();
    return gumbel_curvature<double>(hull, site.simplex(), site.n, site.T, config, hull_size(hull), workspace);
  });
}

}  // namespace abut::derivative
