#include "datasets/download/collection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "datasets/download/address.h"
#include "datasets/download/digest.h"
#include "datasets/download/disk.h"
#include "datasets/download/settle.h"
#include "datasets/listing.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::datasets {
namespace {

namespace fs = std::filesystem;

bool has_its_files(const Record& record, const fs::path& folder) {
  return std::all_of(record.files.begin(), record.files.end(), [&](const StoredFile& file) {
    std::error_code error;
    return fs::file_size(folder / file.path, error) == file.bytes && !error;
  });
}

void clear(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// Refuses files outside the object's folder in an archive that contains this folder, so that it cannot affect
// others.
void require_inside(const std::vector<StoredFile>& files, const std::string& object,
                    const fs::path& archive) {
  for (const StoredFile& file : files)
    if (!file.path.starts_with(object + "/"))
      throw InvalidInput(fmt::format(
          "{}: entry '{}' is not in the folder {}/ of the object; nothing of the archive is taken",
          archive.string(), file.path, object));
}

void require_mesh(const std::vector<StoredFile>& files, const fs::path& archive) {
  if (std::none_of(files.begin(), files.end(),
                   [](const auto& file) { return has_mesh_extension(file.path); }))
    throw InvalidInput(archive.string() + ": the archive has no mesh (" + std::string(kMeshFormats) + ")");
}

// Refuses file names that are not UTF-8, which records and their readers cannot represent.
void require_readable_names(const std::vector<StoredFile>& files, const fs::path& archive) {
  for (const StoredFile& file : files) try {
      nlohmann::json(file.path).dump();
    } catch (const nlohmann::json::exception&) {
      throw InvalidInput(archive.string() +
                         ": the archive has a file whose name is not UTF-8; nothing of it is taken");
    }
}

void require_digest(const Manifest& manifest, const std::string& key, const std::string& digest,
                    const std::string& address) {
  const auto known = manifest.sha256.find(key);
  if (known != manifest.sha256.end() && known->second != digest)
    throw InvalidInput(fmt::format("{}: not what it should be: its SHA-256 is {}, of the set's manifest {}",
                                   address, digest, known->second));
}

// Paths in .abut/ for a variant of an object.
struct Places {
  fs::path record, archive, unpacked;
  fs::path old_record;  // of files that are being replaced

  // A dot in the variant's name becomes %2E, so that the last dot separates the two names.
  Places(const fs::path& hidden, const std::string& object, const std::string& variant) {
    std::string name = object + ".";
    for (const char c : variant) name += c == '.' ? "%2E" : c == '%' ? "%25" : std::string(1, c);
    record = hidden / (name + ".json");
    archive = hidden / (name + ".part");
    unpacked = hidden / (name + ".unpacked");
    old_record = hidden / (name + ".old");
  }

  void clear_work() const {
    forget(archive);
    clear(unpacked);
    clear(old_record);
  }
};

bool is_plain_file(const fs::path& place) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(place, ignored));
}

// Earlier versions kept the dots of the variant, so that a record may have the name of another one.
void rename_old_record(const fs::path& hidden, const std::string& object, const std::string& variant) {
  const std::string name = object + "." + variant;
  const fs::path place = hidden / (name + ".json");
  if (name.find('.') == name.rfind('.') || !is_plain_file(place)) return;
  const Record record = read_record(place);
  const fs::path right = Places(hidden, record.object, record.variant).record;
  if (record.object + "." + record.variant != name || right == place) return;
  std::error_code error;
  fs::rename(place, right, error);
  if (error) fail_to_write(right, error.value());
}

// The files of an object that exist according to its records.
struct Known {
  std::vector<StoredFile> before;            // of this variant
  std::map<std::string, StoredFile> others;  // by path
  std::map<std::string, std::string> variant_of;
};

Known known_files(const fs::path& hidden, const std::string& object, const std::string& variant) {
  Known known;
  std::error_code error;
  for (fs::directory_iterator it(hidden, error), end; !error && it != end; it.increment(error)) {
    const fs::path& place = it->path();
    if (!place.filename().string().starts_with(object + ".") || !is_plain_file(place)) continue;
    if (place.extension() != ".json" && place.extension() != ".old") continue;
    const Record record = read_record(place);
    if (record.object != object) continue;
    for (const StoredFile& file : record.files) {
      if (record.variant == variant) {
        known.before.push_back(file);
      } else {
        known.others[file.path] = file;
        known.variant_of[file.path] = record.variant;
      }
    }
  }
  return known;
}

// Refuses files that differ from those of other variants; variants of an object may coexist and share
// identical files.
void require_not_others(const std::vector<StoredFile>& files, const Known& known, const fs::path& folder,
                        const std::string& address) {
  for (const StoredFile& file : files) {
    const auto other = known.others.find(file.path);
    if (other != known.others.end() && other->second.sha256 != file.sha256)
      throw InvalidInput(
          fmt::format("{}: {} is of the variant '{}' and differs; choose another folder by --out", address,
                      (folder / file.path).string(), known.variant_of.at(file.path)));
  }
}

// Moves what was unpacked into the set. A run that is killed meanwhile leaves no record that claims
// completeness, and the next run learns from the old record what to remove.
void settle(const Record& record, const Places& at, const fs::path& from, const fs::path& folder,
            const Known& known) {
  require_not_others(record.files, known, folder, record.address);
  require_room(from, folder / record.object);
  std::error_code error;
  if (is_plain_file(at.record)) fs::rename(at.record, at.old_record, error);
  if (error) fail_to_write(at.old_record, error.value());
  move_in(from, folder / record.object);
  std::set<std::string> kept;
  for (const StoredFile& file : record.files) kept.insert(file.path);
  for (const auto& [path, file] : known.others) kept.insert(path);
  remove_dropped(folder, record.object, known.before, kept);
  write_record(record, at.record);
}

