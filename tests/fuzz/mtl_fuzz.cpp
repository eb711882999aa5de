// Any bytes as the materials of an OBJ: names of pictures in words of the file.
#include <algorithm>
#include <string_view>

#include "preprocess/export/mtl_pictures.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut::preprocess;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  std::map<std::string, MtlPicture> pictures;
  add_mtl_pictures(content, "folder", pictures);
  const bool named = std::all_of(pictures.begin(), pictures.end(), [&](const auto& entry) {
    return !entry.second.name.empty() && entry.second.folder == "folder";
  });
  if (!named) __builtin_trap();
  return 0;
}
