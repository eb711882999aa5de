#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "runtime/core/status.h"
#include "runtime/math/pose.h"

// Small least-squares problems with inequality constraints in 6 variables, for the projections of fast
// frictional dynamics.
namespace abut::dynamics {

// Finds the point nearest to z0 in the polyhedron {a_k'z >= d_k}, with any number of constraints, |a_k| = 1.
//
// With d = 0 it also solves the non-negative least squares problem of the polar cone: the multipliers u >= 0
// minimise |sum u_k a_k + z0|, and z is the residual [Lawson1974, ch. 23]. It is a dual active-set method
// [Goldfarb1983]: z starts at z0; a violated constraint is made active by moving along the part of its normal
// that is orthogonal to the active normals, and an active constraint whose multiplier would become negative
// on the way is dropped. The distance grows with every step, so that the method ends. The active normals, at
// most 6, are kept linearly independent, as Q R; redundant and parallel constraints never are active
// together.
template <class S>
class LeastDistance {
 public:
  // Returns kOk; kNoOverlap: no point satisfies all constraints, see relax(); kNotConverged: rounding made
  // the method cycle; kInvalidInput: an input is not finite or a number overflowed, and z is NaN. Allocates
  // nothing.
  Status solve(const Vec6<S>& z0, std::span<const Vec6<S>> a, std::span<const S> d);

  const Vec6<S>& point() const { return z_; }

  // The active constraints: their indices, at most 6, and multipliers, with z = z0 + sum u_j a_j.
  std::span<const std::int32_t> active() const { return {index_.data(), count_}; }
  std::span<const S> multipliers() const { return {u_.data(), count_}; }
  int steps() const { return steps_; }

  // After kNoOverlap: lowers the bounds d by the least sum of squares with which a point exists. The answer
  // for an empty polyhedron is then the nearest point for these bounds.
  static void relax(std::span<const Vec6<S>> a, std::span<S> d);

 private:
  // Relative thresholds of rounding: the least length of the independent part of a unit normal; the largest
  // violation that may be due to rounding; the tolerance of a constraint.
  static constexpr S kIndependent = S(1e4) * std::numeric_limits<S>::epsilon();
  static constexpr S kNegligible = S(2e3) * std::numeric_limits<S>::epsilon();
  static constexpr S kRounding = S(64) * std::numeric_limits<S>::epsilon();

  Vec6<S> split(const Vec6<S>& a, Vec6<S>& part) const;
  Vec6<S> back_substitute(const Vec6<S>& part) const;
  void append(const Vec6<S>& w, const Vec6<S>& part, std::int32_t index, S u);
  void drop(std::size_t j, std::span<const Vec6<S>> a);
  bool add(std::int32_t p, std::span<const Vec6<S>> a, S bound);
  void polish(const Vec6<S>& z0, std::span<const Vec6<S>> a, std::span<const S> d);
  Status ended();

