#include "runtime/proximity/pieces_model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/core/disjoint_sets.h"
#include "runtime/derivative/polytope.h"
#include "runtime/proximity/hull_model.h"
#include "runtime/proximity/pieces_smoothed.h"
#include "runtime/witness/pieces_query.h"

namespace abut::proximity {
namespace {

using witness::PiecesWitness;

// Calls visit(piece) for a piece of the geometry and for those that touch it; a primitive is piece -1.
template <class Visit>
void visit_touching(const body::Geometry& geometry, std::int32_t piece, Visit&& visit) {
  visit(piece);
  if (piece < 0) return;
  const asset::PiecesView& pieces = geometry.pieces();
  for (std::int32_t k = pieces.adjacency_offsets[piece]; k < pieces.adjacency_offsets[piece + 1]; ++k)
    visit(pieces.adjacency[k]);
}

// Joins pairs of pieces, in ascending order of (piece_A, piece_B), into regions: two pairs are of one region
// if A's pieces of them are the same or touch, and B's too.
void join_regions(const body::Pair& pair, std::span<const PiecesWitness> pairs, DisjointSets& regions) {
  regions.reset(pairs.size());
  const auto before = [](const PiecesWitness& x, const std::pair<std::int32_t, std::int32_t>& y) {
    return std::tie(x.piece_A, x.piece_B) < std::tie(y.first, y.second);
  };
  for (std::size_t i = 0; i < pairs.size(); ++i)
    visit_touching(pair.A->geometry, pairs[i].piece_A, [&](std::int32_t a) {
      visit_touching(pair.B->geometry, pairs[i].piece_B, [&](std::int32_t b) {
        const auto found = std::lower_bound(pairs.begin(), pairs.end(), std::pair(a, b), before);
        if (found != pairs.end() && found->piece_A == a && found->piece_B == b)
          regions.join(static_cast<std::int32_t>(i), static_cast<std::int32_t>(found - pairs.begin()));
      });
    });
}

// Whether a setting is one of the smoothed form.
bool of_smoothed(const SettingValue& setting) {
  return std::any_of(std::begin(kPiecesSettings), std::end(kPiecesSettings),
                     [&](const Setting<PiecesConfig>& known) { return known.name == setting.name; });
}

class PiecesModel : public DistanceModel {
 public:
  PiecesModel(std::unique_ptr<derivative::Estimator> estimator, const PiecesConfig& config)
      : config_(config), estimator_(std::move(estimator)), exact_(derivative::make_analytic_estimator()) {}

  void require_valid(const body::Pair& pair, const char* who) const override {
    witness::require_valid(pair, who);
    body::require_valid(pair.A->geometry, body::kPiecesPart, who);
    body::require_valid(pair.B->geometry, body::kPiecesPart, who);
  }

  Separation separation(const body::Pair& pair) override {
    const PiecesWitness found = find(pair);
    Separation result = found.witness;
    if (!(found.most_depth > 0 && result.distance < 0)) return result;
    result.depth.lower = std::max(0.0, -result.upper_bound);
    result.depth.upper = std::max(found.most_depth, result.depth.lower);
    return result;
  }

  derivative::PairDerivative derivative(const body::Pair& pair) override {
    return derivative_of(pair, find(pair));
  }

  void require_smoothable(const body::Pair& pair, const char* who) const override {
    require_valid(pair, who);
  }

  derivative::SmoothedPair smoothed(const body::Pair& pair) override {
    require_smoothable(pair, "smoothed separation");
    const PiecesWitness nearest = find(pair);
    derivative::SmoothedPair result{nearest.witness, nearest.witness,
                                    derivative::detail::invalid_derivative<double>()};
    if (nearest.witness.status == Status::kInvalidInput) return result;
    near_.clear();
    const double reach = nearest.witness.distance + kReach * config_.temperature;
    for (const PiecesWitness& near : solver_->up_to(pair.X_AB, reach))
      near_.push_back(derivative_of(pair, near, *exact_));
    if (near_.empty())
      near_.push_back(derivative_of(pair, nearest, *exact_));  // reach is no more than rounding
    blend_pairs(near_, config_.temperature, result);
    return result;
  }

