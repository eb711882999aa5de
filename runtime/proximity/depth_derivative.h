#pragma once

#include "runtime/proximity/surface_query.h"

// Derivatives of the depth of two surfaces that overlap.
namespace abut::proximity {

// Derivative of the witness of a deepest point by xi of X_AB exp(xi). At the point features i of the other
// surface are equally near, their pulls along what carries it cancelling under weights w_i
// (depth_balance.h): with d_i their distances and P the matrix of pulls
//   dd = sum w_i dd_i,   P dz = dd - dd_i,
// where z is the place of the point in its flat; the witness points follow from dz. kClamped where the depth
// has no derivative or the point slides: other weights do as well, or it is as deep elsewhere (the shortest
// slide is taken).
derivative::WitnessDerivative<double> depth_derivative(const asset::SurfaceView& A,
                                                       const asset::SurfaceView& B, const Pose<double>& X_AB,
                                                       const SurfaceWitness& found);

}  // namespace abut::proximity
