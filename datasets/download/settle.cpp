#include "datasets/download/settle.h"

#include <algorithm>

#include "datasets/download/digest.h"
#include "datasets/download/disk.h"

namespace abut::datasets {
namespace {

namespace fs = std::filesystem;

fs::file_status status_of(const fs::path& place) {
  std::error_code ignored;
  return fs::symlink_status(place, ignored);
}

[[noreturn]] void refuse_link(const fs::path& place) {
  throw IoError(
      place.string() +
      ": it is a link, and nothing is written through it; remove it, or choose another folder by --out");
}

std::vector<fs::path> names_in(const fs::path& folder) {
  std::vector<fs::path> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename());
  if (error) throw IoError(folder.string() + ": cannot read this folder: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_as_downloaded(const fs::path& place, const StoredFile& file) {
  std::error_code error;
  try {
    return fs::is_regular_file(status_of(place)) && fs::file_size(place, error) == file.bytes && !error &&
           sha256_of(place) == file.sha256;
  } catch (const IoError&) {
    return false;
  }
}

bool leads_through_link(const fs::path& folder, const fs::path& below) {
  fs::path place = folder;
  return std::any_of(below.begin(), below.end(),
                     [&](const fs::path& part) { return fs::is_symlink(status_of(place /= part)); });
}

}  // namespace

void make_folder(const fs::path& folder) {
  std::error_code error, ignored;
  fs::create_directories(folder, error);
  if (fs::is_directory(folder, ignored)) return;
  if (fs::exists(folder, ignored))
    throw IoError(folder.string() + ": cannot make this folder: something else has that name");
  fail_to_write(folder, error.value(), "cannot make this folder");
}

void require_no_link(const fs::path& folder, const fs::path& below) {
  fs::path place = folder;
  for (const fs::path& part : below)
    if (fs::is_symlink(status_of(place /= part))) refuse_link(place);
}

void require_room(const fs::path& from, const fs::path& to) {
  const fs::file_status there = status_of(to);
  if (!fs::exists(there)) return;
  if (!fs::is_directory(from)) {
    if (fs::is_directory(there))
      throw IoError(to.string() +
                    ": a file should be here, and a folder has that name; remove it, or choose another " +
                    "folder by --out");
    return;
  }
  if (fs::is_symlink(there)) refuse_link(to);
  if (!fs::is_directory(there))
    throw IoError(to.string() +
                  ": a folder should be here, and something else has that name; remove it, or choose " +
                  "another folder by --out");
  for (const fs::path& name : names_in(from)) require_room(from / name, to / name);
}

void move_in(const fs::path& from, const fs::path& to) {
  if (fs::is_directory(status_of(to)) && fs::is_directory(status_of(from))) {
    for (const fs::path& name : names_in(from)) move_in(from / name, to / name);
    return;
  }
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail_to_write(to, error.value());
}

void remove_dropped(const fs::path& folder, const std::string& object, const std::vector<StoredFile>& before,
                    const std::set<std::string>& kept) {
  for (const StoredFile& file : before) {
    const fs::path path = fs::path(file.path).lexically_normal();
    if (kept.contains(path.generic_string()) || *path.begin() != object || leads_through_link(folder, path) ||
        !is_as_downloaded(folder / path, file))
      continue;
    std::error_code error;
    fs::remove(folder / path, error);
    for (fs::path above = path.parent_path(); !error && !above.empty(); above = above.parent_path())
      fs::remove(folder / above, error);  // fails if it is not empty
  }
}

}  // namespace abut::datasets
