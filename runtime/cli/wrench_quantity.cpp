#include "runtime/cli/wrench_quantity.h"

#include "runtime/core/error.h"

namespace abut::cli {
namespace {

using contact::PairWrench;
using contact::Want;

const std::vector<std::string> kWrenchColumns = {"area", "fx", "fy", "fz", "taux", "tauy", "tauz"};

// Column names; with derivatives also "dfx_dwx", ..., "dtauz_dvz": for each value the six components of the
// twist.
std::vector<std::string> wrench_columns(Want want) {
  std::vector<std::string> names = kWrenchColumns;
  if (has(want, Want::kEnergy)) names.emplace_back("energy");
  if (!has(want, Want::kJacobian)) return names;
  for (const char* value : {"fx", "fy", "fz", "taux", "tauy", "tauz"})
    for (const char* by : {"wx", "wy", "wz", "vx", "vy", "vz"})
      names.push_back(std::string("d") + value + "_d" + by);
  return names;
}

// dF_AAo_A/dxi from F = F_BBo_B and J = dF/dxi: F_AAo_A = -Ad(X_BA)' F, where X_BA changes with xi, which
// adds -ad(xi)' F, linear in xi = (w; v): (tau; f) -> (w x tau + v x f; w x f).
Mat6<double> on_A(const Pose<double>& X_AB, const contact::PairWrench& w) {
  const Mat3<double> tau = skew<double>(w.F_BBo_B.head<3>()), f = skew<double>(w.F_BBo_B.tail<3>());
  Mat6<double> turning;
  turning << -tau, -f, -f, Mat3<double>::Zero();
  return -adjoint(X_AB.inverse()).transpose() * (w.dF_dxi_B + turning);
}

class Wrench : public WrenchQuantity {
 public:
  Wrench(std::string_view model, const QuantityOptions& options, Want want)
      : WrenchQuantity(wrench_columns(want), model, options, want) {}

 private:
  Status write(const body::Pair& pair, std::size_t i, double* out) const override {
    const PairWrench& w = result(i);
    const Vec6<double> F_AAo_A = -shift_wrench(pair.X_AB, w.F_BBo_B);
    *out++ = w.area;
    for (const int k : {3, 4, 5, 0, 1, 2}) *out++ = F_AAo_A[k];
    if (has(want(), Want::kEnergy)) *out++ = w.energy;
    if (!has(want(), Want::kJacobian)) return w.status;
    const Mat6<double> J = on_A(pair.X_AB, w);
    for (const int row : {3, 4, 5, 0, 1, 2})
      for (int k = 0; k < 6; ++k) *out++ = J(row, k);
    return w.status;
  }
};

std::unique_ptr<Quantity> make(std::string_view model, const QuantityOptions& options, Want want) {
  if (!options.energy) return std::make_unique<Wrench>(model, options, want);
  if (!has(contact::find_model(model).offers, Want::kEnergy))
    throw InvalidInput("--energy: the model " + std::string(model) + " has no potential");
  return std::make_unique<Wrench>(model, options, want | Want::kEnergy);
}

}  // namespace

void WrenchQuantity::solve(std::span<const body::Pair> pairs) {
  results_.resize(pairs.size());
  if (has(want_, Want::kHessian)) hessians_.resize(pairs.size());
  batch_.wrenches(pairs, results_, want_, hessians_);
}

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
  return make(model, options, Want::kValue);
}

std::unique_ptr<Quantity> make_wrench_derivative(std::string_view model, const QuantityOptions& options) {
  return make(model, options, Want::kJacobian);
}

}  // namespace abut::cli
