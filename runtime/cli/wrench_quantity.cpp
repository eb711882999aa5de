#include "runtime/cli/wrench_quantity.h"

#include "runtime/cli/pressure_wrenches.h"
#include "runtime/contact/model.h"

namespace abut::cli {
namespace {

using contact::PairWrench;
using contact::Want;

constexpr std::string_view kPressureField = "pressure_field";

const std::vector<std::string> kWrenchColumns = {"area", "fx", "fy", "fz", "taux", "tauy", "tauz"};

// ... and "dfx_dwx", ..., "dtauz_dvz": row by row, the six components of the twist in each.
std::vector<std::string> columns(Want want, bool energy) {
  std::vector<std::string> names = kWrenchColumns;
  if (energy) names.emplace_back("energy");
  if (want != Want::kJacobian) return names;
  for (const char* value : {"fx", "fy", "fz", "taux", "tauy", "tauz"})
    for (const char* by : {"wx", "wy", "wz", "vx", "vy", "vz"})
      names.push_back(std::string("d") + value + "_d" + by);
  return names;
}

// dF_AAo_A/dxi from F = F_BBo_B and J = dF/dxi: F_AAo_A = -Ad(X_BA)' F, and X_BA turns with xi, which adds
// -ad(xi)' F, linear in xi = (w; v): (tau; f) -> (w x tau + v x f; w x f).
Mat6<double> on_A(const Pose<double>& X_AB, const contact::PairWrench& w) {
  const Mat3<double> tau = skew<double>(w.F_BBo_B.head<3>()), f = skew<double>(w.F_BBo_B.tail<3>());
  Mat6<double> turning;
  turning << -tau, -f, -f, Mat3<double>::Zero();
  return -adjoint(X_AB.inverse()).transpose() * (w.dF_dxi_B + turning);
}

class Wrench : public Quantity {
 public:
  Wrench(std::string_view model, Want want, const QuantityOptions& options)
      : energy_(options.pressure.energy && model == kPressureField), want_(want) {
    columns_ = cli::columns(want, energy_);
    if (model == kPressureField) {
      const auto part = [](const contact::PressureMaterial& material) {
        return material.modulus == contact::kRigid ? asset::kSurfacePart : asset::kVolumePart;
      };
      needs_A_ = part(options.pressure.config.A);
      needs_B_ = part(options.pressure.config.B);
      require_known(options.settings, {}, kPressureField);
      pressure_ = std::make_unique<PressureWrenches>(options.pressure, options.threads);
      pressure_options_ = options.pressure;
      return;
    }
    needs_A_ = needs_B_ = contact::find_model(model).needs;
    batch_ = std::make_unique<contact::BatchModel>(model, options.threads, options.settings);
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  unsigned needs_A() const override { return needs_A_; }
  unsigned needs_B() const override { return needs_B_; }

  void require_valid(const asset::PosedPair& pair) const override {
    if (pressure_) cli::require_valid(pair, pressure_options_);
  }

  void answer(const Questions& questions, std::span<double> values, std::span<Status> statuses) override {
    const std::span<const asset::PosedPair> pairs = questions.pairs;
    ask(questions, want_, results_);
    if (energy_) ask(questions, Want::kEnergy, energies_);
    double* out = values.data();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Vec6<double> F_AAo_A = -shift_wrench(pairs[i].X_AB, results_[i].F_BBo_B);
      *out++ = results_[i].area;
      for (const int k : {3, 4, 5, 0, 1, 2}) *out++ = F_AAo_A[k];
      if (energy_) *out++ = energies_[i].energy;
      statuses[i] = results_[i].status;
      if (want_ == Want::kValue) continue;
      const Mat6<double> J = on_A(pairs[i].X_AB, results_[i]);
      for (const int row : {3, 4, 5, 0, 1, 2})
        for (int k = 0; k < 6; ++k) *out++ = J(row, k);
    }
  }

 private:
  void ask(const Questions& questions, Want want, std::vector<PairWrench>& results) {
    results.resize(questions.pairs.size());
    if (pressure_) {
      (*pressure_)(questions, want, results);
      return;
    }
    moving_.resize(questions.pairs.size());
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      moving_[i].pair = questions.pairs[i];
      moving_[i].V_B = questions.twists[i];
    }
    batch_->wrenches(moving_, results, want);
  }

  bool energy_;
  Want want_;
  std::vector<std::string> columns_;
  unsigned needs_A_ = 0, needs_B_ = 0;
  std::unique_ptr<contact::BatchModel> batch_;
  std::unique_ptr<PressureWrenches> pressure_;  // instead of batch_
  PressureOptions pressure_options_;
  std::vector<contact::MovingPair> moving_;
  std::vector<PairWrench> results_, energies_;
};

}  // namespace

std::vector<std::string_view> wrench_models() {
  std::vector<std::string_view> names;
  for (const contact::ModelRow& row : contact::models())
    if (row.has_wrench) names.push_back(row.name);
  return names;
}

std::vector<SettingInfo> wrench_settings(std::string_view model) {
  return contact::find_model(model).settings();
}

std::unique_ptr<Quantity> make_wrench(std::string_view model, const QuantityOptions& options) {
  return std::make_unique<Wrench>(model, Want::kValue, options);
}

std::unique_ptr<Quantity> make_wrench_derivative(std::string_view model, const QuantityOptions& options) {
  return std::make_unique<Wrench>(model, Want::kJacobian, options);
}

}  // namespace abut::cli
