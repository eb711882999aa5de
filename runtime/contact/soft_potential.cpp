#include "runtime/contact/soft_potential.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "runtime/distance/primitive_distance.h"
#include "runtime/ssdf/soft_distances.h"

namespace abut::contact {
namespace {

using ssdf::Order;

constexpr const char* kWho = "soft potential contact";
constexpr double kFaded = 20;  // forces fade as exp(-2 Phi / eps3): 4e-18

constexpr std::string_view kKernels[] = {"gaussian", "wall"};
constexpr ssdf::KernelKind kKernelKinds[] = {ssdf::KernelKind::kGaussian, ssdf::KernelKind::kWall};

int kernel_index(const SoftPotentialConfig& config) {
  for (int k = 0; k < 2; ++k)
    if (kKernelKinds[k] == config.kernel) return k;
  return -1;
}

template <double SoftPotentialConfig::*member>
constexpr auto kMember = &setting<SoftPotentialConfig, member>;

constexpr Setting<SoftPotentialConfig> kSettings[] = {
    {"stiffness", "Pa/m", kMagnitude, "pressure per depth", kMember<&SoftPotentialConfig::stiffness>},
    {"eps1", "spacing^2", from_to(1e-4, 1e4), "rounding of each body's surface",
     kMember<&SoftPotentialConfig::eps1>},
    {"eps3", "spacing", from_to(1e-4, 1e4), "distance at which the force sets in",
     kMember<&SoftPotentialConfig::eps3>},
    {"stiction_speed", "m/s", kMagnitude, "slip at which friction is 0.7 mu N",
     kMember<&SoftPotentialConfig::stiction_speed>},
    {"kernel",
     "",
     {},
     "weights of the planes; wall: less for a plane that a point lies behind",
     Choice<SoftPotentialConfig>{
         kKernels, kernel_index,
         [](SoftPotentialConfig& config, int k) { config.kernel = kKernelKinds[k]; }}},
    {"tolerance", "", between(0, 1),
     "of the soft distances, relative to the sum of their terms' absolute values",
     kMember<&SoftPotentialConfig::tolerance>},
};

// A place on a surface, and the area that it stands for.
struct Sample {
  Vec3<double> p;  // m
  double area;     // m^2
};

// The midpoints of the four parts of bilinear quads, with their share of each quad's area; or the points.
std::vector<Sample> samples_of(const asset::PointsView& points) {
  std::vector<Sample> samples;
  for (std::int32_t i = 0; i < points.point_count; ++i) {
    if (points.quads == nullptr || points.vertex_count == 0) {
      samples.push_back({{points.x[i], points.y[i], points.z[i]}, points.areas[i]});
      continue;
    }
    Vec3<double> c[4];
    for (int k = 0; k < 4; ++k) c[k] = Vec3<double>::Map(points.vertices + 3 * points.quads[4 * i + k]);
    const std::size_t first = samples.size();
    double sum = 0;
    for (const double u : {0.25, 0.75})
      for (const double v : {0.25, 0.75}) {
        const Vec3<double> along_u = (1 - v) * (c[1] - c[0]) + v * (c[2] - c[3]);
        const Vec3<double> along_v = (1 - u) * (c[3] - c[0]) + u * (c[2] - c[1]);
        samples.push_back({c[0] + u * (c[1] - c[0]) + v * (c[3] - c[0]) + u * v * (c[0] - c[1] + c[2] - c[3]),
                           along_u.cross(along_v).norm()});
        sum += samples.back().area;
      }
    for (std::size_t k = first; k < samples.size(); ++k)
      samples[k].area = sum > 0 ? samples[k].area * points.areas[i] / sum : points.areas[i] / 4;
  }
  return samples;
}

// What is asked of a geometry again and again.
struct Side {
  std::uint64_t id = 0;
  std::optional<ssdf::SoftDistances> field;
  std::vector<Sample> samples;
  std::size_t group = 1;   // samples of one quad stand together
  Vec3<double> low, high;  // of the samples, m
  double spacing = std::numeric_limits<double>::infinity();

