#include "runtime/witness/pieces_query.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "runtime/bvh/overlap.h"

namespace abut::witness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-14;  // of sizes

bool has_pieces(const body::Geometry& geometry) { return geometry.primitive() == nullptr; }

const asset::ConvexView& piece_of(const body::Geometry& geometry, std::int32_t number) {
  return geometry.pieces().convex[number];
}

Core<double> core_of_piece(const body::Geometry& geometry, std::int32_t number) {
  return has_pieces(geometry) ? Core<double>(piece_of(geometry, number)) : witness::core_of(geometry);
}

// Of two boxes along the axes of one frame, apart by d between their middles: where they overlap the axis in
// which they overlap least. What is in them overlaps no deeper.
double signed_gap(const Vec3<double>& d, const Vec3<double>& reach) {
  const Vec3<double> gap = d.cwiseAbs() - reach;
  const double most = gap.maxCoeff();
  if (!(most > 0)) return std::isnan(most) ? -kInfinity : most;
  const double norm = gap.cwiseMax(0).norm();
  return std::isfinite(norm) ? norm : most;
}

}  // namespace

PiecesSolver::PiecesSolver(const body::Geometry& A, const body::Geometry& B)
    : A_(A), B_(B), hulls_(has_pieces(A) && has_pieces(B)) {
  const body::Body body_A{A, {}}, body_B{B, {}};
  constexpr const char* kWho = "separation of pieces";
  require_valid({&body_A, &body_B, {}}, kWho);
  body::require_valid(A, body::kPiecesPart, kWho);
  body::require_valid(B, body::kPiecesPart, kWho);
  ball_A_ = ball_about(A);
  ball_B_ = ball_about(B);
  if (!hulls_) return;
  reach_A_.resize(static_cast<std::size_t>(A.pieces().piece_count));
  reach_B_.resize(static_cast<std::size_t>(B.pieces().piece_count));
}

void PiecesSolver::forget() {
  memory_.forget();
  memory_of_hulls_.forget();
  last_A_ = last_B_ = -1;
}

PiecesSolver::Place PiecesSolver::root(const body::Geometry& geometry) {
  Place place;
  place.middle.setZero();
  place.half.setConstant(kInfinity);
  if (has_pieces(geometry)) {
    place.node = 0;
  } else if (geometry.half_space() == nullptr) {
    const Core<double> core = core_of(geometry);
    for (int k = 0; k < 3; ++k) {
      const Vec3<double> axis = Vec3<double>::Unit(k);
      const double high = support<double>(core, axis).point[k],
                   low = support<double>(core, Vec3<double>(-axis)).point[k];
      place.middle[k] = (low + high) / 2;
      place.half[k] = (high - low) / 2;
    }
  }
  return place;
}

int PiecesSolver::children(const body::Geometry& geometry, const Place& place, Place* out) {
  if (place.node < 0) {
    *out = place;
    return 1;
  }
  const bvh::TreeView& tree = geometry.pieces().tree;
  const float* const bounds = tree.bounds + std::ptrdiff_t(6 * bvh::kWidth) * place.node;
  int count = 0;
  for (int c = 0; c < bvh::kWidth; ++c) {
    const std::int32_t slot = place.node * bvh::kWidth + c;
    if (tree.counts[slot] < 0) continue;
    Place& child = out[count++];
    const bool leaf = tree.counts[slot] > 0;
    child.node = leaf ? -1 : tree.children[slot];
    child.first = tree.children[slot];
    child.count = tree.counts[slot];
    for (int k = 0; k < 3; ++k) {
      const double low = bounds[k * bvh::kWidth + c], high = bounds[(3 + k) * bvh::kWidth + c];
      child.middle[k] = (low + high) / 2;
      child.half[k] = (high - low) / 2;
    }
  }
  return count;
}

