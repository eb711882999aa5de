#include "preprocess/cli/shard_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <span>

#include "runtime/asset/container.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// The reason without the source's name and with # for each number: equal for failures of the same cause.
std::string cause_of(std::string reason, const std::string& source) {
  if (!source.empty() && reason.starts_with(source)) {
    reason.erase(0, source.size());
    reason.erase(0, reason.find_first_not_of(": "));
  }
  std::string cause;
  for (std::size_t i = 0; i < reason.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(reason[i])) != 0;
    if (!digit)
      cause += reason[i];
    else if (cause.empty() || cause.back() != '#')
      cause += '#';
  }
  return cause.empty() ? "no reason given" : cause;
}

std::set<std::size_t> missing_parts(const Tally& tally) {
  std::set<std::size_t> missing;
  for (std::size_t k = 1; k <= tally.count; ++k)
    if (!tally.parts.contains(k)) missing.insert(missing.end(), k);
  return missing;
}

std::set<std::size_t> parts_of_other_lists(const Tally& tally) {
  std::set<std::size_t> others;
  for (const auto& [part, list] : tally.lists)
    if (list.digest != tally.valid->digest) others.insert(part);
  return others;
}

// "1, 2, 5", of many the first ten.
std::string number_words(const std::set<std::size_t>& numbers) {
  constexpr std::size_t kMost = 10;
  const auto end = std::next(numbers.begin(), static_cast<std::ptrdiff_t>(std::min(kMost, numbers.size())));
  return fmt::format("{}{}", fmt::join(numbers.begin(), end, ", "), numbers.size() > kMost ? ", ..." : "");
}

