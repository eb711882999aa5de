#pragma once

#include "runtime/asset/asset.h"
#include "runtime/derivative/witness_derivative.h"

// Derivatives of the witness points of two surfaces, convex or not, as if the surfaces were smooth: what the
// estimators of runtime/derivative are for hulls.
namespace abut::proximity {

// How far about its witness point a surface counts.
struct Patch {
  double reach = 5e-3;   // m, > 0: standard deviation of the window
  double radius = 0.05;  // m, > 0: the greatest radius of curvature, that of what is flat in the window
};

// Curvature of the support function of the patch about p, a point of the surface where n (unit, outward) is
// normal to it, in the tangent basis T of n; everything in the surface's frame. With t = reach^2 / radius and
// a the density on the surface (s - p = r)
//   a ~ exp(<r, n> / t - |r|^2 / (2 reach^2)),   H = cov_a(T'r) / t
// which of a surface with radius of curvature R is 1 / (1 / R + 1 / radius), less up to 5 % that are beyond
// the window's end at 3 reaches. [Montaut2022, Eqs. 27 and 28]
// Differs from [Montaut2022]: the soft maximum is over the surface, by its area, and ends with the window, so
// that it is one of bodies that are not convex. Never throws, allocates nothing.
derivative::TangentCurvature<double> patch_curvature(const asset::SurfaceView& surface, const Vec3<double>& p,
                                                     const Vec3<double>& n,
                                                     const derivative::Mat32<double>& T, const Patch& patch);

// Derivative of `witness` by xi of X_AB exp(xi) from the curvatures of the patches about its points
// (witness_derivative.h). That of the distance is exact where the surfaces are apart; that of a depth is of
// one feature, with normal n, of those that hold the deepest point.
derivative::WitnessDerivative<double> patch_derivative(const asset::SurfaceView& A,
                                                       const asset::SurfaceView& B, const Pose<double>& X_AB,
                                                       const witness::Witness<double>& witness,
                                                       const Patch& of_A, const Patch& of_B);

}  // namespace abut::proximity
