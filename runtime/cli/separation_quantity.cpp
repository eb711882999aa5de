#include "runtime/cli/separation_quantity.h"

#include "runtime/derivative/estimator.h"
#include "runtime/witness/pair_query.h"

namespace abut::cli {
namespace {

const std::vector<std::string> kSeparationColumns = {"sd",  "p1x", "p1y", "p1z", "p2x",
                                                     "p2y", "p2z", "nx",  "ny",  "nz"};

double* write(const witness::Witness<double>& w, double* out) {
  *out++ = w.distance;
  for (const Vec3<double>* v : {&w.p1, &w.p2, &w.n}) out = std::copy(v->data(), v->data() + 3, out);
  return out;
}

class Separation : public Quantity {
 public:
  explicit Separation(int threads) : batch_(threads) {}

  const std::vector<std::string>& columns() const override { return kSeparationColumns; }
  void require_valid(const body::Pair& pair) const override { witness::require_valid(pair, "separation"); }

  void answer(std::span<const body::Pair> pairs, std::span<double> values,
              std::span<Status> statuses) override {
    results_.resize(pairs.size());
    batch_(pairs, results_);
    double* out = values.data();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      out = write(results_[i], out);
      statuses[i] = results_[i].status;
    }
  }

 private:
  witness::BatchSeparation batch_;
  std::vector<witness::Witness<double>> results_;
};

// "dsd_dwx", ..., "dnz_dvz": row by row, the six components of the twist in each.
void add_derivative_columns(const std::vector<std::string>& values, std::vector<std::string>& names) {
  for (const std::string& value : values)
    for (const char* by : {"wx", "wy", "wz", "vx", "vy", "vz"}) names.push_back("d" + value + "_d" + by);
}

double* write(const derivative::WitnessDerivative<double>& derivative, double* out) {
  for (int k = 0; k < 6; ++k) *out++ = derivative.dd_dxi_B[k];
  for (const Mat36<double>* m : {&derivative.dp1_A_dxi_B, &derivative.dp2_A_dxi_B, &derivative.dn_A_dxi_B})
    for (int row = 0; row < 3; ++row)
      for (int k = 0; k < 6; ++k) *out++ = (*m)(row, k);
  return out;
}

class Derivative : public Quantity {
 public:
  Derivative(std::string_view method, const QuantityOptions& options)
      : batch_(method, options.settings, options.threads) {
    add_derivative_columns(kSeparationColumns, columns_);
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  void require_valid(const body::Pair& pair) const override { witness::require_valid(pair, "derivative"); }

  void answer(std::span<const body::Pair> pairs, std::span<double> values,
              std::span<Status> statuses) override {
    results_.resize(pairs.size());
    batch_(pairs, results_);
    double* out = values.data();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [witness, derivative] = results_[i];
      out = write(derivative, write(witness, out));
      statuses[i] = derivative.status;
    }
  }

 private:
  std::vector<std::string> columns_ = kSeparationColumns;
  derivative::BatchEstimator batch_;
  std::vector<derivative::PairDerivative> results_;
};

// "soft_sd", ...: of the smoothed bodies, beside those of the hulls.
class SmoothedDerivative : public Quantity {
 public:
  SmoothedDerivative(std::string_view method, const QuantityOptions& options)
      : batch_(method, options.settings, options.threads) {
    std::vector<std::string> smoothed;
    for (const std::string& name : kSeparationColumns) smoothed.push_back("soft_" + name);
    columns_.insert(columns_.end(), smoothed.begin(), smoothed.end());
    add_derivative_columns(smoothed, columns_);
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  void require_valid(const body::Pair& pair) const override { derivative::require_hulls(pair, "derivative"); }

  void answer(std::span<const body::Pair> pairs, std::span<double> values,
              std::span<Status> statuses) override {
    results_.resize(pairs.size());
    batch_.smoothed(pairs, results_);
    double* out = values.data();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [exact, smoothed, derivative] = results_[i];
      out = write(derivative, write(smoothed, write(exact, out)));
      statuses[i] = derivative.status;
    }
  }

 private:
  std::vector<std::string> columns_ = kSeparationColumns;
  derivative::BatchEstimator batch_;
  std::vector<derivative::SmoothedPair> results_;
};

}  // namespace

std::unique_ptr<Quantity> make_separation(std::string_view, const QuantityOptions& options) {
  return std::make_unique<Separation>(options.threads);
}

std::vector<std::string_view> derivative_methods() {
  std::vector<std::string_view> names;
  for (const derivative::EstimatorRow& row : derivative::estimators()) names.push_back(row.name);
  return names;
}

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
