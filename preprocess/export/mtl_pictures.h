#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace abut::preprocess {

// What a material of an MTL file says of its picture ("map_Kd").
struct MtlPicture {
  std::string name;              // as the file has it
  std::filesystem::path folder;  // of the MTL, seen from the folder of the OBJ
  bool moved = false;            // whether -o, -s or -t move, scale or jitter it
};

// Adds the pictures of one MTL's materials, by their names; of several lines of one material the last counts.
void add_mtl_pictures(std::string_view content, const std::filesystem::path& folder,
                      std::map<std::string, MtlPicture>& pictures);

}  // namespace abut::preprocess
