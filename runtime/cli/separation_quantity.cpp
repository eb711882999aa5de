#include "runtime/cli/separation_quantity.h"

#include <algorithm>
#include <cmath>

#include "runtime/derivative/estimator.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/proximity/overlap_volume.h"
#include "runtime/proximity/surface_query.h"

namespace abut::cli {
namespace {

const std::vector<std::string> kSeparationColumns = {"sd",  "p1x", "p1y", "p1z", "p2x",
                                                     "p2y", "p2z", "nx",  "ny",  "nz"};

// Appends "dsd_dwx", ..., "dnz_dvz": for each value the six components of the twist.
void add_derivative_columns(const std::vector<std::string>& values, std::vector<std::string>& names) {
  for (const std::string& value : values)
    for (const char* by : {"wx", "wy", "wz", "vx", "vy", "vz"}) names.push_back("d" + value + "_d" + by);
}

std::vector<std::string> derivative_columns() {
  std::vector<std::string> names = kSeparationColumns;
  add_derivative_columns(kSeparationColumns, names);
  return names;
}

// Columns of the exact bodies, then "soft_sd", ... of the smoothed ones, and the derivatives of the latter.
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

// Refuses settings of a distance model without effect: of smoothed distances on exact ones, and others, or
// another method than the first, on smoothed ones.
void require_heeded(std::string_view method, const QuantityOptions& options, bool smoothed) {
  const proximity::DistanceModelRow& row = proximity::find_distance_model(model_of(options));
  const auto of_model = " of --model " + std::string(row.name);
  const std::vector<std::string_view>& names = row.smoothed_settings;
  for (const SettingValue& setting : options.settings)
    if (smoothed != (std::find(names.begin(), names.end(), setting.name) != names.end()))
      throw InvalidInput("--" + setting.name + " has no effect on " +
                         (smoothed ? "smoothed_derivative" : "exact distances") + of_model);
  if (smoothed && !method.empty() && method != row.methods.front())
    throw InvalidInput("--method " + std::string(method) + " has no effect on smoothed_derivative" +
                       of_model);
}

// A quantity that keeps one Result per pair.
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

// A quantity computed by the distance model that the options name.
template <typename Result>
class DistanceQuantity : public BatchQuantity<Result> {
 protected:
  DistanceQuantity(std::vector<std::string> columns, const char* what, std::string_view method,
                   const QuantityOptions& options)
      : BatchQuantity<Result>(std::move(columns)),
        batch_(model_of(options), method, options.settings, options.threads),
        what_(what) {
    require_heeded(method, options, false);
  }

  void require_valid(const body::Pair& pair) const override { batch_.require_valid(pair, what_); }

  proximity::BatchDistanceModel batch_;

 private:
  const char* what_;  // name of the quantity in messages
};

class Separation : public DistanceQuantity<proximity::Separation> {
 public:
  explicit Separation(const QuantityOptions& options)
      : DistanceQuantity(columns_of(options), "separation", {}, options),
        bounded_(proximity::find_distance_model(model_of(options)).bounds_translational_depth) {}

 private:
  static std::vector<std::string> columns_of(const QuantityOptions& options) {
    std::vector<std::string> names = kSeparationColumns;
    if (proximity::find_distance_model(model_of(options)).bounds_translational_depth)
      names.insert(names.end(), {"depth_lower", "depth_upper"});
    return names;
  }

  void solve(std::span<const body::Pair> pairs, std::span<proximity::Separation> results) override {
    batch_.separations(pairs, results);
  }

  Status write(const body::Pair&, std::size_t i, double* out) const override {
    const proximity::Separation& found = result(i);
    out = write_numbers(found, out);
    if (bounded_) *out++ = found.depth.lower, *out++ = found.depth.upper;
    return found.status;
  }

  bool bounded_;  // whether the model bounds the translational depth
};

class Derivative : public DistanceQuantity<derivative::PairDerivative> {
 public:
  Derivative(std::string_view method, const QuantityOptions& options)
      : DistanceQuantity(derivative_columns(), "derivative", method, options) {}

 private:
  void solve(std::span<const body::Pair> pairs, std::span<derivative::PairDerivative> results) override {
    batch_.derivatives(pairs, results);
  }

  Status write(const body::Pair&, std::size_t i, double* out) const override {
    const auto& [witness, derivative] = result(i);
    write_numbers(derivative, write_numbers(witness, out));
    return derivative.status;
  }
};

// Every contact region of a pair, one row each: its number, the number of regions, the features that carry
// the witness points, and then the same columns as without --all-contacts. A pair without contacts has one
// row.
class Contacts : public DistanceQuantity<std::vector<proximity::Contact>> {
 public:
  Contacts(const std::vector<std::string>& columns, std::string_view method, const QuantityOptions& options,
           bool derivatives)
      : DistanceQuantity(numbered(columns), "contacts", method, options),
        derivatives_(derivatives),
        margin_(options.margin) {}

 private:
  static std::vector<std::string> numbered(const std::vector<std::string>& columns) {
    std::vector<std::string> names = {"contact", "contacts", "featureA", "featureB"};
    names.insert(names.end(), columns.begin(), columns.end());
    return names;
  }

  void solve(std::span<const body::Pair> pairs, std::span<std::vector<proximity::Contact>> results) override {
    batch_.contacts(pairs, margin_, derivatives_, results);
  }