  void follow(const body::Geometry& geometry, const SoftPotentialConfig& config) {
    if (field && id == geometry.id()) return;
    id = geometry.id();
    field.emplace(geometry, ssdf::SoftDistanceConfig{config.eps1, config.kernel, config.tolerance});
    samples = samples_of(geometry.points());
    group = samples.size() == 4 * static_cast<std::size_t>(geometry.points().point_count) ? 4 : 1;
    spacing = samples.empty() ? std::numeric_limits<double>::infinity() : geometry.points().spacing;
    low.setConstant(-std::numeric_limits<double>::infinity());
    high = -low;
    if (samples.empty()) return;
    low = high = samples.front().p;
    for (const Sample& s : samples) {
      low = low.cwiseMin(s.p);
      high = high.cwiseMax(s.p);
    }
  }
  // Whether a group of samples around p may have one within `faded` of the surface. Over the half width of a
  // quad the soft distance changes by less than two spacings.
  bool near(const Vec3<double>& p, double faded, double width) const {
    const double margin = faded + 2 * std::min(spacing, width) + 2 * width;
    const bool in_box = ((p - low).array() >= -margin).all() && ((p - high).array() <= margin).all();
    return in_box && !((*field)(p, Order::kValue).value > margin);
  }
};

// Calls visit(p, area) for the samples of `side` that may be within `faded` of the other body's surface, X
// from their frame to the other's.
template <class Visit>
void for_near_samples(const Side& side, const Side& other, const Pose<double>& X, double faded,
                      Visit&& visit) {
  for (std::size_t first = 0; first < side.samples.size(); first += side.group) {
    Vec3<double> middle = Vec3<double>::Zero();
    for (std::size_t k = first; k < first + side.group; ++k) middle += side.samples[k].p;
    if (!other.near(X * (middle / static_cast<double>(side.group)), faded, side.spacing)) continue;
    for (std::size_t k = first; k < first + side.group; ++k) visit(side.samples[k].p, side.samples[k].area);
  }
}

// The force of one sample on B, and what it adds. All in B's frame: x the place, g the gradient of the
// distance there, which a change of the pose makes dx and dg; `sign`: 1 for B's own samples, -1 for A's. With
// f_n = sign c g, c = k a s sigma, friction -mu |f_n| T, T = u_t / sqrt(u_t'u_t + v_s^2), u = v + w x x.
class SampleForce {
 public:
  SampleForce(double k, double eps3, double mu, double stiction, const Vec6<double>& V)
      : k_(k), eps3_(eps3), mu_(mu), stiction_(stiction), V_(V) {}

  void add(double area, double sign, double phi, const Vec3<double>& x, const Vec3<double>& g,
           const Mat36<double>& dx, const Mat36<double>& dg, Want want, PairWrench& out) const {
    const double e = std::exp(-std::abs(phi) / eps3_);
    const double sigma = phi > 0 ? e / (1 + e) : 1 / (1 + e);
    const double s = eps3_ * std::log1p(e) + std::max(0.0, -phi);
    const double c = k_ * area * s * sigma;
    if (has(want, Want::kEnergy)) out.energy += k_ * area * s * s / 2;
    Vec3<double> f = sign * c * g;
    Mat36<double> df, dV = Mat36<double>::Zero();
    if (has(want, Want::kJacobian)) {
      const double slope = -k_ * area * sigma * (sigma + s * (1 - sigma) / eps3_);
      // Of the distance by the pose, which moves the sample in the other's frame: g'dx, but for B's turn.
      const Row6<double> dphi = sign * g.transpose() * steps(x);
      df = sign * (slope * g * dphi + c * dg);
      add_friction(c, slope * dphi, x, g, dx, dg, f, df, dV);
      out.dF_dxi_B.bottomRows<3>() += df;
      out.dF_dxi_B.topRows<3>() += skew(x) * df - skew(f) * dx;
      out.dF_dV_AB_B.bottomRows<3>() += dV;
      out.dF_dV_AB_B.topRows<3>() += skew(x) * dV;
    } else if (mu_ > 0) {
      add_friction(c, Row6<double>::Zero(), x, g, dx, dg, f, df.setZero(), dV);
    }
    out.F_BBo_B.tail<3>() += f;
    out.F_BBo_B.head<3>() += x.cross(f);
  }

  // (3, 6): how a point x of B moves with B.
  static Mat36<double> steps(const Vec3<double>& x) {
    Mat36<double> D;
    D << -skew(x), Mat3<double>::Identity();
    return D;
  }

 private:
  void add_friction(double c, const Row6<double>& dc, const Vec3<double>& x, const Vec3<double>& g,
                    const Mat36<double>& dx, const Mat36<double>& dg, Vec3<double>& f, Mat36<double>& df,
                    Mat36<double>& dV) const {
    const double length = g.norm();
    if (!(mu_ > 0) || !(length > 0)) return;
    const Vec3<double> n = g / length, w = V_.head<3>(), u = V_.tail<3>() + w.cross(x);
    const Mat3<double> P = Mat3<double>::Identity() - n * n.transpose();
    const Vec3<double> slip = P * u;
    const double r2 = slip.squaredNorm() + stiction_ * stiction_, r = std::sqrt(r2);
    const Vec3<double> T = slip / r;
    const Mat3<double> dT_dslip = (Mat3<double>::Identity() - slip * slip.transpose() / r2) / r;
    const Mat36<double> dn = P * dg / length;
    const Mat36<double> dslip = P * skew(w) * dx - n.dot(u) * dn - n * (u.transpose() * dn);
    const Row6<double> dN = length * dc + c * n.transpose() * dg;
    f -= mu_ * c * length * T;
    df -= mu_ * (T * dN + c * length * dT_dslip * dslip);
    dV -= mu_ * c * length * dT_dslip * P * steps(x);
  }

