#include "runtime/witness/pieces_query.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "runtime/bvh/overlap.h"

namespace abut::witness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
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

PiecesSolver::PiecesSolver(const body::Geometry& A, const body::Geometry& B) : A_(A), B_(B) {
  const body::Body body_A{A, {}}, body_B{B, {}};
  constexpr const char* kWho = "separation of pieces";
  require_valid({&body_A, &body_B, {}}, kWho);
  body::require_valid(A, body::kPiecesPart, kWho);
  body::require_valid(B, body::kPiecesPart, kWho);
}

void PiecesSolver::forget() {
  memory_.forget();
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
void PiecesSolver::open(const Entry& entry, const Pose<double>& X_AB, double limit) {
  Place of_a[bvh::kWidth], of_b[bvh::kWidth];
  const int count_a = children(A_, entry.a, of_a), count_b = children(B_, entry.b, of_b);
  const Mat3<double> turn = X_AB.R.cwiseAbs();
  const double rounding = kRounding + 4 * rotation_error(X_AB.R);  // of the pose, of sizes
  for (int j = 0; j < count_b; ++j) {
    const Place& b = of_b[j];
    const Vec3<double> middle = X_AB * b.middle, half = turn * b.half;
    const double size_b = X_AB.p.cwiseAbs().maxCoeff() + b.middle.norm() + b.half.norm();
    for (int i = 0; i < count_a; ++i) {
      const Place& a = of_a[i];
      const Vec3<double> d = middle - a.middle;
      const double in_A = signed_gap(d, half + a.half);
      const double in_B = signed_gap(X_AB.R.transpose() * d, turn.transpose() * a.half + b.half);
      const double bound = std::max(in_A, in_B) - rounding * (size_b + a.middle.norm() + a.half.norm());
      if (!(bound < limit)) continue;
      queue_.push_back({std::isnan(bound) ? -kInfinity : bound, a, b});
      std::push_heap(queue_.begin(), queue_.end());
    }
  }
}

// Of the distances of pairs, m: what is less than that counts as equal.
double PiecesSolver::rounding(const Pose<double>& X_AB) const {
  double size = X_AB.p.cwiseAbs().maxCoeff();
  for (const body::Geometry* geometry : {&A_, &B_}) {
    if (has_pieces(*geometry)) {
      const bvh::Ball ball = bvh::ball_of(geometry->pieces().tree);
      size += ball.center.norm() + ball.radius;
    } else if (geometry->half_space() == nullptr) {
      const Place place = root(*geometry);
      size += place.middle.norm() + place.half.norm();
    }
  }
  return (kRounding + 4 * rotation_error(X_AB.R)) * size;
}

// A bound on the signed distance: how far the pieces are apart along the unit vector n.
double PiecesSolver::along(std::int32_t a, std::int32_t b, const Pose<double>& X_AB,
                           const Vec3<double>& n) const {
  const Vec3<double> m = -(X_AB.R.transpose() * n);
  return n.dot(X_AB * support<double>(piece_of(B_, b), m).point) -
         n.dot(support<double>(piece_of(A_, a), n).point);
}

void PiecesSolver::ask(std::int32_t a, std::int32_t b, const Pose<double>& X_AB, bool warm) {
  PiecesWitness answer;
  const bool hulls = has_pieces(A_) && has_pieces(B_);
  if (hulls) {
    answer.witness = warm ? detail::answer_hulls(piece_of(A_, a), piece_of(B_, b), X_AB, memory_)
                          : detail::separate_hulls(piece_of(A_, a), piece_of(B_, b), X_AB, workspace_,
                                                   Vec3<double>::Zero());
  } else {
    const Core<double> core_a = core_of_piece(A_, a), core_b = core_of_piece(B_, b);
    answer.witness =
        warm ? detail::answer_cores(core_a, core_b, X_AB, memory_)
             : detail::separate_cores(core_a, core_b, X_AB, workspace_, Vec3<double>(Vec3<double>::Zero()));
  }
  answer.piece_A = has_pieces(A_) ? a : -1;
  answer.piece_B = has_pieces(B_) ? b : -1;
  found_.push_back(answer);
  if (found_.size() == 1 || answer.witness.distance < best_.witness.distance) best_ = answer;
}

void PiecesSolver::search(const Pose<double>& X_AB, double margin) {
  found_.clear();
  queue_.clear();
  if (last_A_ >= 0) ask(last_A_, last_B_, X_AB, true);
  const bool hulls = has_pieces(A_) && has_pieces(B_);
  const auto limit = [&] { return found_.empty() ? kInfinity : best_.witness.distance + margin; };
  queue_.push_back({-kInfinity, root(A_), root(B_)});
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const Entry entry = queue_.back();
    queue_.pop_back();
    if (!(entry.bound < limit())) break;
    if (entry.a.node >= 0 || entry.b.node >= 0) {
      open(entry, X_AB, limit());
      continue;
    }
    for (std::int32_t a = entry.a.first; a < entry.a.first + entry.a.count; ++a) {
      for (std::int32_t b = entry.b.first; b < entry.b.first + entry.b.count; ++b) {
        if (a == last_A_ && b == last_B_) continue;
        if (hulls && !found_.empty() && along(a, b, X_AB, best_.witness.n) >= limit()) continue;
        ask(a, b, X_AB, false);
      }
    }
  }
  if (found_.empty()) ask(0, 0, X_AB, false);  // a pose too far for boxes
  const std::int32_t a = std::max(best_.piece_A, 0), b = std::max(best_.piece_B, 0);
  if (a == last_A_ && b == last_B_) return;
  memory_.forget();
  if (hulls) memory_.last = best_.witness;
  last_A_ = a;
  last_B_ = b;
}

PiecesWitness PiecesSolver::operator()(const Pose<double>& X_AB) {
  if (!X_AB.finite()) {
    PiecesWitness none;
    none.witness = witness::separation(A_, B_, X_AB, workspace_);
    return none;
  }
  search(X_AB, 0);
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
    result.most_depth = -witness::separation(A_, B_, X_AB, workspace_).lower_bound;
  }
  return result;
}

std::span<const PiecesWitness> PiecesSolver::within(const Pose<double>& X_AB, double margin) {
  found_.clear();
  if (!X_AB.finite() || !(margin >= 0)) return {};
  const double tied = margin + rounding(X_AB);
  search(X_AB, tied);
  const double limit = best_.witness.distance + tied;
  std::erase_if(found_, [&](const PiecesWitness& pair) { return !(pair.witness.distance <= limit); });
  std::sort(found_.begin(), found_.end(), [](const PiecesWitness& x, const PiecesWitness& y) {
    return std::tie(x.piece_A, x.piece_B) < std::tie(y.piece_A, y.piece_B);
  });
  return found_;
}

}  // namespace abut::witness
