#include "runtime/derivative/distance_weighted.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "runtime/core/random.h"
#include "runtime/derivative/pair_derivative.h"
#include "runtime/derivative/query.h"
#include "runtime/derivative/settings.h"

namespace abut::derivative {

namespace {

using Config = DistanceWeightedConfig;
using Vector = Vec3<double>;

constexpr const char* kWho = "estimator distance_weighted";

constexpr Setting<Config> kSettings[] = {
    {"samples", "", from_to(3, 1e4), "points of each body", &setting<Config, &Config::samples>},
    {"reach", "diagonal of the hull's box", kMagnitude, "farthest of them from the witness point",
     &setting<Config, &Config::reach>},
    {"eps", "standard deviation of the distances", kMagnitude, "smoothing: temperature of the weights",
     &setting<Config, &Config::eps>},
    {"noise", "m", from_to(0, 1e12),
     "as published, in place of eps: temperature sqrt(noise deviation), noise 1; 0: none",
     &setting<Config, &Config::noise>},
    {"seed", "", at_least(0), "of the samples", &setting<Config, &Config::seed>},
};

// Points all over a hull from which samples are drawn: half of them are vertices, half are spread evenly over
// its area.
class Pool {
 public:
  static constexpr int kPoints = 1024;

  // Fills the pool, unless it already holds this geometry. Allocates only for a hull with more vertices than
  // any before.
  void make(const body::Geometry& geometry, std::uint64_t seed) {
    if (geometry.id() == id_ && id_ != 0) return;
    id_ = geometry.id();
    const asset::ConvexView& hull = geometry.convex();
    Random random(seed);
    area_ = 0;
    normals_.assign(static_cast<std::size_t>(hull.vertex_count), Vector::Zero());
    for (std::int32_t t = 0; t < hull.triangle_count; ++t) {
      const Vector twice = twice_area(hull, t);
      area_ += twice.stableNorm() / 2;
      for (int k = 0; k < 3; ++k) normals_[static_cast<std::size_t>(hull.triangles[3 * t + k])] += twice;
    }
    for (int i = 0; i < kPoints / 2; ++i) {
      const auto v = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(hull.vertex_count)));
      points_[i] = {vertex(hull, v), normals_[static_cast<std::size_t>(v)].stableNormalized()};
    }
    spread(hull, random);
  }

  const std::array<SurfacePoint, kPoints>& points() const { return points_; }
  double area() const { return area_; }  // m^2

 private:
  static Vector vertex(const asset::ConvexView& hull, std::int32_t v) {
    return {hull.x[v], hull.y[v], hull.z[v]};
  }
  static Vector twice_area(const asset::ConvexView& hull, std::int32_t t) {
    const std::int32_t* c = hull.triangles + std::ptrdiff_t{3} * t;
    const Vector a = vertex(hull, c[0]);
    return (vertex(hull, c[1]) - a).cross(vertex(hull, c[2]) - a);
  }

  // Fills the other half: one point in each of equal shares of the area. For a hull without area, repeats the
  // vertices of the first half.
  void spread(const asset::ConvexView& hull, Random& random) {
    constexpr int kSpread = kPoints / 2;
    std::int32_t t = 0;
    double above = hull.triangle_count > 0 ? twice_area(hull, 0).stableNorm() / 2 : 0;
    for (int i = 0; i < kSpread; ++i) {
      SurfacePoint& sample = points_[kSpread + i];
      const double at = (i + random.uniform()) / kSpread * area_, u = std::sqrt(random.uniform()),
                   v = random.uniform();
      sample = points_[i];
      if (!(area_ > 0)) continue;
      while (at > above && t + 1 < hull.triangle_count) above += twice_area(hull, ++t).stableNorm() / 2;
      const std::int32_t* c = hull.triangles + std::ptrdiff_t{3} * t;
      const Vector a = vertex(hull, c[0]);
      sample.point = a + u * ((1 - v) * (vertex(hull, c[1]) - a) + v * (vertex(hull, c[2]) - a));
      sample.normal = twice_area(hull, t).stableNormalized();
    }
  }

  std::uint64_t id_ = 0;  // of the geometry; 0: none
  double area_ = 0;
  std::array<SurfacePoint, kPoints> points_;
  std::vector<Vector> normals_;  // of the vertices
};

// Draws the samples of a body from its pool.
class Samples {
 public:
  explicit Samples(const Config& config)
      : config_(config), samples_(static_cast<std::size_t>(config.samples)) {
    near_.reserve(Pool::kPoints);
  }

