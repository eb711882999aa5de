#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/dataset.h"

// Splits a dataset into parts that run separately, on one or many machines, and collects their results.
namespace abut::preprocess {

// Part `number` of `count`, counted from 1; count 0: the whole dataset.
struct Shard {
  std::size_t number = 1, count = 0;
};

// Parses "I/N". Throws InvalidInput unless 1 <= I <= N.
Shard shard_from_string(const std::string& text);

// Every count-th object, starting with the number-th.
std::vector<datasets::ObjectSource> select(const std::vector<datasets::ObjectSource>& objects,
                                           const Shard& shard);

// The results for a part's objects, in out/manifests/I-of-N.json, during one run, with the number and a
// digest of the dataset's objects, and for each object a digest of its settings and its file's size and time
// before the run. If the run dies, no results of an earlier run remain for its objects.
class Manifest {
 public:
  // Takes the earlier manifest's entries for `others`, the objects of the part that this run does not make,
  // and removes that manifest. If there are others, a new manifest lists the run's `objects` as interrupted
  // next to them. Throws InvalidInput if the earlier manifest is damaged and there are others, or lists
  // objects outside `dataset` that still exist; IoError. `settings`: everything but its file that determines
  // an object of the run.
  Manifest(const std::filesystem::path& out, const datasets::Dataset& dataset, const Shard& shard,
           const std::vector<datasets::ObjectSource>& objects,
           const std::vector<datasets::ObjectSource>& others, const std::string& settings);

  // Writes the final manifest: `summary` is the summary_json of the run, to which the others are added, read
  // again because another run may have updated them meanwhile. Throws as the constructor.
  void write(const std::string& summary);

 private:
  void take_others();

  std::string settings_;  // as a digest
  std::filesystem::path file_;
  std::string list_;                            // of the dataset's objects, as JSON
  std::map<std::string, std::string> others_;   // by name, as JSON
  std::map<std::string, std::string> sources_;  // state of the file before the run, by the object's name
};

// The results for the objects of all manifests in out/manifests: how many have each status, and the failures
// grouped by cause, which is the reason without names and numbers.
struct ShardStatus {
  std::string table;
  // Every part has a manifest of the same list of objects, all of which have their assets, made with the same
  // settings.
  bool fine = false;
};

// Reads the manifests one by one, twice, so that memory grows with the dataset only by its names. An object
// in several manifests (of different numbers of parts) counts once, by its most recent entry; one whose asset
// is not in `out` is "missing". The parts' list of objects must be that of the most recent manifest, or of
// `dataset` if that is given; then the objects' files must also be as they were before their runs. Writes the
// merged manifest, in the same format, to `merged` unless that is empty. Throws InvalidInput, naming the
// file, if there is no manifest or one is damaged; IoError; as datasets::open_dataset.
ShardStatus shard_status(const std::filesystem::path& out, const std::filesystem::path& merged,
                         const std::filesystem::path& dataset = {});

}  // namespace abut::preprocess
