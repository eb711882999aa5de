#pragma once

#include <Eigen/Geometry>

#include "preprocess/pressure/import.h"
#include "runtime/core/error.h"
#include "tests/fuzz/scratch_file.h"

// Any bytes as a volume file: tetrahedra with an extent at each vertex, or an abut::Error, nothing else.
inline int fuzz_volume(const std::uint8_t* data, std::size_t size, const char* extension) {
  try {
    const abut::preprocess::ImportedVolume volume =
        abut::preprocess::read_volume(scratch_file(data, size, extension));
    if (volume.extent.size() != volume.mesh.vertices.size()) __builtin_trap();
    for (const auto& tetrahedron : volume.mesh.tetrahedra)
      for (const std::int32_t v : tetrahedron)
        if (v < 0 || static_cast<std::size_t>(v) >= volume.mesh.vertices.size()) __builtin_trap();
    for (const double extent : volume.extent)
      if (!(extent >= 0 && extent <= 1)) __builtin_trap();
  } catch (const abut::Error&) {
  }
  return 0;
}
