#include "runtime/ssdf/kernel.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/core/settings.h"
#include "runtime/ssdf/two_stage.h"

namespace abut::ssdf {

namespace {

// In spacings. Front and back of a body have the same metric of quads: farther away rounding of squares
// decides which one weighs more.
constexpr double kQuadFarthest = 1e10;

// B of one plane and its derivatives, divided by a common positive function of p (which cancels in the
// quotient of the sums), as exp(exponent) times these.
template <class S>
struct Term {
  S exponent, b;
  Vec3<S> first;   // 1/m
  Mat3<S> second;  // 1/m^2
};

// sum B, sum B g and their derivatives, scaled by exp(-reference), where reference is the largest exponent so
// far.
template <class S>
struct Sums {
  S reference = -std::numeric_limits<S>::infinity();
  S w = S(0), wg = S(0);
  Vec3<S> w1 = Vec3<S>::Zero(), wg1 = Vec3<S>::Zero();
  Mat3<S> w2 = Mat3<S>::Zero(), wg2 = Mat3<S>::Zero();

  void add(const Term<S>& t, const Vec3<S>& n, S g, Order order) {
    using std::exp;
    if (t.exponent > reference) {
      const S shrink = exp(reference - t.exponent);
      w *= shrink, wg *= shrink, w1 *= shrink, wg1 *= shrink, w2 *= shrink, wg2 *= shrink;
      reference = t.exponent;
    }
    const S scale = exp(t.exponent - reference), b = scale * t.b;
    w += b;
    wg += b * g;
    if (order == Order::kValue) return;
    const Vec3<S> b1 = scale * t.first;
    w1 += b1;
    wg1 += g * b1 + b * n;
    if (order == Order::kGradient) return;
    const Mat3<S> cross = b1 * n.transpose();
    w2 += scale * t.second;
    wg2 += (scale * g) * t.second + cross + cross.transpose();
  }

  SoftDistance<S> quotient(S g0, Order order) const {
    const S value = wg / w;
    SoftDistance<S> result{g0 + value, Vec3<S>::Zero(), Mat3<S>::Zero(), Status::kOk};
    if (order == Order::kValue) return result;
    // All g are relative to that of a reference plane, whose gradient n0 the caller adds.
    result.gradient = (wg1 - value * w1) / w;
    if (order == Order::kGradient) return result;
    const Mat3<S> cross = w1 * result.gradient.transpose() / w;
    result.hessian = (wg2 - value * w2) / w - cross - cross.transpose();
    return result;
  }
};

template <class S>
SoftDistance<S> outside() {
  SoftDistance<S> result = internal::no_distance<S>();
  result.status = Status::kNoOverlap;
  return result;
}

// A point's weight at the query point q relative to x0, with derivatives; it is relative to a Gaussian about
// x0 except for kCompact.
template <class S>
struct WeightedTerm {
  KernelKind kind;
  S eps1, depth;          // m^2; of the kernel of walls, m
  const double* metrics;  // kQuad: six per point
  Vec3<S> q;

