#include "runtime/cli/wrench_quantity.h"

#include "runtime/contact/model.h"

namespace abut::cli {
namespace {

using contact::PairWrench;
using contact::Want;

const std::vector<std::string> kWrenchColumns = {"area", "fx", "fy", "fz", "taux", "tauy", "tauz"};

// ... and "dfx_dwx", ..., "dtauz_dvz": row by row, the six components of the twist in each.
std::vector<std::string> columns(Want want) {
  std::vector<std::string> names = kWrenchColumns;
  if (has(want, Want::kEnergy)) names.emplace_back("energy");
  if (!has(want, Want::kJacobian)) return names;
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
      : want_(options.energy ? want | Want::kEnergy : want),
        columns_(cli::columns(want_)),
        checks_(contact::make_model(model, options.settings)),
        batch_(model, options.settings, options.threads) {
    if (options.energy && !has(contact::find_model(model).offers, Want::kEnergy))
      throw InvalidInput("--energy: the model " + std::string(model) + " has no potential");
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  void require_valid(const body::Pair& pair) const override { checks_->require_valid(pair); }

  void answer(std::span<const body::Pair> pairs, std::span<double> values,
              std::span<Status> statuses) override {
    results_.resize(pairs.size());
    batch_.wrenches(pairs, results_, want_);
    double* out = values.data();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Vec6<double> F_AAo_A = -shift_wrench(pairs[i].X_AB, results_[i].F_BBo_B);
      *out++ = results_[i].area;
      for (const int k : {3, 4, 5, 0, 1, 2}) *out++ = F_AAo_A[k];
      if (has(want_, Want::kEnergy)) *out++ = results_[i].energy;
      statuses[i] = results_[i].status;
      if (!has(want_, Want::kJacobian)) continue;
      const Mat6<double> J = on_A(pairs[i].X_AB, results_[i]);
      for (const int row : {3, 4, 5, 0, 1, 2})
        for (int k = 0; k < 6; ++k) *out++ = J(row, k);
    }
  }

 private:
  Want want_;
  std::vector<std::string> columns_;
  std::unique_ptr<contact::Model> checks_;
  contact::BatchModel batch_;
  std::vector<PairWrench> results_;
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