  double k_, eps3_, mu_, stiction_;
  Vec6<double> V_;
};

class SoftPotentialModel final : public Model {
 public:
  explicit SoftPotentialModel(const SoftPotentialConfig& config) : config_(config) {}

  void require_valid(const body::Pair& pair) const override {
    body::require_valid(pair, body::kNoPart, kWho);
    const bool plane_A = pair.A->geometry.half_space() != nullptr,
               plane_B = pair.B->geometry.half_space() != nullptr;
    if (plane_A && plane_B) throw InvalidInput(std::string(kWho) + ": two half-spaces have no contact");
    body::require_valid(pair, plane_A ? body::kNoPart : body::kPointsPart,
                        plane_B ? body::kNoPart : body::kPointsPart, kWho);
    body::require_valid(pair.A->material, kWho, "A");
    body::require_valid(pair.B->material, kWho, "B");
  }

  double reach(const body::Body& body) const override {
    return body.geometry.half_space() ? 0 : kFaded * config_.eps3 * body.geometry.points().spacing;
  }

  PairWrench wrench(const body::Pair& pair, Want want, WrenchHessian* hessian) override {
    require_room(want, false, hessian);
    require_valid(pair);
    A_.follow(pair.A->geometry, config_);
    B_.follow(pair.B->geometry, config_);
    const double eps3 = config_.eps3 * std::min(A_.spacing, B_.spacing);
    const bool one_sided = A_.samples.empty() || B_.samples.empty();
    const SampleForce force(config_.stiffness * (one_sided ? 1 : 0.5), eps3,
                            body::pair_friction(pair.A->material, pair.B->material), config_.stiction_speed,
                            pair.V_AB_B);
    PairWrench result;
    if (has(want, Want::kEnergy)) result.energy = 0;
    if (has(want, Want::kJacobian)) {
      result.dF_dxi_B.setZero();
      result.dF_dV_AB_B.setZero();
    }
    const bool met_B = add_samples_of_B(pair.X_AB, force, kFaded * eps3, want, result);
    const bool met_A = add_samples_of_A(pair.X_AB, force, kFaded * eps3, want, result);
    if (!met_A && !met_B) result.status = Status::kNoOverlap;
    return without_overflow(result, want);
  }

 private:
  static Order order(Want want) { return has(want, Want::kJacobian) ? Order::kHessian : Order::kGradient; }

  // At p of B, seen from A at X p; g = R' grad Phi_A turns against B: dg = R' H R dy + [g] w.
  bool add_samples_of_B(const Pose<double>& X, const SampleForce& force, double faded, Want want,
                        PairWrench& result) const {
    bool met = false;
    for_near_samples(B_, A_, X, faded, [&](const Vec3<double>& p, double area) {
      const auto d = (*A_.field)(X * p, order(want));
      if (!(d.value < faded)) return;
      met = true;
      const Vec3<double> g = X.R.transpose() * d.gradient;
      Mat36<double> dg = X.R.transpose() * d.hessian * X.R * SampleForce::steps(p);
      dg.leftCols<3>() += skew(g);
      force.add(area, 1, d.value, p, g, Mat36<double>::Zero(), dg, want, result);
    });
    return met;
  }

  // At p of A, seen from B at x = X^-1 p, which moves against B's own points: dx = -steps(x).
  bool add_samples_of_A(const Pose<double>& X, const SampleForce& force, double faded, Want want,
                        PairWrench& result) const {
    bool met = false;
    const Pose<double> X_BA = X.inverse();
    for_near_samples(A_, B_, X_BA, faded, [&](const Vec3<double>& p, double area) {
      const Vec3<double> x = X_BA * p;
      const auto d = (*B_.field)(x, order(want));
      if (!(d.value < faded)) return;
      met = true;
      const Mat36<double> dx = -SampleForce::steps(x);
      force.add(area, -1, d.value, x, d.gradient, dx, d.hessian * dx, want, result);
    });
    return met;
  }

  SoftPotentialConfig config_;
  Side A_, B_;
};

}  // namespace

std::span<const Setting<SoftPotentialConfig>> soft_potential_settings() { return kSettings; }

SoftPotentialConfig soft_potential_config(const SettingValues& values) {
  SoftPotentialConfig config;
  apply<SoftPotentialConfig>(kSettings, values, config, kWho);
  return config;
}

std::unique_ptr<Model> make_soft_potential_model(const SoftPotentialConfig& config) {
  abut::require_valid<SoftPotentialConfig>(kSettings, config, kWho);
  return std::make_unique<SoftPotentialModel>(config);
}

}  // namespace abut::contact
