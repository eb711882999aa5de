#pragma once

#include "runtime/body/body.h"
#include "runtime/distance/deepest_point.h"
#include "runtime/distance/surface_pair.h"
#include "runtime/proximity/feature_cone.h"
#include "runtime/proximity/feature_derivative.h"

// Signed distance of two closed surfaces, convex or not. With phi_A the signed distance from the surface of
// A, negative inside, it is
//   d(A, B) = min(min over x of B's surface of phi_A(x), min over x of A's surface of phi_B(x)):
// the distance where the bodies are apart, and minus the depth of the deepest point of either surface within
// the other where they overlap. Bodies that share only points of their surfaces touch: d = 0.
//
//   proximity::SurfaceSolver solver(mug, banana);
//   const witness::Witness<double> w = solver(X_AB);
namespace abut::proximity {

// A witness, and where its points lie on the surfaces.
struct SurfaceWitness {
  witness::Witness<double> witness;  // vertices of the surfaces; simplex_size 0: three pairs do not suffice
  std::int32_t triangle_A = -1, triangle_B = -1;  // those that carry p1 and p2; -1: none
  Vec3<double> weight_A = Vec3<double>::Zero(), weight_B = Vec3<double>::Zero();  // barycentric
  bool of_A = false;      // overlapping: the deepest point lies on A's surface, else on B's
  bool equalled = false;  // another point is equally deep (distance::kTie)
};

// Scratch memory of one thread.
struct SurfaceScratch {
  distance::DeepestSearch deepest_of_A, deepest_of_B;  // of A's surface within B, of B's within A
};

// Throws InvalidInput, naming `who`, unless the pair is two assets with surfaces in a finite pose.
void require_surfaces(const body::Pair& pair, const char* who);

// Signed distance and witness; everything in frame A, m. `near` is the answer at a neighbouring pose, from
// which the search is warm-started, or empty. Never throws.
SurfaceWitness surface_separation(const asset::SurfaceView& A, const asset::SurfaceView& B,
                                  const Pose<double>& X_AB, SurfaceScratch& scratch,
                                  const SurfaceWitness& near = {});

// Derivative of the witness with respect to xi of X_AB exp(xi). Apart, it is that of the features that carry
// the witness points (feature_derivative.h), kClamped where faces or edges are parallel and the points slide.
// Overlapping, see depth_derivative.h. `hessian`, if not null, receives the Hessian of the distance, NaN
// where the bodies overlap and the deepest point is not a corner.
derivative::WitnessDerivative<double> surface_derivative(const asset::SurfaceView& A,
                                                         const asset::SurfaceView& B,
                                                         const Pose<double>& X_AB,
                                                         const SurfaceWitness& found,
                                                         Mat6<double>* hessian = nullptr);

namespace internal {

// Derivative of the features of its two triangles that carry the witness points, regardless of the triangles
// beside them.
derivative::WitnessDerivative<double> carrier_derivative(const asset::SurfaceView& A,
                                                         const asset::SurfaceView& B,
                                                         const Pose<double>& X_AB,
                                                         const SurfaceWitness& found,
                                                         Mat6<double>* hessian = nullptr);

// The witness of nearest points that are apart or coincide; where they are too close to define n, n comes
// from the pseudonormal of A's feature or, where an edge or corner of A meets a face of B, of that face.
SurfaceWitness apart_witness(const asset::SurfaceView& A, const asset::SurfaceView& B,
                             const Pose<double>& X_AB, std::int32_t triangle_A, std::int32_t triangle_B,
                             const distance::TrianglePair<double>& pair);

// Replaces n of an `apart_witness` of surfaces that touch or nearly touch by the normal of a plane that
// touches both, where the points do not determine the direction as accurately. Returns whether n leads apart.
bool settle_normal(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
                   SurfaceWitness& found);

// The witness of the deepest point, of A's surface within B (`of_A`) or of B's within A; n points out of A,
// or into B.
SurfaceWitness deepest_witness(const asset::SurfaceView& A, const asset::SurfaceView& B,
                               const Pose<double>& X_AB, const distance::DeepestPoint& deepest, bool of_A);

// Whether either of two points, which are the nearest of their neighbourhoods and farther apart than
// `unsure_distance`, is on the inner side of the other's surface.
bool on_inner_side(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
                   const SurfaceWitness& nearest);

// Distance (m) up to which points are too close for normals to determine the side.
double unsure_distance(const asset::SurfaceView& A, const asset::SurfaceView& B);

// Distance (m) up to which surfaces count as touching.
double touching_distance(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB);

}  // namespace internal

// Solver for one pair of geometries at a sequence of poses: a query at a neighbouring pose is warm-started
// and costs a fraction of the first.
class SurfaceSolver {
 public:
  // Keeps the geometries. Throws InvalidInput unless both have surfaces.
  SurfaceSolver(const body::Geometry& A, const body::Geometry& B);

  // Signed distance and witness; everything in frame A, m. Never throws.
  witness::Witness<double> operator()(const Pose<double>& X_AB);

  // Makes the next query a cold start.
  void forget() { near_ = {}; }

 private:
  body::Geometry A_, B_;
  SurfaceScratch scratch_;
  SurfaceWitness near_;
};

}  // namespace abut::proximity
