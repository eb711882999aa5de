#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace abut::preprocess {

// The regular file that a name in another file stands for, as it is or with its %20 decoded: in that one's
// folder or below, links followed. None where it is not there or leads elsewhere.
std::optional<std::filesystem::path> find_beside(const std::string& name, const std::filesystem::path& file);

}  // namespace abut::preprocess
