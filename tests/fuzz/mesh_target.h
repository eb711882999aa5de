#pragma once

#include "preprocess/mesh/read.h"
#include "runtime/core/error.h"
#include "tests/fuzz/scratch_file.h"

// Any bytes as a mesh file: a mesh whose indices and numbers hold, or an abut::Error, nothing else.
inline int fuzz_mesh(const std::uint8_t* data, std::size_t size, const char* extension) {
  try {
    abut::preprocess::Report report;
    const abut::preprocess::TriangleMesh mesh =
        abut::preprocess::read_mesh(scratch_file(data, size, extension), 1, report);
    for (const auto& triangle : mesh.triangles)
      for (const std::int32_t v : triangle)
        if (v < 0 || static_cast<std::size_t>(v) >= mesh.vertices.size()) __builtin_trap();
    for (const auto& v : mesh.vertices)
      if (!v.allFinite()) __builtin_trap();
  } catch (const abut::Error&) {
  }
  return 0;
}
