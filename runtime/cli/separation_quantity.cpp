#include "runtime/cli/separation_quantity.h"

#include "runtime/core/parallel.h"
#include "runtime/derivative/estimator.h"
#include "runtime/witness/separation.h"

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
  explicit Separation(int threads)
      : workspaces_(static_cast<std::size_t>(threads > 0 ? threads : default_threads())) {}

  const std::vector<std::string>& columns() const override { return kSeparationColumns; }
  unsigned needs_A() const override { return asset::kConvexPart; }

  void answer(const Questions& questions, std::span<double> values, std::span<Status> statuses) override {
    const std::span<const asset::PosedPair> pairs = questions.pairs;
    const auto body = [&](std::int64_t i, int thread) {
      const asset::PosedPair& pair = pairs[i];
      const witness::Witness<double> w =
          witness::separation(pair.A->convex, pair.B->convex, pair.X_AB, workspaces_[thread]);
      write(w, &values[static_cast<std::size_t>(i) * kSeparationColumns.size()]);
      statuses[i] = w.status;
    };
    parallel_for(static_cast<std::int64_t>(pairs.size()), static_cast<int>(workspaces_.size()), body, 64);
  }

 private:
  std::vector<witness::Workspace<double>> workspaces_;
};

// "dsd_dwx", ..., "dnz_dvz": row by row, the six components of the twist in each.
std::vector<std::string> derivative_columns() {
  std::vector<std::string> names = kSeparationColumns;
  for (const std::string& value : kSeparationColumns)
    for (const char* by : {"wx", "wy", "wz", "vx", "vy", "vz"}) names.push_back("d" + value + "_d" + by);
  return names;
}

class Derivative : public Quantity {
 public:
  Derivative(std::string_view method, const QuantityOptions& options)
      : batch_(method, derivative::estimator_config(method, options.settings), options.threads) {}

  const std::vector<std::string>& columns() const override { return columns_; }
  unsigned needs_A() const override { return asset::kConvexPart; }

  void answer(const Questions& questions, std::span<double> values, std::span<Status> statuses) override {
    const std::span<const asset::PosedPair> pairs = questions.pairs;
    results_.resize(pairs.size());
    batch_(pairs, results_);
    double* out = values.data();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [witness, derivative] = results_[i];
      out = write(witness, out);
      for (int k = 0; k < 6; ++k) *out++ = derivative.dd_dxi_B[k];
      for (const Mat36<double>* m :
           {&derivative.dp1_A_dxi_B, &derivative.dp2_A_dxi_B, &derivative.dn_A_dxi_B})
        for (int row = 0; row < 3; ++row)
          for (int k = 0; k < 6; ++k) *out++ = (*m)(row, k);
      statuses[i] = derivative.status;
    }
  }

 private:
  std::vector<std::string> columns_ = derivative_columns();
  derivative::BatchEstimator batch_;
  std::vector<derivative::PairDerivative> results_;
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
  return describe(derivative::find_estimator(method).settings);
}

std::unique_ptr<Quantity> make_derivative(std::string_view method, const QuantityOptions& options) {
  return std::make_unique<Derivative>(method, options);
}

}  // namespace abut::cli
