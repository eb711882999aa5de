#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// Checks of a COLLADA file before assimp reads it.
namespace abut::preprocess {

// The content of a COLLADA file as assimp is given it: without animations, controllers, cameras and lights,
// which have no part in a shape at rest.
//
// Throws InvalidInput, naming the file and the line, for a file that assimp cannot read within safe bounds,
// or reads other than COLLADA states: malformed XML; a unit that is not a positive number, or two; arrays,
// accessors and primitives whose counts disagree, positions that are no finite numbers, and indices that are
// no vertices; references that lead nowhere or to two elements; nodes that are nested very deeply, contain
// themselves or expand to very many; transformations that are not affine maps of space onto itself; and for
// what is not read: holes in polygons, fans, skins and morph targets, <skew>, <lookat> of nodes with meshes,
// and parts of a geometry that have other materials in other places.
std::string readable_collada(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
