#include "runtime/cli/wrench_hessian_quantity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/contact/soft_minimum.h"
#include "runtime/core/parallel.h"
#include "runtime/math/adjoint.h"

namespace abut::cli {
namespace {

constexpr std::array<int, 6> kForceFirst = {3, 4, 5, 0, 1, 2};

// "fx", ..., "tauz", then "d2fx_dwx_dwx", "d2fx_dwx_dwy", ..., "d2tauz_dvz_dvz": the upper triangle of each.
std::vector<std::string> hessian_columns() {
  const std::vector<std::string> values = {"fx", "fy", "fz", "taux", "tauy", "tauz"};
  const std::vector<std::string> by = {"wx", "wy", "wz", "vx", "vy", "vz"};
  std::vector<std::string> names = values;
  for (const std::string& value : values)
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t k = i; k < 6; ++k) names.push_back("d2" + value + "_d" + by[i] + "_d" + by[k]);
  return names;
}

// F_AAo_A(xi) = -Ad(X_BA)' exp(-ad(xi)') F_BBo_B(xi), by two components of xi at xi = 0.
Vec6<double> second_derivative_on_A(const Mat6<double>& to_A, const contact::SoftMinimum<double>& w,
                                    const std::array<Mat6<double>, 6>& turn, int i, int k) {
  Vec6<double> second;
  for (int c = 0; c < 6; ++c) second[c] = w.hessian[static_cast<std::size_t>(c)](i, k);
  const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(k);
  second += turn[a] * w.jacobian.col(k) + turn[b] * w.jacobian.col(i);
  second += (turn[a] * turn[b] + turn[b] * turn[a]) * w.F_BBo_B / 2;
  return to_A * second;
}

class WrenchHessian : public Quantity {
 public:
  explicit WrenchHessian(const QuantityOptions& options)
      : config_(contact::soft_minimum_config(options.settings)),
        contacts_(static_cast<std::size_t>(options.threads > 0 ? options.threads : default_threads())) {
    for (int k = 0; k < 6; ++k)
      turn_[static_cast<std::size_t>(k)] = -adjoint_derivative<double>(Vec6<double>::Unit(k)).transpose();
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  unsigned needs_A() const override { return asset::kPointsPart; }

  void answer(const Questions& questions, std::span<double> values, std::span<Status> statuses) override {
    const auto body = [&](std::int64_t i, int thread) {
      const auto row = static_cast<std::size_t>(i);
      const asset::PosedPair& pair = questions.pairs[row];
      contact::SoftMinimum<double>& w = contacts_[static_cast<std::size_t>(thread)];
      const asset::PointsView &A = pair.A->points, &B = pair.B->points;
      contact::soft_minimum(A, B, pair.X_AB, questions.twists[row], contact::parameters_of(config_, A, B),
                            ssdf::Order::kHessian, w);
      double* const out = &values[row * columns_.size()];
      write(pair.X_AB, w, out);
      statuses[row] = w.status;
      if (std::all_of(out, out + columns_.size(), [](double x) { return std::isfinite(x); })) return;
      statuses[row] = Status::kInvalidInput;  // beyond what numbers hold
      std::fill_n(out, columns_.size(), std::nan(""));
    };
    parallel_for(static_cast<std::int64_t>(questions.pairs.size()), static_cast<int>(contacts_.size()), body);
  }

 private:
  void write(const Pose<double>& X_AB, const contact::SoftMinimum<double>& w, double* out) const {
    const Mat6<double> to_A = -adjoint(X_AB.inverse()).transpose();
    const Vec6<double> F = to_A * w.F_BBo_B;
    for (const int c : kForceFirst) *out++ = F[c];
    for (int i = 0, column = 0; i < 6; ++i) {
      for (int k = i; k < 6; ++k, ++column) {
        const Vec6<double> second = second_derivative_on_A(to_A, w, turn_, i, k);
        for (std::size_t c = 0; c < 6; ++c)
          out[21 * c + static_cast<std::size_t>(column)] = second[kForceFirst[c]];
      }
    }
  }

  std::vector<std::string> columns_ = hessian_columns();
  std::array<Mat6<double>, 6> turn_;  // -ad(e_k)'
  contact::SoftMinimumConfig config_;
  std::vector<contact::SoftMinimum<double>> contacts_;
};

}  // namespace

std::vector<std::string_view> wrench_hessian_models() { return {"soft_minimum"}; }

std::unique_ptr<Quantity> make_wrench_hessian(std::string_view, const QuantityOptions& options) {
  return std::make_unique<WrenchHessian>(options);
}

}  // namespace abut::cli
