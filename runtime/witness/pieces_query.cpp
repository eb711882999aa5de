#include "runtime/witness/pieces_query.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace abut::witness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-14;  // relative to sizes
constexpr const char* kWho = "separation of pieces";

const body::Geometry& with_pieces(const body::Geometry& geometry) {
  body::require_valid(geometry, body::kPiecesPart, kWho);
  return geometry;
}

void require_valid_pair(const body::Geometry& A, const body::Geometry& B) {
  const body::Body body_A{A, {}}, body_B{B, {}};
  require_valid({&body_A, &body_B, {}}, kWho);
}

// Whether `answer` is that of the pieces a and b.
bool of(const PiecesWitness& answer, std::int32_t a, std::int32_t b) {
  return std::max(answer.piece_A, 0) == a && std::max(answer.piece_B, 0) == b;
}

}  // namespace

PiecesSolver::PiecesSolver(const body::Geometry& A, const body::Geometry& B)
    : A_(with_pieces(A)), B_(with_pieces(B)) {
  require_valid_pair(A, B);
  measure();
}

void PiecesSolver::set(const body::Geometry& A, const body::Geometry& B) {
  if (A.id() == A_.geometry().id() && B.id() == B_.geometry().id()) return;
  require_valid_pair(with_pieces(A), with_pieces(B));
  A_.set(A);
  B_.set(B);
  measure();
  forget();
}

void PiecesSolver::measure() {
  hulls_ = A_.hulls() && B_.hulls();
  size_ = A_.size() + B_.size();
}

void PiecesSolver::forget() {
  memory_.forget();
  memory_of_hulls_.forget();
  last_A_ = last_B_ = -1;
}

// Rounding of the distances of pairs, m: differences below it count as equal.
double PiecesSolver::rounding(const Pose<double>& X_AB) const {
  return (kRounding + 4 * rotation_error(X_AB.R)) * (size_ + X_AB.p.cwiseAbs().maxCoeff());
}

// Bound on the rounding of gap(), m.
double PiecesSolver::rounding_of_gaps(const Pose<double>& X_AB) const {
  return 4 * std::numeric_limits<double>::epsilon() * (size_ + X_AB.p.cwiseAbs().maxCoeff());
}

// Distance that a pair must be below to count, m.
double PiecesSolver::limit(double margin) const {
  return (found_.empty() ? most_ : std::min(most_, best_.witness.distance + margin)) - tie_;
}

void PiecesSolver::keep(const PiecesWitness& answer) {
  found_.push_back(answer);
  if (found_.size() == 1 || answer.witness.distance < best_.witness.distance) best_ = answer;
}

// Queries a pair, starting along n, and keeps its result unless its signed distance is beyond `limit` (m).
// The lower bound of the returned witness, and the normal along which it holds, are valid in either case.
Witness<double> PiecesSolver::ask(std::int32_t a, std::int32_t b, const Pose<double>& X_AB, double limit,
                                  const Vec3<double>& n) {
  PiecesWitness answer;
  answer.witness = hulls_ ? detail::separate_hulls(A_.hull(a), B_.hull(b), X_AB, workspace_, n, limit)
                          : detail::separate_cores(A_.core(a), B_.core(b), X_AB, workspace_,
                                                   Vec3<double>(Vec3<double>::Zero()));
  if (answer.witness.lower_bound > limit) return answer.witness;
  answer.piece_A = A_.hulls() ? a : -1;
  answer.piece_B = B_.hulls() ? b : -1;
  keep(answer);
  return answer.witness;
}

void PiecesSolver::ask_last(const Pose<double>& X_AB) {
  PiecesWitness answer = best_;  // takes over the indices of the pieces
  answer.witness = hulls_ ? detail::answer_hulls(A_.hull(last_A_), B_.hull(last_B_), X_AB, memory_)
                          : detail::answer_cores(A_.core(last_A_), B_.core(last_B_), X_AB, memory_);
  keep(answer);
}

