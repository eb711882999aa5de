#include "runtime/contact/point.h"

#include <array>
#include <cmath>

#include "runtime/derivative/pair_derivative.h"
#include "runtime/derivative/settings.h"
#include "runtime/witness/pair_query.h"

namespace abut::contact {

namespace {

// U of point.h.
double energy(double k, double d) { return k * d * d / 2; }

// Status for bodies that are farther apart than a margin, m: kNotConverged if the witness's lower bound does
// not confirm it.
Status apart_status(const witness::Witness<double>& witness, double margin) {
  return witness.status == Status::kNotConverged && witness.lower_bound <= margin ? witness.status
                                                                                  : Status::kNoOverlap;
}

// The wrench on B, in B, of the spring at the witness points.
Vec6<double> spring(double k, const Pose<double>& X_AB, const witness::Witness<double>& witness) {
  const Mat3<double> R_BA = X_AB.R.transpose();
  const Vec3<double> p2_B = R_BA * (witness.p2 - X_AB.p);
  const Vec3<double> f_B = -k * witness.distance * (R_BA * witness.n);
  Vec6<double> F;
  F << p2_B.cross(f_B), f_B;
  return F;
}

// Adds the Jacobian of spring(), from the derivative of the witness.
void add_jacobian(double k, const Pose<double>& X_AB, const witness::Witness<double>& witness,
                  const derivative::WitnessDerivative<double>& derivative, PairWrench& result) {
  const double d = witness.distance;
  const Mat3<double> R_BA = X_AB.R.transpose();
  const Vec3<double> m_B = -(R_BA * witness.n), p2_B = R_BA * (witness.p2 - X_AB.p);
  const Vec3<double> f_B = k * d * m_B;
  // In B's coordinates a vector m fixed in A changes by [m] w, and a point fixed in A also by -v, the motion
  // of Bo.
  Mat36<double> turn, shift;
  turn << skew(m_B), Mat3<double>::Zero();
  shift << skew(p2_B), -Mat3<double>::Identity();
  const Mat36<double> dm = turn - R_BA * derivative.dn_A_dxi_B;
  const Mat36<double> dp2 = shift + R_BA * derivative.dp2_A_dxi_B;
  const Mat36<double> df = k * (m_B * derivative.dd_dxi_B + d * dm);
  result.dF_dxi_B << skew(p2_B) * df - skew(f_B) * dp2, df;
  result.status = derivative.status;
}

constexpr const char* kWho = "point contact";

constexpr Setting<PointConfig> kSettings[] = {
    {"stiffness", "N/m", kMagnitude, "force over depth", &setting<PointConfig, &PointConfig::stiffness>},
    derivative::kRingsSetting<PointConfig, &PointConfig::gumbel>,
    derivative::kGumbelEpsSetting<PointConfig, &PointConfig::gumbel>,
    derivative::kClampRelativeSetting<PointConfig, &PointConfig::clamp>,
    derivative::kClampAbsoluteSetting<PointConfig, &PointConfig::clamp>,
};

class PointModel final : public Model {
 public:
  explicit PointModel(const PointConfig& config) : config_(config) {}

  void require_valid(const body::Pair& pair) const override {
    witness::require_valid(pair, kWho);
    body::require_valid(pair.A->material, kWho, "A");
    body::require_valid(pair.B->material, kWho, "B");
  }

  PairWrench wrench(const body::Pair& pair, Want want, WrenchHessian* hessian) override {
    require_room(want, false, hessian);
    require_valid(pair);
    const witness::Witness<double> witness = query(pair);
    PairWrench result;
    result.status = witness.status;
    if (witness.status == Status::kInvalidInput) return invalid_wrench();
    const bool apart = witness.distance >= 0;
    if (has(want, Want::kEnergy)) result.energy = apart ? 0 : energy(config_.stiffness, witness.distance);
    if (has(want, Want::kJacobian)) {
      result.dF_dxi_B.setZero();
      result.dF_dV_AB_B.setZero();
    }
    if (apart) {
      result.status = apart_status(witness, 0);
      return result;
    }
    result.F_BBo_B = spring(config_.stiffness, pair.X_AB, witness);
    if (has(want, Want::kJacobian))
      add_jacobian(config_.stiffness, pair.X_AB, witness,
                   derivative::gumbel_derivative(pair, witness, config_.gumbel, config_.clamp, rings_),
                   result);
    return without_overflow(result, want);
  }

  Constraints constraints(const body::Pair& pair, double margin, Want want) override {
    require_valid(pair);
    require_margin(kWho, margin);
    const witness::Witness<double> witness = query(pair);
    if (witness.status == Status::kInvalidInput) return {{}, witness.status};
    if (witness.distance > margin) return {{}, apart_status(witness, margin)};
    point_[0] = {(witness.p1 + witness.p2) / 2, witness.n, witness.distance, 0.0, 0};
    if (!has(want, Want::kJacobian)) return without_overflow({point_, witness.status});
    const auto d = derivative::gumbel_derivative(pair, witness, config_.gumbel, config_.clamp, rings_);
    derivative_[0] = {(d.dp1_A_dxi_B + d.dp2_A_dxi_B) / 2, d.dn_A_dxi_B, d.dd_dxi_B};
    return without_overflow({point_, d.status, derivative_});
  }

 private:
  witness::Witness<double> query(const body::Pair& pair) {
    return witness::separation(pair.A->geometry, pair.B->geometry, pair.X_AB, query_);
  }

  PointConfig config_;
  witness::Workspace<double> query_;
  derivative::RingWorkspace<double> rings_;
  std::array<ContactPoint, 1> point_;
  std::array<ContactPointDerivative, 1> derivative_;
};

}  // namespace

std::span<const Setting<PointConfig>> point_settings() { return kSettings; }

PointConfig point_config(const SettingValues& values) {
  PointConfig config;
  apply<PointConfig>(kSettings, values, config, kWho);
  return config;
}

std::unique_ptr<Model> make_point_model(const PointConfig& config) {
  abut::require_valid<PointConfig>(kSettings, config, kWho);
  return std::make_unique<PointModel>(config);
}

}  // namespace abut::contact
