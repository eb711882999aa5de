#include "runtime/contact/contact_points.h"

#include <algorithm>
#include <cmath>

namespace abut::contact {

namespace {

constexpr int kNorm = 8;  // exponent of the norm by which scores are divided

// Distributes the weights of the quads to their corners [Beker2025, Eq. 12], with derivatives with respect to
// xi.
template <class S>
void collect_corners(const asset::PointsView& A, const asset::PointsView& B, S eps2,
                     ContactPointsWorkspace<S>& w) {
  Vec6<S> mean = Vec6<S>::Zero();
  for (const SeparationPoint<S>& f : w.field) mean += f.weight * f.gradient;
  w.corners.clear();
  for (const SeparationPoint<S>& f : w.field) {
    const std::int32_t* const quad = (f.body == 0 ? A : B).quads + std::ptrdiff_t(4) * f.point;
    for (int k = 0; k < 4; ++k)
      w.corners.push_back({f.body, quad[k], f.weight, f.weight / eps2 * (mean - f.gradient)});
  }
  std::sort(w.corners.begin(), w.corners.end(), [](const auto& a, const auto& b) {
    return a.body != b.body ? a.body < b.body : a.vertex < b.vertex;
  });
  std::size_t count = 0;
  for (const auto& corner : w.corners) {
    if (count > 0 && w.corners[count - 1].body == corner.body &&
        w.corners[count - 1].vertex == corner.vertex) {
      w.corners[count - 1].score += corner.score;
      w.corners[count - 1].slope += corner.slope;
    } else {
      w.corners[count++] = corner;
    }
  }
  w.corners.resize(count);
}

// Divides the scores by their norm.
template <class S>
void scale_scores(ContactPointsWorkspace<S>& w) {
  using std::pow;
  S most(0), sum(0);
  for (const auto& corner : w.corners) most = std::max(most, corner.score);
  for (const auto& corner : w.corners) sum += pow(corner.score / most, kNorm);
  const S norm = most * pow(sum, S(1) / kNorm);
  Vec6<S> slope = Vec6<S>::Zero();  // of the norm
  for (const auto& corner : w.corners) slope += pow(corner.score / norm, kNorm - 1) * corner.slope;
  for (auto& corner : w.corners) {
    corner.slope = (corner.slope - corner.score / norm * slope) / norm;
    corner.score /= norm;
  }
}

}  // namespace

template <class S>
void contact_points(const asset::PointsView& A, const asset::PointsView& B, const Pose<S>& X_AB,
                    const SoftMinimumParameters<S>& parameters, const ssdf::TopKConfig& config,
                    ContactPointsWorkspace<S>& w, ContactPoints<S>& result) {
  if constexpr (std::is_same_v<S, double>)
    separation(A, B, X_AB, parameters, w.field);
  else
    separation_scalar(A, B, X_AB, parameters, w.field);
  result.count = 0;
  result.status = Status::kNoOverlap;
  if (w.field.empty()) return;
  collect_corners(A, B, parameters.eps2, w);
  scale_scores(w);
  const std::size_t V = w.corners.size();
  w.scores.resize(V);
  w.slopes.resize(V);
  for (std::size_t v = 0; v < V; ++v) w.scores[v] = w.corners[v].score;
  const S zeros = S(A.vertex_count) + S(B.vertex_count) - S(V);
  ssdf::soft_top_k<S>(w.scores, config, w.top, zeros);
  result.status = w.top.status;
  if (result.status == Status::kInvalidInput) return;
  result.count = config.count;
  const auto place = [&](const auto& corner) -> Vec3<S> {
    const double* const v = (corner.body == 0 ? A : B).vertices + std::ptrdiff_t(3) * corner.vertex;
    return {S(v[0]), S(v[1]), S(v[2])};
  };
  // With the plan's shares G: c = sum G z y / sum G z. Differs from [Beker2025, Eq. 13], where every corner
  // counts with its share alone, so that the many corners without score, anywhere on the bodies, pull on the
  // last points.
  const auto in_A = [&](const auto& corner, const Vec3<S>& y) -> Vec3<S> {
    return corner.body == 0 ? y : Vec3<S>(X_AB * y);
  };
  std::array<S, ssdf::kMaxSelected> sums;
  for (std::size_t k = 0; k < static_cast<std::size_t>(config.count); ++k) {
    S sum(0);
    Vec3<S> mean = Vec3<S>::Zero();
    Eigen::Matrix<S, 3, 6> slope = Eigen::Matrix<S, 3, 6>::Zero();
    for (std::size_t v = 0; v < V; ++v) {
      const S share = w.top.plan[k * V + v] * w.scores[v];
      const Vec3<S> y = place(w.corners[v]);
      sum += share;
      mean += share * in_A(w.corners[v], y);
      if (w.corners[v].body == 0) continue;
      slope.template leftCols<3>() -= share * (X_AB.R * skew(y));
      slope.template rightCols<3>() += share * X_AB.R;
    }
    sums[k] = sum;
    result.points[k] = mean / sum;
    result.derivative[k] = slope / sum;
  }
  w.dplan.resize(static_cast<std::size_t>(config.count) * V);
  for (int d = 0; d < 6; ++d) {
    for (std::size_t v = 0; v < V; ++v) w.slopes[v] = w.corners[v].slope[d];
    ssdf::soft_top_k_derivative<S>(w.scores, config, w.top, w.slopes, w.dplan, zeros);
    for (std::size_t k = 0; k < static_cast<std::size_t>(config.count); ++k) {
      Vec3<S> moved = Vec3<S>::Zero();
      for (std::size_t v = 0; v < V; ++v) {
        const S change = w.dplan[k * V + v] * w.scores[v] + w.top.plan[k * V + v] * w.slopes[v];
        moved += change * (in_A(w.corners[v], place(w.corners[v])) - result.points[k]);
      }
      result.derivative[k].col(d) += moved / sums[k];
    }
  }
}

template void contact_points(const asset::PointsView&, const asset::PointsView&, const Pose<double>&,
                             const SoftMinimumParameters<double>&, const ssdf::TopKConfig&,
                             ContactPointsWorkspace<double>&, ContactPoints<double>&);
template void contact_points(const asset::PointsView&, const asset::PointsView&, const Pose<long double>&,
                             const SoftMinimumParameters<long double>&, const ssdf::TopKConfig&,
                             ContactPointsWorkspace<long double>&, ContactPoints<long double>&);

}  // namespace abut::contact
