#include "runtime/contact/point.h"

#include <array>
#include <cmath>
#include <string>

#include "runtime/derivative/settings.h"
#include "runtime/witness/separation.h"

namespace abut::contact {

namespace {

// Spring wrench of a witness; see point.h.
PairWrench spring(double k, const Pose<double>& X_AB, const witness::Witness<double>& witness) {
  PairWrench result;
  const double d = witness.distance;
  const Mat3<double> R_BA = X_AB.R.transpose();
  const Vec3<double> m_B = -(R_BA * witness.n), p2_B = R_BA * (witness.p2 - X_AB.p);
  const Vec3<double> f_B = k * d * m_B;
  result.F_BBo_B << p2_B.cross(f_B), f_B;
  result.energy = k * d * d / 2;
  result.status = witness.status;
  return result;
}

// The Jacobian of spring() from the witness's derivative.
void add_jacobian(double k, const Pose<double>& X_AB, const witness::Witness<double>& witness,
                  const derivative::WitnessDerivative<double>& derivative, PairWrench& result) {
  const double d = witness.distance;
  const Mat3<double> R_BA = X_AB.R.transpose();
  const Vec3<double> m_B = -(R_BA * witness.n), p2_B = R_BA * (witness.p2 - X_AB.p);
  const Vec3<double> f_B = k * d * m_B;
  // A vector fixed in A turns by [.] w in B's coordinates; p2 also loses the motion of Bo.
  Mat36<double> turn, shift;
  turn << skew(m_B), Mat3<double>::Zero();
  shift << skew(p2_B), -Mat3<double>::Identity();
  const Mat36<double> dm = turn - R_BA * derivative.dn_A_dxi_B;
  const Mat36<double> dp2 = shift + R_BA * derivative.dp2_A_dxi_B;
  const Mat36<double> df = k * (m_B * derivative.dd_dxi_B + d * dm);
  result.dF_dxi_B << skew(p2_B) * df - skew(f_B) * dp2, df;
  result.status = derivative.status;
}

PairWrench filled(double value, Status status) {
  PairWrench result;
  result.F_BBo_B.setConstant(value);
  result.dF_dxi_B.setConstant(value);
  result.dF_dV_AB_B.setConstant(value);
  result.energy = value;
  result.status = status;
  return result;
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

  PairWrench wrench(const asset::PosedPair& pair, const Vec6<double>& V_A, const Vec6<double>& V_B,
                    Want want) override {
    require_valid(pair, V_A, V_B);
    const witness::Witness<double> witness = query(pair);
    PairWrench result;
    if (witness.status == Status::kInvalidInput) {
      result = filled(std::nan(""), witness.status);
    } else if (witness.distance >= 0) {
      result = filled(0, Status::kNoOverlap);
    } else {
      result = spring(config_.stiffness, pair.X_AB, witness);
      if (want == Want::kJacobian) {
        add_jacobian(config_.stiffness, pair.X_AB, witness,
                     derivative::gumbel_derivative<double>(pair.A->convex, pair.B->convex, pair.X_AB, witness,
                                                           config_.gumbel, config_.clamp, rings_),
                     result);
      }
    }
    result.area = std::nan("");
    return without_overflow(result);
  }

  Constraints constraints(const asset::PosedPair& pair, double margin) override {
    require_valid(pair, margin);
    const witness::Witness<double> witness = query(pair);
    if (witness.status == Status::kInvalidInput) return {{}, witness.status};
    if (witness.distance > margin) return {{}, Status::kNoOverlap};
    point_[0] = {(witness.p1 + witness.p2) / 2, witness.n, witness.distance, 0.0};
    return {point_, witness.status};
  }

 private:
  static void require_valid(const asset::PosedPair& pair, const Vec6<double>& V_A, const Vec6<double>& V_B) {
    asset::require_valid(pair, asset::kConvexPart, kWho);
    require_finite(kWho, V_A, V_B);
  }
  static void require_valid(const asset::PosedPair& pair, double margin) {
    asset::require_valid(pair, asset::kConvexPart, kWho);
    require_margin(kWho, margin);
  }

  witness::Witness<double> query(const asset::PosedPair& pair) {
    return witness::separation<double>(pair.A->convex, pair.B->convex, pair.X_AB, query_);
  }

  PointConfig config_;
  witness::Workspace<double> query_;
  derivative::RingWorkspace<double> rings_;
  std::array<ContactPoint, 1> point_;
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