  Vec6<S> z_;
  std::array<Vec6<S>, 6> Q_;  // orthonormal basis of the active normals
  Mat6<S> R_;                 // upper triangle: a_index(j) = sum_i Q_i R(i, j)
  std::array<std::int32_t, 6> index_;
  std::array<S, 6> u_;
  std::size_t count_ = 0;
  int steps_ = 0;
};

// Returns the part of a that is orthogonal to the active normals; `part` receives the components along Q.
// Orthogonalises twice, so that orthogonality holds to rounding.
template <class S>
Vec6<S> LeastDistance<S>::split(const Vec6<S>& a, Vec6<S>& part) const {
  Vec6<S> w = a;
  for (std::size_t i = 0; i < count_; ++i) {
    part[i] = Q_[i].dot(w);
    w -= part[i] * Q_[i];
  }
  for (std::size_t i = 0; i < count_; ++i) {
    const S more = Q_[i].dot(w);
    part[i] += more;
    w -= more * Q_[i];
  }
  return w;
}

// Returns R^-1 part.
template <class S>
Vec6<S> LeastDistance<S>::back_substitute(const Vec6<S>& part) const {
  Vec6<S> x;
  for (std::size_t i = count_; i-- > 0;) {
    S sum = part[i];
    for (std::size_t k = i + 1; k < count_; ++k) sum -= R_(i, k) * x[k];
    x[i] = sum / R_(i, i);
  }
  return x;
}

template <class S>
void LeastDistance<S>::append(const Vec6<S>& w, const Vec6<S>& part, std::int32_t index, S u) {
  const S length = w.norm();
  for (std::size_t i = 0; i < count_; ++i) R_(i, count_) = part[i];
  R_(count_, count_) = length;
  Q_[count_] = w / length;
  index_[count_] = index;
  u_[count_] = u;
  ++count_;
}

// Removes active constraint j and orthogonalises those after it again.
template <class S>
void LeastDistance<S>::drop(std::size_t j, std::span<const Vec6<S>> a) {
  const std::size_t before = count_;
  const auto index = index_;
  const auto u = u_;
  count_ = j;
  for (std::size_t k = j + 1; k < before; ++k) {
    Vec6<S> part;
    const Vec6<S> w = split(a[index[k]], part);
    append(w, part, index[k], u[k]);
  }
}

// Makes constraint p active, dropping others as needed; returns false if p contradicts the active ones.
template <class S>
bool LeastDistance<S>::add(std::int32_t p, std::span<const Vec6<S>> a, S bound) {
  S u_p = 0;
  for (std::size_t drops_left = count_ + 1; drops_left > 0; --drops_left) {
    ++steps_;
    Vec6<S> part;
    const Vec6<S> w = split(a[p], part);
    const Vec6<S> falls = back_substitute(part);  // decrease of the multipliers per unit of u_p
    S longest = std::numeric_limits<S>::infinity();
    std::size_t first = count_;
    for (std::size_t j = 0; j < count_; ++j) {
      if (falls[j] > kIndependent && u_[j] < longest * falls[j]) {
        longest = u_[j] / falls[j];
        first = j;
      }
    }
    const S square = w.squaredNorm();
    const bool independent = count_ < 6 && square > kIndependent * kIndependent;
    const S missing = bound - a[p].dot(z_);
    const S full = independent ? missing / square : std::numeric_limits<S>::infinity();
    if (!(full < std::numeric_limits<S>::infinity()) && first == count_) return false;  // also for NaN
    const S step = std::min(longest, full);
    if (independent) z_ += step * w;
    for (std::size_t j = 0; j < count_; ++j) u_[j] -= step * falls[j];
    u_p += step;
    if (full <= longest) {
      append(w, part, p, u_p);
      return true;
    }
    drop(first, a);
  }
  return false;
}

// Recomputes z and u of the active constraints from z0, free of accumulated rounding errors.
template <class S>
void LeastDistance<S>::polish(const Vec6<S>& z0, std::span<const Vec6<S>> a, std::span<const S> d) {
  Vec6<S> along;  // z - z0 = Q along, from R' along = d - a'z0
  for (std::size_t j = 0; j < count_; ++j) {
    S sum = d[index_[j]] - a[index_[j]].dot(z0);
    for (std::size_t i = 0; i < j; ++i) sum -= R_(i, j) * along[i];
    along[j] = sum / R_(j, j);
  }
  z_ = z0;
  for (std::size_t j = 0; j < count_; ++j) z_ += along[j] * Q_[j];
  const Vec6<S> u = back_substitute(along);
  for (std::size_t j = 0; j < count_; ++j) u_[j] = std::max(u[j], S(0));
}

// Status of a solution: kOk unless a number overflowed on the way.
template <class S>
Status LeastDistance<S>::ended() {
  if (z_.allFinite()) return Status::kOk;
  z_.setConstant(std::numeric_limits<S>::quiet_NaN());
  return Status::kInvalidInput;
}

template <class S>
Status LeastDistance<S>::solve(const Vec6<S>& z0, std::span<const Vec6<S>> a, std::span<const S> d) {
  z_ = z0;
  count_ = 0;
  steps_ = 0;
  S scale = z0.norm(), sum = scale;
  for (std::size_t k = 0; k < a.size(); ++k) {
    scale = std::max(scale, std::abs(d[k]));
    sum += d[k] + a[k].dot(z0);
  }
  if (!std::isfinite(sum)) {
    z_.setConstant(std::numeric_limits<S>::quiet_NaN());
    return Status::kInvalidInput;
  }
  const int limit = 20 + 10 * static_cast<int>(a.size());
  for (bool polished = true; steps_ <= limit;) {
    const S tolerance = kRounding * std::max(scale, z_.norm());
    S worst = -tolerance;
    std::int32_t p = -1;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const S slack = a[k].dot(z_) - d[k];
      if (slack < worst) {
        worst = slack;
        p = static_cast<std::int32_t>(k);
      }
    }
    if (p < 0) {
      if (polished) return ended();
      polish(z0, a, d);
      polished = true;
      continue;
    }
    polished = false;
    if (-worst > kNegligible * std::max(scale, z_.norm())) {
      if (!add(p, a, d[p])) return Status::kNoOverlap;
      continue;
    }
    // At a vertex with more constraints than variables, a violation this small is rounding, not a
    // contradiction.
    const LeastDistance before = *this;
    if (add(p, a, d[p])) continue;
    *this = before;
    polish(z0, a, d);
    return ended();
  }
  return Status::kNotConverged;
}

template <class S>
void LeastDistance<S>::relax(std::span<const Vec6<S>> a, std::span<S> d) {
  // Newton's method on f(z) = 1/2 sum max(0, d - a'z)^2, whose Hessian is piecewise constant.
  Vec6<S> z = Vec6<S>::Zero();
  const auto value = [&](const Vec6<S>& at) {
    S sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const S missing = std::max(S(0), d[k] - a[k].dot(at));
      sum += missing * missing;
    }
    return sum / 2;
  };
  S f = value(z);
  for (int iteration = 0; iteration < 100; ++iteration) {
    Vec6<S> gradient = Vec6<S>::Zero();
    Mat6<S> H = S(100) * std::numeric_limits<S>::epsilon() * Mat6<S>::Identity();
    for (std::size_t k = 0; k < a.size(); ++k) {
      const S missing = d[k] - a[k].dot(z);
      if (missing < 0) continue;
      gradient -= missing * a[k];
      H += a[k] * a[k].transpose();
    }
    const Vec6<S> step = -H.llt().solve(gradient);
    S length = 1, next = value(z + step);
    for (int halving = 0; halving < 20 && !(next < f); ++halving) {
      length /= 2;
      next = value(z + length * step);
    }
    if (!(next < f)) break;
    z += length * step;
    f = next;
  }
  // Lowers them a little further, as rounding could otherwise leave the polyhedron empty.
  S scale = 0;
  for (const S bound : d) scale = std::max(scale, std::abs(bound));
  const S room = S(1e4) * kRounding * scale;
  for (std::size_t k = 0; k < a.size(); ++k) d[k] = std::min(d[k], a[k].dot(z)) - room;
}

}  // namespace abut::dynamics
