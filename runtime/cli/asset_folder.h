#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::cli {

// The assets of a folder by object name, each loaded when first asked for and kept.
class AssetFolder {
 public:
  // Throws IoError where `folder` is not a folder.
  explicit AssetFolder(std::filesystem::path folder);

  // The asset <folder>/<name>.h5; valid as long as this object. Throws InvalidInput, saying which names there
  // are, or what asset::load throws.
  const asset::AssetView& operator[](const std::string& name);

  // Throws IoError where an output would replace an asset that was loaded.
  void require_none_replaced(const std::filesystem::path& output) const;

  // Names of all assets in the folder, ascending.
  std::vector<std::string> names() const;

 private:
  struct Entry {
    asset::Asset asset;
    asset::AssetView view;
  };
  std::filesystem::path folder_;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries_;
};

}  // namespace abut::cli
