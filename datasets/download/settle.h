#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "datasets/record.h"

// Moves unpacked files into the folder of a set.
namespace abut::datasets {

// Makes a folder and its parents. Throws IoError (DiskFull).
void make_folder(const std::filesystem::path& folder);

// Throws IoError if a part of `below`, a path in `folder`, is a link, which may lead out of the set.
void require_no_link(const std::filesystem::path& folder, const std::filesystem::path& below);

// Throws IoError if move_in() would fail: something else, such as a link, has the name of one of the folders,
// or a folder has the name of a file.
void require_room(const std::filesystem::path& from, const std::filesystem::path& to);

// Moves a file or folder to `to`: in one step if nothing has that name, else the contents of the folder one
// by one, in ascending order of name; files are replaced. Throws IoError (DiskFull).
void move_in(const std::filesystem::path& from, const std::filesystem::path& to);

// Removes those of the files `before` that are not in `kept` (paths in `folder`), and folders that become
// empty. Files outside the object's folder, behind a link, or changed since the download are left alone.
void remove_dropped(const std::filesystem::path& folder, const std::string& object,
                    const std::vector<StoredFile>& before, const std::set<std::string>& kept);

}  // namespace abut::datasets