// Pairs the children of both places.
void PiecesSolver::open(const Places& pair, const Pose<double>& X_AB, double limit) {
  Place of_a[bvh::kWidth], of_b[bvh::kWidth];
  const int count_a = children(A_, pair.a, of_a), count_b = children(B_, pair.b, of_b);
  const Mat3<double> turn = X_AB.R.cwiseAbs();
  const double size_AB = X_AB.p.cwiseAbs().maxCoeff();
  double highest[bvh::kWidth], size_a[bvh::kWidth];
  for (int i = 0; i < count_a; ++i) {
    highest[i] = highest_of(of_a[i]);
    size_a[i] = of_a[i].middle.norm() + of_a[i].half.norm();
  }
  for (int j = 0; j < count_b; ++j) {
    const Place& b = of_b[j];
    const Vec3<double> middle = X_AB * b.middle, half = turn * b.half;
    const double lowest = lowest_of(b, X_AB), size_b = size_AB + b.middle.norm() + b.half.norm();
    for (int i = 0; i < count_a; ++i) {
      const Place& a = of_a[i];
      const Vec3<double> d = middle - a.middle;
      const double in_A = signed_gap(d, half + a.half);
      const double in_B = signed_gap(X_AB.R.transpose() * d, turn.transpose() * a.half + b.half);
      double bound = std::max(in_A, in_B);
      if (lowest - highest[i] > bound) bound = lowest - highest[i];
      bound -= relative_rounding_ * (size_b + size_a[i]);
      if (!(bound < limit)) {
        if (bound < rest_) rest_ = bound;
        continue;
      }
      queue_.push_back({bound, static_cast<std::int32_t>(places_.size())});
      places_.push_back({a, b});
      std::push_heap(queue_.begin(), queue_.end());
    }
  }
}

// The highest point of A's pieces in a place along the search's direction, at most, m; computed once for each
// piece. Infinite without a direction.
double PiecesSolver::highest_of(const Place& place) {
  const Vec3<double>& n = direction_;
  if (!(n.squaredNorm() > 0)) return kInfinity;
  if (!hulls_ || place.node >= 0 || place.count > 1)
    return n.dot(place.middle) + n.cwiseAbs().dot(place.half);
  double& reach = reach_A_[static_cast<std::size_t>(place.first)];
  if (std::isnan(reach)) reach = n.dot(support<double>(piece_of(A_, place.first), n).point);
  return reach;
}

// The lowest of B's.
double PiecesSolver::lowest_of(const Place& place, const Pose<double>& X_AB) {
  const Vec3<double>& n = direction_;
  if (!(n.squaredNorm() > 0)) return -kInfinity;
  const Vec3<double> m = -(X_AB.R.transpose() * n);
  if (!hulls_ || place.node >= 0 || place.count > 1)
    return n.dot(X_AB * place.middle) - m.cwiseAbs().dot(place.half);
  double& reach = reach_B_[static_cast<std::size_t>(place.first)];
  if (std::isnan(reach)) reach = n.dot(X_AB * support<double>(piece_of(B_, place.first), m).point);
  return reach;
}

// About all of a body; of a half-space all is infinite.
bvh::Ball PiecesSolver::ball_about(const body::Geometry& geometry) {
  if (has_pieces(geometry)) return bvh::ball_of(geometry.pieces().tree);
  const Place place = root(geometry);
  return {place.middle, place.half.norm()};
}

// Of the distances of pairs, m: what is less than that counts as equal.
double PiecesSolver::rounding(const Pose<double>& X_AB) const {
  double size = X_AB.p.cwiseAbs().maxCoeff();
  for (const bvh::Ball* ball : {&ball_A_, &ball_B_})
    if (std::isfinite(ball->radius)) size += ball->center.norm() + ball->radius;
  return relative_rounding_ * size;
}

// A bound on the signed distance: how far the pieces are apart along the unit vector n.
double PiecesSolver::along(std::int32_t a, std::int32_t b, const Pose<double>& X_AB,
                           const Vec3<double>& n) const {
  const Vec3<double> m = -(X_AB.R.transpose() * n);
  return n.dot(X_AB * support<double>(piece_of(B_, b), m).point) -
         n.dot(support<double>(piece_of(A_, a), n).point);
}

// What a pair must be nearer than to count, m.
double PiecesSolver::limit(double margin) const {
  return found_.empty() ? most_ : std::min(most_, best_.witness.distance + margin);
}

