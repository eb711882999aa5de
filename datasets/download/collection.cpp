#include "datasets/download/collection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "datasets/download/address.h"
#include "datasets/download/digest.h"
#include "datasets/download/disk.h"
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

void make_folder(const fs::path& folder) {
  std::error_code error, ignored;
  fs::create_directories(folder, error);
  if (fs::is_directory(folder, ignored)) return;
  if (fs::exists(folder, ignored))
    throw IoError(folder.string() + ": cannot make this folder: something else has that name");
  fail_to_write(folder, error.value(), "cannot make this folder");
}

// Of what lies below `folder`, where no link may lead out of the set.
void require_no_link(const fs::path& folder, const fs::path& below) {
  fs::path place = folder;
  for (const fs::path& part : below) {
    place /= part;
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(place, ignored)))
      throw IoError(place.string() +
                    ": it is a link, and nothing is written through it; remove it, or choose another "
                    "folder by --out");
  }
}

// Of an archive that holds the folder of its object, all is in there, so that it cannot touch others.
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

// The record of a download, and who reads it, know names in UTF-8 alone.
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

// Moves the files into the collection and names them from there.
void settle(std::vector<StoredFile>& files, const fs::path& from, const fs::path& to,
            const fs::path& folder) {
  for (StoredFile& file : files) {
    const fs::path place = to / file.path;
    require_no_link(folder, place.parent_path().lexically_relative(folder));
    make_folder(place.parent_path());
    std::error_code error;
    fs::rename(from / file.path, place, error);
    if (error) fail_to_write(place, error.value());
    file.path = place.lexically_relative(folder).generic_string();
  }
}

}  // namespace

Collection::Collection(const fs::path& folder) : folder_(folder), hidden_(folder / kRecordFolder) {
  require_no_link(folder_, kRecordFolder);
  make_folder(hidden_);
  remove_stale_temporaries(hidden_);  // of records; none is in use beside the lock
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
  const std::string name = object + "." + variant.name, address = archive_address(variant, object),
                    shown = shown_address(address), query = query_digest(address);
  const fs::path record_file = hidden_ / (name + ".json"), archive = hidden_ / (name + ".part"),
                 unpacked = hidden_ / (name + ".unpacked");
  const auto clear_work = [&] {
    forget(archive);
    clear(unpacked);
  };
  require_no_link(hidden_, record_file.filename());
  if (fs::exists(record_file)) {
    Record record = read_record(record_file);
    const bool is_whole_address = record.address == address && address != shown;
    if ((is_whole_address || (record.address == shown && record.query_digest == query)) &&
        has_its_files(record, folder_)) {
      require_digest(manifest, object + "/" + variant.name, record.archive_sha256, record_file.string());
      if (is_whole_address) {  // as earlier versions kept it
        record.address = shown;
        record.query_digest = query;
        write_record(record, record_file);
      }
      clear_work();  // of a run that was killed at its end
      return {true, record.files.size(), 0};
    }
  }
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(archive, ignored)))
    forget(archive);  // a link or a pipe is none of ours
  fetch(address, archive, options, progress);
  Record record{.object = object,
                .variant = variant.name,
                .licence = manifest.licence,
                .archive_sha256 = {},
                .address = shown,
                .query_digest = query,
                .files = {}};
  Got got;
  try {
    clear(unpacked);
    make_folder(unpacked);
    got.bytes = fs::file_size(archive);
    record.archive_sha256 = sha256_of(archive);
    require_digest(manifest, object + "/" + variant.name, record.archive_sha256, shown);
    record.files = unpack(
        archive, unpacked, {}, [&] { return progress(got.bytes, got.bytes); }, shown);
    if (manifest.archives_hold_folder) require_inside(record.files, object, shown);
    require_mesh(record.files, shown);
    require_readable_names(record.files, shown);
    settle(record.files, unpacked, manifest.archives_hold_folder ? folder_ : folder_ / object, folder_);
    write_record(record, record_file);
  } catch (const InvalidInput&) {
    clear_work();
    throw;
  } catch (...) {  // the archive is as good as before: the next run goes on with it
    clear(unpacked);
    throw;
  }
  clear_work();
  got.files = record.files.size();
  return got;
}

Check check_collection(const fs::path& folder, const std::function<void(std::size_t)>& progress) {
  Check check;
  const fs::path hidden = folder / kRecordFolder;
  std::vector<fs::path> records;
  std::error_code error;
  for (fs::directory_iterator it(hidden, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") records.push_back(it->path());
  if (error == std::errc::permission_denied)
    throw IoError(folder.string() + ": cannot read this folder: " + error.message());
  if (records.empty())
    throw InvalidInput(folder.string() +
                       ": there is no record of a download here; abut-datasets download makes one");
  std::sort(records.begin(), records.end());
  for (const fs::path& file : records) {
    const Record record = read_record(file);
    ++check.objects;
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
  return check;
}

}  // namespace abut::datasets
