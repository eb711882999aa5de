#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "preprocess/cli/output_folder.h"
#include "preprocess/cli/pipeline.h"

namespace abut::preprocess {

// A folder of finished assets, each under the digest of all that shapes it: the source's bytes and format,
// the parameters, the versions. Objects with the same meshes are made once, whatever their names and
// datasets.
class AssetStore {
 public:
  // Makes the folder where it is missing. Throws IoError where it cannot be written or locked, InvalidInput
  // where it is `out`.
  AssetStore(const std::filesystem::path& folder, const std::filesystem::path& out);

  // The name under which what is to be made of the source is kept. Throws as digest_of().
  static std::string key(const datasets::ObjectSource& source, const Parameters& parameters);
  // Held while one looks and makes: a run that waits for it then finds the asset.
  ObjectLock lock(const std::string& key, const std::function<void()>& wait) const {
    return folder_.lock(key, wait);
  }

  // The asset with that key, with the source's name and path; nothing where there is none that is whole and
  // was made of the same.
  std::optional<asset::Asset> find(const std::string& key, const datasets::ObjectSource& source,
                                   const Parameters& parameters) const;
  // Throws IoError where it cannot be written.
  void keep(const std::string& key, const datasets::ObjectSource& source, asset::Asset asset) const;

 private:
  OutputFolder folder_;
};

}  // namespace abut::preprocess
