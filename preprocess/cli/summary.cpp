#include "preprocess/cli/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "preprocess/cli/figures.h"
#include "preprocess/cli/versions.h"
#include "preprocess/remesh/remesh.h"
#include "runtime/core/counted.h"
#include "runtime/ssdf/wrong_signs.h"

namespace abut::preprocess {
namespace {

using Measures = std::map<std::string, double>;

constexpr double kMeaningfulPercent = 1;  // of area or volume: more than that in dropped parts is not specks
constexpr const char* kHausdorff = "hausdorff_to_input_percent";

std::string outcome_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "done";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCrashed:
      return "crashed";
    case Outcome::kTimedOut:
      return "timed out";
    case Outcome::kOutOfMemory:
      return "out of memory";
    case Outcome::kInterrupted:
      return "interrupted";
  }
  return "unknown";
}

// Whether a requested part ("volumes", "points") could not be made; the warnings give the reason.
bool lacks(const ObjectResult& object, const char* part) {
  const auto found = object.measures.find(part);
  return found != object.measures.end() && found->second == 0;
}

double value_or_zero(const Measures& measures, const char* key) {
  const auto found = measures.find(key);
  return found == measures.end() ? 0 : found->second;
}

// Share of the object in dropped parts, by area or volume, whichever is larger.
double dropped_percent(const Measures& measures) {
  return std::max(value_or_zero(measures, "dropped_area_percent"),
                  value_or_zero(measures, "dropped_volume_percent"));
}

// Changes of the surface that go beyond mending.
std::string surface_text(const Measures& measures) {
  std::string text = measures.contains("thin_shell") ? ", THIN SHELL" : "";
  if (text.empty() && measures.contains("wrapped")) text = ", wrapped";
  if (dropped_percent(measures) > kMeaningfulPercent) text += ", parts dropped";
  return text;
}

// What follows "ok" or "up to date": everything to look at, or else whether the surface was mended.
std::string quality_text(const ObjectResult& object) {
  std::string text = surface_text(object.measures);
  if (lacks(object, "volumes")) text += ", no volume";
  if (lacks(object, "points")) text += ", no points";
  return text.empty() && value_or_zero(object.measures, "surface_changes") > 0 ? ", mended" : text;
}

std::string measure_text(const ObjectResult& object, const char* key, int digits) {
  const auto found = object.measures.find(key);
  return found == object.measures.end() ? "-" : fmt::format("{:.{}f}", found->second, digits);
}

