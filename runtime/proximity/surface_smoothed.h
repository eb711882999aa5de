#pragma once

#include <vector>

#include "runtime/derivative/estimator.h"
#include "runtime/proximity/surface_query.h"

// A distance of two surfaces that is smooth where the nearest region changes.
namespace abut::proximity {

// The distance blended over all pairs of triangles (S of A, T of B) and over the vertices inside the other
// body:
//   Z = sum of exp(-d_ST / temperature) + sum of (exp(depth_v / temperature) - 1),
//   value = -temperature ln Z
// The value is at most the distance and at least the distance minus temperature times ln of the number of
// terms; as the temperature goes to 0 it becomes the distance, in overlap minus the greatest depth of a
// vertex. Pairs and vertices do not come and go as regions do: the value is continuous, and apart it has a
// slope of at most 1 in every motion of a point. p1, p2 and n are means weighted by the terms of Z (n is
// normalised; for triangles that cross, n is the normal of the face that an edge pierces); terms that weigh
// less than exp(-20) are left out. Where a pair of triangles that weighs has parallel features, the value has
// a kink and the means may jump: the derivative is kClamped there, and its slope is one of the several
// possible ones. Triangles that cross or touch have the slope 0; where they weigh, the derivative is
// kClamped. In overlap the value has a kink, and the means jump, also where the feature nearest to a vertex
// inside changes; the means jump where triangles that weigh begin to cross.
struct SmoothedSurface {
  derivative::SmoothedPair
      pair;              // status kNotConverged: there were too many pairs, and the farthest were left out
  Mat6<double> hessian;  // of the smoothed distance
  std::size_t terms = 0;
};

class SurfaceSmoother {
 public:
  // temperature: m, > 0.
  SmoothedSurface operator()(const asset::SurfaceView& A, const asset::SurfaceView& B,
                             const Pose<double>& X_AB, double temperature);

 private:
  struct Term {
    SurfaceWitness at;
    bool inside;  // a vertex inside the other body: 1 is subtracted from its exponential
  };
  void add_pairs(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
                 double least, double beyond, Status& status);
  void add_inside(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
                  bool of_A, double reach, double& deepest);
  void blend(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB,
             double temperature, Status status, SmoothedSurface& result) const;

  SurfaceScratch scratch_;
  std::vector<distance::NearPair> pairs_;
  std::vector<Term> terms_;
  std::vector<char> known_;
};

}  // namespace abut::proximity
