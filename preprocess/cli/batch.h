#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "datasets/dataset.h"
#include "preprocess/cli/pipeline.h"
#include "preprocess/process/runner.h"

// A whole dataset: every object made, or found up to date, in a child process of its own.
namespace abut::preprocess {

struct BatchOptions {
  Parameters parameters;
  int jobs = 0;                   // objects at once; 0: the machine's cores
  double timeout_seconds = 1800;  // for one object
  std::size_t memory_bytes = 0;   // for one object; 0: its share of the machine's
  bool force = false;             // make again what is up to date or of another source
  std::string store;              // folder (asset_store.h); empty: none
};

enum class ObjectStatus { kMade, kUpToDate, kFailed };

// What there is to say of one object, failed or not.
struct ObjectResult {
  std::string name;
  std::string source_file;
  std::string asset_file;
  ObjectStatus status = ObjectStatus::kFailed;
  Outcome outcome = Outcome::kInterrupted;
  std::string reason;       // failed: why; made: why again, where there was an asset
  bool from_store = false;  // made earlier, under whatever name
  std::size_t triangles = 0, hull_vertices = 0;
  double volume = 0;  // m^3
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::map<std::string, double> measures;
  std::vector<std::pair<std::string, double>>
      stage_seconds;            // of the making, of whatever run but the store's
  double seconds = 0;           // of this run
  std::size_t peak_memory = 0;  // of this run, bytes
};

struct BatchResult {
  std::vector<ObjectResult> objects;  // in the dataset's order
  std::vector<std::string> notes;     // of the dataset: what was left out and why; of the store
  int signal = 0;                     // SIGINT, SIGTERM or SIGHUP where one ended the run
  int jobs = 0;                       // objects at once
  std::size_t memory_limit = 0;       // for one object, bytes
  double seconds = 0;
};

class BatchObserver {
 public:
  virtual ~BatchObserver() = default;
  virtual void started(std::size_t) {}
  virtual void stage(std::size_t, std::string_view) {}
  virtual void finished(std::size_t, const ObjectResult&) {}
  virtual void tick() {}
};

// Makes the assets of all objects in `out`. Objects at once share four fifths of the machine's memory, and
// are fewer than asked for where that leaves less than 1 GiB to each; one that ran out of its share is tried
// again alone; neither where the options give a limit. Throws IoError where `out` cannot be written or there
// is no store and it cannot be made. The calling process must be single-threaded.
BatchResult run_batch(const std::vector<datasets::ObjectSource>& objects, const std::filesystem::path& out,
                      const BatchOptions& options, BatchObserver& observer);

}  // namespace abut::preprocess
