#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/body/geometry.h"

namespace abut::cli {

// The assets of a folder by object name; each is loaded on first access and kept.
class AssetFolder {
 public:
  // Throws IoError if `folder` is not a folder or may not be entered.
  explicit AssetFolder(std::filesystem::path folder);

  // The asset <folder>/<name>.h5, or else that of the levels and the piece that the name ends with
  // (body/asset_choice.h). Throws InvalidInput, listing the existing names (of many the nearest ten), if
  // there is none, and what asset::load, body::parse_asset_choice and body::Geometry throw.
  const body::Geometry& operator[](const std::string& name);

  // Names of all assets in the folder, ascending. Throws IoError if it may not be read.
  std::vector<std::string> names() const;

 private:
  // Whether there is a file <folder>/<name>.h5. Throws IoError if that cannot be told.
  bool has(const std::string& name) const;

  std::filesystem::path folder_;
  std::unordered_map<std::string, std::shared_ptr<const asset::Asset>> assets_;  // by the name of the file
  std::unordered_map<std::string, body::Geometry> geometries_;                   // by the whole name
};

// Throws IoError if an output would replace an asset, or a recording unless it `records` itself.
void require_no_container_replaced(const std::filesystem::path& output, bool records = false);

}  // namespace abut::cli
