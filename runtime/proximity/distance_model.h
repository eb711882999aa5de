#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/core/settings.h"
#include "runtime/derivative/estimator.h"

// What stands for a body when distances are asked, behind one table: its convex hull, its surface, or its
// convex pieces. To add a row: a file with a class derived from DistanceModel, and a row in
// distance_model.cpp; contract tests, command lines and benchmarks iterate the table.
//
//   auto model = proximity::make_distance_model("surface");
//   const witness::Witness<double> w = model->separation({&mug, &box, X_AB});
namespace abut::proximity {

// The closest points of one contact region, or its deepest.
struct Contact {
  derivative::PairDerivative pair;  // the derivative NaN unless it was wanted
  // What carries the witness points: the same from pose to pose while it does, exchanged with A and B.
  std::uint32_t feature_A = 0, feature_B = 0;  // 0 of models without regions
};

// Throws InvalidInput, naming `who`, unless the margin (m) of contacts is 0 or more, and finite.
void require_margin(const char* who, double margin);

// A reusable solver: keeps its memory, so that after the first call (with assets no larger) it allocates
// nothing. One per thread. Answers do not depend on what was asked before.
class DistanceModel {
 public:
  virtual ~DistanceModel() = default;

  // Throws InvalidInput, naming `who`, for a pair that the model cannot take, saying what can.
  virtual void require_valid(const body::Pair& pair, const char* who) const = 0;

  // Signed distance, witness points and normal (m, frame A) of a valid pair. Never throws.
  virtual witness::Witness<double> separation(const body::Pair& pair) = 0;

  // The same with derivatives by the pose.
  virtual derivative::PairDerivative derivative(const body::Pair& pair) = 0;

  // One contact for every region that is within `margin` (m), nearest first; none is an answer. kNotConverged
  // where more was within the margin than there is memory for, and a smaller one was taken. Of models without
  // regions it is the separation. Valid until the next call. Throws InvalidInput as require_margin.
  virtual std::span<const Contact> contacts(const body::Pair& pair, double margin, bool derivatives);

  // A form that is smooth across regions, with the derivatives of that. Throws std::logic_error for a row
  // that has none, InvalidInput where it takes no primitives and one body is one.
  virtual derivative::SmoothedPair smoothed(const body::Pair& pair);

 private:
  Contact contact_;
};

// What the table says of a distance model.
struct DistanceModelRow {
  std::string_view name;                                          // for command lines
  std::string_view summary;                                       // one line for people
  std::vector<std::string_view> methods;                          // of derivatives; the first is the default
  std::vector<SettingInfo> (*settings)(std::string_view method);  // made from words
  // Throws InvalidInput for an unknown method or setting, and for one out of range.
  std::unique_ptr<DistanceModel> (*make)(std::string_view method, const SettingValues& settings);
  bool has_smoothed;  // offers DistanceModel::smoothed with any method
};

// All rows, in a fixed order; the first is the default.
std::span<const DistanceModelRow> distance_models();

// Row by name. Throws InvalidInput, naming the rows that there are, for an unknown one.
const DistanceModelRow& find_distance_model(std::string_view name);

// By name, with a method of the row's (empty: its first) and its default settings but for those given. Throws
// InvalidInput for an unknown model, method or setting.
std::unique_ptr<DistanceModel> make_distance_model(std::string_view name, std::string_view method = {},
                                                   const SettingValues& settings = {});

// Many pairs on several threads, the same bits for any number of them. Keeps one model per thread.
class BatchDistanceModel {
 public:
  // `threads` 0: one per core. Throws as make_distance_model.
  explicit BatchDistanceModel(std::string_view name, std::string_view method = {},
                              const SettingValues& settings = {}, int threads = 0);

  // Throws InvalidInput, naming `who`, for a pair that the model cannot take.
  void require_valid(const body::Pair& pair, const char* who) const {
    models_.front()->require_valid(pair, who);
  }

  // results[i] answers pairs[i]. Throws InvalidInput before any work if the spans differ in length or a pair
  // is invalid; the message names the pair.
  void separations(std::span<const body::Pair> pairs, std::span<witness::Witness<double>> results);
  // The same of DistanceModel::derivative.
  void derivatives(std::span<const body::Pair> pairs, std::span<derivative::PairDerivative> results);
  // The same of DistanceModel::contacts: results[i] has as many as pairs[i]. Throws as require_margin, too.
  void contacts(std::span<const body::Pair> pairs, double margin, bool derivatives,
                std::span<std::vector<Contact>> results);
  // The same of DistanceModel::smoothed, which says when it throws.
  void smoothed(std::span<const body::Pair> pairs, std::span<derivative::SmoothedPair> results);

 private:
  std::vector<std::unique_ptr<DistanceModel>> models_;
};

}  // namespace abut::proximity
