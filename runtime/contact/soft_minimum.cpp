#include "runtime/contact/soft_minimum.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/contact/soft_minimum_kernel.h"

namespace abut::contact {

namespace {

using ssdf::Order;

constexpr double kGravity = 9.81;         // m/s^2
constexpr double kWaterDensity = 1000.0;  // kg/m^3

constexpr const char* kWho = "soft-minimum contact";

constexpr std::string_view kDampingLaws[] = {"twice_differentiable", "paper"};  // of DampingLaw
constexpr std::string_view kKernels[] = {"gaussian", "wall"};
constexpr ssdf::KernelKind kKernelKinds[] = {ssdf::KernelKind::kGaussian, ssdf::KernelKind::kWall};

int kernel_index(const SoftMinimumConfig& config) {
  for (int k = 0; k < 2; ++k)
    if (kKernelKinds[k] == config.kernel) return k;
  return -1;
}

template <double SoftMinimumConfig::*member>
constexpr auto kMember = &setting<SoftMinimumConfig, member>;

constexpr Setting<SoftMinimumConfig> kSettings[] = {
    {"eps1", "spacing^2", from_to(1e-4, 1e4), "rounding of each body's surface",
     kMember<&SoftMinimumConfig::eps1>},
    {"eps2", "spacing", from_to(1e-4, 1e4), "how much deeper than others a point must be to carry alone",
     kMember<&SoftMinimumConfig::eps2>},
    {"eps3", "spacing", from_to(1e-4, 1e4), "distance at which the spring sets in",
     kMember<&SoftMinimumConfig::eps3>},
    {"load", "weight of a cube of water with edge `size`", kMagnitude,
     "with penetration: stiffness = load / penetration", kMember<&SoftMinimumConfig::load>},
    {"penetration", "spacing", kMagnitude, "at that load", kMember<&SoftMinimumConfig::penetration>},
    {"friction", "", from_to(0, 1e12), "coefficient of friction of the pair",
     kMember<&SoftMinimumConfig::friction>},
    {"dissipation", "sqrt(g size)", kMagnitude, "separating speed v_d that damping is relative to",
     kMember<&SoftMinimumConfig::dissipation>},
    {"stiction", "sqrt(g size)", kMagnitude, "slip at which friction is 0.7 mu N",
     kMember<&SoftMinimumConfig::stiction>},
    {"damping",
     "",
     {},
     "law of the normal force's damping",
     choice<SoftMinimumConfig, &SoftMinimumConfig::damping>(kDampingLaws)},
    {"kernel",
     "",
     {},
     "weights of the planes; wall: less for a plane that a point lies behind",
     Choice<SoftMinimumConfig>{kKernels, kernel_index,
                               [](SoftMinimumConfig& config, int k) { config.kernel = kKernelKinds[k]; }}},
    {"tolerance", "", between(0, 1), "of every result, relative to the sum of its terms' absolute values",
     kMember<&SoftMinimumConfig::tolerance>},
};

void validate(const SoftMinimumConfig& config) { require_valid<SoftMinimumConfig>(kSettings, config, kWho); }

class SoftMinimumModel final : public Model {
 public:
  explicit SoftMinimumModel(const SoftMinimumConfig& config) : config_(config) {}

  PairWrench wrench(const asset::PosedPair& pair, const Vec6<double>& V_A, const Vec6<double>& V_B,
                    Want want) override {
    asset::require_valid(pair, asset::kPointsPart, kWho);
    require_finite(kWho, V_A, V_B);
    const asset::PointsView &A = pair.A->points, &B = pair.B->points;
    const SoftMinimumParameters<double> parameters = parameters_of(config_, A, B);
    PairWrench result;
    result.energy = result.area = std::nan("");
    if (out_of_reach(A, B, pair.X_AB, parameters, 0)) {
      result.status = Status::kNoOverlap;
      return result;
    }
    soft_minimum(A, B, pair.X_AB, relative_twist(pair.X_AB, V_A, V_B), parameters,
                 want == Want::kJacobian ? Order::kGradient : Order::kValue, contact_);
    result.F_BBo_B = contact_.F_BBo_B;
    if (want == Want::kJacobian) {
      result.dF_dxi_B = contact_.jacobian.leftCols<6>();
      result.dF_dV_AB_B = contact_.jacobian.rightCols<6>();
    }
    result.status = contact_.status;
    return without_overflow(result);
  }