  // One contact for every region of pairs of pieces: its nearest pair.
  std::span<const Contact> contacts(const body::Pair& pair, double margin, bool derivatives) override {
    require_margin("contacts", margin);
    set(pair);
    const std::span<const PiecesWitness> near = solver_->up_to(pair.X_AB, margin);
    if (near.empty()) return DistanceModel::contacts(pair, margin, derivatives);  // touching, or no pose
    join_regions(pair, near, regions_);
    nearest_.clear();
    place_.assign(near.size(), 0);
    for (std::size_t i = 0; i < near.size(); ++i) {
      const auto first = static_cast<std::size_t>(regions_.least(static_cast<std::int32_t>(i)));
      if (first == i) {
        place_[i] = nearest_.size();
        nearest_.push_back(near[i]);
        continue;
      }
      PiecesWitness& least = nearest_[place_[first]];
      const double bound = std::min(least.witness.lower_bound, near[i].witness.lower_bound);
      if (near[i].witness.distance < least.witness.distance) least = near[i];
      least.witness.lower_bound = bound;
    }
    contacts_.clear();
    for (PiecesWitness& found : nearest_) {
      answer_as_estimators(pair, found);
      const derivative::PairDerivative without{found.witness,
                                               derivative::detail::invalid_derivative<double>()};
      contacts_.push_back({derivatives ? derivative_of(pair, found) : without,
                           static_cast<std::uint32_t>(found.piece_A + 1),
                           static_cast<std::uint32_t>(found.piece_B + 1)});
    }
    std::sort(contacts_.begin(), contacts_.end(), [](const Contact& x, const Contact& y) {
      return std::tie(x.pair.witness.distance, x.feature_A, x.feature_B) <
             std::tie(y.pair.witness.distance, y.feature_A, y.feature_B);
    });
    return contacts_;
  }

 private:
  // The estimator's answer for the two pieces.
  derivative::PairDerivative derivative_of(const body::Pair& pair, const PiecesWitness& found,
                                           derivative::Estimator& estimator) {
    const body::Body A{pieces_A_.of(pair.A->geometry, found.piece_A), pair.A->material};
    const body::Body B{pieces_B_.of(pair.B->geometry, found.piece_B), pair.B->material};
    return estimator({&A, &B, pair.X_AB});
  }

  derivative::PairDerivative derivative_of(const body::Pair& pair, const PiecesWitness& found) {
    derivative::PairDerivative result = derivative_of(pair, found, *estimator_);
    result.witness = found.witness;  // not the estimator's own: its bounds are those of all pairs of pieces
    if (found.witness.status == Status::kInvalidInput)
      result.derivative = derivative::detail::invalid_derivative<double>();
    else if (found.witness.status == Status::kNotConverged &&
             result.derivative.status != Status::kInvalidInput)
      result.derivative.status = Status::kNotConverged;
    return result;
  }

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

  void set(const body::Pair& pair) {
    if (solver_)
      solver_->set(pair.A->geometry, pair.B->geometry);
    else
      solver_.emplace(pair.A->geometry, pair.B->geometry);
  }

  PiecesWitness find(const body::Pair& pair) {
    set(pair);
    solver_->forget();  // a warm-started answer would depend on the previous one by rounding
    PiecesWitness found = (*solver_)(pair.X_AB);
    answer_as_estimators(pair, found);
    return found;
  }

  // Replaces the pair's own answer by that of the estimators for the same pieces, from whose points and
  // normal they differentiate: where several normals are equally good, the warm-started search may end at
  // another one than the cold search. An answer that the cold search did not finish replaces none.
  void answer_as_estimators(const body::Pair& pair, PiecesWitness& found) {
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
  PiecesConfig config_;
  std::unique_ptr<derivative::Estimator> estimator_;
  std::unique_ptr<derivative::Estimator> exact_;  // of the smoothed form
  std::vector<derivative::PairDerivative> near_;  // pairs that are blended
  DisjointSets regions_;
  std::vector<PiecesWitness> nearest_;  // of each region
  std::vector<std::size_t> place_;      // in nearest_, of each region's first pair
  std::vector<Contact> contacts_;
};

}  // namespace

std::vector<SettingInfo> pieces_settings(std::string_view method) {
  std::vector<SettingInfo> rows = hull_settings(method);
  for (const SettingInfo& row : describe<PiecesConfig>(kPiecesSettings)) rows.push_back(row);
  return rows;
}

std::unique_ptr<DistanceModel> make_pieces_model(std::string_view method, const SettingValues& settings) {
  SettingValues of_estimator, of_model;
  for (const SettingValue& setting : settings)
    (of_smoothed(setting) ? of_model : of_estimator).push_back(setting);
  PiecesConfig config;
  apply<PiecesConfig>(kPiecesSettings, of_model, config, "distance model pieces");
  return std::make_unique<PiecesModel>(derivative::make_estimator(method, of_estimator), config);
}

}  // namespace abut::proximity
