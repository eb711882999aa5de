#include "runtime/proximity/distance_model.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "runtime/core/parallel.h"
#include "runtime/core/settings.h"
#include "runtime/core/table.h"
#include "runtime/proximity/hull_model.h"
#include "runtime/proximity/pieces_model.h"
#include "runtime/proximity/surface_model.h"

namespace abut::proximity {
namespace {

template <class Result, class Ask>
void answer(std::vector<std::unique_ptr<DistanceModel>>& models, std::span<const body::Pair> pairs,
            std::span<Result> results, const char* who, Ask&& ask,
            void (DistanceModel::*require)(const body::Pair&, const char*)
                const = &DistanceModel::require_valid) {
  body::require_valid_batch(pairs, results.size(), who,
                            [&](const body::Pair& pair) { (*models.front().*require)(pair, who); });
  parallel_for(
      static_cast<std::int64_t>(pairs.size()), static_cast<int>(models.size()),
      [&](std::int64_t i, int thread) { results[i] = ask(*models[thread], pairs[i]); },
      even_chunk(pairs.size(), models.size(), 8));
}

}  // namespace

std::span<const DistanceModelRow> distance_models() {
  static const std::vector<DistanceModelRow> rows = {
      {"hull",
       "of the convex hulls; overlapping: the shortest translation that separates them",
       hull_methods(),
       &hull_settings,
       &make_hull_model,
       {}},
      {"surface",
       "of the surfaces themselves; overlapping: the depth of the deepest point of either within the other",
       surface_methods(),
       &surface_settings,
       &make_surface_model,
       {kSurfaceSettings[0].name}},
      {"pieces",
       "of unions of convex pieces (--pieces); overlapping: the depth of the deepest pair of pieces",
       hull_methods(),
       &pieces_settings,
       &make_pieces_model,
       {kPiecesSettings[0].name},
       true},
  };
  return rows;
}

const DistanceModelRow& find_distance_model(std::string_view name) {
  return find_row(distance_models(), "distance model", name);
}

std::unique_ptr<DistanceModel> make_distance_model(std::string_view name, std::string_view method,
                                                   const SettingValues& settings) {
  const DistanceModelRow& row = find_distance_model(name);
  if (method.empty()) return row.make(row.methods.front(), settings);
  for (const std::string_view known : row.methods)
    if (known == method) return row.make(method, settings);
  throw InvalidInput("distance model " + std::string(name) + ": no method is called '" + std::string(method) +
                     "'; there are: " + detail::joined(row.methods));
}

void require_margin(const char* who, double margin) {
  if (!(margin >= 0) || !std::isfinite(margin))
    throw InvalidInput(std::string(who) + ": the margin is " + number_text(margin) +
                       " m; it must be 0 or more");
}

std::span<const Contact> DistanceModel::contacts(const body::Pair& pair, double margin, bool derivatives) {
  require_margin("contacts", margin);
  contact_.pair.derivative = derivative::detail::invalid_derivative<double>();
  if (derivatives)
    contact_.pair = derivative(pair);
  else
    contact_.pair.witness = separation(pair);
  const witness::Witness<double>& w = contact_.pair.witness;
  return {&contact_, w.distance > margin && w.status != Status::kTouching ? std::size_t{0} : 1};
}

void DistanceModel::require_smoothable(const body::Pair&, const char* who) const {
  throw std::logic_error(
      std::string(who) +
      ": this distance model offers no smoothed witness: see DistanceModelRow::has_smoothed");
}

derivative::SmoothedPair DistanceModel::smoothed(const body::Pair& pair) {
  require_smoothable(pair, "smoothed separation");
  throw std::logic_error("this distance model implements no smoothed witness");
}

BatchDistanceModel::BatchDistanceModel(std::string_view name, std::string_view method,
                                       const SettingValues& settings, int threads) {
  for (int i = threads > 0 ? threads : default_threads(); i > 0; --i)
    models_.push_back(make_distance_model(name, method, settings));
}

void BatchDistanceModel::separations(std::span<const body::Pair> pairs, std::span<Separation> results) {
  answer(models_, pairs, results, "separation",
         [](DistanceModel& model, const body::Pair& pair) { return model.separation(pair); });
}

void BatchDistanceModel::separations(std::span<const body::Pair> pairs,
                                     std::span<witness::Witness<double>> results) {
  answer(models_, pairs, results, "separation",
         [](DistanceModel& model, const body::Pair& pair) -> witness::Witness<double> {
           return model.separation(pair);
         });
}

void BatchDistanceModel::derivatives(std::span<const body::Pair> pairs,
                                     std::span<derivative::PairDerivative> results) {
  answer(models_, pairs, results, "derivative",
         [](DistanceModel& model, const body::Pair& pair) { return model.derivative(pair); });
}

void BatchDistanceModel::contacts(std::span<const body::Pair> pairs, double margin, bool derivatives,
                                  std::span<std::vector<Contact>> results) {
  require_margin("contacts", margin);
  answer(models_, pairs, results, "contacts", [&](DistanceModel& model, const body::Pair& pair) {
    const std::span<const Contact> found = model.contacts(pair, margin, derivatives);
    return std::vector<Contact>(found.begin(), found.end());
  });
}

void BatchDistanceModel::smoothed(std::span<const body::Pair> pairs,
                                  std::span<derivative::SmoothedPair> results) {
  answer(
      models_, pairs, results, "smoothed separation",
      [](DistanceModel& model, const body::Pair& pair) { return model.smoothed(pair); },
      &DistanceModel::require_smoothable);
}

}  // namespace abut::proximity
