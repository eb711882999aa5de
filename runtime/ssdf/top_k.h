#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "runtime/core/status.h"
#include "runtime/math/pose.h"

// Soft top-K selection by entropic optimal transport [Beker2025, Eqs. 12, 13; Xie2020]: selects the K largest
// of V scores, in order, as a plan that is differentiable in the scores.
namespace abut::ssdf {

inline constexpr int kMaxSelected = 16;  // upper bound of K

struct TopKConfig {
  int count = 8;              // K
  double temperature = 1e-2;  // of the plan, relative to scores in [0, 1]: 0 tends to the hard choice
  int iterations = 200;       // at most
  double tolerance = 1e-12;   // of the plan's row sums, which should be 1
};

// Workspace and results of one selection of `count` out of V scores; resized by the first call.
template <class S>
struct TopK {
  std::vector<S> plan;          // (K, V) in [0, 1]: row k is near 1 at the k-th largest score
  std::vector<S> row;           // potentials (K), relative to that of the remainder
  Status status = Status::kOk;  // kNotConverged: the plan is only approximate; kInvalidInput: it is NaN
};

namespace internal {

inline constexpr double kWarm = 0.1;  // a temperature at which the plan is found from any start

template <class S>
using SelectionMatrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxSelected, kMaxSelected>;
template <class S>
using SelectionVector = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, kMaxSelected, 1>;

// The dual of the transport problem as a function of the K row potentials f, with the potential of the
// remainder 0 and those of the columns eliminated: D = sum f_k - sum_v log sum_k exp(f_k + l_kv), l the log
// kernel; concave.
template <class S>
struct Dual {
  std::span<const S> scores;
  S zeros;  // number of further scores that are 0
  int count;
  S heat;

  S log_kernel(int k, S score) const {
    const S d = score - place(k);
    return -d * d / heat;
  }
  S place(int k) const { return k < count ? S(1) - S(k) / S(2 * count) : S(0); }

  // Computes the column of a score: shares (K + 1) that sum to 1; returns the logarithm of their sum before
  // normalisation.
  S column(const SelectionVector<S>& f, S score, S* shares) const {
    using std::exp, std::log;
    S most = log_kernel(count, score), sum(0);
    shares[count] = most;
    for (int k = 0; k < count; ++k) {
      shares[k] = f[k] + log_kernel(k, score);
      most = std::max(most, shares[k]);
    }
    for (int k = 0; k <= count; ++k) sum += shares[k] = exp(shares[k] - most);
    for (int k = 0; k <= count; ++k) shares[k] /= sum;
    return most + log(sum);
  }

  // Returns D; `rows`: the row sums (the mass at each place), `curvature`: -d2D/df2.
  S evaluate(const SelectionVector<S>& f, SelectionVector<S>& rows, SelectionMatrix<S>& curvature) const {
    rows = SelectionVector<S>::Zero(count);
    curvature = SelectionMatrix<S>::Zero(count, count);
    S value = f.sum(), shares[kMaxSelected + 1];
    const auto add = [&](S score, S multiplicity) {
      value -= multiplicity * column(f, score, shares);
      for (int k = 0; k < count; ++k) {
        rows[k] += multiplicity * shares[k];
        for (int j = 0; j < count; ++j) curvature(k, j) -= multiplicity * shares[k] * shares[j];
      }
    };
    for (const S z : scores) add(z, S(1));
    if (zeros > S(0)) add(S(0), zeros);
    curvature.diagonal() += rows;
    return value;
  }

