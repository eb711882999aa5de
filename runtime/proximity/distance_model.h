#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/core/settings.h"
#include "runtime/derivative/estimator.h"

// The table of distance models: each row represents a body, for distance queries, by its convex hull, by its
// surface or by its convex pieces. To add a row, write a file with a class derived from `DistanceModel` and
// add the row in distance_model.cpp; contract tests, command lines and benchmarks iterate over the table.
//
//   auto model = proximity::make_distance_model("surface");
//   const proximity::Separation s = model->separation({&mug, &box, X_AB});
namespace abut::proximity {

// Bounds of the translational depth of two overlapping bodies: the length of the shortest translation that
// separates what represents them.
struct DepthBounds {
  double lower = std::numeric_limits<double>::quiet_NaN();  // m: no shorter translation separates them
  double upper = std::numeric_limits<double>::quiet_NaN();  // m: a translation as long separates them
};

// Signed distance, witness points and normal (m, in frame A), with bounds of the translational depth. These
// are NaN where the bodies do not overlap, and of models without
// (DistanceModelRow::bounds_translational_depth).
struct Separation : witness::Witness<double> {
  Separation() = default;
  // Without bounds of the depth.
  Separation(const witness::Witness<double>& w) : witness::Witness<double>(w) {}

  DepthBounds depth;  // m
};

// The closest points of one contact region or, if the bodies overlap there, its deepest point.
struct Contact {
  derivative::PairDerivative pair;  // its derivative is NaN unless requested
  // Codes of the features that carry the witness points. They stay the same from pose to pose as long as the
  // same features carry the points, and swap with A and B. Of `pieces`: the number of the piece plus 1, and 0
  // for a primitive.
  std::uint32_t feature_A = 0, feature_B = 0;  // 0 for models without regions
};

// Throws InvalidInput, naming `who`, unless the contact margin (m) is finite and at least 0.
void require_margin(const char* who, double margin);

// A reusable solver for distance queries. It keeps its memory, so that it allocates nothing after the first
// call (with assets no larger). Not thread-safe: use one per thread. Answers do not depend on earlier
// queries.
class DistanceModel {
 public:
  virtual ~DistanceModel() = default;

  // Throws InvalidInput, naming `who`, for a pair that the model cannot take; the message says which model
  // can.
  virtual void require_valid(const body::Pair& pair, const char* who) const = 0;

  // Returns signed distance, witness points and normal (m, in frame A) of a valid pair. Never throws.
  virtual Separation separation(const body::Pair& pair) = 0;

  // As `separation`, with the derivatives with respect to the pose.
  virtual derivative::PairDerivative derivative(const body::Pair& pair) = 0;

  // Returns one contact for every region within `margin` (m), nearest first; the result may be empty. Its
  // status is kNotConverged where more pairs of triangles were within the margin than there is memory for, so
  // that a smaller margin was taken. Models without regions return the separation as the only contact. The
  // result is valid until the next call. Throws InvalidInput as `require_margin` does.
  virtual std::span<const Contact> contacts(const body::Pair& pair, double margin, bool derivatives);

  // Throws, as `smoothed` does and naming `who`, for a pair that `smoothed` cannot take.
  virtual void require_smoothable(const body::Pair& pair, const char* who) const;

  // Returns a distance that is smooth across regions, with its derivatives. Throws std::logic_error if the
  // row has none, and InvalidInput if one body is a primitive and the row takes no primitives here.
  virtual derivative::SmoothedPair smoothed(const body::Pair& pair);

 private:
  Contact contact_;
};

// A row of the table of distance models.
struct DistanceModelRow {
  std::string_view name;                                          // for command lines
  std::string_view summary;                                       // one line, to be read by people
  std::vector<std::string_view> methods;                          // of derivatives; the first is the default
  std::vector<SettingInfo> (*settings)(std::string_view method);  // of a method, to be set by name
  // Throws InvalidInput for an unknown method or setting, and for a value out of range.
  std::unique_ptr<DistanceModel> (*make)(std::string_view method, const SettingValues& settings);
  // Names of the settings of DistanceModel::smoothed, which takes no others, with any method. Empty: the row
  // does not implement it.
  std::vector<std::string_view> smoothed_settings;
  // Whether it implements DistanceModel::smoothed.
  bool has_smoothed() const { return !smoothed_settings.empty(); }
  // Whether DistanceModel::separation bounds the translational depth of overlapping bodies.
  bool bounds_translational_depth = false;
};

// All rows, in a fixed order; the first is the default.
std::span<const DistanceModelRow> distance_models();

// Returns the row of that name. Throws InvalidInput, listing the existing rows, for an unknown name.
const DistanceModelRow& find_distance_model(std::string_view name);

// Makes the model of that name with one of the row's methods (empty: its first) and with default settings
// except for those given. Throws InvalidInput for an unknown model, method or setting.
std::unique_ptr<DistanceModel> make_distance_model(std::string_view name, std::string_view method = {},
                                                   const SettingValues& settings = {});

// Answers queries for many pairs on several threads, bit-identical for any number of threads. Keeps one model
// per thread.
class BatchDistanceModel {
 public:
  // `threads` 0: one per core. Throws as `make_distance_model` does.
  explicit BatchDistanceModel(std::string_view name, std::string_view method = {},
                              const SettingValues& settings = {}, int threads = 0);

  // Throws InvalidInput, naming `who`, for a pair that the model cannot take.
  void require_valid(const body::Pair& pair, const char* who) const {
    models_.front()->require_valid(pair, who);
  }
  // As DistanceModel::require_smoothable.
  void require_smoothable(const body::Pair& pair, const char* who) const {
    models_.front()->require_smoothable(pair, who);
  }

  // Stores the answer for pairs[i] in results[i]. Throws InvalidInput before any work if the spans differ in
  // length or a pair is invalid; the message names the pair.
  void separations(std::span<const body::Pair> pairs, std::span<Separation> results);
  // The same without the bounds of the depth.
  void separations(std::span<const body::Pair> pairs, std::span<witness::Witness<double>> results);
  // As `separations`, for DistanceModel::derivative.
  void derivatives(std::span<const body::Pair> pairs, std::span<derivative::PairDerivative> results);
  // As `separations`, for DistanceModel::contacts: results[i] holds all contacts of pairs[i]. Also throws as
  // `require_margin` does.
  void contacts(std::span<const body::Pair> pairs, double margin, bool derivatives,
                std::span<std::vector<Contact>> results);
  // As `separations`, for DistanceModel::smoothed. Throws before any work as `require_smoothable` does.
  void smoothed(std::span<const body::Pair> pairs, std::span<derivative::SmoothedPair> results);

 private:
  std::vector<std::unique_ptr<DistanceModel>> models_;
};

}  // namespace abut::proximity