  // The term of point i, at u relative to x0, with the normal n.
  Term<S> operator()(std::int32_t i, const Vec3<S>& u, const Vec3<S>& n) const {
    const Vec3<S> r = q - u;
    if (kind == KernelKind::kCompact) {
      const S support2 = 4 * eps1, left = std::max(S(1) - r.squaredNorm() / support2, S(0)),
              slope = -6 / support2 * left * left;
      return {S(0), left * left * left, slope * r,
              slope * Mat3<S>::Identity() + (24 / (support2 * support2) * left) * r * r.transpose()};
    }
    Term<S> t{(2 * u.dot(q) - u.squaredNorm()) / eps1, S(1), 2 / eps1 * u, Mat3<S>::Zero()};
    if (kind == KernelKind::kQuad) {
      const double* const m = metrics + std::ptrdiff_t(6) * i;
      Mat3<S> M;
      M << S(m[0]), S(m[1]), S(m[2]), S(m[1]), S(m[3]), S(m[4]), S(m[2]), S(m[4]), S(m[5]);
      M -= Mat3<S>::Identity();
      t.exponent -= r.dot(M * r) / eps1;
      t.first -= 2 / eps1 * (M * r);
      t.second -= 2 / eps1 * M;
    } else if (kind == KernelKind::kWall) {
      const WallPenalty<S> psi = wall_penalty(S(n.dot(r)), depth);
      t.exponent -= psi.value;
      t.first -= psi.first * n;
      t.second -= psi.second * n * n.transpose();
    }
    t.second += t.first * t.first.transpose();
    return t;
  }
};

}  // namespace

KernelField::KernelField(const asset::PointsView& points, KernelKind kind, double eps1)
    : points_(points), kind_(kind), eps1_(eps1) {
  if (points.blocks.block_count <= 0) throw InvalidInput("soft distance: a cloud without points");
  if (!usable_smoothing(eps1))
    throw InvalidInput("soft distance: eps1 is " + number_text(eps1) +
                       " m^2; it must be positive and at most 1e150");
  if (kind != KernelKind::kQuad) return;
  if (points.quads == nullptr)
    throw InvalidInput("soft distance: the kernel of quads needs the quads of the points");
  least_stretch_ = std::numeric_limits<double>::infinity();
  stretch_ = 0;
  const double area = points.spacing * points.spacing;
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    const auto corner = [&](int k) {
      return Vec3<double>::Map(points.vertices + std::ptrdiff_t(3) * points.quads[std::ptrdiff_t(4) * i + k]);
    };
    const Vec3<double> n = internal::normal<double>(points, i);
    const Mat3<double> flat = Mat3<double>::Identity() - n * n.transpose();
    Eigen::Matrix<double, 3, 2> E;  // the quad's axes, in its plane
    E.col(0) = flat * (corner(1) + corner(2) - corner(0) - corner(3)) / 2;
    E.col(1) = flat * (corner(2) + corner(3) - corner(0) - corner(1)) / 2;
    const Eigen::Matrix2d gram = E.transpose() * E;
    if (!(gram.determinant() > 1e-12 * area * area))
      throw InvalidInput("soft distance: quad " + std::to_string(i) + " is a line; use another kernel");
    // With r = E c + n g: r . M r = area |c|^2 + g^2.
    const Mat3<double> M = area * E * (gram * gram).inverse() * E.transpose() + n * n.transpose();
    const Eigen::SelfAdjointEigenSolver<Mat3<double>> eigen(M, Eigen::EigenvaluesOnly);
    least_stretch_ = std::min(least_stretch_, eigen.eigenvalues()[0]);
    stretch_ = std::max(stretch_, eigen.eigenvalues()[2]);
    metrics_.insert(metrics_.end(), {M(0, 0), M(0, 1), M(0, 2), M(1, 1), M(1, 2), M(2, 2)});
  }
}

