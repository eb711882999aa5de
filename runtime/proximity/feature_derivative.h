#pragma once

#include <array>

#include "runtime/derivative/witness_derivative.h"

// Derivatives of the closest points of two features (corners, edges or faces) of polyhedra.
namespace abut::proximity {

// The flat in which a feature lies: a point, a line or a plane, in its body's frame.
struct Flat {
  Vec3<double> point = Vec3<double>::Zero();  // on the feature: the witness point, m
  int dimension = 0;                          // 0: corner, 1: edge, 2: face
  std::array<Vec3<double>, 2> along = {Vec3<double>::Zero(), Vec3<double>::Zero()};  // m, independent
};

// The flat of a triangle's feature, which is spanned by the corners whose weights are not 0.
Flat flat_of(const std::array<Vec3<double>, 3>& triangle, const Vec3<double>& weights);

// Derivative of `witness`, the closest points of the two flats, with respect to xi of X_AB exp(xi); exact as
// long as these features carry the closest points. `hessian`, if not null, receives the Hessian of the
// distance. Returns kClamped where the flats have directions in common (parallel edges, an edge along a
// face): the points slide freely along those directions, and the shortest slide is taken. d may be negative
// where the flats fix the normal: two edges, or a corner and a face.
//
// Let z be the coordinates of the points in their flats, U and V the directions of the flats of A and B, and
// N = [-U V]. With r = p2 - p1 = c + N z,  N' r = 0, and so
//   N'N dz = -(dN' r + N' (dc + dN z)),   dr = dc + dN z + N dz,   dd = n . dr,
//   dn = -N (N'N)^-1 dN' n + (I - n n' - N (N'N)^-1 N') dr / d
derivative::WitnessDerivative<double> feature_derivative(const witness::Witness<double>& witness,
                                                         const Pose<double>& X_AB, const Flat& A,
                                                         const Flat& B, Mat6<double>* hessian = nullptr);

}  // namespace abut::proximity
