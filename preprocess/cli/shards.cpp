#include "preprocess/cli/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>

#include "preprocess/cli/output_folder.h"
#include "preprocess/mesh/write.h"
#include "runtime/asset/container.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::preprocess {
namespace {

bool read_whole(const std::string& text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

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

constexpr std::size_t kMaxParts = 1'000'000;

// The time of an object's entry, in seconds since 1970; of one without, that of its manifest.
constexpr const char* kTime = "unix_time_s";

double seconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

double time_of(const std::filesystem::path& file) {
  std::error_code gone;
  const auto time = std::chrono::file_clock::to_sys(std::filesystem::last_write_time(file, gone));
  if (gone) return 0;
  return seconds(std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
}

// The manifests, most recent first.
std::vector<std::filesystem::path> manifests_in(const std::filesystem::path& out) {
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(out / kManifests, error), end; !error && it != end;
       it.increment(error))
    if (std::error_code gone; it->path().extension() == ".json" && it->is_regular_file(gone))
      if (const auto time = it->last_write_time(gone); !gone) files.emplace_back(time, it->path());
  if (error == std::errc::permission_denied)
    throw IoError(fmt::format("{}: cannot read this folder: {}", out.string(), error.message()));
  if (files.empty())
    throw InvalidInput(fmt::format("{}: no manifest of a part is here; runs with --shard I/N write them",
                                   (out / kManifests).string()));
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::filesystem::path> sorted;
  sorted.reserve(files.size());
  for (const auto& file : files) sorted.push_back(file.second);
  return sorted;
}

struct Cause {
  std::size_t count = 0;
  std::string first;  // name of the first object
};

// The objects of a dataset, which its parts divide among them.
struct ObjectList {
  std::size_t objects = 0;
  std::string digest;  // of their names in ascending order
  std::string layout;  // of the dataset
};

ObjectList list_of(const datasets::Dataset& dataset) {
  std::string names;
  for (const datasets::ObjectSource& object : dataset.objects) names += object.name + '\n';
  return {dataset.objects.size(), asset::digest(std::as_bytes(std::span(names))), dataset.layout};
}

struct Tally {
  std::set<std::string> names;
  std::map<std::string, std::size_t> statuses;
  std::map<std::string, Cause> causes;
  std::size_t count = 0;                    // number of parts, by the most recent manifest
  std::set<std::size_t> parts;              // those with a manifest
  std::map<std::size_t, ObjectList> lists;  // by part, from manifests that have one
  std::optional<ObjectList> valid;          // what all of them must be
  std::string valid_of;                     // where it is from, for messages
};

// The number of the manifest's part; 0 if it is one of another number of parts than the most recent's.
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

// Calls visit(the whole manifest). Throws InvalidInput if it is damaged.
template <class Visit>
void visit_manifest(const std::filesystem::path& manifest, const Visit& visit) {
  const std::string damaged =
      manifest.string() + ": not a manifest, or damaged; run that part again, all of it";
  // Objects are written again by recursion; no run writes one nested this deeply.
  const auto shallow = [&](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
    constexpr int kDeepest = 64;
    return depth <= kDeepest ? true : throw InvalidInput(damaged);
  };
  try {
    visit(nlohmann::json::parse(read_text(manifest), shallow));
  } catch (const nlohmann::json::exception&) {
    throw InvalidInput(damaged);
  }
}

template <class Visit>
void for_each_object(const std::filesystem::path& manifest, const Visit& visit) {
  visit_manifest(manifest, [&](const nlohmann::json& json) {
    for (const nlohmann::json& object : json.at("objects")) visit(object);
  });
}

// By the object's name, which of the manifests has its most recent entry; of equals the first has.
std::map<std::string, std::size_t> most_recent(const std::vector<std::filesystem::path>& manifests) {
  std::map<std::string, std::pair<double, std::size_t>> newest;
  for (std::size_t k = 0; k < manifests.size(); ++k) {
    const double written = time_of(manifests[k]);
    for_each_object(manifests[k], [&](const nlohmann::json& object) {
      const std::pair<double, std::size_t> entry{object.value(kTime, written), k};
      const auto [at, inserted] = newest.emplace(std::string(object.at("name")), entry);
      if (!inserted && entry.first > at->second.first) at->second = entry;
    });
  }
  std::map<std::string, std::size_t> manifest;
  for (const auto& [name, entry] : newest) manifest.emplace_hint(manifest.end(), name, entry.second);
  return manifest;
}

bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path below = path.lexically_relative(folder);
  return !below.empty() && *below.begin() != "..";
}

// Throws InvalidInput if the manifest lists an object that still exists and lies outside the dataset, both by
// its name and after links to folders are followed.
void require_own(const std::filesystem::path& manifest, const std::filesystem::path& dataset) {
  std::error_code error;
  if (!std::filesystem::exists(manifest, error)) return;
  const std::filesystem::path root = std::filesystem::weakly_canonical(dataset, error),
                              named = std::filesystem::absolute(dataset).lexically_normal();
  std::string other;
  try {
    for_each_object(manifest, [&](const nlohmann::json& object) {
      const std::filesystem::path source = std::string(object.at("source_file"));
      if (!other.empty() || !std::filesystem::exists(source, error)) return;
      if (!lies_in(std::filesystem::absolute(source).lexically_normal(), named) &&
          !lies_in(std::filesystem::weakly_canonical(source.parent_path(), error), root))
        other = source.string();
    });
  } catch (const InvalidInput&) {  // damaged: it is rewritten
  }
  if (!other.empty())
    throw InvalidInput(
        fmt::format("{} is of another dataset, such as {}: give another OUT, or remove it first",
                    manifest.string(), other));
}

// Names of files may not be valid UTF-8.
std::string text_of(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Keeps the list of which a part was made; manifests are visited from the most recent one on.
void keep_list(const nlohmann::json& json, std::size_t part, Tally& tally) {
  if (part == 0 || !json.contains("list")) return;
  const nlohmann::json& list = json.at("list");
  const ObjectList& kept = tally.lists[part] = {list.at("objects"), list.at("digest"), list.at("layout")};
  if (tally.valid) return;
  tally.valid = kept;
  tally.valid_of = fmt::format("part {}, the most recent,", part);
}

// Counts an object that was not counted before and returns its entry, of which an asset that is not in `out`
// has the status "missing"; empty if it was counted.
std::optional<nlohmann::json> count_object(nlohmann::json object, const std::filesystem::path& out,
                                           Tally& tally) {
  const std::string name = object.at("name");
  std::string status = object.at("status");
  if (!tally.names.insert(name).second) return std::nullopt;
  std::error_code error;
  if (status != "failed" && status != "interrupted" &&
      !std::filesystem::exists(out / (name + ".h5"), error)) {
    object["status"] = status = "missing";
    object["reason"] = "its asset is no longer there: run its part again";
  }
  ++tally.statuses[status];
  if (status == "failed" || status == "missing") {
    Cause& cause = tally.causes[cause_of(object.at("reason"), object.value("source_file", ""))];
    if (cause.count++ == 0 || name < cause.first) cause.first = name;
  }
  return object;
}

std::vector<std::size_t> missing_parts(const Tally& tally) {
  std::vector<std::size_t> missing;
  for (std::size_t k = 1; k <= tally.count; ++k)
    if (!tally.parts.contains(k)) missing.push_back(k);
  return missing;
}

std::vector<std::size_t> parts_of_other_lists(const Tally& tally) {
  std::vector<std::size_t> others;
  for (const auto& [part, list] : tally.lists)
    if (list.digest != tally.valid->digest) others.push_back(part);
  return others;
}

// "1, 2, 5", of many the first ten.
std::string number_words(const std::vector<std::size_t>& numbers) {
  return fmt::format(
      "{}{}",
      fmt::join(numbers.begin(), numbers.begin() + std::min<std::ptrdiff_t>(10, std::ssize(numbers)), ", "),
      numbers.size() > 10 ? ", ..." : "");
}

ShardStatus status_of(const Tally& tally) {
  std::string text = fmt::format("{:>9}  status\n", "objects");
  for (const auto& [status, count] : tally.statuses) text += fmt::format("{:>9}  {}\n", count, status);
  text += fmt::format("{:>9}  in all\n", tally.names.size());
  if (!tally.causes.empty()) text += fmt::format("\n{:>9}  cause of failure (the first object)\n", "objects");
  std::vector<std::pair<std::string, Cause>> causes(tally.causes.begin(), tally.causes.end());
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  for (const auto& [cause, what] : causes)
    text += fmt::format("{:>9}  {} ({})\n", what.count, cause, what.first);
  const std::vector<std::size_t> missing = missing_parts(tally);
  if (!missing.empty())
    text += fmt::format("\n{} of {} without a manifest, not run to their end yet: {}\n", missing.size(),
                        counted(tally.count, "part"), number_words(missing));
  const std::vector<std::size_t> others = parts_of_other_lists(tally);
  if (!others.empty())
    text += fmt::format("\n{} of {} made from another list of objects than {} has ({}); run again: {}\n",
                        others.size(), counted(tally.count, "part"), tally.valid_of,
                        counted(tally.valid->objects, "object"), number_words(others));
  return {text, missing.empty() && others.empty() && tally.causes.empty() &&
                    !tally.statuses.contains("interrupted")};
}

}  // namespace

Shard shard_from_string(const std::string& text) {
  Shard shard;
  const std::size_t slash = std::min(text.find('/'), text.size());
  if (slash == text.size() || !read_whole(text.substr(0, slash), shard.number) ||
      !read_whole(text.substr(slash + 1), shard.count) || shard.number < 1 || shard.number > shard.count ||
      shard.count > kMaxParts)
    throw InvalidInput(
        fmt::format("--shard {}: use I/N, part I of N, with I from 1 to N and N up to {}", text, kMaxParts));
  return shard;
}

std::vector<datasets::ObjectSource> select(const std::vector<datasets::ObjectSource>& objects,
                                           const Shard& shard) {
  if (shard.count == 0) return objects;
  std::vector<datasets::ObjectSource> selected;
  for (std::size_t k = shard.number - 1; k < objects.size(); k += shard.count) selected.push_back(objects[k]);
  return selected;
}

Manifest::Manifest(const std::filesystem::path& out, const datasets::Dataset& dataset, const Shard& shard,
                   const std::vector<datasets::ObjectSource>& objects,
                   const std::vector<datasets::ObjectSource>& others)
    : file_(out / kManifests / fmt::format("{}-of-{}.json", shard.number, shard.count)) {
  std::error_code ignored;  // the writer reports what is wrong with the folder
  std::filesystem::create_directories(file_.parent_path(), ignored);
  require_own(file_, dataset.root);
  const ObjectList list = list_of(dataset);
  list_ = text_of({{"objects", list.objects}, {"digest", list.digest}, {"layout", list.layout}}, -1);
  const auto left = [](const datasets::ObjectSource& object, double time) {
    return nlohmann::json{{"name", object.name},
                          {"source_file", object.file.string()},
                          {"status", "interrupted"},
                          {"reason", "interrupted"},
                          {kTime, time}};
  };
  constexpr double kNever = 0;  // any other word of them is more recent
  for (const datasets::ObjectSource& object : others)
    others_[object.name] = text_of(left(object, kNever), -1);
  take_others();
  if (others_.empty()) {
    std::filesystem::remove(file_, ignored);
    return;
  }
  nlohmann::json begun = nlohmann::json::array();
  const double now = seconds(std::chrono::system_clock::now());
  for (const datasets::ObjectSource& object : objects) begun.push_back(left(object, now));
  write(text_of({{"objects", begun}}, -1));
}

void Manifest::take_others() {
  if (others_.empty() || !std::filesystem::exists(file_)) return;
  const double written = time_of(file_);
  for_each_object(file_, [&](const nlohmann::json& object) {
    const auto other = others_.find(object.at("name"));
    if (other == others_.end()) return;
    nlohmann::json kept = object;
    kept[kTime] = object.value(kTime, written);
    other->second = text_of(kept, -1);
  });
}

void Manifest::write(const std::string& summary) {
  take_others();
  nlohmann::json all = nlohmann::json::parse(summary);
  const double now = seconds(std::chrono::system_clock::now());
  for (nlohmann::json& object : all.at("objects"))
    if (!object.contains(kTime)) object[kTime] = now;
  all["list"] = nlohmann::json::parse(list_);
  for (const auto& [name, object] : others_) all.at("objects").push_back(nlohmann::json::parse(object));
  write_whole(file_, text_of(all, 2) + "\n");
}

ShardStatus shard_status(const std::filesystem::path& out, const std::filesystem::path& merged,
                         const std::filesystem::path& dataset) {
  Tally tally;
  const std::vector<std::filesystem::path> manifests = manifests_in(out);
  std::unique_ptr<OutputFile> file;
  for (const std::filesystem::path& manifest : manifests)
    if (!merged.empty()) require_not_input(merged, manifest);
  if (!merged.empty()) file = std::make_unique<OutputFile>(merged);
  std::string_view between = "{\"objects\": [\n";
  const std::map<std::string, std::size_t> recent = most_recent(manifests);
  for (std::size_t k = 0; k < manifests.size(); ++k) {
    const std::size_t part = count_part(manifests[k], tally);
    visit_manifest(manifests[k], [&](const nlohmann::json& json) {
      keep_list(json, part, tally);
      for (const nlohmann::json& object : json.at("objects")) {
        if (const auto at = recent.find(object.at("name")); at == recent.end() || at->second != k) continue;
        const std::optional<nlohmann::json> counted = count_object(object, out, tally);
        if (!counted || !file) continue;
        file->write(between);
        file->write(text_of(*counted, -1));
        between = ",\n";
      }
    });
  }
  if (!dataset.empty() && tally.valid) {
    tally.valid =
        list_of(datasets::open_dataset(dataset, {.layout = tally.valid->layout, .metres_per_unit = {}}));
    tally.valid_of = dataset.string();
  }
  if (file) {
    file->write(tally.names.empty() ? "{\"objects\": [" : "");
    file->write("\n]}\n");
    file->finish();
  }
  return status_of(tally);
}

}  // namespace abut::preprocess
