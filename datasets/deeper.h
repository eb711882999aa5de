#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

// Meshes that lie deeper than layouts look, for messages.
namespace abut::datasets {

struct DeeperMeshes {
  std::size_t count = 0;
  bool all = true;              // false: there may be more, where the search did not go
  std::filesystem::path first;  // of the least depth, below the folder that was searched
};

// The meshes in folders below `folder`, within kDeepest levels and kMostFolders folders. Links to folders are
// not followed, and hidden ones left out.
inline constexpr int kDeepest = 8;
inline constexpr std::size_t kMostFolders = 1000;
DeeperMeshes meshes_below(const std::filesystem::path& folder);

// "3 meshes deeper (first: cups/red/red.obj): run it on 'kitchen/cups'", the shallowest folder there that is
// a dataset; empty where there is none.
std::string deeper_text(const std::filesystem::path& folder);

}  // namespace abut::datasets
