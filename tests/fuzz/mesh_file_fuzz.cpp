// Any bytes as OBJ, PLY or STL: a mesh or an abut::Error, nothing else. The first byte picks the format.
#include "preprocess/mesh/read.h"
#include "runtime/core/error.h"
#include "tests/fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* kExtensions[] = {".obj", ".ply", ".stl"};
  const auto path = scratch_file(data + 1, size - 1, kExtensions[data[0] % 3]);
  try {
    abut::preprocess::Report report;
    const abut::preprocess::TriangleMesh mesh = abut::preprocess::read_mesh(path, 1, report);
    for (const auto& triangle : mesh.triangles)
      for (const std::int32_t v : triangle)
        if (v < 0 || static_cast<std::size_t>(v) >= mesh.vertices.size()) __builtin_trap();
    for (const auto& v : mesh.vertices)
      if (!v.allFinite()) __builtin_trap();
  } catch (const abut::Error&) {
  }
  return 0;
}
