#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "datasets/record.h"

// How unpacked files come into the folder of a set.
namespace abut::datasets {

// Throws IoError (DiskFull).
void make_folder(const std::filesystem::path& folder);

// Throws IoError where a part of `below`, a path in `folder`, is a link, which may lead out of the set.
void require_no_link(const std::filesystem::path& folder, const std::filesystem::path& below);

// Throws IoError where move_in() would fail: something else, a link among it, stands in the place of one of
// the folders, or a folder in that of a file.
void require_room(const std::filesystem::path& from, const std::filesystem::path& to);

// Moves a file or folder to `to`: in one step where nothing has that name, else a folder's content one by
// one, in ascending order of name; files are replaced. Throws IoError (DiskFull).
void move_in(const std::filesystem::path& from, const std::filesystem::path& to);

// Removes those of the files `before` that are not in `kept`, paths in `folder`, and folders that are empty
// then. Whatever is not in the object's folder, behind a link, or not as it was downloaded stays.
void remove_dropped(const std::filesystem::path& folder, const std::string& object,
                    const std::vector<StoredFile>& before, const std::set<std::string>& kept);

}  // namespace abut::datasets
