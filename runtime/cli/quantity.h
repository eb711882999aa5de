#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/cli/setting_options.h"
#include "runtime/core/settings.h"
#include "runtime/core/status.h"

// The table of quantities that abut-query can answer: `--what NAME`. To add one, write a file with a class
// derived from Quantity and add a row in quantity.cpp.
namespace abut::cli {

struct QuantityOptions {
  int threads = 0;                 // 0: one per core
  bool energy = false;             // adds a column for the potential
  SettingValues settings;          // of the method
  bool all_contacts = false;       // one row for every contact region within `margin`
  double margin = 0;               // m
  std::string model = {};          // distance model, for quantities that have models; empty: the first
  std::string method_option = {};  // the option that gave the method; empty: the quantity's usual one
};

// Answers for a batch of pairs: pair i has the rows first[i] to first[i + 1], excluding the latter.
struct Answers {
  std::vector<double> values;      // (rows, columns) row-major
  std::vector<Status> statuses;    // (rows)
  std::vector<std::size_t> first;  // (pairs + 1)
};

// Answers batches of posed pairs with rows of numbers. Not thread-safe.
class Quantity {
 public:
  virtual ~Quantity() = default;

  // Names of the numbers of a row, in order; units are in the table's description.
  const std::vector<std::string>& columns() const { return columns_; }

  // Throws InvalidInput for a pair that answer() cannot take; the message says what it can take.
  virtual void require_valid(const body::Pair& pair) const = 0;

  // Answers all pairs, which must be valid.
  void answer(std::span<const body::Pair> pairs, Answers& answers);

 protected:
  explicit Quantity(std::vector<std::string> columns) : columns_(std::move(columns)) {}

 private:
  // Computes the results of all pairs and keeps them for write().
  virtual void solve(std::span<const body::Pair> pairs) = 0;

  // Number of rows of the i-th pair, at least one.
  virtual std::size_t rows(std::size_t) const { return 1; }

  // Write one row of the i-th pair to `out`; return its status.
  virtual Status write(const body::Pair& pair, std::size_t i, double* out) const = 0;
  virtual Status write_row(const body::Pair& pair, std::size_t i, std::size_t row, double* out) const {
    return row == 0 ? write(pair, i, out) : Status::kInvalidInput;
  }

  std::vector<std::string> columns_;
};

struct QuantityRow {
  std::string_view name;
  std::string_view description;  // one line, to be read by people, with units
  // Choices of --method, or of --model if that has no choices of its own (see `models`); the first is the
  // default. Empty: no choice.
  std::vector<std::string_view> methods;
  std::vector<SettingInfo> (*settings)(std::string_view method);
  std::unique_ptr<Quantity> (*make)(std::string_view method, const QuantityOptions& options);
  // Choices of --model besides those of --method; the first is the default. Empty: both options choose a
  // method.
  std::vector<std::string_view> models = {};
  bool has_contacts = false;  // supports QuantityOptions::all_contacts
};

// The columns of a row of answers: those of the question, with or without its twist, those of the quantity,
// and the status. Names are unique.
std::vector<std::string> answer_columns(const Quantity& quantity, bool twists);

// All rows, in a fixed order; the first is the default.
const std::vector<QuantityRow>& quantities();

// The first of a quantity's methods; empty where it has none, or is unknown.
std::string_view default_method(std::string_view name);

// Whether --model is a choice separate from --method for a quantity.
bool has_models(std::string_view name);

// The settings of every method of every quantity, each once, for --help and the options.
std::vector<SettingGroup> setting_groups();

// Makes the quantity of that name; an empty method takes the default of the quantity, or of its model. Throws
// InvalidInput, listing the choices, for an unknown name, method or model.
std::unique_ptr<Quantity> make_quantity(std::string_view name, std::string_view method,
                                        const QuantityOptions& options);

}  // namespace abut::cli
