#pragma once

#include <filesystem>
#include <string>

#include "preprocess/pressure/volume.h"

// Tetrahedra and pressures that somebody else has made.
namespace abut::preprocess {

struct ImportedVolume {
  TetrahedralMesh mesh;
  std::vector<double> extent;   // per vertex: the pressure over the largest one, in [0, 1]
  double largest_pressure = 0;  // the modulus that gives the file's pressures back, in its unit
};

// Reads an unstructured grid of tetrahedra alone with a scalar `pressure` per point: a legacy VTK file
// (ASCII, versions 2 to 5.1) or an XML one (.vtu of one piece, as text, base64 or appended, plain or
// compressed by zlib). Throws IoError where it cannot be read, InvalidInput naming the file and the element:
// not such a file, cut off, counts that contradict each other, not finite, farther from the origin than 1e5
// times its size, an index out of range, a tetrahedron of zero or negative volume, tetrahedra that overlap,
// touch, or meet in an edge or a point alone, a pressure below zero or, beyond 1e-9 of the largest, not zero
// on the surface, zero all over, or at all corners of a tetrahedron at the surface.
ImportedVolume read_volume(const std::filesystem::path& file);

// The asset of such a file: its volume, and surface, hull and mass properties of the volume's boundary.
// Throws as read_volume(). Provenance is left to the caller; measures: import_largest_pressure.
asset::Asset import_volume(const std::filesystem::path& file);

}  // namespace abut::preprocess