// The record, if it describes this archive and its files exist. Drops the private parts of an address that
// earlier versions stored.
std::optional<Record> whole_record(const Places& at, const Record& wanted, const std::string& address,
                                   const fs::path& folder) {
  if (!fs::exists(at.record)) return std::nullopt;
  Record record = read_record(at.record);
  const bool is_whole_address = record.address == address && address != wanted.address;
  const bool is_wanted =
      record.object == wanted.object && record.variant == wanted.variant &&
      (is_whole_address || (record.address == wanted.address && record.query_digest == wanted.query_digest));
  if (!is_wanted || !has_its_files(record, folder)) return std::nullopt;
  if (is_whole_address) {
    record.address = wanted.address;
    record.query_digest = wanted.query_digest;
    write_record(record, at.record);
  }
  return record;
}

}  // namespace

Collection::Collection(const fs::path& folder) : folder_(folder), hidden_(folder / kRecordFolder) {
  require_no_link(folder_, kRecordFolder);
  make_folder(hidden_);
  remove_stale_temporaries(hidden_);  // of records; those in use are locked
  const fs::path lock = hidden_ / "lock";
  require_no_link(hidden_, "lock");
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (lock_ < 0) fail_to_write(lock, errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(lock_);
    throw IoError(folder_.string() + ": another download is at work in this folder; wait for its end");
  }
}

Collection::~Collection() { ::close(lock_); }

Collection::Got Collection::get(const Manifest& manifest, const Variant& variant, const std::string& object,
                                const FetchOptions& options, const FetchProgress& progress) {
  const std::string address = archive_address(variant, object), key = object + "/" + variant.name;
  Record record{.object = object,
                .variant = variant.name,
                .licence = manifest.licence,
                .archive_sha256 = {},
                .address = shown_address(address),
                .query_digest = query_digest(address),
                .files = {}};
  const Places at(hidden_, object, variant.name);
  rename_old_record(hidden_, object, variant.name);
  require_no_link(hidden_, at.record.filename());
  if (const std::optional<Record> there = whole_record(at, record, address, folder_)) {
    require_digest(manifest, key, there->archive_sha256, at.record.string());
    at.clear_work();  // left by a run that was killed at its end
    return {true, there->files.size(), 0};
  }
  const Known known = known_files(hidden_, object, variant.name);
  if (!is_plain_file(at.archive)) forget(at.archive);  // we never make a link or a pipe
  fetch(address, at.archive, options, progress);
  Got got;
  try {
    got.bytes = fs::file_size(at.archive);
    record.archive_sha256 = sha256_of(at.archive);
    require_digest(manifest, key, record.archive_sha256, record.address);
    clear(at.unpacked);
    make_folder(at.unpacked);
    record.files = unpack(
        at.archive, at.unpacked, {}, [&] { return progress(got.bytes, got.bytes); }, record.address);
    const bool holds_folder = manifest.archives_hold_folder;
    if (holds_folder) require_inside(record.files, object, record.address);
    require_mesh(record.files, record.address);
    require_readable_names(record.files, record.address);
    if (!holds_folder)
      for (StoredFile& file : record.files) file.path.insert(0, object + "/");
    settle(record, at, holds_folder ? at.unpacked / object : at.unpacked, folder_, known);
  } catch (const InvalidInput&) {
    forget(at.archive);
    clear(at.unpacked);
    throw;
  } catch (...) {  // the archive is still good: the next run continues with it
    clear(at.unpacked);
    throw;
  }
  at.clear_work();
  got.files = record.files.size();
  return got;
}

namespace {

// Adds the files of a record, and what is wrong with them.
void check_files(const Record& record, const fs::path& folder,
                 const std::function<void(std::size_t)>& progress, Check& check) {
  for (const StoredFile& one : record.files) {
    ++check.files;
    progress(check.files);
    const fs::path place = folder / one.path;
    try {
      if (sha256_of(place) != one.sha256)
        check.problems.push_back(fmt::format("{}: not the file that was downloaded", place.string()));
    } catch (const IoError& problem) {
      check.problems.push_back(problem.what());
    }
  }
}

}  // namespace

Check check_collection(const fs::path& folder, const std::function<void(std::size_t)>& progress) {
  Check check;
  const fs::path hidden = folder / kRecordFolder;
  std::vector<fs::path> records;
  std::error_code error;
  for (fs::directory_iterator it(hidden, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".json") records.push_back(it->path());
    // While files are being replaced the record has another name (see `settle` above).
    if (it->path().extension() == ".old" && !fs::exists(fs::path(it->path()).replace_extension(".json")))
      check.problems.push_back(fmt::format("{}: a download broke off as it replaced files; download it again",
                                           it->path().stem().string()));
  }
  if (error == std::errc::permission_denied)
    throw IoError(folder.string() + ": cannot read this folder: " + error.message());
  if (!fs::is_directory(folder, error))
    throw IoError(folder.string() + ": " + (error ? error.message() : "it is no folder"));
  if (records.empty() && check.problems.empty())
    throw InvalidInput(folder.string() +
                       ": there is no record of a download here; abut-datasets download makes one");
  std::sort(records.begin(), records.end());
  for (const fs::path& file : records) {
    try {
      const Record record = read_record(file);
      ++check.objects;
      check_files(record, folder, progress, check);
    } catch (const Error& problem) {  // of the record
      check.problems.push_back(problem.what());
    }
  }
  return check;
}

}  // namespace abut::datasets