  std::size_t rows(std::size_t i) const override { return std::max<std::size_t>(result(i).size(), 1); }

  Status write(const body::Pair& pair, std::size_t i, double* out) const override {
    return write_row(pair, i, 0, out);
  }

  Status write_row(const body::Pair&, std::size_t i, std::size_t row, double* out) const override {
    if (result(i).empty()) {
      std::fill_n(out, columns().size(), std::nan(""));
      out[1] = 0;
      return Status::kNoOverlap;
    }
    const auto& [pair, feature_A, feature_B] = result(i)[row];
    for (const double number : {double(row), double(result(i).size()), double(feature_A), double(feature_B)})
      *out++ = number;
    out = write_numbers(pair.witness, out);
    if (!derivatives_) return pair.witness.status;
    write_numbers(pair.derivative, out);
    return pair.derivative.status;
  }

  bool derivatives_;
  double margin_;  // m
};

class Smoothed : public BatchQuantity<derivative::SmoothedPair> {
 protected:
  Smoothed() : BatchQuantity(smoothed_columns()) {}

 private:
  Status write(const body::Pair&, std::size_t i, double* out) const override {
    const auto& [exact, smoothed, derivative] = result(i);
    write_numbers(derivative, write_numbers(smoothed, write_numbers(exact, out)));
    return derivative.status;
  }
};

// Derivatives from a distance model that has a smoothed form of its own.
class SmoothedModel : public Smoothed {
 public:
  SmoothedModel(std::string_view method, const QuantityOptions& options)
      : batch_(model_of(options), method, options.settings, options.threads) {
    require_heeded(method, options, true);
  }

  void require_valid(const body::Pair& pair) const override {
    batch_.require_smoothable(pair, "smoothed_derivative");
  }

 private:
  void solve(std::span<const body::Pair> pairs, std::span<derivative::SmoothedPair> results) override {
    batch_.smoothed(pairs, results);
  }

  proximity::BatchDistanceModel batch_;
};

class SmoothedDerivative : public Smoothed {
 public:
  SmoothedDerivative(std::string_view method, const QuantityOptions& options)
      : batch_(method, options.settings, options.threads) {}

  void require_valid(const body::Pair& pair) const override { derivative::require_hulls(pair, "derivative"); }

 private:
  void solve(std::span<const body::Pair> pairs, std::span<derivative::SmoothedPair> results) override {
    batch_.smoothed(pairs, results);
  }

  derivative::BatchEstimator batch_;
};

// Overlap volume, the bound of its rounding error, and its derivative.
class Volume : public BatchQuantity<proximity::OverlapVolume> {
 public:
  explicit Volume(int threads) : BatchQuantity(volume_columns()), threads_(threads) {}

  void require_valid(const body::Pair& pair) const override {
    proximity::require_surfaces(pair, "overlap_volume");
  }

 private:
  static std::vector<std::string> volume_columns() {
    std::vector<std::string> names = {"volume", "volume_error"};
    add_derivative_columns({"volume"}, names);
    return names;
  }

  void solve(std::span<const body::Pair> pairs, std::span<proximity::OverlapVolume> results) override {
    proximity::overlap_volumes(pairs, results, threads_);
  }

  Status write(const body::Pair&, std::size_t i, double* out) const override {
    const proximity::OverlapVolume& found = result(i);
    *out++ = found.volume, *out++ = found.error;
    std::copy(found.dvolume_dxi_B.data(), found.dvolume_dxi_B.data() + 6, out);
    return found.status;
  }

  int threads_;
};

}  // namespace

std::unique_ptr<Quantity> make_overlap_volume(std::string_view, const QuantityOptions& options) {
  return std::make_unique<Volume>(options.threads);
}

std::unique_ptr<Quantity> make_separation(std::string_view, const QuantityOptions& options) {
  if (options.all_contacts) return std::make_unique<Contacts>(kSeparationColumns, "", options, false);
  return std::make_unique<Separation>(options);
}

std::vector<std::string_view> derivative_methods() { return proximity::distance_models().front().methods; }

std::vector<SettingInfo> derivative_settings(std::string_view method) {
  return derivative::find_estimator(method).settings();
}

std::unique_ptr<Quantity> make_derivative(std::string_view method, const QuantityOptions& options) {
  if (options.all_contacts) return std::make_unique<Contacts>(derivative_columns(), method, options, true);
  return std::make_unique<Derivative>(method, options);
}

std::vector<std::string_view> smoothed_methods() {
  std::vector<std::string_view> names;
  for (const derivative::EstimatorRow& row : derivative::estimators())
    if (row.has_smoothed) names.push_back(row.name);
  return names;
}

std::vector<std::string_view> smoothed_models() {
  std::vector<std::string_view> names = {proximity::distance_models().front().name};
  for (const proximity::DistanceModelRow& row : proximity::distance_models())
    if (row.has_smoothed()) names.push_back(row.name);
  return names;
}

std::unique_ptr<Quantity> make_smoothed_derivative(std::string_view method, const QuantityOptions& options) {
  if (model_of(options) != proximity::distance_models().front().name)
    return std::make_unique<SmoothedModel>(method, options);
  return std::make_unique<SmoothedDerivative>(method, options);
}

}  // namespace abut::cli