// How far any point of one body has moved relative to the other since the last search, at most, m.
double PiecesSolver::moved(const Pose<double>& X_AB) const {
  const bool of_A = B_.half_space() != nullptr;
  const bvh::Ball& ball = of_A ? ball_A_ : ball_B_;
  const Pose<double> X = of_A ? X_AB.inverse() : X_AB, X0 = of_A ? X_searched_.inverse() : X_searched_;
  // |R - R0| is the root of 2 less than Frobenius' norm where both are rotations.
  return (X * ball.center - X0 * ball.center).norm() + (X.R - X0.R).norm() / std::sqrt(2.0) * ball.radius +
         rounding(X_AB) + rounding_searched_;
}

// Where the search looks: bounds on boxes and pieces are taken along it.
void PiecesSolver::set_direction(const Vec3<double>& n) {
  if (!n.allFinite()) return;
  direction_ = n;
  for (std::vector<double>* reach : {&reach_A_, &reach_B_}) std::fill(reach->begin(), reach->end(), kUnknown);
}

void PiecesSolver::keep(const PiecesWitness& answer) {
  found_.push_back(answer);
  if (found_.size() > 1 && !(answer.witness.distance < best_.witness.distance)) return;
  best_ = answer;
  set_direction(answer.witness.n);
}

// False if the pair's signed distance is beyond the limit; n: where to start from, zero for no direction.
bool PiecesSolver::ask(std::int32_t a, std::int32_t b, const Pose<double>& X_AB, double limit,
                       const Vec3<double>& n) {
  PiecesWitness answer;
  answer.witness = hulls_
                       ? detail::separate_hulls(piece_of(A_, a), piece_of(B_, b), X_AB, workspace_, n, limit)
                       : detail::separate_cores(core_of_piece(A_, a), core_of_piece(B_, b), X_AB, workspace_,
                                                Vec3<double>(Vec3<double>::Zero()));
  if (answer.witness.lower_bound > limit) return false;
  answer.piece_A = has_pieces(A_) ? a : -1;
  answer.piece_B = has_pieces(B_) ? b : -1;
  keep(answer);
  return true;
}

void PiecesSolver::ask_last(const Pose<double>& X_AB) {
  PiecesWitness answer = best_;  // of these pieces
  answer.witness =
      hulls_ ? detail::answer_hulls(piece_of(A_, last_A_), piece_of(B_, last_B_), X_AB, memory_)
             : detail::answer_cores(core_of_piece(A_, last_A_), core_of_piece(B_, last_B_), X_AB, memory_);
  keep(answer);
}

// Where all pairs but the rivals are known to be beyond the limit.
void PiecesSolver::ask_rivals(const Pose<double>& X_AB, double margin, double moved) {
  for (Rival& rival : rivals_) {
    if ((rival.a == last_A_ && rival.b == last_B_) || rival.bound - moved >= limit(margin)) continue;
    if (hulls_ && along(rival.a, rival.b, X_AB, rival.n) >= limit(margin)) continue;
    if (ask(rival.a, rival.b, X_AB, limit(margin), rival.n)) rival.n = found_.back().witness.n;
  }
}

void PiecesSolver::search_leaves(const Places& leaves, const Pose<double>& X_AB, double margin,
                                 double slack) {
  const bool guided = hulls_ && direction_.squaredNorm() > 0;
  Place of_a = leaves.a, of_b = leaves.b;
  of_a.count = of_b.count = 1;
  for (of_a.first = leaves.a.first; of_a.first < leaves.a.first + leaves.a.count; ++of_a.first) {
    for (of_b.first = leaves.b.first; of_b.first < leaves.b.first + leaves.b.count; ++of_b.first) {
      if (of_a.first == last_A_ && of_b.first == last_B_) continue;
      const double most = limit(margin + slack);
      const double bound = guided ? lowest_of(of_b, X_AB) - highest_of(of_a) : -kInfinity;
      if (bound >= most)
        rest_ = std::min(rest_, bound);
      else if (!ask(of_a.first, of_b.first, X_AB, most, direction_))
        rest_ = std::min(rest_, most);
    }
  }
}

