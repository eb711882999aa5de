#include "preprocess/mesh/beside.h"

#include <algorithm>

#include "preprocess/mesh/gltf.h"

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path top = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error) return false;
  const fs::path place = fs::canonical(path, error);
  if (error || !fs::is_regular_file(place, error)) return false;
  const fs::path relative = place.lexically_relative(top);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

std::optional<fs::path> find_beside(const std::string& name, const fs::path& file) {
  const fs::path folder = file.parent_path();
  for (const std::string& spelt : {name, percent_decoded(name)})
    if (const fs::path path = folder / spelt; is_below(path, folder)) return path;
  return std::nullopt;
}

}  // namespace abut::preprocess