  // Draws samples from the points of `pool` within `reach` (m) of the site and from the witness point itself.
  std::span<const SurfacePoint> draw(const WitnessSite& site, const Pool& pool, double reach,
                                     std::uint64_t stream) {
    constexpr double kLeastCosine = -0.5;
    reach =
        std::max(reach, 2 * std::sqrt(config_.samples * pool.area() / (std::numbers::pi * Pool::kPoints)));
    const auto far = [&](int i) {
      return (pool.points()[static_cast<std::size_t>(i)].point - site.p).stableNorm();
    };
    near_.clear();
    for (int i = 0; i < Pool::kPoints; ++i)
      if (far(i) < reach && pool.points()[static_cast<std::size_t>(i)].normal.dot(site.n) > kLeastCosine)
        near_.push_back(i);
    if (near_.size() < std::max(samples_.size() / 4, std::size_t{2})) {
      near_.resize(Pool::kPoints);
      std::iota(near_.begin(), near_.end(), 0);
      const auto nearer = [&](int a, int b) { return std::pair(far(a), a) < std::pair(far(b), b); };
      const int kept = std::min(config_.samples, Pool::kPoints);
      std::partial_sort(near_.begin(), near_.begin() + kept, near_.end(), nearer);
      near_.resize(static_cast<std::size_t>(kept));
    }
    Random random(config_.seed, stream);
    for (SurfacePoint& sample : samples_) {
      const std::size_t i = random.below(near_.size() + 1);  // i == near_.size(): the witness point itself
      sample =
          i < near_.size() ? pool.points()[static_cast<std::size_t>(near_[i])] : SurfacePoint{site.p, site.n};
    }
    return samples_;
  }

 private:
  Config config_;
  std::vector<SurfacePoint> samples_;
  std::vector<int> near_;  // indices into the pool
};

// Slip of a primitive: F = H (d I + H)^-1 and N = (d I + H)^-1 on the tangent plane; along its flat
// directions F = 1 and N = 0.
Slip exact_slip(const WitnessSite& site, double d, double size) {
  const TangentCurvature<double> c = detail::primitive_curvature(site);
  Vec2<double> radii;
  const Mat2<double> Q = eigenvectors<double>(c.H, radii);
  Mat2<double> flat = Mat2<double>::Zero(), F = flat, N = flat;
  for (int k = 0; k < c.flat_count; ++k) flat += c.flat[k] * c.flat[k].transpose();
  for (int k = 0; k < 2; ++k) {
    const double sum = radii[k] + d, kept = std::copysign(std::max(std::abs(sum), 1e-9 * size), sum);
    F += radii[k] / kept * Q.col(k) * Q.col(k).transpose();
    N += 1 / kept * Q.col(k) * Q.col(k).transpose();
  }
  const Mat2<double> across = Mat2<double>::Identity() - flat;
  return {site.T * (flat + across * F * across) * site.T.transpose(),
          site.T * (across * N * across) * site.T.transpose(), 1};
}

class Solver final : public DistanceWeightedEstimator {
 public:
  explicit Solver(const Config& config) : config_(config), samples_(config) {}

  PairDerivative operator()(const body::Pair& pair) override {
    return solve(pair, [&](const body::Geometry& geometry, std::size_t) {
      return 2 * config_.reach * hull_size(geometry.convex());
    });
  }

  PairDerivative within(const body::Pair& pair, double reach_A, double reach_B) override {
    return solve(pair,
                 [=](const body::Geometry&, std::size_t body) { return body == 0 ? reach_A : reach_B; });
  }

 private:
  // reach(geometry, body) returns the reach in m; body: 0 for A, 1 for B.
  template <class Reach>
  PairDerivative solve(const body::Pair& pair, Reach&& reach) {
    const Query query = ask(pair, "distance_weighted", query_);
    const witness::Witness<double>& w = query.centre;
    if (w.status == Status::kInvalidInput) return {w, detail::invalid_derivative<double>()};
    const auto sites = detail::witness_sites(pair, w);
    const Pose<double> X_BA = pair.X_AB.inverse();
    const double size = geometry_size(pair.A->geometry) + geometry_size(pair.B->geometry);
    const auto slip = [&](std::size_t body, const Vector& q) {
      const WitnessSite& site = sites[body];
      if (site.geometry.primitive()) return exact_slip(site, w.distance, size);
      pools_[body].make(site.geometry, config_.seed);
      return weighted_slip(samples_.draw(site, pools_[body], reach(site.geometry, body), body + 1), q,
                           config_);
    };
    const Slip A = slip(0, w.p2);
    Slip B = slip(1, X_BA * w.p1);
    const Mat3<double>& R = pair.X_AB.R;
    B.F = R * B.F * R.transpose();
    B.N = R * B.N * R.transpose();
    return {w, differentiate_means(w, pair.X_AB, sites[0].T, A, B, size)};
  }

