#pragma once

#include <filesystem>
#include <string_view>

// Checks of a COLLADA file's XML before assimp reads it.
namespace abut::preprocess {

// Throws InvalidInput, naming the file, the line and the index, if a primitive of a COLLADA file has an index
// that is negative, not a number, or too large for its type, for which assimp silently reads another one
// (assimp itself refuses indices beyond the number of vertices). Also throws, naming the line, for nodes that
// are nested very deeply or contain themselves, for instances that expand to very many nodes, and for
// malformed XML; and, naming the file, for a unit that is not a positive number.
void require_readable_collada(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
