#include "runtime/cli/wrench_quantity.h"

#include "runtime/contact/model.h"

namespace abut::cli {
namespace {

using contact::Want;

const std::vector<std::string> kWrenchColumns = {"area", "fx", "fy", "fz", "tx", "ty", "tz"};

// "dfx_dwx", ..., "dtz_dvz": row by row, the six components of the twist in each.
std::vector<std::string> wrench_derivative_columns() {
  std::vector<std::string> names = kWrenchColumns;
  for (const char* value : {"fx", "fy", "fz", "tx", "ty", "tz"})
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
  Wrench(std::string_view model, Want want, int threads)
      : columns_(want == Want::kJacobian ? wrench_derivative_columns() : kWrenchColumns),
        want_(want),
        batch_(model, threads) {
    for (const contact::ModelRow& row : contact::models())
      if (row.name == model) needs_ = row.needs;
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  unsigned needs() const override { return needs_; }

  void answer(std::span<const asset::PosedPair> pairs, std::span<double> values,
              std::span<Status> statuses) override {
    moving_.resize(pairs.size());
    results_.resize(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) moving_[i].pair = pairs[i];
    batch_.wrenches(moving_, results_, want_);
    double* out = values.data();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Vec6<double> F_AAo_A = -shift_wrench(pairs[i].X_AB, results_[i].F_BBo_B);
      *out++ = results_[i].area;
      for (const int k : {3, 4, 5, 0, 1, 2}) *out++ = F_AAo_A[k];
      statuses[i] = results_[i].status;
      if (want_ == Want::kValue) continue;
      const Mat6<double> J = on_A(pairs[i].X_AB, results_[i]);
      for (const int row : {3, 4, 5, 0, 1, 2})
        for (int k = 0; k < 6; ++k) *out++ = J(row, k);
    }
  }

 private:
  std::vector<std::string> columns_;
  Want want_;
  unsigned needs_ = 0;
  contact::BatchModel batch_;
  std::vector<contact::MovingPair> moving_;
  std::vector<contact::PairWrench> results_;
};

}  // namespace

std::vector<std::string_view> wrench_models() {
  std::vector<std::string_view> names;
  for (const contact::ModelRow& row : contact::models())
    if (row.has_wrench) names.push_back(row.name);
  return names;
}

std::unique_ptr<Quantity> make_wrench(std::string_view model, int threads) {
  return std::make_unique<Wrench>(model, Want::kValue, threads);
}

std::unique_ptr<Quantity> make_wrench_derivative(std::string_view model, int threads) {
  return std::make_unique<Wrench>(model, Want::kJacobian, threads);
}

}  // namespace abut::cli
