#include "runtime/contact/soft_minimum.h"

#include <cmath>
#include <string>

#include "runtime/contact/soft_minimum_kernel.h"

namespace abut::contact {

namespace {

using internal::ForceSums;
using internal::Nearby;
using internal::Side;
using simd::Four;
using ssdf::Order;

constexpr double kGravity = 9.81;         // m/s^2
constexpr double kWaterDensity = 1000.0;  // kg/m^3

// Inner loops four points at a time.
ABUT_CLONES
bool all_above_by_fours(const Side<double>& side, const double* p, double radius, double level, double cut) {
  return internal::all_above<Four, double>(side, p, radius, level, cut);
}

ABUT_CLONES
void distance_by_fours(const Side<double>& side, const double* p, double cut, double& value, double& lowest) {
  internal::distance_at<Four, double>(side, p, cut, value, lowest);
}

ABUT_CLONES
void nearest_by_fours(const Side<double>& side, const double* p, bool certain, Nearby<double>& nearby) {
  ssdf::internal::descend<Four>(*side.field, p, nearby);
  if (certain) ssdf::internal::find_nearest<Four>(*side.field, p, nearby);
}

ABUT_CLONES
void forces_by_fours(const Side<double>& side, const double* p, const double* v, double limit2,
                     const Nearby<double>& nearby, const SoftMinimumParameters<double>& with,
                     ForceSums<double>& sums, double& heaviest) {
  internal::force_sums<0, Four, double>(side, p, v, limit2, nearby, with, sums, heaviest);
}
ABUT_CLONES
void slopes_by_fours(const Side<double>& side, const double* p, const double* v, double limit2,
                     const Nearby<double>& nearby, const SoftMinimumParameters<double>& with,
                     ForceSums<double>& sums, double& heaviest) {
  internal::force_sums<1, Four, double>(side, p, v, limit2, nearby, with, sums, heaviest);
}
ABUT_CLONES
void bends_by_fours(const Side<double>& side, const double* p, const double* v, double limit2,
                    const Nearby<double>& nearby, const SoftMinimumParameters<double>& with,
                    ForceSums<double>& sums, double& heaviest) {
  internal::force_sums<2, Four, double>(side, p, v, limit2, nearby, with, sums, heaviest);
}

struct FourOps {
  static bool all_above(const Side<double>& side, const double* p, double radius, double level, double cut) {
    return all_above_by_fours(side, p, radius, level, cut);
  }
  static void distance_at(const Side<double>& side, const double* p, double cut, double& value,
                          double& lowest) {
    distance_by_fours(side, p, cut, value, lowest);
  }
  static void find_nearest(const Side<double>& side, const double* p, bool certain, Nearby<double>& nearby) {
    nearest_by_fours(side, p, certain, nearby);
  }
  static void force_sums(Order order, const Side<double>& side, const double* p, const double* v,
                         double limit2, const Nearby<double>& nearby,
                         const SoftMinimumParameters<double>& with, ForceSums<double>& sums,
                         double& heaviest) {
    (order == Order::kValue      ? forces_by_fours
     : order == Order::kGradient ? slopes_by_fours
                                 : bends_by_fours)(side, p, v, limit2, nearby, with, sums, heaviest);
  }
};

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
                 want == Want::kValue ? Order::kValue : Order::kGradient, contact_);
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

 private:
  SoftMinimumConfig config_;
  SoftMinimum<double> contact_;
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
  p.tolerance = config.tolerance;
  return p;
}

template <class S>
void soft_minimum_scalar(const asset::PointsView& A, const asset::PointsView& B, const Pose<S>& X_AB,
                         const Vec6<S>& V_AB_B, const SoftMinimumParameters<S>& parameters, Order order,
                         SoftMinimum<S>& result) {
  internal::SoftMinimumKernel<S, internal::ScalarOps<S>>(A, B, X_AB, V_AB_B, parameters, order).solve(result);
}

template void soft_minimum_scalar(const asset::PointsView&, const asset::PointsView&, const Pose<double>&,
                                  const Vec6<double>&, const SoftMinimumParameters<double>&, Order,
                                  SoftMinimum<double>&);
template void soft_minimum_scalar(const asset::PointsView&, const asset::PointsView&,
                                  const Pose<long double>&, const Vec6<long double>&,
                                  const SoftMinimumParameters<long double>&, Order,
                                  SoftMinimum<long double>&);

void soft_minimum(const asset::PointsView& A, const asset::PointsView& B, const Pose<double>& X_AB,
                  const Vec6<double>& V_AB_B, const SoftMinimumParameters<double>& parameters, Order order,
                  SoftMinimum<double>& result) {
  internal::SoftMinimumKernel<double, FourOps>(A, B, X_AB, V_AB_B, parameters, order).solve(result);
}

std::unique_ptr<Model> make_soft_minimum_model(const SoftMinimumConfig& config) {
  validate(config);
  return std::make_unique<SoftMinimumModel>(config);
}

}  // namespace abut::contact