  // Takes Newton steps while they ascend; else scales every row to the sum 1, as Sinkhorn does, which always
  // ascends. Returns whether the row sums are 1 to the tolerance in the end.
  bool climb(SelectionVector<S>& f, int iterations, S tolerance) const {
    using std::abs;
    SelectionVector<S> rows, slope = SelectionVector<S>::Zero(count);
    SelectionMatrix<S> curvature;
    S value = evaluate(f, rows, curvature);
    for (int i = 0; i < iterations; ++i) {
      S most(0);
      for (int k = 0; k < count; ++k) {
        slope[k] = S(1) - rows[k];
        most = std::max(most, abs(slope[k]));
      }
      if (most < tolerance) return true;
      SelectionVector<S> step = curvature.ldlt().solve(slope), next_rows;
      SelectionMatrix<S> next_curvature;
      bool climbs = step.allFinite() && step.dot(slope) > S(0);
      for (S part(1); climbs; part /= 2) {
        const S next = evaluate(f + part * step, next_rows, next_curvature);
        if (next >= value + S(1e-4) * part * step.dot(slope) - S(1e-14) * (1 + abs(value))) {
          step *= part;
          break;
        }
        climbs = part > S(1e-3);
      }
      if (!climbs) step = -rows.array().log().matrix();
      if (!step.allFinite()) return false;
      f += step;
      value = evaluate(f, rows, curvature);
    }
    return false;
  }
};

}  // namespace internal

// Transports V masses of 1 / V to K + 1 places: place k < K takes 1 / V of them, the last one the remainder.
// The cost of place k is the squared difference of the score from 1 - k / (2 K), and from 0 for the
// remainder, so that the largest score goes to place 0 and so on, and the many scores near 0 go to the
// remainder. Scores should lie about in [0, 1]; `zeros` is the number of further scores that are 0 and have
// no column. The plan is scaled by V. Solved in log space by Newton steps on the dual, and by Sinkhorn steps
// where those fail. V + zeros > K, 1 <= K <= 16.
template <class S>
void soft_top_k(std::span<const S> scores, const TopKConfig& config, TopK<S>& out, S zeros = S(0)) {
  const std::size_t V = scores.size();
  const bool valid = config.count >= 1 && config.count <= kMaxSelected && config.temperature > 0 &&
                     S(V) + zeros > S(config.count);
  const int K = valid ? config.count : 0;
  out.plan.assign(static_cast<std::size_t>(std::max(K, 1)) * V, std::numeric_limits<S>::quiet_NaN());
  out.status = Status::kInvalidInput;
  if (!valid || !std::all_of(scores.begin(), scores.end(), [](S z) { return std::isfinite(z); })) return;
  internal::SelectionVector<S> f = internal::SelectionVector<S>::Zero(K);
  internal::Dual<S> dual{scores, zeros, K, std::max(S(config.temperature), S(internal::kWarm))};
  // Continuation from warm to cold: each solution, in units of the temperature, is near the next one.
  while (dual.heat > S(config.temperature)) {
    dual.climb(f, config.iterations, S(1e-3));
    const S next = std::max(S(config.temperature), dual.heat / 2);
    f *= dual.heat / next;
    dual.heat = next;
  }
  out.status = dual.climb(f, config.iterations, S(config.tolerance)) ? Status::kOk : Status::kNotConverged;
  out.row.assign(f.data(), f.data() + K);
  S shares[kMaxSelected + 1];
  for (std::size_t v = 0; v < V; ++v) {
    dual.column(f, scores[v], shares);
    for (int k = 0; k < K; ++k) out.plan[static_cast<std::size_t>(k) * V + v] = shares[k];
  }
}

// Derivative of the plan (K, V) for a change of the scores, at a plan that soft_top_k has solved with the
// same scores and zeros. With G the plan, whose sums are fixed, and L the change of the log kernel, the
// change df of the row potentials relative to that of the remainder solves
//   diag(rows) df + G dg = -sum_v G L,   G' df + diag(columns) dg = -sum_k G L.
template <class S>
void soft_top_k_derivative(std::span<const S> scores, const TopKConfig& config, const TopK<S>& at,
                           std::span<const S> dscores, std::span<S> dplan, S zeros = S(0)) {
  const std::size_t V = scores.size();
  const int K = config.count;
  const internal::Dual<S> dual{scores, zeros, K, S(config.temperature)};
  const internal::SelectionVector<S> f = Eigen::Map<const internal::SelectionVector<S>>(at.row.data(), K);
  internal::SelectionVector<S> rows, b = internal::SelectionVector<S>::Zero(K);
  internal::SelectionMatrix<S> curvature;
  dual.evaluate(f, rows, curvature);
  S shares[kMaxSelected + 1], change[kMaxSelected + 1];
  // Computes the change of the log kernel in column v minus its mean over the column.
  const auto changes = [&](std::size_t v) {
    dual.column(f, scores[v], shares);
    S mean(0);
    for (int k = 0; k <= K; ++k) {
      change[k] = -2 * (scores[v] - dual.place(k)) * dscores[v] / dual.heat;
      mean += shares[k] * change[k];
    }
    for (int k = 0; k <= K; ++k) change[k] -= mean;
  };
  for (std::size_t v = 0; v < V; ++v) {
    changes(v);
    for (int k = 0; k < K; ++k) b[k] -= shares[k] * change[k];
  }
  const internal::SelectionVector<S> df = curvature.ldlt().solve(b);
  for (std::size_t v = 0; v < V; ++v) {
    changes(v);
    S mean(0);
    for (int k = 0; k < K; ++k) mean += shares[k] * df[k];
    for (int k = 0; k < K; ++k)
      dplan[static_cast<std::size_t>(k) * V + v] = shares[k] * (change[k] + df[k] - mean);
  }
}

}  // namespace abut::ssdf
