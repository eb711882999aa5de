#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "preprocess/cli/output_folder.h"
#include "preprocess/cli/pipeline.h"

namespace abut::preprocess {

// A folder of finished assets, each under the digest of all that shapes it: the source's bytes and format,
// the parameters, the versions. Objects with the same meshes are made once, whatever their names and
// datasets. What is wrong with the folder costs the time that it would save, and no object.
class AssetStore {
 public:
  // Makes the folder where it is missing. One that is there and cannot be written or locked is read only.
  // Throws IoError where there is none and it cannot be made, InvalidInput where it is `out`.
  AssetStore(const std::filesystem::path& folder, const std::filesystem::path& out);

  // The name under which what is to be made of the source is kept. Throws as digest_of().
  static std::string key(const datasets::ObjectSource& source, const Parameters& parameters);
  // Why nothing is kept; empty where it is.
  const std::string& note() const { return note_; }

  // Held while one looks and makes: a run that waits for it then finds the asset. Nothing where the folder
  // cannot be locked.
  std::optional<ObjectLock> lock(const std::string& key, const std::function<void()>& wait) const;

  // The asset with that key, with the source's name and path; nothing where there is none that is whole and
  // was made of the same, and a warning where something else has its name.
  std::optional<asset::Asset> find(const std::string& key, const datasets::ObjectSource& source,
                                   const Parameters& parameters, std::vector<std::string>& warnings) const;
  // In the place of whatever has its name, a link itself; a warning where it cannot be written.
  void keep(const std::string& key, const datasets::ObjectSource& source, asset::Asset asset,
            std::vector<std::string>& warnings) const;

 private:
  std::filesystem::path entry(const std::string& key) const { return path_ / (key + ".h5"); }

  std::filesystem::path path_;
  std::optional<OutputFolder> folder_;  // nothing: read only
  std::string note_;
};

}  // namespace abut::preprocess
