#include "runtime/contact/soft_minimum.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace abut::contact {

namespace {

using ssdf::Order;

constexpr double kGravity = 9.81;         // m/s^2
constexpr double kWaterDensity = 1000.0;  // kg/m^3

void require(bool holds, const char* name, double value, const char* what) {
  if (!holds)
    throw InvalidInput("soft-minimum contact: " + std::string(name) + " is " + std::to_string(value) +
                       "; it must be " + what);
}

void validate(const SoftMinimumConfig& config) {
  const auto positive = [](const char* name, double value) {
    require(value > 0 && std::isfinite(value), name, value, "positive");
  };
  positive("eps1", config.eps1);
  positive("eps2", config.eps2);
  positive("eps3", config.eps3);
  positive("load", config.load);
  positive("penetration", config.penetration);
  positive("dissipation", config.dissipation);
  positive("stiction", config.stiction);
  require(config.friction >= 0 && std::isfinite(config.friction), "friction", config.friction, "0 or more");
  if (config.kernel != ssdf::KernelKind::kGaussian && config.kernel != ssdf::KernelKind::kWall)
    throw InvalidInput("soft-minimum contact: the kernel must be the Gaussian or that of walls");
  require(config.tolerance > 0 && config.tolerance < 1, "tolerance", config.tolerance, "between 0 and 1");
}

class SoftMinimumModel final : public Model {
 public:
  explicit SoftMinimumModel(const SoftMinimumConfig& config) : config_(config) {}

  PairWrench wrench(const asset::PosedPair& pair, const Vec6<double>& V_A, const Vec6<double>& V_B,
                    Want want) override {
    asset::require_valid(pair, asset::kPointsPart, "soft-minimum contact");
    require_finite("soft-minimum contact", V_A, V_B);
    const asset::PointsView &A = pair.A->points, &B = pair.B->points;
    soft_minimum(A, B, pair.X_AB, relative_twist(pair.X_AB, V_A, V_B), parameters_of(config_, A, B),
                 want == Want::kJacobian ? Order::kGradient : Order::kValue, contact_);
    PairWrench result;
    result.F_BBo_B = contact_.F_BBo_B;
    if (want == Want::kJacobian) {
      result.dF_dxi_B = contact_.jacobian.leftCols<6>();
      result.dF_dV_AB_B = contact_.jacobian.rightCols<6>();
    }
    result.energy = result.area = std::nan("");
    result.status = contact_.status;
    return result;
  }

  Constraints constraints(const asset::PosedPair& pair, double margin) override {
    asset::require_valid(pair, asset::kPointsPart, "soft-minimum contact");
    require_margin("soft-minimum contact", margin);
    const asset::PointsView &A = pair.A->points, &B = pair.B->points;
    separation(A, B, pair.X_AB, parameters_of(config_, A, B), field_);
    points_.clear();
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
  // In the separation distribution; below it points are some spacings above the deepest one.
  static constexpr double kLeastWeight = 1e-9;
  static constexpr double kLeastSlope = 1e-3;  // of a soft distance that still has a direction

  SoftMinimumConfig config_;
  SoftMinimum<double> contact_;
  std::vector<SeparationPoint<double>> field_;
  std::vector<ContactPoint> points_;
};

}  // namespace

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
