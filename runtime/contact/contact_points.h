#pragma once

#include <array>

#include "runtime/contact/soft_minimum.h"
#include "runtime/ssdf/top_k.h"

// Extracts a few contact points from the separation field of a pair, differentiable in the pose [Beker2025,
// Eqs. 12, 13]: a starting point for solvers with point contacts.
namespace abut::contact {

// Points (m) on A's and B's surfaces, in A: soft selections of the K quad corners of largest weight, in
// descending order. A corner's score z is the weight of the quads around it [Eq. 12] divided by the 8-norm of
// all scores: it is smooth, and near 1 for the largest. The plan of ssdf::soft_top_k over all corners of both
// bodies selects the points.
template <class S>
struct ContactPoints {
  int count = 0;
  std::array<Vec3<S>, ssdf::kMaxSelected> points;                     // p_AC_A
  std::array<Eigen::Matrix<S, 3, 6>, ssdf::kMaxSelected> derivative;  // with respect to xi of X_AB exp(xi)
  // kNotConverged: the plan is approximate. kNoOverlap: no points, the bodies are 1e8 spacings apart or more.
  // kInvalidInput: fewer corners than K.
  Status status = Status::kOk;
};

// Workspace of contact_points, kept from call to call.
template <class S>
struct ContactPointsWorkspace {
  struct Corner {
    int body;
    std::int32_t vertex;
    S score;
    Vec6<S> slope;
  };
  std::vector<SeparationPoint<S>> field;
  std::vector<Corner> corners;
  std::vector<S> scores, slopes, dplan;
  ssdf::TopK<S> top;
};

// Computes the points. Both bodies need quads. For double and long double.
template <class S>
void contact_points(const asset::PointsView& A, const asset::PointsView& B, const Pose<S>& X_AB,
                    const SoftMinimumParameters<S>& parameters, const ssdf::TopKConfig& config,
                    ContactPointsWorkspace<S>& workspace, ContactPoints<S>& result);

}  // namespace abut::contact
