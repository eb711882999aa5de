#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "datasets/dataset.h"

// What the manifests of a dataset's parts say together. Internal to shards.cpp.
namespace abut::preprocess {

inline constexpr std::size_t kMaxParts = 1'000'000;

// Keys of an object's entry.
inline constexpr const char* kTime = "unix_time_s";     // when it was written; one without has its manifest's
inline constexpr const char* kSettings = "settings";    // digest of what it was made with
inline constexpr const char* kSource = "source_state";  // state_of() its file before the run

bool read_whole(const std::string& text, std::size_t& number);

// Of a file's last change, in seconds since 1970; 0 if there is none.
double time_of(const std::filesystem::path& file);

// Size and time of a file, which tell its changes without reading it; empty if there is none.
std::string state_of(const std::filesystem::path& file);

// The objects of a dataset, which its parts divide among them.
struct ObjectList {
  std::size_t objects = 0;
  std::string digest;  // of their names in ascending order
  std::string layout;  // of the dataset
};

ObjectList list_of(const datasets::Dataset& dataset);

struct Cause {
  std::size_t count = 0;
  std::string first;  // name of the first object
};

// Objects made with the same settings, in the parts of the most recent number of parts.
struct SameSettings {
  std::size_t objects = 0;
  std::set<std::size_t> parts;
  double time = 0;       // of the most recent of them, in seconds since 1970
  std::size_t last = 0;  // its part
};

// An object's file when it was made.
struct MadeFrom {
  std::string state;
  std::size_t part = 0;
};

// Objects whose files are others than those they were made from.
struct Changed {
  std::string first;  // name of the first
  std::size_t objects = 0;
  std::set<std::size_t> parts;
};

struct Tally {
  std::set<std::string> names;
  std::map<std::string, std::size_t> statuses;
  std::map<std::string, Cause> causes;
  std::size_t count = 0;                         // number of parts, by the most recent manifest
  std::set<std::size_t> parts;                   // those with a manifest
  std::map<std::size_t, ObjectList> lists;       // by part, from manifests that have one
  std::optional<ObjectList> valid;               // what all of them must be
  std::string valid_of;                          // where it is from, for messages
  std::map<std::string, SameSettings> settings;  // by digest
  std::map<std::string, MadeFrom> sources;       // by the object's name
  Changed changed;
};

// Manifests are visited from the most recent one on. Throws InvalidInput if the name is not I-of-N.json.
// Returns the number of the manifest's part; 0 if it is one of another number of parts than the most
// recent's.
std::size_t count_part(const std::filesystem::path& manifest, Tally& tally);

// Keeps the list of which a part was made.
void keep_list(const nlohmann::json& manifest, std::size_t part, Tally& tally);

// Counts an object that was not counted before and returns its entry, of which an asset that is not in `out`
// has the status "missing"; empty if it was counted. `written`: time of an entry without one.
std::optional<nlohmann::json> count_object(nlohmann::json object, std::size_t part, double written,
                                           const std::filesystem::path& out, Tally& tally);

// Compares with the dataset as it is now. Throws as datasets::open_dataset.
void compare(const std::filesystem::path& dataset, Tally& tally);

// The table, and what must be run again.
std::string table_of(const Tally& tally);

// Whether nothing must be run again.
bool is_fine(const Tally& tally);

}  // namespace abut::preprocess
