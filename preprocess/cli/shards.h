#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/dataset.h"

// A dataset in parts that run apart, on one machine or many, and what became of all of them.
namespace abut::preprocess {

// Part `number` of `count`, counted from 1; count 0: no parts.
struct Shard {
  std::size_t number = 1, count = 0;
};

// "I/N". Throws InvalidInput unless 1 <= I <= N.
Shard shard_from_string(const std::string& text);

// Every count-th object from the number-th on.
std::vector<datasets::ObjectSource> select(const std::vector<datasets::ObjectSource>& objects,
                                           const Shard& shard);

// What is known of a part's objects, out/manifests/I-of-N.json, through one run of it. A run that dies leaves
// no word of an earlier run on its objects.
class Manifest {
 public:
  // Takes what an earlier manifest says of `others`, the objects of the part that the run leaves alone, and
  // removes it; where there is something to take, the run's `objects` are down as interrupted beside that.
  // Throws InvalidInput where the earlier manifest is damaged and there are others, or is of objects
  // elsewhere than in `dataset` that are still there; IoError.
  Manifest(const std::filesystem::path& out, const std::filesystem::path& dataset, const Shard& shard,
           const std::vector<datasets::ObjectSource>& objects,
           const std::vector<datasets::ObjectSource>& others);

  // At the end: `summary` is the summary_json of the run, to which the others are added, as another run may
  // have written them meanwhile. Throws as the constructor.
  void write(const std::string& summary);

 private:
  void take_others();

  std::filesystem::path file_;
  std::map<std::string, std::string> others_;  // as JSON, by name
};

// What became of the objects of all manifests in out/manifests: how many there are of each status, and what
// failed by its cause, which is the reason without names and numbers.
struct ShardStatus {
  std::string table;
  bool fine = false;  // every part has a manifest, and no object failed or was interrupted
};

// Reads one manifest after the other, so that memory does not grow with the dataset but for its names. An
// object of several manifests (of other numbers of parts) counts once: the youngest manifest's. Writes the
// merged manifest, of the same form, to `merged` unless that is empty. Throws InvalidInput, naming the file,
// where there is no manifest or one is damaged; IoError.
ShardStatus shard_status(const std::filesystem::path& out, const std::filesystem::path& merged);

}  // namespace abut::preprocess
