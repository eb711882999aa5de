#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <optional>
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

// What an MTL file states of a material's appearance.
struct MtlMaterial {
  std::optional<MtlPicture> picture;
  std::optional<Eigen::Vector3d> color;  // "Kd": finite red, green and blue
};

// Adds the materials of one MTL that have a picture or a colour, by name; of several lines for a material the
// last one counts. Lines that state neither (no name; numbers missing or not finite) are ignored.
void add_mtl_materials(std::string_view content, const std::filesystem::path& folder,
                       std::map<std::string, MtlMaterial>& materials);

}  // namespace abut::preprocess
