#pragma once

#include "runtime/derivative/witness_derivative.h"
#include "runtime/distance/depth_balance.h"

// Derivatives of the closest points of two features (corners, edges or faces) of polyhedra.
namespace abut::proximity {

// Derivative of `witness`, the closest points of two features, with respect to xi of X_AB exp(xi); exact as
// long as these features carry the closest points. A and B: directions of the flats in which the features
// lie, in the frames of their bodies. `hessian`, if not null, receives the Hessian of the
// distance. Returns kClamped where the flats have directions in common (parallel edges, an edge along a
// face): the points slide freely along those directions, and the shortest slide is taken. d may be negative
// where the flats fix the normal: two edges, or a corner and a face.
//
// Let z be the coordinates of the points in their flats, U and V the directions of the flats of A and B, and
// N = [-U V]. With r = p2 - p1 = c + N z,  N' r = 0, and so
//   N'N dz = -(dN' r + N' (dc + dN z)),   dr = dc + dN z + N dz,   dd = n . dr,
//   dn = -N (N'N)^-1 dN' n + (I - n n' - N (N'N)^-1 N') dr / d
derivative::WitnessDerivative<double> feature_derivative(const witness::Witness<double>& witness,
                                                         const Pose<double>& X_AB,
                                                         const distance::FlatBasis& A,
                                                         const distance::FlatBasis& B,
                                                         Mat6<double>* hessian = nullptr);

}  // namespace abut::proximity