  Constraints constraints(const asset::PosedPair& pair, double margin) override {
    asset::require_valid(pair, asset::kPointsPart, kWho);
    require_margin(kWho, margin);
    const asset::PointsView &A = pair.A->points, &B = pair.B->points;
    const SoftMinimumParameters<double> parameters = parameters_of(config_, A, B);
    points_.clear();
    if (out_of_reach(A, B, pair.X_AB, parameters, margin)) return {points_, Status::kNoOverlap};
    separation(A, B, pair.X_AB, parameters, field_);
    for (const SeparationPoint<double>& f : field_) {
      const Vec3<double> slope_A = pair.X_AB.R * f.gradient.tail<3>();  // moving B that way opens the gap
      const double steepness = slope_A.norm();
      if (!(f.distance <= margin) || !(f.weight > kLeastWeight) || !(steepness > kLeastSlope)) continue;
      const asset::PointsView& own = f.body == 0 ? A : B;
      const Vec3<double> p = ssdf::internal::position<double>(own, f.point), n_A = slope_A / steepness;
      const Vec3<double> p_A = f.body == 0 ? p : pair.X_AB * p;
      points_.push_back({p_A + (f.body == 0 ? f.distance : -f.distance) / 2 * n_A, n_A, f.distance,
                         own.areas[f.point] / 2});
    }
    return {points_, points_.empty() ? Status::kNoOverlap : Status::kOk};
  }

 private:
  // Whether the balls about the points are apart by more than the margin and what springs reach.
  static bool out_of_reach(const asset::PointsView& A, const asset::PointsView& B, const Pose<double>& X_AB,
                           const SoftMinimumParameters<double>& parameters, double margin) {
    return internal::Balls<double>(A, B, X_AB).gap() > margin + internal::kNoSpring * parameters.eps3;
  }

  // In the separation distribution; below it points are some spacings above the deepest one.
  static constexpr double kLeastWeight = 1e-9;
  static constexpr double kLeastSlope = 1e-3;  // of a soft distance that still has a direction

  SoftMinimumConfig config_;
  SoftMinimum<double> contact_;
  std::vector<SeparationPoint<double>> field_;
  std::vector<ContactPoint> points_;
};

}  // namespace

std::span<const Setting<SoftMinimumConfig>> soft_minimum_settings() { return kSettings; }

SoftMinimumConfig soft_minimum_config(const SettingValues& values) {
  SoftMinimumConfig config;
  apply<SoftMinimumConfig>(kSettings, values, config, kWho);
  return config;
}

SoftMinimumParameters<double> parameters_of(const SoftMinimumConfig& config, const asset::PointsView& A,
                                            const asset::PointsView& B) {
  validate(config);
  const double spacing = std::min(A.spacing, B.spacing);
  const double size = 2 * std::min(A.blocks.radius, B.blocks.radius);
  const double speed = std::sqrt(kGravity * size);
  SoftMinimumParameters<double> p;
  p.eps1_A = config.eps1 * A.spacing * A.spacing;
  p.eps1_B = config.eps1 * B.spacing * B.spacing;
  p.eps2 = config.eps2 * spacing;
  p.eps3 = config.eps3 * spacing;
  p.stiffness = config.load * kWaterDensity * kGravity * size * size * size / (config.penetration * spacing);
  p.friction = config.friction;
  p.dissipation_velocity = config.dissipation * speed;
  p.stiction_velocity = config.stiction * speed;
  p.damping = config.damping;
  const double wall = config.kernel == ssdf::KernelKind::kWall ? ssdf::kWallDepth : 0;
  p.wall_A = wall * A.spacing;
  p.wall_B = wall * B.spacing;
  p.tolerance = config.tolerance;
  return p;
}

std::unique_ptr<Model> make_soft_minimum_model(const SoftMinimumConfig& config) {
  validate(config);
  return std::make_unique<SoftMinimumModel>(config);
}

}  // namespace abut::contact
