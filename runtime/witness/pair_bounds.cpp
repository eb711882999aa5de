#include "runtime/witness/pair_bounds.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "runtime/core/simd.h"

namespace abut::witness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Raises the bounds of a row to high - low and records `number` as the direction of those raised. Returns
// the least bound of the row, and lowers `columns` to the least bounds of the columns.
ABUT_CLONES double tighten_row(double high, const std::vector<double>& low, double number, double* least,
                               double* direction, double* columns) {
  using simd::Four;
  Four row = Four{} + kInfinity;
  const Four here = Four{} + number;
  for (std::size_t j = 0; j < low.size(); j += 4) {
    Four reach, bound, of, column;
    simd::load(low.data() + j, reach);
    simd::load(least + j, bound);
    simd::load(direction + j, of);
    simd::load(columns + j, column);
    const Four gap = high - reach;
    of = gap > bound ? here : of;
    bound = gap > bound ? gap : bound;
    row = bound < row ? bound : row;
    simd::store(of, direction + j);
    simd::store(bound, least + j);
    simd::store(bound < column ? bound : column, columns + j);
  }
  return simd::least_lane(row);
}

}  // namespace

void PairBounds::open(PieceSet& A, PieceSet& B, const Pose<double>& X_AB, const Vec3<double>& n,
                      double limit) {
  const Vec3<double> m = -(X_AB.R.transpose() * n);
  const double offset = n.dot(X_AB.p);
  const double most_A = A.farthest(n), most_B = B.farthest(m);
  const double left_A = A.choose(n, offset - most_B - limit), left_B = B.choose(m, offset - most_A - limit);
  rest_ = offset - std::max(left_A + most_B, most_A + left_B);
  n_.clear();
  width_ = (B.chosen().size() + 3) / 4 * 4;
  row_.assign(A.chosen().size(), -kInfinity);
  column_.assign(width_, -kInfinity);
  least_.assign(row_.size() * width_, -kInfinity);
  direction_.assign(least_.size(), 0);
  for (std::size_t j = B.chosen().size(); j < width_; ++j)
    for (std::size_t i = 0; i < row_.size(); ++i) least_[i * width_ + j] = kInfinity;
  tighten(A, B, X_AB, n, limit);
}

void PairBounds::tighten(PieceSet& A, PieceSet& B, const Pose<double>& X_AB, const Vec3<double>& n,
                         double limit) {
  const std::vector<double>&a = A.reaches(n, row_, limit),
        &b = B.reaches(-(X_AB.R.transpose() * n), column_, limit);
  const double offset = n.dot(X_AB.p);
  std::fill(column_.begin(), column_.end(), kInfinity);
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (row_[i] >= limit) continue;
    double* const least = least_.data() + i * width_;
    row_[i] = tighten_row(offset - a[i], b, static_cast<double>(n_.size()), least,
                          direction_.data() + i * width_, column_.data());
  }
  n_.push_back(n);
}

PairBounds::Bound PairBounds::least(const PieceSet& A, const PieceSet& B, Place& place) const {
  const auto row = std::min_element(row_.begin(), row_.end());
  if (row == row_.end() || width_ == 0) return {-1, -1, kInfinity, Vec3<double>::Zero()};
  place.row = static_cast<std::size_t>(row - row_.begin());
  const double* const first = least_.data() + place.row * width_;
  place.column = static_cast<std::size_t>(std::min_element(first, first + width_) - first);
  if (!(first[place.column] < kInfinity)) return {-1, -1, kInfinity, Vec3<double>::Zero()};
  const auto direction = static_cast<std::size_t>(direction_[place.row * width_ + place.column]);
  return {A.chosen()[place.row], B.chosen()[place.column], first[place.column], n_[direction]};
}

void PairBounds::set(const Place& place, double least) {
  double* const first = least_.data() + place.row * width_;
  first[place.column] = least;
  direction_[place.row * width_ + place.column] = static_cast<double>(n_.size() - 1);
  row_[place.row] = *std::min_element(first, first + width_);
}

void PairBounds::list(const PieceSet& A, const PieceSet& B, double limit, std::size_t most,
                      std::vector<Bound>& to) {
  near_.clear();
  std::copy_if(least_.begin(), least_.end(), std::back_inserter(near_),
               [&](double least) { return least < limit; });
  if (near_.size() > most) {
    std::nth_element(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(most), near_.end());
    limit = near_[most];
  }
  to.clear();
  for (const Vec3<double>& n : n_) to.push_back({-1, -1, kInfinity, n});
  to[0].least = rest_;
  for (std::size_t at = 0; at < least_.size(); ++at) {
    const double least = least_[at];
    const auto direction = static_cast<std::size_t>(direction_[at]);
    if (least < limit)
      to.push_back({A.chosen()[at / width_], B.chosen()[at % width_], least, n_[direction]});
    else if (least < to[direction].least)
      to[direction].least = least;
  }
}

}  // namespace abut::witness
