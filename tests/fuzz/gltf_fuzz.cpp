// Any bytes as a glTF, with its data inside or beside: one that assimp may read, or an abut::Error, nothing
// else.
#include "preprocess/mesh/gltf.h"
#include "runtime/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  for (const char* file : {"nowhere/fuzz.gltf", "nowhere/fuzz.glb"}) {
    try {
      abut::preprocess::require_readable_gltf(content, file);
      (void)abut::preprocess::source_digest(content, file);
    } catch (const abut::Error&) {
    }
  }
  return 0;
}
