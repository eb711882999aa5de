#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace abut::preprocess {

// Finds the regular file to which a name inside `file` refers, either literally or with percent escapes such
// as %20 decoded. It must lie in the folder of `file` or below, after symbolic links are followed. Empty if
// there is no such file or the name leads elsewhere.
std::optional<std::filesystem::path> find_beside(const std::string& name, const std::filesystem::path& file);

}  // namespace abut::preprocess
