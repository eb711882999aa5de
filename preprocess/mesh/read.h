#pragma once

#include <filesystem>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Reads the triangles of an OBJ, PLY, STL, COLLADA or glTF file (told apart by the name's extension, in any
// case) as they stand: a soup, vertices in the file's order, polygons cut into triangles, coordinates
// multiplied by `metres_per_unit`. Scenes (.dae, .glb, .gltf) are placed by their nodes, in the file's axes
// whichever of them is up; units that a COLLADA file states are applied.
//
// Materials, groups, texture coordinates, normals and colours are ignored; so is a missing .mtl. A size that
// hints at wrong units (above 10 m or below 1 mm) and vertices that no face uses are warnings in `report`;
// its measures gain "input_triangles", "input_vertices", and of such a size "implausible_size_m".
//
// Vertices that repeat another's position are merged later, by close_surface; that is a warning here unless
// they differ in texture coordinates or normal (a seam) or the format has no other way (STL).
//
// A binary STL file that holds more faces than its header says is read as far as that, with a warning.
//
// Throws IoError if the file cannot be read; InvalidInput, naming the file and the line, vertex or face, if
// it is empty, truncated, malformed, without faces, or has an index out of range or a coordinate that is not
// a finite number.
TriangleMesh read_mesh(const std::filesystem::path& path, double metres_per_unit, Report& report);

// ... in the file's units, whatever its size.
TriangleMesh read_mesh_in_its_units(const std::filesystem::path& path, Report& report);

}  // namespace abut::preprocess
