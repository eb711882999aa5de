// Any bytes as a COLLADA: one that assimp may read, or InvalidInput, nothing else.
#include "preprocess/mesh/collada.h"
#include "runtime/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    (void)abut::preprocess::readable_collada(content, "fuzz.dae");
  } catch (const abut::InvalidInput&) {
  }
  return 0;
}
