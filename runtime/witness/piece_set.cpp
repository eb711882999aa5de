#include "runtime/witness/piece_set.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/witness/pair_query.h"

namespace abut::witness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void PieceSet::set(const body::Geometry& geometry) {
  const bool primitive = geometry.primitive() != nullptr;
  geometry_ = geometry;
  count_ = primitive ? 1 : geometry.pieces().piece_count;
  hulls_ = primitive ? nullptr : geometry.pieces().convex;
  whole_ = primitive ? asset::ConvexView() : asset::view(geometry.asset()->convex.front());
  for (auto* lists : {&middle_, &half_})
    for (std::vector<double>& list : *lists) list.assign(static_cast<std::size_t>(count_) + 1, 0);
  if (geometry.half_space() != nullptr) return;
  Vec3<double> least = Vec3<double>::Constant(kInfinity), most = -least;
  const auto add_box = [&](std::int32_t piece, const Vec3<double>& low, const Vec3<double>& high) {
    set_box(piece, low, high);
    least = least.cwiseMin(low);
    most = most.cwiseMax(high);
  };
  if (hulls()) {
    const bvh::TreeView& tree = geometry.pieces().tree;
    for (std::int32_t slot = 0; slot < bvh::kWidth * tree.nodes; ++slot) {
      const float* const of = tree.bounds + 6 * (slot - slot % bvh::kWidth) + slot % bvh::kWidth;
      const Vec3<double> low(of[0], of[bvh::kWidth], of[2 * bvh::kWidth]),
          high(of[3 * bvh::kWidth], of[4 * bvh::kWidth], of[5 * bvh::kWidth]);
      for (std::int32_t k = 0; k < tree.counts[slot]; ++k) add_box(tree.children[slot] + k, low, high);
    }
  } else {
    Vec3<double> low, high;
    for (int k = 0; k < 3; ++k) {
      high[k] = reach(0, Vec3<double>::Unit(k));
      low[k] = -reach(0, -Vec3<double>::Unit(k));
    }
    add_box(0, low, high);
  }
  set_box(count_, least, most);
}

double PieceSet::size() const {
  const auto all = static_cast<std::size_t>(count_);
  double squared = 0;
  for (std::size_t k = 0; k < 3; ++k) squared += std::pow(std::abs(middle_[k][all]) + half_[k][all], 2);
  return std::sqrt(squared);
}

void PieceSet::set_box(std::int32_t piece, const Vec3<double>& low, const Vec3<double>& high) {
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    middle_[k][static_cast<std::size_t>(piece)] = (low[axis] + high[axis]) / 2;
    half_[k][static_cast<std::size_t>(piece)] = (high[axis] - low[axis]) / 2;
  }
}

Core<double> PieceSet::core(std::int32_t piece) const {
  return hulls() ? Core<double>(hull(piece)) : core_of(geometry_);
}

Core<double> PieceSet::whole_core() const { return hulls() ? Core<double>(whole_) : core_of(geometry_); }

double PieceSet::reach(std::int32_t piece, const Vec3<double>& n) const {
  if (hulls()) return n.dot(support<double>(hull(piece), n).point);
  const Core<double> whole = core(piece);
  return n.dot(core_support(whole, n).point) + whole.swept_radius();
}

double PieceSet::box_reach(std::int32_t piece, const Vec3<double>& n) const {
  const auto i = static_cast<std::size_t>(piece < 0 ? count_ : piece);
  return n.x() * middle_[0][i] + n.y() * middle_[1][i] + n.z() * middle_[2][i] +
         std::abs(n.x()) * half_[0][i] + std::abs(n.y()) * half_[1][i] + std::abs(n.z()) * half_[2][i];
}

double PieceSet::farthest(const Vec3<double>& n) const {
  double most = -kInfinity;
  for (std::int32_t i = 0; i < count_; ++i) most = std::max(most, box_reach(i, n));
  return most;
}

std::int32_t PieceSet::farthest_piece(const Vec3<double>& n) const {
  std::int32_t best = 0;  // first by the boxes, then by the pieces themselves
  for (std::int32_t i = 1; i < count_; ++i)
    if (box_reach(i, n) > box_reach(best, n)) best = i;
  double most = reach(best, n);
  for (std::int32_t i = 0; i < count_; ++i) {
    if (!(box_reach(i, n) > most)) continue;
    const double here = reach(i, n);
    if (here > most) most = here, best = i;
  }
  return best;
}

double PieceSet::choose(const Vec3<double>& n, double least) {
  chosen_.clear();
  double most = -kInfinity;
  for (std::int32_t i = 0; i < count_; ++i) {
    const double reach = box_reach(i, n);
    if (reach <= least)
      most = std::max(most, reach);
    else
      chosen_.push_back(i);
  }
  return most;
}

const std::vector<double>& PieceSet::reaches(const Vec3<double>& n, const std::vector<double>& bounds,
                                             double limit) {
  reaches_.assign((chosen_.size() + 3) / 4 * 4, kInfinity);
  std::int32_t resolution = 0, cell = 0;  // of the lookup; the same for most pieces
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    if (bounds[k] >= limit) continue;
    if (!hulls() || hull(chosen_[k]).candidate_offsets == nullptr) {
      reaches_[k] = reach(chosen_[k], n);
      continue;
    }
    const asset::ConvexView& piece = hull(chosen_[k]);
    if (piece.lookup_resolution != resolution) {
      resolution = piece.lookup_resolution;
      cell = direction_cell(n, resolution);
    }
    const std::int32_t* const row = piece.candidate_offsets + cell;
    const detail::Candidates candidates{piece.candidates + row[0], piece.candidates + row[1]};
    reaches_[k] = n.dot(detail::best_candidate(piece, candidates, n).point);
  }
  return reaches_;
}

}  // namespace abut::witness
