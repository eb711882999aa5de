#include "runtime/proximity/pieces_model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "runtime/witness/pieces_query.h"

namespace abut::proximity {
namespace {

class PiecesModel : public DistanceModel {
 public:
  PiecesModel(std::string_view method, const SettingValues& settings)
      : estimator_(derivative::make_estimator(method, settings)) {}

  void require_valid(const body::Pair& pair, const char* who) const override {
    witness::require_valid(pair, who);
    body::require_valid(pair.A->geometry, body::kPiecesPart, who);
    body::require_valid(pair.B->geometry, body::kPiecesPart, who);
  }

  witness::Witness<double> separation(const body::Pair& pair) override { return find(pair).witness; }

  derivative::PairDerivative derivative(const body::Pair& pair) override {
    const witness::PiecesWitness found = find(pair);
    const body::Body A{pieces_A_.of(pair.A->geometry, found.piece_A), pair.A->material};
    const body::Body B{pieces_B_.of(pair.B->geometry, found.piece_B), pair.B->material};
    derivative::PairDerivative result = (*estimator_)({&A, &B, pair.X_AB});
    result.witness = found.witness;  // not the estimator's own: its bounds are those of all pairs of pieces
    if (found.witness.status == Status::kInvalidInput)
      result.derivative = derivative::detail::invalid_derivative<double>();
    else if (found.witness.status == Status::kNotConverged &&
             result.derivative.status != Status::kInvalidInput)
      result.derivative.status = Status::kNotConverged;
    return result;
  }

 private:
  // The requested pieces of a geometry, kept so that what an estimator caches for a piece is found again by
  // its id.
  class Pieces {
   public:
    // `number` -1: the geometry is a primitive, which is its own single piece.
    const body::Geometry& of(const body::Geometry& geometry, std::int32_t number) {
      if (number < 0) return geometry;
      const std::pair<std::uint64_t, std::int32_t> key(geometry.id(), number);
      if (const auto found = made_.find(key); found != made_.end()) return found->second;
      if (made_.size() >= kMax) made_.clear();
      return made_.emplace(key, geometry.piece(number)).first->second;
    }

   private:
    static constexpr std::size_t kMax = 4096;                                // then all are made anew
    std::map<std::pair<std::uint64_t, std::int32_t>, body::Geometry> made_;  // key: geometry id, piece number
  };

  witness::PiecesWitness find(const body::Pair& pair) {
    const body::Geometry &A = pair.A->geometry, &B = pair.B->geometry;
    if (solver_)
      solver_->set(A, B);
    else
      solver_.emplace(A, B);
    solver_->forget();  // a warm-started answer would depend on the previous one by rounding
    witness::PiecesWitness found = (*solver_)(pair.X_AB);
    answer_as_estimators(pair, found);
    return found;
  }

  // Replaces the pair's own answer by that of the estimators for the same pieces, from whose points and
  // normal they differentiate: where several normals are equally good, the warm-started search may end at
  // another one than the cold search. An answer that the cold search did not finish replaces none.
  void answer_as_estimators(const body::Pair& pair, witness::PiecesWitness& found) {
    if (found.witness.status == Status::kInvalidInput) return;
    witness::Witness<double> own =
        witness::separation(pieces_A_.of(pair.A->geometry, found.piece_A),
                            pieces_B_.of(pair.B->geometry, found.piece_B), pair.X_AB, workspace_);
    if (own.status == Status::kNotConverged) return;
    own.lower_bound = std::min(own.lower_bound, found.witness.lower_bound);  // that of all pairs
    own.iterations += found.witness.iterations;
    if (found.witness.status == Status::kNotConverged) own.status = Status::kNotConverged;
    found.witness = own;
  }

  std::optional<witness::PiecesSolver> solver_;  // of the most recent pair of geometries
  Pieces pieces_A_, pieces_B_;
  witness::Workspace<double> workspace_;
  std::unique_ptr<derivative::Estimator> estimator_;
};

}  // namespace

std::unique_ptr<DistanceModel> make_pieces_model(std::string_view method, const SettingValues& settings) {
  return std::make_unique<PiecesModel>(method, settings);
}

}  // namespace abut::proximity
