#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "preprocess/cli/output_folder.h"
#include "preprocess/cli/pipeline.h"

namespace abut::preprocess {

// A folder of finished assets, each named by the digest of everything that determines it: the source's bytes
// and format, the parameters, the versions. Assets for which TetGen reached a limit are not kept. Objects
// with identical meshes are thus made only once, whatever their names and datasets. A problem with the folder
// makes runs slower, but no object fails because of it.
class AssetStore {
 public:
  // Creates the folder if it is missing. An existing folder that cannot be written or locked is used
  // read-only. Throws IoError if it does not exist and cannot be created, InvalidInput if it is `out`.
  AssetStore(const std::filesystem::path& folder, const std::filesystem::path& out);

  // The name under which the asset of the source is stored. Throws as digest_of().
  static std::string key(const datasets::ObjectSource& source, const Parameters& parameters);
  // Why no assets are stored; empty if they are.
  const std::string& note() const { return note_; }

  // Locks an entry while it is looked up and made, so that a run that waits finds the asset. Empty if the
  // folder cannot be locked.
  std::optional<ObjectLock> lock(const std::string& key, const std::function<void()>& wait) const;

  // The asset with that key, renamed to the source's name and path. Empty if there is no valid asset of the
  // same origin; adds a warning if something else has its name.
  std::optional<asset::Asset> find(const std::string& key, const datasets::ObjectSource& source,
                                   const Parameters& parameters, std::vector<std::string>& warnings) const;
  // Stores the asset, replacing whatever has its name, including a link; adds a warning if it cannot be
  // written.
  void keep(const std::string& key, const datasets::ObjectSource& source, asset::Asset asset,
            std::vector<std::string>& warnings) const;

 private:
  std::filesystem::path entry(const std::string& key) const { return path_ / (key + ".h5"); }

  std::filesystem::path path_;
  std::optional<OutputFolder> folder_;  // empty if read-only
  std::string note_;
};

}  // namespace abut::preprocess