double mib(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// The measures of each level ("volume<level>_<name>") as a JSON object of its own, the finest first.
nlohmann::json volumes_json(const ObjectResult& object) {
  nlohmann::json volumes = nlohmann::json::array();
  for (std::size_t level = 0;; ++level) {
    const std::string prefix = fmt::format("volume{}_", level);
    nlohmann::json volume;
    for (auto it = object.measures.lower_bound(prefix);
         it != object.measures.end() && it->first.starts_with(prefix); ++it)
      volume[it->first.substr(prefix.size())] = it->second;
    if (volume.empty()) return volumes;
    volumes.push_back(std::move(volume));
  }
}

nlohmann::json object_json(const ObjectResult& object) {
  nlohmann::json stages = nlohmann::json::array();
  for (const auto& [stage, seconds] : object.stage_seconds)
    stages.push_back({{"stage", stage}, {"seconds", seconds}});
  nlohmann::json json{{"name", object.name},
                      {"source_file", object.source_file},
                      {"asset_file", object.asset_file},
                      {"status", status_text(object)},
                      {"outcome", outcome_text(object.outcome)},
                      {"reason", object.reason},
                      {"from_store", object.from_store},
                      {"caution", caution(object.measures)},
                      {"notes", object.notes},
                      {"warnings", object.warnings},
                      {"seconds", object.seconds},
                      {"peak_memory_mib", mib(object.peak_memory)}};
  if (object.status == ObjectStatus::kFailed) return json;
  json["triangles"] = object.triangles;
  json["hull_vertices"] = object.hull_vertices;
  json["volume_cm3"] = 1e6 * object.volume;
  json["measures"] = object.measures;
  json["volumes"] = volumes_json(object);
  json["stages"] = stages;
  return json;
}

// Of points that became finer than kDefaultQuads; empty if none did.
std::string finer_points(const Measures& measures) {
  for (int level = 0;; ++level) {
    const auto quads = measures.find(fmt::format("points{}_quads", level));
    if (quads == measures.end()) return {};
    const auto wrong = measures.find(fmt::format("points{}_default_sign_wrong_percent", level));
    if (wrong == measures.end()) continue;
    return fmt::format(
        "{:.0f} quads, as of --quads auto: {:g} have the wrong sign at {:.2g} % of places beside its thin "
        "walls (--quads {:g} takes them all the same)",
        quads->second, kDefaultQuads, wrong->second, kDefaultQuads);
  }
}

// Of points that are too few for walls; empty if none are.
std::string wrong_signs(const Measures& measures) {
  const auto grid = measures.find("grid_sign_wrong_percent");
  const bool good_grid = grid != measures.end() && grid->second <= ssdf::kWrongSignPercent;
  for (int level = 0;; ++level) {
    const auto wrong = measures.find(fmt::format("points{}_sign_wrong_percent", level));
    if (wrong == measures.end()) return {};
    if (wrong->second > ssdf::kWrongSignPercent)
      return fmt::format(
          "soft distances of its {:.0f} quads have the wrong sign at {:.2g} % of places beside the surface: "
          "{}",
          value_or_zero(measures, fmt::format("points{}_quads", level).c_str()), wrong->second,
          good_grid ? "use its grid, as soft_potential does"
                    : "more quads (--quads auto) hold thinner walls");
  }
}

}  // namespace

std::string caution(const Measures& measures) {
  std::vector<std::string> cautions;
  if (measures.contains("thin_shell"))
    cautions.push_back(fmt::format("not a solid but a thin shell, {:.2g} % of its hull's volume",
                                   value_or_zero(measures, "shell_of_hull_percent")));
  if (dropped_percent(measures) > kMeaningfulPercent)
    cautions.push_back(fmt::format(
        "parts dropped: {:.3g} % of the area, {:.3g} % of the volume of closed parts",
        value_or_zero(measures, "dropped_area_percent"), value_or_zero(measures, "dropped_volume_percent")));
  if (cautions.empty() && measures.contains("flat_lids"))
    cautions.push_back(fmt::format("taken for solid behind flat lids ({:.0f}, the largest {:.3g} m across)",
                                   value_or_zero(measures, "flat_lids"),
                                   value_or_zero(measures, "largest_flat_lid_m")));
  else if (cautions.empty() && measures.contains("closed_opening_m"))
    cautions.push_back(fmt::format("taken for solid behind an opening {:.3g} m across",
                                   value_or_zero(measures, "closed_opening_m")));
  if (const auto size = measures.find("implausible_size_m"); size != measures.end()) {
    const bool imported = measures.contains("import_largest_pressure"), large = size->second > 1;
    cautions.push_back(fmt::format("{:.4g} m across: are its units {}? {}", size->second,
                                   large ? "millimetres" : "other than metres",
                                   imported ? "Scale its points"
                                   : large  ? "Say so with --scale 0.001"
                                            : "Say so with --scale"));
  }
  if (const std::string wrong = wrong_signs(measures); !wrong.empty()) cautions.push_back(wrong);
  return fmt::format("{}", fmt::join(cautions, "; "));
}

std::string status_text(const ObjectResult& object) {
  switch (object.status) {
    case ObjectStatus::kMade:
      return "ok" + quality_text(object);
    case ObjectStatus::kUpToDate:
      return "up to date" + quality_text(object);
    case ObjectStatus::kFailed:
      break;
  }
  return object.outcome == Outcome::kInterrupted ? "interrupted" : "failed";
}

