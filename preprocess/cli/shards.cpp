#include "preprocess/cli/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "preprocess/cli/output_folder.h"
#include "preprocess/cli/shard_tally.h"
#include "preprocess/mesh/write.h"
#include "runtime/asset/container.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::preprocess {
namespace {

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

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Names of files may not be valid UTF-8.
std::string text_of(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
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
                   const std::vector<datasets::ObjectSource>& others, const std::string& settings)
    : settings_(asset::digest(std::as_bytes(std::span(settings)))),
      file_(out / kManifests / fmt::format("{}-of-{}.json", shard.number, shard.count)) {
  std::error_code ignored;  // the writer reports what is wrong with the folder
  std::filesystem::create_directories(file_.parent_path(), ignored);
  require_own(file_, dataset.root);
  const ObjectList list = list_of(dataset);
  list_ = text_of({{"objects", list.objects}, {"digest", list.digest}, {"layout", list.layout}}, -1);
  for (const datasets::ObjectSource& object : objects) sources_[object.name] = state_of(object.file);
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
  const double now = seconds_now();
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
  const double now = seconds_now();
  for (nlohmann::json& object : all.at("objects")) {
    if (!object.contains(kTime)) object[kTime] = now;
    object[kSettings] = settings_;
    object[kSource] = sources_[object.at("name")];
  }
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
    const double written = time_of(manifests[k]);
    visit_manifest(manifests[k], [&](const nlohmann::json& json) {
      keep_list(json, part, tally);
      for (const nlohmann::json& object : json.at("objects")) {
        if (const auto at = recent.find(object.at("name")); at == recent.end() || at->second != k) continue;
        const std::optional<nlohmann::json> counted = count_object(object, part, written, out, tally);
        if (!counted || !file) continue;
        file->write(between);
        file->write(text_of(*counted, -1));
        between = ",\n";
      }
    });
  }
  if (!dataset.empty()) compare(dataset, tally);
  if (file) {
    file->write(tally.names.empty() ? "{\"objects\": [" : "");
    file->write("\n]}\n");
    file->finish();
  }
  return {table_of(tally), is_fine(tally)};
}

}  // namespace abut::preprocess
