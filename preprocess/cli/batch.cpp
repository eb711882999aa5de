#include "preprocess/cli/batch.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "preprocess/cli/asset_store.h"
#include "preprocess/cli/output_folder.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "runtime/core/error.h"
#include "runtime/core/thread_pool.h"

namespace abut::preprocess {
namespace {

constexpr double kMemoryShare = 0.8;
constexpr std::size_t kLeastMemory = std::size_t{1} << 30;
constexpr int kMaxJobs = 1024;
constexpr const char* kInterruptedReason = "interrupted";

// Summarises a finished asset.
ObjectResult describe(const asset::Asset& asset, ObjectStatus status, std::string reason) {
  const asset::Provenance& provenance = asset.provenance;
  ObjectResult result;
  result.status = status;
  result.reason = std::move(reason);
  result.triangles = asset.surfaces.empty() ? 0 : asset.surfaces.front().triangles.size() / 3;
  result.hull_vertices = asset.convex.empty() ? 0 : asset.convex.front().vertices.size() / 3;
  result.volume = asset.mass.volume;
  result.warnings = provenance.warnings;
  result.measures = provenance.measures;
  result.stage_seconds = provenance.stage_seconds;
  return result;
}

// Serialises the child's answer to the parent.
std::string pack(const ObjectResult& result) {
  return nlohmann::json{{"status", static_cast<int>(result.status)},
                        {"reason", result.reason},
                        {"from_store", result.from_store},
                        {"triangles", result.triangles},
                        {"hull_vertices", result.hull_vertices},
                        {"volume", result.volume},
                        {"warnings", result.warnings},
                        {"measures", result.measures},
                        {"stage_seconds", result.stage_seconds}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void unpack(const std::string& payload, ObjectResult& result) {
  const nlohmann::json json = nlohmann::json::parse(payload);
  result.status = static_cast<ObjectStatus>(json.at("status").get<int>());
  json.at("reason").get_to(result.reason);
  json.at("from_store").get_to(result.from_store);
  json.at("triangles").get_to(result.triangles);
  json.at("hull_vertices").get_to(result.hull_vertices);
  json.at("volume").get_to(result.volume);
  json.at("warnings").get_to(result.warnings);
  json.at("measures").get_to(result.measures);
  json.at("stage_seconds").get_to(result.stage_seconds);
}

// Parses the child's answer; one with invalid numbers, as from a forged asset, is a failure.
void take(const std::string& payload, ObjectResult& result) {
  try {
    unpack(payload, result);
  } catch (const nlohmann::json::exception&) {
    result.status = ObjectStatus::kFailed;
    result.outcome = Outcome::kFailed;
    result.reason = result.asset_file + ": has measures that are no numbers; make it again with --force";
  }
}

// Loads the asset on disk if it is up to date; otherwise `reason` says why it must be made again. Throws
// InvalidInput if it is another object's.
std::optional<asset::Asset> load_up_to_date(const std::filesystem::path& file,
                                            const datasets::ObjectSource& source, const BatchOptions& options,
                                            std::string& reason) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  if (options.force) {
    reason = "forced";
    return std::nullopt;
  }
  try {
    asset::Asset asset = asset::load(file);
    require_same_source(asset.provenance, file, source.file);
    const std::optional<std::string> change = out_of_date(asset.provenance, source, options.parameters);
    if (!change) return asset;
    reason = *change;
  } catch (const BadAsset& error) {
    reason = error.what();
  }
  return std::nullopt;
}

// The making of one object's asset.
struct Job {
  const datasets::ObjectSource& source;
  const std::filesystem::path file;
  const BatchOptions& options;
  const StageCallback& stage;
  std::string reason;  // why it is made again
};

ObjectResult write(const Job& job, const asset::Asset& asset) {
  job.stage("write");
  asset::save(asset, job.file);
  return describe(asset, ObjectStatus::kMade, job.reason);
}

ObjectResult make(const Job& job) {
  return write(job, make_asset(job.source, job.options.parameters, job.stage));
}

ObjectResult take_or_make(const Job& job, const AssetStore& store) {
  const Parameters& parameters = job.options.parameters;
  const std::string key = AssetStore::key(job.source, parameters);
  const std::optional<ObjectLock> lock = store.lock(key, [&] { job.stage(kWaitingStage); });
  std::vector<std::string> warnings;
  std::optional<asset::Asset> found;
  if (!job.options.force) found = store.find(key, job.source, parameters, warnings);
  ObjectResult result;
  if (found) {
    result = write(job, *found);
    result.from_store = true;
    result.stage_seconds.clear();  // they belong to another run
  } else {
    const asset::Asset made = make_asset(job.source, parameters, job.stage);
    result = write(job, made);
    // Where TetGen ended at a limit, a machine with more time to spare would have made another asset.
    if (!made.provenance.measures.contains(kLimitReached)) store.keep(key, job.source, made, warnings);
  }
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  return result;
}

ObjectResult make_object(const datasets::ObjectSource& source, const OutputFolder& out,
                         const std::optional<AssetStore>& store, const BatchOptions& options,
                         const StageCallback& stage) {
  const ObjectLock lock = out.lock(source.name, [&] { stage(kWaitingStage); });
  stage("check");
  Job job{source, out.asset(source.name), options, stage, ""};
  if (const auto asset = load_up_to_date(job.file, source, options, job.reason))
    return describe(*asset, ObjectStatus::kUpToDate, "");
  return store ? take_or_make(job, *store) : make(job);
}

// Passes the runner's progress on in terms of objects; `numbers` maps the runner's jobs to objects.
class Translator : public RunObserver {
 public:
  Translator(std::vector<std::size_t> numbers, std::vector<ObjectResult>& results, BatchObserver& observer,
             bool retry)
      : numbers_(std::move(numbers)), results_(results), observer_(observer), retry_(retry) {}

  void started(std::size_t job) override { observer_.started(numbers_[job]); }
  void stage(std::size_t job, std::string_view stage) override { observer_.stage(numbers_[job], stage); }
  void finished(std::size_t job, const JobResult& answer) override {
    ObjectResult& result = results_[numbers_[job]];
    result.outcome = answer.outcome;
    result.seconds += answer.seconds;
    result.peak_memory = answer.peak_memory;
    result.reason = answer.reason;
    if (answer.outcome == Outcome::kDone) take(answer.payload, result);
    if (retry_ && answer.outcome == Outcome::kOutOfMemory) {
      result.outcome = Outcome::kInterrupted;  // until it has been tried again alone
      result.reason = kInterruptedReason;
      again_.push_back(numbers_[job]);
      observer_.stage(numbers_[job], "waits to be tried alone, with all memory");
    } else {
      observer_.finished(numbers_[job], result);
    }
  }
  void tick() override { observer_.tick(); }

  const std::vector<std::size_t>& numbers() const { return numbers_; }
  const std::vector<std::size_t>& again() const { return again_; }

 private:
  std::vector<std::size_t> numbers_, again_;
  std::vector<ObjectResult>& results_;
  BatchObserver& observer_;
  bool retry_;
};

std::vector<ObjectResult> describe_objects(const std::vector<datasets::ObjectSource>& objects,
                                           const OutputFolder& out) {
  std::vector<ObjectResult> results(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    results[i].name = objects[i].name;
    results[i].source_file = objects[i].file.string();
    results[i].asset_file = out.asset(objects[i].name).string();
    results[i].notes = objects[i].notes;
    results[i].reason = kInterruptedReason;
  }
  return results;
}

}  // namespace

BatchResult run_batch(const std::vector<datasets::ObjectSource>& objects,
                      const std::filesystem::path& out_path, const BatchOptions& options,
                      BatchObserver& observer) {
  const auto begin = std::chrono::steady_clock::now();
  const OutputFolder out(out_path);
  std::optional<AssetStore> store;
  if (!options.store.empty()) store.emplace(options.store, out_path);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto memory = static_cast<std::size_t>(kMemoryShare * static_cast<double>(machine_memory()));
  const auto most_jobs =
      static_cast<int>(std::clamp(memory / kLeastMemory, std::size_t{1}, std::size_t{kMaxJobs}));
  const auto limit = [&](int jobs) {
    return options.memory_bytes > 0 ? options.memory_bytes : memory / static_cast<std::size_t>(jobs);
  };

  BatchResult batch;
  batch.jobs =
      std::min({options.jobs > 0 ? options.jobs : cores, options.memory_bytes > 0 ? kMaxJobs : most_jobs,
                std::max(1, static_cast<int>(objects.size()))});
  batch.memory_limit = limit(batch.jobs);
  batch.objects = describe_objects(objects, out);
  if (store && !store->note().empty()) batch.notes.push_back(store->note());

  const auto run = [&](std::vector<std::size_t> numbers, int jobs) {
    Translator translator(std::move(numbers), batch.objects, observer, limit(jobs) < limit(1));
    const Work work = [&](std::size_t job, const StageCallback& stage) {
      set_default_threads(std::max(1, cores / jobs));
      return pack(make_object(objects[translator.numbers()[job]], out, store, options, stage));
    };
    const RunnerOptions runner{
        .jobs = jobs, .timeout_seconds = options.timeout_seconds, .memory_bytes = limit(jobs)};
    batch.signal = run_jobs(translator.numbers().size(), work, runner, translator).signal;
    return translator.again();
  };
  std::vector<std::size_t> all(objects.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::vector<std::size_t> again = run(std::move(all), batch.jobs);
  if (batch.signal == 0 && !again.empty()) run(again, 1);
  out.remove_stale_temporaries();
  batch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return batch;
}

}  // namespace abut::preprocess
