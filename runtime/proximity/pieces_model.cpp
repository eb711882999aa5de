#include "runtime/proximity/pieces_model.h"

#include <optional>

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
    const body::Body A{piece(pair.A->geometry, found.piece_A), pair.A->material};
    const body::Body B{piece(pair.B->geometry, found.piece_B), pair.B->material};
    derivative::PairDerivative result = (*estimator_)({&A, &B, pair.X_AB});
    result.witness = found.witness;
    const Status status = found.witness.status;  // of all pairs of pieces
    if (status == Status::kNotConverged || status == Status::kInvalidInput) result.derivative.status = status;
    return result;
  }

 private:
  // -1: a primitive, which is one piece.
  static body::Geometry piece(const body::Geometry& geometry, std::int32_t number) {
    return number < 0 ? geometry : geometry.piece(number);
  }

  witness::PiecesWitness find(const body::Pair& pair) {
    const body::Geometry &A = pair.A->geometry, &B = pair.B->geometry;
    if (!solver_ || id_A_ != A.id() || id_B_ != B.id()) {
      solver_.emplace(A, B);
      id_A_ = A.id(), id_B_ = B.id();
    }
    solver_->forget();  // a warm answer depends on the one before by rounding
    return (*solver_)(pair.X_AB);
  }

  std::optional<witness::PiecesSolver> solver_;  // of the last pair of geometries
  std::uint64_t id_A_ = 0, id_B_ = 0;
  std::unique_ptr<derivative::Estimator> estimator_;
};

}  // namespace

std::unique_ptr<DistanceModel> make_pieces_model(std::string_view method, const SettingValues& settings) {
  return std::make_unique<PiecesModel>(method, settings);
}

}  // namespace abut::proximity
