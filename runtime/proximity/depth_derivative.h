#pragma once

#include "runtime/proximity/surface_query.h"

// Derivatives of the penetration depth of two overlapping surfaces.
namespace abut::proximity {

// Derivative, with respect to xi of X_AB exp(xi), of the witness at a deepest point `found`. Several features
// i of the other surface are equally near to that point; their pulls along the flat (face, edge or corner)
// that carries it cancel under weights w_i (depth_balance.h). With d_i their distances and P the matrix of
// pulls,
//   dd = sum w_i dd_i,   P dz = dd - dd_i,
// where z are the coordinates of the point in its flat; the derivatives of the witness points follow from dz.
// Returns kClamped where the depth has no derivative (other weights balance the pulls, too, with another
// slope, or another point is equally deep) or where the point slides; the shortest slide is then taken.
// `hessian`, if not null, receives the Hessian of the distance, NaN unless a corner is deepest.
derivative::WitnessDerivative<double> depth_derivative(const asset::SurfaceView& A,
                                                       const asset::SurfaceView& B, const Pose<double>& X_AB,
                                                       const SurfaceWitness& found,
                                                       Mat6<double>* hessian = nullptr);

}  // namespace abut::proximity
