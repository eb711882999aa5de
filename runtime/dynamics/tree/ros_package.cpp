#include "runtime/dynamics/tree/ros_package.h"

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::dynamics {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLongestManifest = 1 << 20;  // bytes

// Returns the package name in a folder's package.xml, or an empty string where there is none.
std::string manifest_name(const fs::path& folder) {
  const fs::path manifest = folder / "package.xml";
  std::error_code error;
  if (!fs::is_regular_file(manifest, error) || fs::file_size(manifest, error) > kLongestManifest) return "";
  std::string text;
  try {
    text = read_text(manifest);
  } catch (const IoError&) {  // unreadable: the package is not found here
    return "";
  }
  const std::size_t begin = text.find("<name>"), end = text.find("</name>", begin);
  if (begin == std::string::npos || end == std::string::npos) return "";
  std::istringstream words(text.substr(begin + 6, end - begin - 6));
  std::string name;
  words >> name;
  return name;
}

// Returns the folders that an environment variable lists, separated by colons.
std::vector<fs::path> listed_in(const char* variable) {
  std::vector<fs::path> folders;
  const char* const value = std::getenv(variable);
  std::istringstream list(value == nullptr ? "" : value);
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

}  // namespace

fs::path find_in_packages(const fs::path& folder, const fs::path& name_and_rest) {
  if (name_and_rest.empty()) return {};
  const fs::path name = *name_and_rest.begin(), rest = name_and_rest.lexically_relative(name);
  const auto is_package = [&](const fs::path& root) {
    return root.filename() == name || manifest_name(root) == name;
  };
  std::error_code ignored;
  fs::path found;
  const auto take = [&](const fs::path& root, const fs::path& below) {
    const bool there = fs::is_regular_file(root / below, ignored);
    if (there) found = root / below;
    return there;
  };
  for (fs::path root = folder;; root = root.parent_path()) {
    if ((is_package(root) && take(root, rest)) || take(root, name_and_rest)) return found;
    if (root == root.parent_path()) break;
  }
  for (const fs::path& root : listed_in("ROS_PACKAGE_PATH"))
    if ((is_package(root) && take(root, rest)) || take(root, name_and_rest)) return found;
  for (const fs::path& root : listed_in("AMENT_PREFIX_PATH"))
    if (take(root / "share", name_and_rest)) return found;
  return {};
}

}  // namespace abut::dynamics
