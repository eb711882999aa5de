#pragma once

#include <filesystem>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Reads the triangles of an OBJ, PLY, STL, COLLADA or glTF file (identified by the extension, in any case)
// without repair: a soup with vertices in the file's order, polygons cut into triangles, coordinates
// multiplied by `metres_per_unit`. Scenes (.dae, .glb, .gltf) are placed by their nodes, in the file's axes
// whichever of them points up; units that a COLLADA file declares are applied.
//
// Materials, groups, texture coordinates, normals and colours are ignored, and so is a missing .mtl. A size
// that suggests wrong units (above 10 m or below 1 mm) and vertices that no face uses raise warnings in
// `report`; its measures gain "input_triangles", "input_vertices", and for such a size "implausible_size_m".
//
// Vertices that repeat another's position are merged later, by close_surface. Here they raise a warning
// unless they differ in texture coordinates or normal (a seam) or the format cannot share vertices (STL).
//
// A binary STL file with more faces than its header declares is read up to the declared number, with a
// warning.
//
// Throws IoError if the file cannot be read; InvalidInput, naming the file and the line, vertex or face, if
// it is empty, truncated, malformed, without faces, or has an index out of range or a coordinate that is not
// a finite number.
TriangleMesh read_mesh(const std::filesystem::path& path, double metres_per_unit, Report& report);

// Whether an object whose bounding box has this diagonal (m) may well be in metres: 1 mm to 10 m.
bool is_plausible_size(double diagonal);

// Like read_mesh, but in the file's units and without a check of the size.
TriangleMesh read_mesh_in_its_units(const std::filesystem::path& path, Report& report);

}  // namespace abut::preprocess
