#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "runtime/core/status.h"
#include "runtime/math/pose.h"

// Small least-squares problems with inequalities in 6 variables: the projections of fast frictional dynamics.
namespace abut::dynamics {

// The point nearest to z0 in the polyhedron {a_k'z >= d_k}, any number of constraints, |a_k| = 1.
//
// With d = 0 it solves the non-negative least squares problem of the polar cone at once: the multipliers u >=
// 0 minimise |sum u_k a_k + z0|, and z is what is left [Lawson1974, ch. 23]. An active-set method from the
// outside [Goldfarb1983]: z starts at z0; a violated constraint is made active by moving along what of its
// normal is orthogonal to the active ones, and an active one whose multiplier would become negative on the
// way is dropped. The distance grows with every step, so it ends; the active normals are kept independent, as
// Q R, at most 6 of them; redundant and parallel constraints never become active together.
template <class S>
class LeastDistance {
 public:
  // kOk; kNoOverlap: no point satisfies all constraints, see relax(); kNotConverged: rounding made it go
  // round; kInvalidInput: a number that went in is none, or ran over, and z is NaN. Allocates nothing.
  Status solve(const Vec6<S>& z0, std::span<const Vec6<S>> a, std::span<const S> d);

  const Vec6<S>& point() const { return z_; }

  // The active constraints: their indices, at most 6, and multipliers: z = z0 + sum u_j a_j.
  std::span<const std::int32_t> active() const { return {index_.data(), count_}; }
  std::span<const S> multipliers() const { return {u_.data(), count_}; }
  int steps() const { return steps_; }

  // Where solve() said kNoOverlap: lowers the bounds d so that there is a point, by as little as possible in
  // the sum of squares. The answer for an empty polyhedron is then the nearest point for these bounds.
  static void relax(std::span<const Vec6<S>> a, std::span<S> d);

 private:
  // Whether w has anything but rounding left of a unit vector.
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
  std::array<Vec6<S>, 6> Q_;  // orthonormal: of the active normals
  Mat6<S> R_;                 // upper triangle: a_index(j) = sum_i Q_i R(i, j)
  std::array<std::int32_t, 6> index_;
  std::array<S, 6> u_;
  std::size_t count_ = 0;
  int steps_ = 0;
};

// What of a is orthogonal to the active normals; `part`: its components along Q. Twice, for orthogonality to
// rounding.
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

// R^-1 part.
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

// Removes one; those after it are made orthogonal anew.
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

// Makes p active, dropping others as needed; false if p contradicts the active ones.
template <class S>
bool LeastDistance<S>::add(std::int32_t p, std::span<const Vec6<S>> a, S bound) {
  S u_p = 0;
  for (std::size_t drops_left = count_ + 1; drops_left > 0; --drops_left) {
    ++steps_;
    Vec6<S> part;
    const Vec6<S> w = split(a[p], part);
    const Vec6<S> falls = back_substitute(part);  // of the multipliers, for a unit rise of u_p
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
    if (!(full < std::numeric_limits<S>::infinity()) && first == count_)
      return false;  // also where it is NaN
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

// z and u of the active constraints from z0, free of what rounding has gathered.
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

// With an answer, unless numbers ran over on the way.
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
    // The last rounding of a vertex with more constraints than variables is no contradiction.
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
  // Newton's method on f(z) = 1/2 sum max(0, d - a'z)^2, whose second derivative is piecewise constant.
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
  // A little more than that, or what is left of the polyhedron could be lost to rounding.
  S scale = 0;
  for (const S bound : d) scale = std::max(scale, std::abs(bound));
  const S room = S(1e4) * kRounding * scale;
  for (std::size_t k = 0; k < a.size(); ++k) d[k] = std::min(d[k], a[k].dot(z)) - room;
}

}  // namespace abut::dynamics
