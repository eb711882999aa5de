#include "datasets/record.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::datasets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMaxDepth = 8;  // depth of a file in its set

// The licence in the record, among those in `folder`, that lists the file with the path `path` in the set.
std::string licence_in(const fs::path& folder, const fs::path& path) {
  const std::string object = path.begin()->string() + ".", wanted = path.generic_string();
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(object) || !name.ends_with(".json")) continue;
    try {
      const Record record = read_record(it->path());
      if (std::any_of(record.files.begin(), record.files.end(),
                      [&](const StoredFile& file) { return file.path == wanted; }))
        return record.licence;
    } catch (const Error&) {  // `abut-datasets check` reports what is wrong with it
    }
  }
  return {};
}

// Whether the path is valid for a file of a set: relative, and not leading out of it.
bool stays_inside(const fs::path& path) {
  return path.is_relative() && !path.empty() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

}  // namespace

Record read_record(const fs::path& file) {
  const std::string damaged = file.string() + ": damaged; remove it, and download the object again";
  try {
    const json root = json::parse(read_text(file));
    Record record{.object = root.at("object"),
                  .variant = root.at("variant"),
                  .licence = root.at("licence"),
                  .archive_sha256 = root.at("archive_sha256"),
                  .address = root.at("address"),
                  .query_digest = root.value("query_digest", ""),
                  .files = {}};
    for (const json& one : root.at("files"))
      record.files.push_back({one.at("path"), one.at("bytes"), one.at("sha256")});
    if (record.files.empty() || !std::all_of(record.files.begin(), record.files.end(),
                                             [](const StoredFile& one) { return stays_inside(one.path); }))
      throw InvalidInput(damaged);
    return record;
  } catch (const json::exception&) {
    throw InvalidInput(damaged);
  }
}

void write_record(const Record& record, const fs::path& place) {
  json files = json::array();
  for (const StoredFile& one : record.files)
    files.push_back({{"path", one.path}, {"bytes", one.bytes}, {"sha256", one.sha256}});
  json root{{"object", record.object},
            {"variant", record.variant},
            {"address", record.address},
            {"licence", record.licence},
            {"archive_sha256", record.archive_sha256},
            {"files", files}};
  if (!record.query_digest.empty()) root["query_digest"] = record.query_digest;
  OutputFile file(place);
  file.write(root.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  file.finish();
}

std::string licence_of(const fs::path& file) {
  fs::path path = file.filename(), folder = file.parent_path();
  std::error_code ignored;
  for (int depth = 0; depth < kMaxDepth && !folder.filename().empty(); ++depth) {
    if (fs::is_directory(folder / kRecordFolder, ignored)) return licence_in(folder / kRecordFolder, path);
    path = folder.filename() / path;
    folder = folder.parent_path();
  }
  return {};
}

}  // namespace abut::datasets
