#include "benchmarks/paper/diffcollision2026_optimisation/queries.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "runtime/derivative/distance_weighted.h"
#include "runtime/distance/surface_pair.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/proximity/patch_derivative.h"
#include "runtime/proximity/surface_query.h"
#include "runtime/witness/pieces_query.h"
#include "runtime/witness/separation.h"

namespace abut::benchmarks {
namespace {

constexpr double kLeastReach = 0.01;    // of a body's longest side
constexpr double kLeastRadius = 2e-3;   // m
constexpr double kLeastSampled = 0.01;  // m

class TableQuery final : public Query {
 public:
  TableQuery(const TargetProblem& problem, std::unique_ptr<proximity::DistanceModel> model)
      : problem_(problem.problem), model_(std::move(model)) {}

  witness::Witness<double> witness(const Pose<double>& X_AB) override {
    return model_->separation({&problem_.A, &problem_.B, X_AB});
  }
  derivative::PairDerivative derivative(const Pose<double>& X_AB) override {
    return model_->derivative({&problem_.A, &problem_.B, X_AB});
  }

 private:
  const derivative::ContactPoseProblem& problem_;
  std::unique_ptr<proximity::DistanceModel> model_;
};

class PublishedQuery final : public Query {
 public:
  PublishedQuery(const TargetProblem& problem, Shape shape)
      : problem_(problem.problem), estimator_(derivative::make_distance_weighted_estimator({.noise = 1})) {
    if (shape == Shape::kPieces) pieces_.emplace(problem_.A.geometry, problem_.B.geometry);
  }

  witness::Witness<double> witness(const Pose<double>& X_AB) override {
    const body::Geometry &A = problem_.A.geometry, &B = problem_.B.geometry;
    return pieces_ ? (*pieces_)(X_AB).witness : witness::separation<double>(A.convex(), B.convex(), X_AB);
  }
  derivative::PairDerivative derivative(const Pose<double>& X_AB) override {
    if (!pieces_) return between(problem_.A, problem_.B, X_AB, witness(X_AB));
    const witness::PiecesWitness nearest = (*pieces_)(X_AB);
    return between({problem_.A.geometry.piece(nearest.piece_A)}, {problem_.B.geometry.piece(nearest.piece_B)},
                   X_AB, nearest.witness);
  }

 private:
  derivative::PairDerivative between(const body::Body& A, const body::Body& B, const Pose<double>& X_AB,
                                     const witness::Witness<double>& w) {
    const double off_A = (w.p1 - problem_.target_A).norm(), off_B = (w.p2 - X_AB * problem_.target_B).norm();
    return estimator_->within({&A, &B, X_AB}, std::max(kLeastSampled, 2 * off_A),
                              std::max(kLeastSampled, 2 * off_B));
  }

  const derivative::ContactPoseProblem& problem_;
  std::unique_ptr<derivative::DistanceWeightedEstimator> estimator_;
  std::optional<witness::PiecesSolver> pieces_;
};

class PatchQuery final : public Query {
 public:
  PatchQuery(const TargetProblem& problem, Shape shape)
      : problem_(problem.problem),
        A_(problem_.A.geometry.surface()),
        B_(problem_.B.geometry.surface()),
        shape_(shape),
        least_A_(2 * kLeastReach * derivative::contact_pose_size(problem_.A, problem_.A)),
        least_B_(2 * kLeastReach * derivative::contact_pose_size(problem_.B, problem_.B)) {
    if (shape == Shape::kPieces) pieces_.emplace(problem_.A.geometry, problem_.B.geometry);
  }

  witness::Witness<double> witness(const Pose<double>& X_AB) override {
    if (pieces_) return (*pieces_)(X_AB).witness;
    if (shape_ == Shape::kHull)
      return witness::separation<double>(problem_.A.geometry.convex(), problem_.B.geometry.convex(), X_AB);
    near_ = proximity::surface_separation(A_, B_, X_AB, scratch_, near_);
    return near_.witness;
  }
  derivative::PairDerivative derivative(const Pose<double>& X_AB) override {
    const witness::Witness<double> w = witness(X_AB);
    const double radius = std::max(kLeastRadius, std::sqrt(loss(problem_, X_AB, w)));
    const double off_A = (w.p1 - problem_.target_A).norm(), off_B = (w.p2 - X_AB * problem_.target_B).norm();
    return {w, proximity::patch_derivative(A_, B_, X_AB, w, {std::max(least_A_, off_A), radius},
                                           {std::max(least_B_, off_B), radius})};
  }
  bool crossing(const Pose<double>& X_AB) override {
    return shape_ == Shape::kSurface ? !(distance::nearest_triangles(A_, B_, X_AB).pair.distance2 > 0)
                                     : Query::crossing(X_AB);
  }

 private:
  const derivative::ContactPoseProblem& problem_;
  asset::SurfaceView A_, B_;
  Shape shape_;
  double least_A_, least_B_;  // reaches, m
  proximity::SurfaceScratch scratch_;
  proximity::SurfaceWitness near_;
  std::optional<witness::PiecesSolver> pieces_;
};

}  // namespace

MakeQuery table_query(const std::string& model, const std::string& method, const SettingValues& settings) {
  return [=](const TargetProblem& problem) {
    return std::make_unique<TableQuery>(problem, proximity::make_distance_model(model, method, settings));
  };
}

MakeQuery patch_query(Shape shape) {
  return [=](const TargetProblem& problem) { return std::make_unique<PatchQuery>(problem, shape); };
}

MakeQuery published_query(Shape shape) {
  return [=](const TargetProblem& problem) { return std::make_unique<PublishedQuery>(problem, shape); };
}

}  // namespace abut::benchmarks