std::string failure_text(const ObjectResult& object) {
  // Messages of exceptions name the file; those of crashes and timeouts do not.
  return object.outcome == Outcome::kFailed ? object.reason : object.source_file + ": " + object.reason;
}

bool all_fine(const BatchResult& batch) {
  return std::all_of(batch.objects.begin(), batch.objects.end(),
                     [](const ObjectResult& object) { return object.status != ObjectStatus::kFailed; });
}

std::string summary_table(const BatchResult& batch) {
  std::size_t width = 6;
  for (const ObjectResult& object : batch.objects) width = std::max(width, object.name.size());
  std::string text =
      fmt::format("{:<{}} {:>9} {:>8} {:>11} {:>11} {:>7} {:>8} {:>8} {:>6}  {}\n", "object", width,
                  "triangles", "hull", "volume", "Hausdorff", "tets", "warnings", "time", "memory", "status");
  text += fmt::format("{:<{}} {:>9} {:>8} {:>11} {:>11} {:>7} {:>8} {:>8} {:>6}\n", "", width, "", "vertices",
                      "cm3", "% diagonal", "finest", "", "s", "MiB");
  std::size_t made = 0, taken = 0, kept = 0, failed = 0, interrupted = 0;
  for (const ObjectResult& object : batch.objects) {
    const bool fine = object.status != ObjectStatus::kFailed;
    made += object.status == ObjectStatus::kMade && !object.from_store;
    taken += object.from_store;
    kept += object.status == ObjectStatus::kUpToDate;
    const bool stopped = !fine && object.outcome == Outcome::kInterrupted;
    interrupted += stopped;
    failed += !fine && !stopped;
    text += fmt::format("{:<{}} {:>9} {:>8} {:>11} {:>11} {:>7} {:>8} {:>8.2f} {:>6.0f}  {}\n", object.name,
                        width, fine ? fmt::to_string(object.triangles) : "-",
                        fine ? fmt::to_string(object.hull_vertices) : "-",
                        fine ? volume_figures_cm3(object.volume)(object.volume) : "-",
                        measure_text(object, kHausdorff, 4), measure_text(object, "volume0_tetrahedra", 0),
                        object.warnings.size(), object.seconds, mib(object.peak_memory), status_text(object));
  }
  text += fmt::format("{} in {:.1f} s on {}: {} made, {}{} up to date, {} failed{}\n",
                      counted(batch.objects.size(), "object"), batch.seconds,
                      counted(static_cast<std::size_t>(batch.jobs), "job"), made,
                      taken > 0 ? fmt::format("{} from the store, ", taken) : "", kept, failed,
                      interrupted > 0 ? fmt::format(", {} interrupted", interrupted) : "");
  for (const ObjectResult& object : batch.objects)
    if (object.status == ObjectStatus::kFailed)
      text += fmt::format("  {}: {}\n", object.name, failure_text(object));
    else if (const std::string what = caution(object.measures); !what.empty())
      text += fmt::format("  {}: take care: {}\n", object.name, what);
  for (const ObjectResult& object : batch.objects)
    if (const std::string finer = finer_points(object.measures); !finer.empty())
      text += fmt::format("  {}: {}\n", object.name, finer);
  for (const std::string& note : batch.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

std::string summary_json(const BatchResult& batch, const std::string& dataset, const std::string& out) {
  nlohmann::json objects = nlohmann::json::array();
  for (const ObjectResult& object : batch.objects) objects.push_back(object_json(object));
  return nlohmann::json{{"dataset", dataset},
                        {"out", out},
                        {"versions", versions()},
                        {"jobs", batch.jobs},
                        {"memory_limit_mib", mib(batch.memory_limit)},
                        {"seconds", batch.seconds},
                        {"notes", batch.notes},
                        {"objects", objects}}
             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace abut::preprocess
