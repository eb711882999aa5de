#include "runtime/cli/wrench_hessian_quantity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/cli/wrench_quantity.h"
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

// Second derivative of F_AAo_A(xi) = -Ad(X_BA)' exp(-ad(xi)') F_BBo_B(xi) with respect to components i and k
// of xi, at xi = 0.
Vec6<double> second_derivative_on_A(const Mat6<double>& to_A, const contact::PairWrench& w,
                                    const contact::WrenchHessian& hessian,
                                    const std::array<Mat6<double>, 6>& turn, int i, int k) {
  Vec6<double> second;
  for (int c = 0; c < 6; ++c) second[c] = hessian[static_cast<std::size_t>(c)](i, k);
  const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(k);
  second += turn[a] * w.dF_dxi_B.col(k) + turn[b] * w.dF_dxi_B.col(i);
  second += (turn[a] * turn[b] + turn[b] * turn[a]) * w.F_BBo_B / 2;
  return to_A * second;
}

class WrenchHessian : public WrenchQuantity {
 public:
  WrenchHessian(std::string_view model, const QuantityOptions& options)
      : WrenchQuantity(hessian_columns(), model, options,
                       contact::Want::kJacobian | contact::Want::kHessian) {
    for (int k = 0; k < 6; ++k)
      turn_[static_cast<std::size_t>(k)] = -adjoint_derivative<double>(Vec6<double>::Unit(k)).transpose();
  }

 private:
  Status write(const body::Pair& pair, std::size_t i, double* out) const override {
    write_numbers(pair.X_AB, result(i), hessian(i), out);
    double* const end = out + columns().size();
    if (std::all_of(out, end, [](double x) { return std::isfinite(x); })) return result(i).status;
    std::fill(out, end, std::nan(""));
    return Status::kInvalidInput;  // numbers overflow
  }

  void write_numbers(const Pose<double>& X_AB, const contact::PairWrench& w,
                     const contact::WrenchHessian& hessian, double* out) const {
    const Mat6<double> to_A = -adjoint(X_AB.inverse()).transpose();
    const Vec6<double> F = to_A * w.F_BBo_B;
    for (const int c : kForceFirst) *out++ = F[c];
    for (int i = 0, column = 0; i < 6; ++i) {
      for (int k = i; k < 6; ++k, ++column) {
        const Vec6<double> second = second_derivative_on_A(to_A, w, hessian, turn_, i, k);
        for (std::size_t c = 0; c < 6; ++c)
          out[21 * c + static_cast<std::size_t>(column)] = second[kForceFirst[c]];
      }
    }
  }

  std::array<Mat6<double>, 6> turn_;  // -ad(e_k)'
};

}  // namespace

std::vector<std::string_view> wrench_hessian_models() {
  std::vector<std::string_view> names;
  for (const contact::ModelRow& row : contact::models())
    if (has(row.offers, contact::Want::kHessian)) names.push_back(row.name);
  return names;
}

std::unique_ptr<Quantity> make_wrench_hessian(std::string_view model, const QuantityOptions& options) {
  return std::make_unique<WrenchHessian>(model, options);
}

}  // namespace abut::cli