// Separation of two pieces along n, m.
double PiecesSolver::gap(std::int32_t a, std::int32_t b, const Pose<double>& X_AB,
                         const Vec3<double>& n) const {
  return n.dot(X_AB.p) - A_.reach(a, n) - B_.reach(b, -(X_AB.R.transpose() * n));
}

// Returns a direction to search along: the normal of the hulls or, if there is no limit yet, that of the two
// pieces that reach farthest towards each other along it, which are queried first.
Vec3<double> PiecesSolver::ask_first(const Pose<double>& X_AB) {
  Vec3<double> n = separation_of_hulls(X_AB).n;
  if (most_ != kNoLimit) return n;
  return ask(A_.farthest_piece(n), B_.farthest_piece(-(X_AB.R.transpose() * n)), X_AB, kInfinity, n).n;
}

// Queries all pairs up to `margin` (m) above the least; the first of them may have been found already.
void PiecesSolver::search(const Pose<double>& X_AB, double margin) {
  const Vec3<double> n = found_.empty() ? ask_first(X_AB) : best_.witness.n;
  pairs_.open(A_, B_, X_AB, n, limit(margin));
  bounds_.clear();
  X_searched_ = X_AB;
  for (;;) {
    PairBounds::Place place;
    const PairBounds::Bound pair = pairs_.least(A_, B_, place);
    if (pair.a < 0 || pair.least >= limit(margin)) break;
    double least = kInfinity;
    if (found_.empty() || !of(found_[0], pair.a, pair.b)) {
      const double most = limit(margin);
      const Witness<double> w = ask(pair.a, pair.b, X_AB, most, pair.n);
      const bool beyond = w.lower_bound > most;
      if (beyond) least = w.lower_bound;
      if (beyond || limit(margin) < most) pairs_.tighten(A_, B_, X_AB, w.n, limit(margin));
    }
    pairs_.set(place, least);
  }
  searched_ = found_;
}

// Makes the list of bounds from the last search, with one entry for each rival of its nearest pair.
void PiecesSolver::list_bounds(const Pose<double>& X_AB, double margin) {
  // Pairs count as rivals that this many motions like the first one after the search may bring near.
  constexpr double kLook = 4;
  constexpr std::size_t kMax = 24;  // pairs examined in every query
  const double way = (X_AB.p - X_searched_.p).norm() + (X_AB.R - X_searched_.R).norm() * B_.size();
  double least = kInfinity;
  for (const PiecesWitness& pair : searched_) least = std::min(least, pair.witness.distance);
  pairs_.list(A_, B_, least + margin + kLook * way, kMax, bounds_);
  std::erase_if(bounds_, [&](const PairBounds::Bound& bound) { return of(searched_[0], bound.a, bound.b); });
  for (const PiecesWitness& pair : searched_)
    bounds_.push_back(
        {std::max(pair.piece_A, 0), std::max(pair.piece_B, 0), pair.witness.lower_bound, pair.witness.n});
}

// Queries the rivals if all other pairs are known to be beyond the limit; returns false if they are not.
bool PiecesSolver::ask_rivals(const Pose<double>& X_AB, double margin) {
  if (B_.geometry().half_space() != nullptr) return false;
  const Vec3<double> way = X_AB.p - X_searched_.p;
  const Mat3<double> turn = (X_AB.R - X_searched_.R).transpose();
  // Rounding of the bounds at that pose, and of the motion since then.
  const double unsure = 2 * rounding_of_gaps(X_searched_);
  for (PairBounds::Bound& bound : bounds_) {
    if (bound.a == last_A_ && bound.b == last_B_) continue;
    // No point of B's pieces has approached along n by more than the points of their boxes.
    const Vec3<double> away = -(turn * bound.n);
    if (bound.least + bound.n.dot(way) - B_.box_reach(bound.b, away) - unsure >= limit(margin)) continue;
    if (bound.a < 0) return false;
    if (gap(bound.a, bound.b, X_AB, best_.witness.n) >= limit(margin)) continue;
    if (gap(bound.a, bound.b, X_AB, bound.n) >= limit(margin)) continue;
    const Vec3<double> n = ask(bound.a, bound.b, X_AB, limit(margin), bound.n).n;
    bound = {bound.a, bound.b, gap(bound.a, bound.b, X_searched_, n), n};
  }
  return true;
}

