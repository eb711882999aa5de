#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/core/status.h"
#include "runtime/math/pose.h"

// Soft top-K selection by entropic optimal transport [Beker2025, Eqs. 12, 13; Xie2020]: which K of V scores
// are the largest, in order, as a plan that is differentiable in the scores.
namespace abut::ssdf {

struct TopKConfig {
  int count = 8;              // K
  double temperature = 1e-2;  // of the plan, beside scores in [0, 1]: 0 tends to the hard choice
  int iterations = 2000;      // at most
  double tolerance = 1e-10;   // of the plan's row sums, which should be 1
};

// Workspace and results of one selection of `count` out of V scores; resized by the caller's first call.
template <class S>
struct TopK {
  std::vector<S> plan;          // (K, V) in [0, 1]: row k is near 1 where the k-th largest score stands
  std::vector<S> row, column;   // potentials (K + 1), (V)
  Status status = Status::kOk;  // kNotConverged: the plan is only near; kInvalidInput: it is NaN
};

namespace internal {

// log(sum exp(x_i)) of values given by index.
template <class S, class Value>
S log_sum(std::size_t count, Value&& value) {
  using std::exp, std::log;
  S most = -std::numeric_limits<S>::infinity(), sum(0);
  for (std::size_t i = 0; i < count; ++i) most = value(i) > most ? value(i) : most;
  if (!(most > -std::numeric_limits<S>::infinity())) return most;
  for (std::size_t i = 0; i < count; ++i) sum += exp(value(i) - most);
  return most + log(sum);
}

}  // namespace internal

// Transports V masses of 1 / V to K + 1 places: place k < K takes 1 / V of them, the last one the remainder.
// Scores are brought to [0, 1] first; the cost of place k is the squared difference of the score from
// 1 - k / K, and from 0 for the remainder, so that the largest score goes to place 0 and so on. Sinkhorn's
// iteration in log space; the plan is scaled by V. V > K >= 1.
template <class S>
void soft_top_k(std::span<const S> scores, const TopKConfig& config, TopK<S>& out) {
  using std::abs, std::exp, std::log;
  const std::size_t V = scores.size(), K = static_cast<std::size_t>(config.count < 0 ? 0 : config.count);
  out.plan.assign(K * V, std::numeric_limits<S>::quiet_NaN());
  out.status = Status::kInvalidInput;
  S low = std::numeric_limits<S>::infinity(), high = -low;
  bool finite = true;
  for (const S z : scores) {
    finite = finite && std::isfinite(z);
    low = z < low ? z : low;
    high = z > high ? z : high;
  }
  if (!finite || K < 1 || V <= K || !(config.temperature > 0)) return;
  const S range = high > low ? high - low : S(1), heat = S(config.temperature);
  const auto log_kernel = [&](std::size_t k, std::size_t v) {
    const S place = k < K ? S(1) - S(k) / S(K) : S(0), d = (scores[v] - low) / range - place;
    return -d * d / heat;
  };
  out.row.assign(K + 1, S(0));
  out.column.assign(V, S(0));
  const S each = -log(S(V)), rest = log(S(V - K)) - log(S(V));
  out.status = Status::kNotConverged;
  for (int i = 0; i < config.iterations && out.status != Status::kOk; ++i) {
    S change(0);
    for (std::size_t k = 0; k <= K; ++k) {
      const S sum = internal::log_sum<S>(V, [&](std::size_t v) { return log_kernel(k, v) + out.column[v]; });
      const S next = (k < K ? each : rest) - sum;
      change = std::max(change, abs(next - out.row[k]));
      out.row[k] = next;
    }
    for (std::size_t v = 0; v < V; ++v)
      out.column[v] =
          each - internal::log_sum<S>(K + 1, [&](std::size_t k) { return log_kernel(k, v) + out.row[k]; });
    if (i > 0 && change < S(config.tolerance)) out.status = Status::kOk;
  }
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t v = 0; v < V; ++v)
      out.plan[k * V + v] = S(V) * exp(log_kernel(k, v) + out.row[k] + out.column[v]);
}

// The plan's change (K, V) with the scores' change, at a plan that soft_top_k has settled; K <= 16. The range
// of the scores is held. With G the plan, its sums fixed, and L the change of log kernel: (df; dg) solve
//   diag(rows) df + G dg = -sum_v G L,   G' df + diag(columns) dg = -sum_k G L,
// singular for the constant that shifts between f and g, which does not change G: df of the last row is 0.
template <class S>
void soft_top_k_derivative(std::span<const S> scores, const TopKConfig& config, const TopK<S>& at,
                           std::span<const S> dscores, std::span<S> dplan) {
  constexpr int kMost = 16;
  using Square = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, kMost, 1>;
  const std::size_t V = scores.size();
  const int K = config.count;
  S low = std::numeric_limits<S>::infinity(), high = -low;
  for (const S z : scores) {
    low = z < low ? z : low;
    high = z > high ? z : high;
  }
  const S range = high > low ? high - low : S(1);
  // Change of the log kernel: -2 d dz / (range heat).
  const auto change = [&](int k, std::size_t v) {
    const S place = k < K ? S(1) - S(k) / S(K) : S(0), d = (scores[v] - low) / range - place;
    return -2 * d * dscores[v] / (range * S(config.temperature));
  };
  const auto plan = [&](int k, std::size_t v) {  // columns sum to 1, the last row has what the others leave
    if (k < K) return at.plan[k * V + v];
    S left(1);
    for (int j = 0; j < K; ++j) left -= at.plan[j * V + v];
    return left;
  };
  Square M = Square::Zero(K, K);
  Vector b = Vector::Zero(K);
  for (std::size_t v = 0; v < V; ++v) {
    S mean(0);
    for (int k = 0; k <= K; ++k) mean += plan(k, v) * change(k, v);
    for (int k = 0; k < K; ++k) {
      const S g = plan(k, v);
      b[k] -= g * (change(k, v) - mean);
      M(k, k) += g;
      for (int j = 0; j < K; ++j) M(k, j) -= g * plan(j, v);
    }
  }
  const Vector df = M.fullPivLu().solve(b);
  for (std::size_t v = 0; v < V; ++v) {
    S dg(0);
    for (int k = 0; k <= K; ++k) dg -= plan(k, v) * (change(k, v) + (k < K ? df[k] : S(0)));
    for (int k = 0; k < K; ++k) dplan[k * V + v] = plan(k, v) * (change(k, v) + df[k] + dg);
  }
}

}  // namespace abut::ssdf