// Answers all pairs up to `margin` above the least; rivals are pairs up to `slack` above that.
void PiecesSolver::search(const Pose<double>& X_AB, double margin, double slack) {
  rest_ = kInfinity;
  queue_.assign({{-kInfinity, 0}});
  places_.assign({{root(A_), root(B_)}});
  if (found_.empty()) set_direction(separation_of_hulls(X_AB).n);
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const Entry entry = queue_.back();
    queue_.pop_back();
    const double most = limit(margin + slack);
    if (!(entry.bound < most)) {
      rest_ = std::min(rest_, entry.bound);
      break;
    }
    const Places pair = places_[static_cast<std::size_t>(entry.places)];
    if (pair.a.node >= 0 || pair.b.node >= 0)
      open(pair, X_AB, most);
    else
      search_leaves(pair, X_AB, margin, slack);
  }
  if (found_.empty() && most_ == kNoLimit) {  // a pose too far for boxes: nothing is known
    rest_ = -kInfinity;
    ask(0, 0, X_AB, kInfinity, Vec3<double>::Zero());
  }
  rivals_.clear();
  for (const PiecesWitness& pair : found_) {
    const Witness<double>& w = pair.witness;
    rivals_.push_back({std::max(pair.piece_A, 0), std::max(pair.piece_B, 0), w.n, w.lower_bound});
  }
  std::erase_if(rivals_, [&](const Rival& rival) { return rival.bound >= rest_; });
  X_searched_ = X_AB;
  rounding_searched_ = rounding(X_AB);
}

Witness<double> PiecesSolver::separation_of_hulls(const Pose<double>& X_AB) {
  return hulls_ ? detail::answer_hulls(A_.convex(), B_.convex(), X_AB, memory_of_hulls_)
                : detail::answer_cores(witness::core_of(A_), witness::core_of(B_), X_AB, memory_of_hulls_);
}

void PiecesSolver::answer(const Pose<double>& X_AB, double margin) {
  // A search that looks this many times as far as the last motion went is good for as many more like it.
  constexpr double kLook = 4;
  constexpr double kFar = 0.1;  // of the smaller body's radius: a motion without sequel
  found_.clear();
  direction_.setZero();
  double slack = 0;
  if (last_A_ >= 0) {
    ask_last(X_AB);
    const double way = moved(X_AB);
    if (rest_ - way >= limit(margin)) {
      ask_rivals(X_AB, margin, way);
    } else {
      if (way < kFar * std::min(ball_A_.radius, ball_B_.radius)) slack = kLook * way;
      search(X_AB, margin, slack);
    }
  } else {
    search(X_AB, margin, 0);
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
    none.witness = witness::separation(A_, B_, X_AB, workspace_);
    return none;
  }
  relative_rounding_ = kRounding + 4 * rotation_error(X_AB.R);
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
  if (result.witness.distance < 0) {
    result.least_depth = -result.witness.upper_bound;
    result.most_depth = -separation_of_hulls(X_AB).lower_bound;
  }
  return result;
}

std::span<const PiecesWitness> PiecesSolver::within(const Pose<double>& X_AB, double margin) {
  found_.clear();
  if (!X_AB.finite() || !(margin >= 0)) return {};
  relative_rounding_ = kRounding + 4 * rotation_error(X_AB.R);
  const double tied = margin + rounding(X_AB);
  answer(X_AB, tied);
  sort_found(best_.witness.distance + tied);
  return found_;
}

std::span<const PiecesWitness> PiecesSolver::up_to(const Pose<double>& X_AB, double most) {
  found_.clear();
  if (!X_AB.finite() || !std::isfinite(most)) return {};
  relative_rounding_ = kRounding + 4 * rotation_error(X_AB.R);
  forget();
  direction_.setZero();
  most_ = most + rounding(X_AB);
  search(X_AB, kInfinity, 0);
  most_ = kNoLimit;
  sort_found(most);
  return found_;
}

// Leaves the pairs up to the limit, in the order of their numbers.
void PiecesSolver::sort_found(double limit) {
  std::erase_if(found_, [&](const PiecesWitness& pair) { return !(pair.witness.distance <= limit); });
  std::sort(found_.begin(), found_.end(), [](const PiecesWitness& x, const PiecesWitness& y) {
    return std::tie(x.piece_A, x.piece_B) < std::tie(y.piece_A, y.piece_B);
  });
}

}  // namespace abut::witness