  // Differentiates the two means that follow each other. A and B: the slips of both bodies in frame A.
  static WitnessDerivative<double> differentiate_means(const witness::Witness<double>& w,
                                                       const Pose<double>& X_AB, const Mat32<double>& T,
                                                       const Slip& A, const Slip& B, double size) {
    // Derivatives with respect to xi of what is fixed to B: of a point at x, and of a direction m.
    const auto moved = [&](const Vector& x) {
      Mat36<double> V;
      V << -X_AB.R * skew<double>(X_AB.R.transpose() * (x - X_AB.p)), X_AB.R;
      return V;
    };
    const auto turned = [&](const Vector& m) {
      Mat36<double> V;
      V << -X_AB.R * skew<double>(X_AB.R.transpose() * m), Mat3<double>::Zero();
      return V;
    };
    const Mat36<double> V1 = moved(w.p1);
    const Eigen::PartialPivLU<Mat3<double>> both(Mat3<double>::Identity() - B.F * A.F);
    Mat36<double> dp2 = moved(w.p2) - B.F * V1;
    if (std::abs(both.determinant()) > 1e-6) dp2 = both.solve(dp2).eval();  // else only one iteration
    const Mat36<double> dp1 = A.F * dp2;
    // n has the direction of the mean normal of A minus that of B, taken as n |m_A| and -n |m_B| before they
    // turn.
    const Mat36<double> dm = A.N * dp2 - turned(-B.normal * w.n) - B.N * (dp1 - V1);
    const double normals = A.normal + B.normal;
    Mat26<double> on_A = T.transpose() * dp1, on_B = T.transpose() * dp2, turn = Mat26<double>::Zero();
    if (normals > 1e-9) turn = T.transpose() * dm / normals;
    const double far = w.distance / size;
    const Mat26<double> unlike = on_B - on_A - w.distance * turn;
    on_A += unlike / (2 + far * far);
    on_B -= unlike / (2 + far * far);
    if (far != 0) turn += unlike / (size * (2 / far + far));
    WitnessDerivative<double> result;
    result.dd_dxi_B = detail::distance_gradient(w, X_AB);
    result.dn_A_dxi_B = T * turn;
    result.dp1_A_dxi_B = T * on_A;
    result.dp2_A_dxi_B = T * on_B + w.n * result.dd_dxi_B;
    result.clamped_count = 0;
    result.clamped_A.fill(Vector::Zero());
    result.status = w.status;
    return detail::finite(result) ? result : detail::invalid_derivative<double>();
  }

  Config config_;
  Samples samples_;
  std::array<Pool, 2> pools_;  // of A's hull and of B's
  witness::Workspace<double> query_;
};

}  // namespace

// With e_k = (rho_k - mean) / deviation, and t = eps deviation (b = 1) or sqrt(noise deviation) (b = 1/2):
//   d(-rho_i / t) / d rho_k = (b e_i e_k / (count - 1) - delta_ik) / t + terms that are the same for all i.
Slip weighted_slip(std::span<const SurfacePoint> samples, const Vector& q, const Config& config) {
  const auto rho = [&](const SurfacePoint& sample) { return (sample.point - q).stableNorm(); };
  const double count = static_cast<double>(samples.size());
  double mean = 0, most = 0, squares = 0, least = std::numeric_limits<double>::infinity();
  for (const SurfacePoint& y : samples) mean += rho(y) / count, least = std::min(least, rho(y));
  for (const SurfacePoint& y : samples) most = std::max(most, std::abs(rho(y) - mean));
  for (const SurfacePoint& y : samples) squares += std::pow((rho(y) - mean) / most, 2);
  const double deviation = most * std::sqrt(squares / (count - 1));
  const bool published = config.noise > 0;
  const double t = published ? std::sqrt(config.noise * deviation) : config.eps * deviation;
  Slip slip;
  if (!(deviation > 0) || !std::isfinite(1 / t)) return slip;
  double sum = 0;
  for (const SurfacePoint& y : samples) sum += std::exp((least - rho(y)) / t);
  const auto weight = [&](const SurfacePoint& y) { return std::exp((least - rho(y)) / t) / sum; };
  Vector p = Vector::Zero(), m = Vector::Zero();
  for (const SurfacePoint& y : samples) p += weight(y) * y.point, m += weight(y) * y.normal;
  Vector p_slope = Vector::Zero(), m_slope = Vector::Zero(), turns = Vector::Zero();
  for (const SurfacePoint& y : samples) {
    const Vector u = (y.point - q).stableNormalized();
    const double w = weight(y), e = (rho(y) - mean) / deviation;
    slip.F += w * (y.point - p) * u.transpose();
    slip.N += w * (y.normal - m) * u.transpose();
    p_slope += w * e * (y.point - p);
    m_slope += w * e * (y.normal - m);
    turns += e * u;
  }
  const double b = (published ? 0.5 : 1) / (count - 1);
  slip.F = (slip.F - b * p_slope * turns.transpose()) / t;
  slip.N = (slip.N - b * m_slope * turns.transpose()) / t;
  slip.normal = m.norm();
  return slip;
}

std::span<const Setting<Config>> distance_weighted_settings() { return kSettings; }

Config distance_weighted_config(const SettingValues& values) {
  return config_of<Config>(kSettings, values, kWho);
}

std::unique_ptr<DistanceWeightedEstimator> make_distance_weighted_estimator(const Config& config) {
  require_valid<Config>(kSettings, config, kWho);
  return std::make_unique<Solver>(config);
}

}  // namespace abut::derivative
