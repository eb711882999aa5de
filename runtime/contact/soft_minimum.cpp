#include "runtime/contact/soft_minimum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "runtime/contact/soft/model.h"
#include "runtime/contact/soft/sample_contact.h"
#include "runtime/contact/soft_minimum/kernel.h"
#include "runtime/ssdf/soft_distances.h"

namespace abut::contact {

namespace {

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

  void require_valid(const body::Pair& pair) const override {
    internal::require_soft_pair(
        pair, [](const body::Geometry&) { return body::kPointsPart; }, kWho);
  }

  // Springs fade as exp(-distance / eps3), with eps3 of the finer spacing of the two bodies. Planes that a
  // point lies behind, by up to the body's extent, press at any distance, but fade by their weight: that of
  // points half a spacing beyond the nearest one as exp(-distance / (eps1 spacing)), until all springs end
  // (out_of_reach).
  double reach(const body::Body& body) const override {
    const SoftBody soft(body.geometry);
    if (soft.points.point_count == 0) return 0;
    const double spacing = soft.points.spacing, eps3 = config_.eps3 * spacing, springs = kFaded * eps3;
    if (soft.exact != nullptr) return springs;
    const double extent = 2 * soft.points.blocks.radius;
    const double planes = config_.eps1 * spacing * (kFaded + std::log(std::max(extent / eps3, 1.0)));
    return std::max(springs, std::min(planes, internal::kNoSpring * eps3 + extent));
  }

  PairWrench wrench(const body::Pair& pair, Want want, WrenchHessian* hessian) override {
    require_room(want, true, hessian);
    require_valid(pair);
    const SoftBody A(pair.A->geometry), B(pair.B->geometry);
    const SoftMinimumParameters<double> parameters = parameters_for(A, B, pair);
    if (out_of_reach(A, B, pair.X_AB, internal::kNoSpring * parameters.eps3)) return apart(want, hessian);
    soft_minimum(A, B, pair.X_AB, pair.V_AB_B, parameters, internal::order_of(want), contact_);
    PairWrench result = internal::pair_wrench(contact_, want, hessian);
    result.status = contact_.status;
    return without_overflow(result, want, hessian);
  }

  Constraints constraints(const body::Pair& pair, double margin, Want want) override {
    require_valid(pair);
    require_margin(kWho, margin);
    const SoftBody A(pair.A->geometry), B(pair.B->geometry);
    const SoftMinimumParameters<double> parameters = parameters_for(A, B, pair);
    points_.clear();
    derivatives_.clear();
    const double spacing = parameters.eps3 / config_.eps3;
    if (out_of_reach(A, B, pair.X_AB, margin + kListed * spacing)) return {points_, Status::kNoOverlap};
    const double share = share_of_points(A, B, pair.X_AB, parameters);
    separation(A, B, pair.X_AB, parameters, field_);
    for (const SeparationPoint<double>& f : field_) {
      // The direction in which moving B opens the gap.
      const Vec3<double> slope_A = pair.X_AB.R * f.gradient.tail<3>();
      const double steepness = slope_A.norm();
      if (!(f.distance <= margin) || !(f.weight > kLeastWeight) || !(steepness > kLeastSlope)) continue;
      const asset::PointsView& own = (f.body == 0 ? A : B).points;
      const Vec3<double> p = ssdf::internal::position<double>(own, f.point), n_A = slope_A / steepness;
      const Vec3<double> p_A = f.body == 0 ? p : pair.X_AB * p;
      points_.push_back({p_A + (f.body == 0 ? f.distance : -f.distance) / 2 * n_A, n_A, f.distance,
                         share * own.areas[f.point],
                         std::uint64_t{f.body != 0} << 32 | static_cast<std::uint32_t>(f.point)});
      if (has(want, Want::kJacobian)) derivatives_.push_back(derivative_of(pair, f, p));
    }
    return without_overflow({points_, points_.empty() ? Status::kNoOverlap : Status::kOk, derivatives_});
  }

 private:
  static PairWrench apart(Want want, WrenchHessian* hessian) {
    PairWrench result;
    result.status = Status::kNoOverlap;
    if (has(want, Want::kJacobian)) {
      result.dF_dxi_B.setZero();
      result.dF_dV_AB_B.setZero();
    }
    if (has(want, Want::kHessian)) *hessian = no_hessian<double>();
    return result;
  }

  SoftMinimumParameters<double> parameters_for(const SoftBody& A, const SoftBody& B,
                                               const body::Pair& pair) const {
    return parameters_of(config_, A, B, body::pair_friction(pair.A->material, pair.B->material));
  }