template <class S>
SoftDistance<S> KernelField::distance(const Vec3<S>& p_Q, Order order, S tolerance) const {
  using std::log, std::sqrt;
  if (!p_Q.allFinite() || !(tolerance >= S(0))) return internal::no_distance<S>();
  if (kind_ == KernelKind::kTwoStage) return two_stage_distance<S>(points_, p_Q, order);
  const asset::PointBlocksView& blocks = points_.blocks;
  internal::Nearby<S> nearby{{}, {}, std::numeric_limits<S>::max()};
  internal::descend<S>(blocks, p_Q.data(), nearby);
  const bool far = !internal::squares_tell(static_cast<double>(nearby.distance2), eps1_);
  if (far && kind_ == KernelKind::kGaussian)
    return internal::distance_by_differences<S>(points_, p_Q, S(eps1_), order);
  if (far && kind_ == KernelKind::kCompact) return outside<S>();
  const S quads_end = S(kQuadFarthest * points_.spacing);
  if (kind_ == KernelKind::kQuad && !(nearby.distance2 <= quads_end * quads_end))
    return internal::no_distance<S>();
  Vec3<S> x0, n0 = Vec3<S>::Zero();  // reference of the sums: the nearest point or, far away, the heaviest
  if (far) {
    x0 = internal::position<S>(points_, internal::foremost<S>(points_, p_Q));
  } else {
    internal::find_nearest<S>(blocks, p_Q.data(), nearby);
    x0 = Eigen::Map<const Vec3<S>>(nearby.x);
    n0 = Eigen::Map<const Vec3<S>>(nearby.n);
  }
  const Vec3<S> q = p_Q - x0;
  const S eps1 = S(eps1_), support2 = 4 * eps1, depth = S(kWallDepth * points_.spacing);
  S g0 = far ? S(0) : n0.dot(q);
  // No plane outweighs that of the nearest point by more than kQuad's stretch or kWall's penalty allows.
  S limit2 = S(internal::kEveryPoint2);
  if (kind_ == KernelKind::kCompact) {
    limit2 = support2;
  } else if (tolerance > S(0)) {
    const S least = S(least_stretch_), most = S(stretch_);
    const S cut = internal::cutoff(points_.point_count, tolerance, order, sqrt(nearby.distance2 / eps1)) +
                  (kind_ == KernelKind::kWall ? S(kWallWeight) : 2 * log(most / least));
    limit2 = std::min(limit2, (most * nearby.distance2 + eps1 * cut) / least * S(1 + 1e-14));
  }
  const WeightedTerm<S> term{kind_, eps1, depth, metrics_.data(), q};
  Sums<S> sums;
  const auto place = [&](std::int32_t i) -> Vec3<S> { return internal::position<S>(points_, i) - x0; };
  const auto add = [&](std::int32_t i) {
    const Vec3<S> u = place(i), n = internal::normal<S>(points_, i);
    if (kind_ == KernelKind::kCompact && !((q - u).squaredNorm() < support2)) return;
    sums.add(term(i, u, n), n - n0, n.dot(q - u) - g0, order);
  };
  if (far) {  // squared distances are too inaccurate to identify near points
    for (std::int32_t i = 0; i < points_.point_count; ++i) {
      const Vec3<S> u = place(i), n = internal::normal<S>(points_, i);
      const S exponent = term(i, u, n).exponent;
      if (!(exponent > sums.reference)) continue;
      sums.reference = exponent;
      n0 = n;
      g0 = n.dot(q - u);
    }
    for (std::int32_t i = 0; i < points_.point_count; ++i) add(i);
  } else {
    internal::visit_near<S, S>(blocks, p_Q.data(), limit2, [&](std::int32_t block) {
      for (int k = 0; k < asset::kBlockPoints; ++k) {
        const std::int32_t i = blocks.order[std::ptrdiff_t(block) * asset::kBlockPoints + k];
        if (i >= 0) add(i);
      }
    });
  }
  if (!(sums.w > S(0))) return outside<S>();
  SoftDistance<S> result = sums.quotient(g0, order);
  if (order != Order::kValue) result.gradient += n0;
  return internal::if_finite(result);
}

template SoftDistance<double> KernelField::distance(const Vec3<double>&, Order, double) const;
template SoftDistance<long double> KernelField::distance(const Vec3<long double>&, Order, long double) const;

void KernelField::distances(std::span<const Vec3<double>> p_Q, Order order,
                            std::span<SoftDistance<double>> results, double tolerance, int threads) const {
  if (p_Q.size() != results.size())
    throw InvalidInput("soft distance: " + std::to_string(p_Q.size()) + " points but room for " +
                       std::to_string(results.size()) + " results");
  const auto answer = [&](std::int64_t i, int) { results[i] = distance<double>(p_Q[i], order, tolerance); };
  parallel_for(static_cast<std::int64_t>(p_Q.size()), threads, answer, 256);
}

namespace {

constexpr const char* kWho = "soft distance";
constexpr std::string_view kKernels[] = {"gaussian", "quad", "compact", "wall",
                                         "two_stage"};      // in the order of KernelKind
constexpr std::string_view kFields[] = {"points", "grid"};  // in the order of FieldKind

constexpr Setting<SoftDistanceConfig> kSettings[] = {
    {"eps1", "spacing^2", kMagnitude, "rounding of the surface",
     &setting<SoftDistanceConfig, &SoftDistanceConfig::eps1>},
    {"kernel",
     "",
     {},
     "weights of the planes",
     choice<SoftDistanceConfig, &SoftDistanceConfig::kernel>(kKernels)},
    {"tolerance", "", between(0, 1), "of every result, relative to the sum of its terms' absolute values",
     &setting<SoftDistanceConfig, &SoftDistanceConfig::tolerance>},
    {"field",
     "",
     {},
     "of the oriented points, or of the surface by its grid, to which no other setting applies",
     choice<SoftDistanceConfig, &SoftDistanceConfig::field>(kFields)},
};

}  // namespace

std::span<const Setting<SoftDistanceConfig>> soft_distance_settings() { return kSettings; }

SoftDistanceConfig soft_distance_config(const SettingValues& values) {
  SoftDistanceConfig config;
  apply<SoftDistanceConfig>(kSettings, values, config, kWho);
  return config;
}

void require_valid(const SoftDistanceConfig& config) {
  abut::require_valid<SoftDistanceConfig>(kSettings, config, kWho);
}

}  // namespace abut::ssdf
