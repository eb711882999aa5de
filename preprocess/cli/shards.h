#pragma once

#include <cstddef>
#include <filesystem>
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

// Where a run of the part writes what is known of it (summary_json): out/manifests/I-of-N.json. Makes the
// folder.
std::filesystem::path manifest_of(const std::filesystem::path& out, const Shard& shard);

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