Witness<double> PiecesSolver::separation_of_hulls(const Pose<double>& X_AB) {
  Witness<double> w = hulls_ ? detail::answer_hulls(A_.whole(), B_.whole(), X_AB, memory_of_hulls_)
                             : detail::answer_cores(A_.whole_core(), B_.whole_core(), X_AB, memory_of_hulls_);
  least_of_hulls_ = w.lower_bound;
  return w;
}

void PiecesSolver::answer(const Pose<double>& X_AB, double margin) {
  found_.clear();
  least_of_hulls_ = std::numeric_limits<double>::quiet_NaN();
  tie_ = rounding_of_gaps(X_AB);
  bool known = false;
  if (last_A_ >= 0) {
    ask_last(X_AB);
    if (bounds_.empty()) list_bounds(X_AB, margin);
    known = ask_rivals(X_AB, margin);
  }
  if (!known) {
    if (!found_.empty()) found_.resize(1), best_ = found_[0];
    search(X_AB, margin);
  }
  const std::int32_t a = std::max(best_.piece_A, 0), b = std::max(best_.piece_B, 0);
  if (a == last_A_ && b == last_B_) return;
  memory_.forget();
  if (hulls_) memory_.last = best_.witness;
  last_A_ = a;
  last_B_ = b;
}

PiecesWitness PiecesSolver::operator()(const Pose<double>& X_AB) {
  if (!X_AB.finite()) {
    PiecesWitness none;
    none.witness = witness::separation(A_.geometry(), B_.geometry(), X_AB, workspace_);
    return none;
  }
  answer(X_AB, 0);
  PiecesWitness result = best_;
  result.searched = static_cast<std::int32_t>(found_.size());
  for (const PiecesWitness& other : found_) {
    const bool lower = other.witness.lower_bound < result.witness.lower_bound;
    if (lower) result.witness.lower_bound = other.witness.lower_bound;
    Status& status = result.witness.status;
    if (other.witness.status == Status::kInvalidInput)
      status = Status::kInvalidInput;
    else if (lower && other.witness.status == Status::kNotConverged && status != Status::kInvalidInput)
      status = Status::kNotConverged;
  }
  result.witness.lower_bound =
      std::min(result.witness.lower_bound, limit(0));  // bound of the pairs that were not queried
  if (result.witness.distance < 0) {
    result.least_depth = -result.witness.upper_bound;
    result.most_depth =
        -(std::isnan(least_of_hulls_) ? separation_of_hulls(X_AB).lower_bound : least_of_hulls_);
  }
  return result;
}

std::span<const PiecesWitness> PiecesSolver::within(const Pose<double>& X_AB, double margin) {
  found_.clear();
  if (!X_AB.finite() || !(margin >= 0)) return {};
  const double tied = margin + rounding(X_AB);
  answer(X_AB, tied);
  sort_found(best_.witness.distance + tied);
  return found_;
}

std::span<const PiecesWitness> PiecesSolver::up_to(const Pose<double>& X_AB, double most) {
  found_.clear();
  if (!X_AB.finite() || !std::isfinite(most)) return {};
  forget();
  tie_ = 0;
  most_ = most + rounding(X_AB);
  search(X_AB, kInfinity);
  most_ = kNoLimit;
  sort_found(most);
  return found_;
}

// Keeps the pairs up to the limit, in the order of their indices.
void PiecesSolver::sort_found(double limit) {
  std::erase_if(found_, [&](const PiecesWitness& pair) { return !(pair.witness.distance <= limit); });
  std::sort(found_.begin(), found_.end(), [](const PiecesWitness& x, const PiecesWitness& y) {
    return std::tie(x.piece_A, x.piece_B) < std::tie(y.piece_A, y.piece_B);
  });
}

}  // namespace abut::witness
