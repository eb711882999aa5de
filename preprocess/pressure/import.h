#pragma once

#include <filesystem>
#include <string>

#include "preprocess/pressure/volume.h"

// Tetrahedra and pressures from an external source.
namespace abut::preprocess {

struct ImportedVolume {
  TetrahedralMesh mesh;
  std::vector<double> extent;   // at each vertex: the pressure over the largest one, in [0, 1]
  double largest_pressure = 0;  // the modulus that reproduces the file's pressures, in the file's unit
};

// Reads an unstructured grid that consists of tetrahedra, with a scalar `pressure` at each point: a legacy
// VTK file (ASCII, versions 2 to 5.1) or an XML one (.vtu with one piece, as text, base64 or appended, plain
// or compressed by zlib). Throws IoError if the file cannot be read. Throws InvalidInput, naming the file and
// the element, if it is not such a file or is truncated; has contradictory counts, non-finite numbers, points
// farther from the origin than 1e5 times its size, an index out of range, or a tetrahedron of zero or
// negative volume; has tetrahedra that overlap, touch, or meet only in an edge or a point; or has a pressure
// that is negative, nonzero on the surface beyond 1e-9 of the largest, zero everywhere, or zero at all
// corners of a tetrahedron at the surface.
ImportedVolume read_volume(const std::filesystem::path& file);

// Makes the asset of such a file: its volume, and the surface, hull and mass properties of the volume's
// boundary. Throws as read_volume(). The caller sets the provenance's source, parameters and versions.
// Measures: import_largest_pressure, and with a warning implausible_size_m (of the boundary's diagonal) as
// read_mesh() does.
asset::Asset import_volume(const std::filesystem::path& file);

}  // namespace abut::preprocess
