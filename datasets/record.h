#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// The records that abut-datasets keeps with the objects that it downloaded.
namespace abut::datasets {

inline constexpr const char* kRecordFolder =
    ".abut";  // in the set's folder: OBJECT.VARIANT.json, without a dot in VARIANT

struct StoredFile {
  std::string path;  // relative, separated by /
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct Record {
  std::string object, variant, licence, archive_sha256;
  std::string address;            // without user, password and query, since others may read it
  std::string query_digest;       // of the address with its query; empty if it has none
  std::vector<StoredFile> files;  // paths relative to the set's folder
};

// Throws IoError; InvalidInput for a file that is not a record.
Record read_record(const std::filesystem::path& file);
void write_record(const Record& record, const std::filesystem::path& file);

// The licence under which a file was downloaded, from the record of the set that contains it; empty if there
// is none.
std::string licence_of(const std::filesystem::path& file);

}  // namespace abut::datasets
