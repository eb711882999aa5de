#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "datasets/dataset.h"
#include "preprocess/cli/pipeline.h"
#include "preprocess/process/runner.h"

// Processes a whole dataset: each object is made, or found up to date, in a child process of its own.
namespace abut::preprocess {

struct BatchOptions {
  Parameters parameters;
  int jobs = 0;                   // objects at the same time; 0: one for each core
  double timeout_seconds = 1800;  // limit for one object
  std::size_t memory_bytes = 0;   // limit for one object; 0: its share of the machine's memory
  bool force = false;             // make again even if up to date or made of another source
  std::string store;              // folder of the asset store (asset_store.h); empty: none
};

enum class ObjectStatus { kMade, kUpToDate, kFailed };

// The result for one object, whether it failed or not.
struct ObjectResult {
  std::string name;
  std::string source_file;
  std::string asset_file;
  ObjectStatus status = ObjectStatus::kFailed;
  Outcome outcome = Outcome::kInterrupted;
  std::string reason;       // failed: why; made: why again, if there was an asset before
  bool from_store = false;  // taken from the store, where it may have another name
  std::size_t triangles = 0, hull_vertices = 0;
  double volume = 0;  // m^3
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::map<std::string, double> measures;
  std::vector<std::pair<std::string, double>>
      stage_seconds;            // of making the asset, in this or an earlier run; empty if from the store
  double seconds = 0;           // of this run
  std::size_t peak_memory = 0;  // of this run, bytes
};

struct BatchResult {
  std::vector<ObjectResult> objects;  // in the dataset's order
  std::vector<std::string> notes;     // on the dataset: what was omitted and why; on the store
  int signal = 0;                     // SIGINT, SIGTERM or SIGHUP if one ended the run
  int jobs = 0;                       // objects at the same time
  std::size_t memory_limit = 0;       // limit for one object, bytes
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

// Makes the assets of all objects in `out`. Unless the options set a memory limit, concurrent objects share
// four fifths of the machine's memory, their number is reduced if that leaves less than 1 GiB for each, and
// an object that exhausts its share is tried again alone. Throws IoError if `out` cannot be written, or the
// store does not exist and cannot be created. The calling process must be single-threaded.
BatchResult run_batch(const std::vector<datasets::ObjectSource>& objects, const std::filesystem::path& out,
                      const BatchOptions& options, BatchObserver& observer);

}  // namespace abut::preprocess
