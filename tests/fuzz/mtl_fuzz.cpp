// Any bytes as the materials of an OBJ: names of pictures and colours in words of the file.
#include <algorithm>
#include <string_view>

#include "preprocess/export/mtl_materials.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut::preprocess;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  std::map<std::string, MtlMaterial> materials;
  add_mtl_materials(content, "folder", materials);
  const bool sound = std::all_of(materials.begin(), materials.end(), [&](const auto& entry) {
    const auto& [picture, color] = entry.second;
    return (picture || color) && (!color || color->allFinite()) &&
           (!picture || (!picture->name.empty() && picture->folder == "folder"));
  });
  if (!sound) __builtin_trap();
  return 0;
}