// The settings of the most recent object; end() if none are known.
auto recent_settings(const Tally& tally) {
  return std::max_element(tally.settings.begin(), tally.settings.end(),
                          [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
}

// Those with other settings than the most recent object.
SameSettings of_other_settings(const Tally& tally) {
  SameSettings others;
  const auto recent = recent_settings(tally);
  for (auto it = tally.settings.begin(); it != tally.settings.end(); ++it) {
    if (it == recent) continue;
    others.objects += it->second.objects;
    others.parts.insert(it->second.parts.begin(), it->second.parts.end());
  }
  return others;
}

// Keeps what an object was made with and from, if its entry has it.
void keep_origin(const nlohmann::json& object, std::size_t part, double written, Tally& tally) {
  if (part == 0) return;
  if (const std::string digest = object.value(kSettings, ""); !digest.empty()) {
    SameSettings& same = tally.settings[digest];
    ++same.objects;
    same.parts.insert(part);
    const double time = object.value(kTime, written);
    if (time >= same.time) same.time = time, same.last = part;
  }
  if (std::string state = object.value(kSource, ""); !state.empty())
    tally.sources[object.at("name")] = {std::move(state), part};
}

}  // namespace

bool read_whole(const std::string& text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

double time_of(const std::filesystem::path& file) {
  std::error_code gone;
  const auto time = std::chrono::file_clock::to_sys(std::filesystem::last_write_time(file, gone));
  return gone ? 0 : std::chrono::duration<double>(time.time_since_epoch()).count();
}

std::string state_of(const std::filesystem::path& file) {
  std::error_code gone;
  const std::uintmax_t bytes = std::filesystem::file_size(file, gone);
  return gone ? "" : fmt::format("{} bytes of {:.6f}", bytes, time_of(file));
}

ObjectList list_of(const datasets::Dataset& dataset) {
  std::string names;
  for (const datasets::ObjectSource& object : dataset.objects) names += object.name + '\n';
  return {dataset.objects.size(), asset::digest(std::as_bytes(std::span(names))), dataset.layout};
}

std::size_t count_part(const std::filesystem::path& file, Tally& tally) {
  const std::string name = file.stem().string();
  const std::size_t of = name.find("-of-");
  std::size_t number = 0, count = 0;
  if (of == std::string::npos || !read_whole(name.substr(0, of), number) ||
      !read_whole(name.substr(of + 4), count) || number < 1 || number > count || count > kMaxParts)
    throw InvalidInput(file.string() + ": not the name of a part's manifest, I-of-N.json");
  if (tally.count == 0) tally.count = count;
  if (tally.count != count) return 0;
  tally.parts.insert(number);
  return number;
}

void keep_list(const nlohmann::json& json, std::size_t part, Tally& tally) {
  if (part == 0 || !json.contains("list")) return;
  const nlohmann::json& list = json.at("list");
  const ObjectList& kept = tally.lists[part] = {list.at("objects"), list.at("digest"), list.at("layout")};
  if (tally.valid) return;
  tally.valid = kept;
  tally.valid_of = fmt::format("part {}, the most recent,", part);
}

std::optional<nlohmann::json> count_object(nlohmann::json object, std::size_t part, double written,
                                           const std::filesystem::path& out, Tally& tally) {
  const std::string name = object.at("name");
  std::string status = object.at("status");
  if (!tally.names.insert(name).second) return std::nullopt;
  std::error_code error;
  const bool made = status != "failed" && status != "interrupted";
  if (made && !std::filesystem::exists(out / (name + ".h5"), error)) {
    object["status"] = status = "missing";
    object["reason"] = "its asset is no longer there: run its part again";
  }
  ++tally.statuses[status];
  if (status == "failed" || status == "missing") {
    Cause& cause = tally.causes[cause_of(object.at("reason"), object.value("source_file", ""))];
    if (cause.count++ == 0 || name < cause.first) cause.first = name;
  }
  if (made && status != "missing") keep_origin(object, part, written, tally);
  return object;
}

void compare(const std::filesystem::path& dataset, Tally& tally) {
  if (!tally.valid) return;
  const datasets::Dataset now =
      datasets::open_dataset(dataset, {.layout = tally.valid->layout, .metres_per_unit = {}});
  tally.valid = list_of(now);
  tally.valid_of = dataset.string();
  for (const datasets::ObjectSource& object : now.objects) {
    const auto made = tally.sources.find(object.name);
    if (made == tally.sources.end() || made->second.state == state_of(object.file)) continue;
    if (tally.changed.objects++ == 0) tally.changed.first = object.name;
    tally.changed.parts.insert(made->second.part);
  }
}

std::string table_of(const Tally& tally) {
  std::string text = fmt::format("{:>9}  status\n", "objects");
  for (const auto& [status, count] : tally.statuses) text += fmt::format("{:>9}  {}\n", count, status);
  text += fmt::format("{:>9}  in all\n", tally.names.size());
  if (!tally.causes.empty()) text += fmt::format("\n{:>9}  cause of failure (the first object)\n", "objects");
  std::vector<std::pair<std::string, Cause>> causes(tally.causes.begin(), tally.causes.end());
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  for (const auto& [cause, what] : causes)
    text += fmt::format("{:>9}  {} ({})\n", what.count, cause, what.first);
  const std::set<std::size_t> missing = missing_parts(tally);
  if (!missing.empty())
    text += fmt::format("\n{} of {} without a manifest, not run to their end yet: {}\n", missing.size(),
                        counted(tally.count, "part"), number_words(missing));
  const std::set<std::size_t> others = parts_of_other_lists(tally);
  if (!others.empty())
    text += fmt::format("\n{} of {} made from another list of objects than {} has ({}); run again: {}\n",
                        others.size(), counted(tally.count, "part"), tally.valid_of,
                        counted(tally.valid->objects, "object"), number_words(others));
  if (const SameSettings old = of_other_settings(tally); old.objects > 0)
    text += fmt::format(
        "\n{} of {} made with other settings or versions than part {}, the most recent; run again: {}\n",
        old.objects, counted(tally.names.size(), "object"), recent_settings(tally)->second.last,
        number_words(old.parts));
  if (tally.changed.objects > 0)
    text += fmt::format("\n{} of {} made from a file that has changed since ({}); run again: {}\n",
                        tally.changed.objects, counted(tally.names.size(), "object"), tally.changed.first,
                        number_words(tally.changed.parts));
  return text;
}

bool is_fine(const Tally& tally) {
  return missing_parts(tally).empty() && parts_of_other_lists(tally).empty() &&
         of_other_settings(tally).objects == 0 && tally.changed.objects == 0 && tally.causes.empty() &&
         !tally.statuses.contains("interrupted");
}

}  // namespace abut::preprocess
