#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace abut::preprocess {

// The picture ("map_Kd") of a material in an MTL file.
struct MtlPicture {
  std::string name;              // as written in the file
  std::filesystem::path folder;  // of the MTL, relative to the folder of the OBJ
  bool moved = false;            // whether -o, -s or -t translate, scale or perturb it
};

// Adds the pictures of one MTL's materials, by material name; of several lines for a material the last one
// counts.
void add_mtl_pictures(std::string_view content, const std::filesystem::path& folder,
                      std::map<std::string, MtlPicture>& pictures);

}  // namespace abut::preprocess
