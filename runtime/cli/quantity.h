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

// What abut-query can be asked, behind one table: `--what NAME`. To add a quantity: a file with a class
// derived from Quantity, and a row in quantity.cpp.
namespace abut::cli {

struct QuantityOptions {
  int threads = 0;            // 0: one per core
  bool energy = false;        // a column for the potential
  SettingValues settings;     // of the method
  bool all_contacts = false;  // every contact region within `margin`, a row each
  double margin = 0;          // m
  std::string model = {};     // what stands for the bodies, where a quantity has models; empty: the first
  std::string method_option = {};  // by which the method was given; empty: as people call the quantity's
};

// Of a batch of pairs: pair i has rows first[i] to first[i + 1].
struct Answers {
  std::vector<double> values;      // (rows, columns) row-major
  std::vector<Status> statuses;    // (rows)
  std::vector<std::size_t> first;  // (pairs + 1)
};

// Answers batches of posed pairs with rows of numbers. Not for use from two threads at once.
class Quantity {
 public:
  virtual ~Quantity() = default;

  // Names of the numbers of a row, in order, units in the table's description.
  const std::vector<std::string>& columns() const { return columns_; }

  // Throws InvalidInput for a pair that answer() cannot take, saying what can.
  virtual void require_valid(const body::Pair& pair) const = 0;

  // Every pair is valid.
  void answer(std::span<const body::Pair> pairs, Answers& answers);

 protected:
  explicit Quantity(std::vector<std::string> columns) : columns_(std::move(columns)) {}

 private:
  // The results of all pairs, kept for write().
  virtual void solve(std::span<const body::Pair> pairs) = 0;

  // How many rows the i-th of them has, at least one.
  virtual std::size_t rows(std::size_t) const { return 1; }

  // One of the rows of the i-th of them.
  virtual Status write(const body::Pair& pair, std::size_t i, double* out) const = 0;
  virtual Status write_row(const body::Pair& pair, std::size_t i, std::size_t row, double* out) const {
    return row == 0 ? write(pair, i, out) : Status::kInvalidInput;
  }

  std::vector<std::string> columns_;
};

struct QuantityRow {
  std::string_view name;
  std::string_view description;  // one line for people, with units
  // What --method may say, or --model where that has no choices of its own (below); the first is the default;
  // empty: no choice.
  std::vector<std::string_view> methods;
  std::vector<SettingInfo> (*settings)(std::string_view method);
  std::unique_ptr<Quantity> (*make)(std::string_view method, const QuantityOptions& options);
  // What --model may say beside --method; the first is the default. Empty: both options mean the methods.
  std::vector<std::string_view> models = {};
  bool has_contacts = false;  // heeds QuantityOptions::all_contacts
};

// The columns of a row of answers: the question's own, those of the quantity, the status. No two have one
// name.
std::vector<std::string> answer_columns(const Quantity& quantity);

// All rows, in a fixed order; the first is the default.
const std::vector<QuantityRow>& quantities();

// The first of a quantity's methods; empty where it has none, or is unknown.
std::string_view default_method(std::string_view name);

// Whether --model is a choice of its own for a quantity, beside --method.
bool has_models(std::string_view name);

// The settings of every method of every quantity, each once, for --help and the options.
std::vector<SettingGroup> setting_groups();

// By name; an empty method takes the default of the quantity, or of its model. Throws InvalidInput, naming
// the choices, for an unknown name, method or model.
std::unique_ptr<Quantity> make_quantity(std::string_view name, std::string_view method,
                                        const QuantityOptions& options);

}  // namespace abut::cli
