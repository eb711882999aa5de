#pragma once

#include "runtime/body/body.h"
#include "runtime/distance/deepest_point.h"
#include "runtime/distance/surface_pair.h"
#include "runtime/proximity/feature_cone.h"
#include "runtime/proximity/feature_derivative.h"

// Signed distance of two closed surfaces, convex or not. With phi_A the signed distance from the surface of
// A, negative inside, it is
//   d(A, B) = min(min over x of B's surface of phi_A(x), min over x of A's surface of phi_B(x)):
// the distance where the bodies are apart; where they overlap, less the depth of the deepest point of either
// surface within the other. Bodies that share surface and no more touch: d = 0.
//
//   proximity::SurfaceSolver solver(mug, banana);
//   const witness::Witness<double> w = solver(X_AB);
namespace abut::proximity {

// A witness and where on the surfaces it is.
struct SurfaceWitness {
  witness::Witness<double> witness;  // vertices are the surfaces'; simplex_size 0 where three do not carry it
  std::int32_t triangle_A = -1, triangle_B = -1;  // that have p1 and p2; -1: none
  Vec3<double> weight_A = Vec3<double>::Zero(), weight_B = Vec3<double>::Zero();  // barycentric
  bool of_A = false;      // overlapping: the deepest point is one of A's surface; else of B's
  bool equalled = false;  // another point is as deep (distance::kTie)
};

// Scratch of a thread.
struct SurfaceScratch {
  distance::DeepestSearch deepest_of_A, deepest_of_B;  // of A's surface within B, of B's within A
};

// Throws InvalidInput, naming `who`, for a pair that is not two assets with surfaces in a finite pose.
void require_surfaces(const body::Pair& pair, const char* who);

// Everything in frame A, m. near: a neighbouring answer to begin from, or none. Never throws.
SurfaceWitness surface_separation(const asset::SurfaceView& A, const asset::SurfaceView& B,
                                  const Pose<double>& X_AB, SurfaceScratch& scratch,
                                  const SurfaceWitness& near = {});

// Apart: of the features that carry the witness points (feature_derivative.h); kClamped where faces or edges
// are parallel and the points slide. Overlapping: depth_derivative.h. `hessian`, if not null, gets the second
// derivative of the distance, NaN where the bodies overlap and the deepest point is no corner.
derivative::WitnessDerivative<double> surface_derivative(const asset::SurfaceView& A,
                                                         const asset::SurfaceView& B,
                                                         const Pose<double>& X_AB,
                                                         const SurfaceWitness& found,
                                                         Mat6<double>* hessian = nullptr);

namespace internal {

// Of the features that carry the witness points, whatever else is as near.
derivative::WitnessDerivative<double> carrier_derivative(const asset::SurfaceView& A,
                                                         const asset::SurfaceView& B,
                                                         const Pose<double>& X_AB,
                                                         const SurfaceWitness& found,
                                                         Mat6<double>* hessian = nullptr);

// A witness of nearest points that are apart or one point; n from A's pseudonormal where they are too near.
SurfaceWitness apart_witness(const asset::SurfaceView& A, const asset::SurfaceView& B,
                             const Pose<double>& X_AB, std::int32_t triangle_A, std::int32_t triangle_B,
                             const distance::TrianglePair<double>& pair);

// Of an apart_witness of surfaces that touch or nearly do: n as exact as that of a plane that touches both,
// where the points do not tell their direction as well as that. Whether n leads apart.
bool settle_normal(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
                   SurfaceWitness& found);

// A witness of the deepest point, of A's surface within B or the other way about; n points out of A, or into
// B.
SurfaceWitness deepest_witness(const asset::SurfaceView& A, const asset::SurfaceView& B,
                               const Pose<double>& X_AB, const distance::DeepestPoint& deepest, bool of_A);

// Of points that are the nearest of their neighbourhoods, farther apart than unsure_distance: whether either
// is on the inner side of the other's surface.
bool on_inner_side(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
                   const SurfaceWitness& nearest);

// Distance (m) up to which points are too near for normals to tell the side.
double unsure_distance(const asset::SurfaceView& A, const asset::SurfaceView& B);

// Distance (m) up to which surfaces touch.
double touching_distance(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB);

}  // namespace internal

// One pair of geometries at pose after pose: a neighbouring pose costs a fraction of the first.
class SurfaceSolver {
 public:
  // Keeps the geometries. Throws InvalidInput unless both have surfaces.
  SurfaceSolver(const body::Geometry& A, const body::Geometry& B);

  // Everything in frame A, m. Never throws.
  witness::Witness<double> operator()(const Pose<double>& X_AB);

  // The next query is a cold one.
  void forget() { near_ = {}; }

 private:
  body::Geometry A_, B_;
  SurfaceScratch scratch_;
  SurfaceWitness near_;
};

}  // namespace abut::proximity
