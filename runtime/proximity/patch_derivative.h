#pragma once

#include "runtime/asset/asset.h"
#include "runtime/derivative/witness_derivative.h"

// Derivatives of the witness points of two surfaces, convex or not, as if the surfaces were smooth: the
// counterpart for surfaces of what the estimators of runtime/derivative are for hulls.
namespace abut::proximity {

// The window about a witness point within which a surface contributes to the curvature.
struct Patch {
  double reach = 5e-3;   // m, > 0: standard deviation of the window
  double radius = 0.05;  // m, > 0: upper bound of the radius of curvature, reached where the window is flat
};

// Curvature of the support function of the patch about p, a point of the surface with the unit outward normal
// n, in the tangent basis T of n; everything in the surface's frame. With t = reach^2 / radius and a the
// density on the surface at the point s = p + r,
//   a ~ exp(<r, n> / t - |r|^2 / (2 reach^2)),   H = cov_a(T'r) / t.
// For a surface with radius of curvature R this is 1 / (1 / R + 1 / radius), less up to 5 % that lie beyond
// the window's end at 3 reaches. [Montaut2022, Eqs. 27 and 28]
// Differs from [Montaut2022]: the soft maximum is over the surface, weighted by area, and is truncated at the
// end of the window, so that it also applies to bodies that are not convex. Never throws, allocates nothing.
derivative::TangentCurvature<double> patch_curvature(const asset::SurfaceView& surface, const Vec3<double>& p,
                                                     const Vec3<double>& n,
                                                     const derivative::Mat32<double>& T, const Patch& patch);

// Derivative of `witness` with respect to xi of X_AB exp(xi) from the curvatures of the patches about its
// points (witness_derivative.h). The derivative of the distance is exact where the surfaces are apart; the
// derivative of a depth is that of only one of the features that hold the deepest point, the one with normal
// n.
derivative::WitnessDerivative<double> patch_derivative(const asset::SurfaceView& A,
                                                       const asset::SurfaceView& B, const Pose<double>& X_AB,
                                                       const witness::Witness<double>& witness,
                                                       const Patch& of_A, const Patch& of_B);

}  // namespace abut::proximity
