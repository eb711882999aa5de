#include "runtime/cli/separation_quantity.h"

#include <algorithm>

#include "runtime/derivative/estimator.h"
#include "runtime/proximity/distance_model.h"

namespace abut::cli {
namespace {

const std::vector<std::string> kSeparationColumns = {"sd",  "p1x", "p1y", "p1z", "p2x",
                                                     "p2y", "p2z", "nx",  "ny",  "nz"};

// "dsd_dwx", ..., "dnz_dvz": row by row, the six components of the twist in each.
void add_derivative_columns(const std::vector<std::string>& values, std::vector<std::string>& names) {
  for (const std::string& value : values)
    for (const char* by : {"wx", "wy", "wz", "vx", "vy", "vz"}) names.push_back("d" + value + "_d" + by);
}

std::vector<std::string> derivative_columns() {
  std::vector<std::string> names = kSeparationColumns;
  add_derivative_columns(kSeparationColumns, names);
  return names;
}

// "soft_sd", ...: of the smoothed bodies, beside those of the hulls.
std::vector<std::string> smoothed_columns() {
  std::vector<std::string> names = kSeparationColumns, smoothed;
  for (const std::string& name : kSeparationColumns) smoothed.push_back("soft_" + name);
  names.insert(names.end(), smoothed.begin(), smoothed.end());
  add_derivative_columns(smoothed, names);
  return names;
}

double* write_numbers(const witness::Witness<double>& w, double* out) {
  *out++ = w.distance;
  for (const Vec3<double>* v : {&w.p1, &w.p2, &w.n}) out = std::copy(v->data(), v->data() + 3, out);
  return out;
}

void write_numbers(const derivative::WitnessDerivative<double>& derivative, double* out) {
  for (int k = 0; k < 6; ++k) *out++ = derivative.dd_dxi_B[k];
  for (const Mat36<double>* m : {&derivative.dp1_A_dxi_B, &derivative.dp2_A_dxi_B, &derivative.dn_A_dxi_B})
    for (int row = 0; row < 3; ++row)
      for (int k = 0; k < 6; ++k) *out++ = (*m)(row, k);
}

std::string_view model_of(const QuantityOptions& options) {
  return options.model.empty() ? proximity::distance_models().front().name : options.model;
}

// Keeps one Result a pair.
template <typename Result>
class BatchQuantity : public Quantity {
 protected:
  using Quantity::Quantity;

  const Result& result(std::size_t i) const { return results_[i]; }

 private:
  virtual void solve(std::span<const body::Pair> pairs, std::span<Result> results) = 0;

  void solve(std::span<const body::Pair> pairs) override {
    results_.resize(pairs.size());
    solve(pairs, results_);
  }

  std::vector<Result> results_;
};

class Separation : public BatchQuantity<witness::Witness<double>> {
 public:
  explicit Separation(const QuantityOptions& options)
      : BatchQuantity(kSeparationColumns), batch_(model_of(options), {}, {}, options.threads) {}

  void require_valid(const body::Pair& pair) const override { batch_.require_valid(pair, "separation"); }

 private:
  void solve(std::span<const body::Pair> pairs, std::span<witness::Witness<double>> results) override {
    batch_.separations(pairs, results);
  }

  Status write(const body::Pair&, std::size_t i, double* out) const override {
    write_numbers(result(i), out);
    return result(i).status;
  }

  proximity::BatchDistanceModel batch_;
};

class Derivative : public BatchQuantity<derivative::PairDerivative> {
 public:
  Derivative(std::string_view method, const QuantityOptions& options)
      : BatchQuantity(derivative_columns()),
        batch_(model_of(options), method, options.settings, options.threads) {}

  void require_valid(const body::Pair& pair) const override { batch_.require_valid(pair, "derivative"); }

 private:
  void solve(std::span<const body::Pair> pairs, std::span<derivative::PairDerivative> results) override {
    batch_.derivatives(pairs, results);
  }

  Status write(const body::Pair&, std::size_t i, double* out) const override {
    const auto& [witness, derivative] = result(i);
    write_numbers(derivative, write_numbers(witness, out));
    return derivative.status;
  }

  proximity::BatchDistanceModel batch_;
};

class SmoothedDerivative : public BatchQuantity<derivative::SmoothedPair> {
 public:
  SmoothedDerivative(std::string_view method, const QuantityOptions& options)
      : BatchQuantity(smoothed_columns()), batch_(method, options.settings, options.threads) {}

  void require_valid(const body::Pair& pair) const override { derivative::require_hulls(pair, "derivative"); }

 private:
  void solve(std::span<const body::Pair> pairs, std::span<derivative::SmoothedPair> results) override {
    batch_.smoothed(pairs, results);
  }

  Status write(const body::Pair&, std::size_t i, double* out) const override {
    const auto& [exact, smoothed, derivative] = result(i);
    write_numbers(derivative, write_numbers(smoothed, write_numbers(exact, out)));
    return derivative.status;
  }

  derivative::BatchEstimator batch_;
};

}  // namespace

std::unique_ptr<Quantity> make_separation(std::string_view, const QuantityOptions& options) {
  return std::make_unique<Separation>(options);
}

std::vector<std::string_view> derivative_methods() { return proximity::distance_models().front().methods; }

std::vector<SettingInfo> derivative_settings(std::string_view method) {
  return derivative::find_estimator(method).settings();
}

std::unique_ptr<Quantity> make_derivative(std::string_view method, const QuantityOptions& options) {
  return std::make_unique<Derivative>(method, options);
}

std::vector<std::string_view> smoothed_methods() {
  std::vector<std::string_view> names;
  for (const derivative::EstimatorRow& row : derivative::estimators())
    if (row.has_smoothed) names.push_back(row.name);
  return names;
}

std::unique_ptr<Quantity> make_smoothed_derivative(std::string_view method, const QuantityOptions& options) {
  return std::make_unique<SmoothedDerivative>(method, options);
}

}  // namespace abut::cli