  // The soft distances of a geometry, evaluated at the other body's points; kept from call to call.
  struct Seen {
    std::uint64_t id = 0;
    std::optional<ssdf::SoftDistances> distances;

    const ssdf::SoftDistances& of(const body::Geometry& geometry, const SoftMinimumConfig& config) {
      if (!distances || id != geometry.id())
        distances.emplace(geometry, ssdf::SoftDistanceConfig{config.eps1, config.kernel, config.tolerance});
      id = geometry.id();
      return *distances;
    }
  };

  ContactPointDerivative derivative_of(const body::Pair& pair, const SeparationPoint<double>& f,
                                       const Vec3<double>& p) {
    const bool of_A = f.body == 0;
    const Vec3<double> q = of_A ? pair.X_AB.inverse() * p : pair.X_AB * p;
    const auto d = seen_[of_A ? 1 : 0].of((of_A ? pair.B : pair.A)->geometry, config_)(q);
    return internal::derivative(pair.X_AB, {of_A, p, d.value, d.gradient, d.hessian});
  }

  // Where the points of both bodies are used, each represents half of the surface around it.
  static double share_of_points(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB,
                                const SoftMinimumParameters<double>& parameters) {
    const double farthest = internal::Balls<double>(A, B, X_AB).farthest();
    const bool both = internal::points_count(A, B, farthest, parameters.eps1_B) &&
                      internal::points_count(B, A, farthest, parameters.eps1_A);
    return both ? 0.5 : 1;
  }

  // Returns true if the balls around the points are farther apart than this, m.
  static bool out_of_reach(const SoftBody& A, const SoftBody& B, const Pose<double>& X_AB, double distance) {
    return internal::Balls<double>(A, B, X_AB).gap > distance;
  }

  static constexpr double kFaded = 37;  // exp(-37) is 1e-16
  // In spacings beyond the margin: how far apart the balls around the points may be where there are
  // constraints. Beside an edge the planes of a soft distance are nearer than the surface.
  static constexpr double kListed = 37;
  // In the separation distribution; points below it are some spacings above the deepest one.
  static constexpr double kLeastWeight = 1e-9;
  static constexpr double kLeastSlope = 1e-3;  // slope below which a soft distance has no direction

  SoftMinimumConfig config_;
  SoftMinimum<double> contact_;
  std::vector<SeparationPoint<double>> field_;
  std::vector<ContactPoint> points_;
  std::vector<ContactPointDerivative> derivatives_;
  std::array<Seen, 2> seen_;  // of A and of B
};

}  // namespace

std::span<const Setting<SoftMinimumConfig>> soft_minimum_settings() { return kSettings; }

SoftMinimumConfig soft_minimum_config(const SettingValues& values) {
  SoftMinimumConfig config;
  apply<SoftMinimumConfig>(kSettings, values, config, kWho);
  return config;
}

SoftMinimumParameters<double> parameters_of(const SoftMinimumConfig& config, const SoftBody& A,
                                            const SoftBody& B, double friction) {
  validate(config);
  double spacing = std::numeric_limits<double>::infinity(), size = spacing;
  for (const SoftBody* body : {&A, &B}) {
    if (body->points.point_count == 0) continue;
    spacing = std::min(spacing, body->points.spacing);
    size = std::min(size, 2 * body->points.blocks.radius);
  }
  const double speed = std::sqrt(kGravity * size);
  SoftMinimumParameters<double> p;
  p.eps1_A = config.eps1 * A.points.spacing * A.points.spacing;
  p.eps1_B = config.eps1 * B.points.spacing * B.points.spacing;
  p.eps2 = config.eps2 * spacing;
  p.eps3 = config.eps3 * spacing;
  p.stiffness = config.load * kWaterDensity * kGravity * size * size * size / (config.penetration * spacing);
  p.friction = friction;
  p.dissipation_velocity = config.dissipation * speed;
  p.stiction_velocity = config.stiction * speed;
  p.damping = config.damping;
  const double wall = config.kernel == ssdf::KernelKind::kWall ? ssdf::kWallDepth : 0;
  p.wall_A = wall * A.points.spacing;
  p.wall_B = wall * B.points.spacing;
  p.tolerance = config.tolerance;
  return p;
}

std::unique_ptr<Model> make_soft_minimum_model(const SoftMinimumConfig& config) {
  validate(config);
  return std::make_unique<SoftMinimumModel>(config);
}

}  // namespace abut::contact
