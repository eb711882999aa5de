#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

// Finds meshes that lie deeper than the layouts look, for messages.
namespace abut::datasets {

struct DeeperMeshes {
  std::size_t count = 0;
  bool all = true;              // false: the search was cut off, and there may be more
  std::filesystem::path first;  // the shallowest one, relative to the folder that was searched
};

// Finds the meshes in folders below `folder`, within kDeepest levels and kMaxFolders folders. Does not
// follow links to folders, and ignores hidden ones.
inline constexpr int kDeepest = 8;
inline constexpr std::size_t kMaxFolders = 1000;
DeeperMeshes meshes_below(const std::filesystem::path& folder);

// Text for messages, such as "3 meshes deeper (first: cups/red/red.obj): run it on 'kitchen/cups'", naming
// the shallowest folder that is a dataset; empty if there is none.
std::string deeper_text(const std::filesystem::path& folder);

}  // namespace abut::datasets
