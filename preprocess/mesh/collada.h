#pragma once

#include <filesystem>
#include <string_view>

// What COLLADA files say in their XML.
namespace abut::preprocess {

// Throws InvalidInput, naming the file, the line and the index, where a primitive of a COLLADA file has an
// index that is negative, no number, or too large for one: assimp reads another in its place. Those beyond
// the vertices it refuses itself. The same, naming the line, for nodes that are very deep in one another or
// within themselves, for instances that make very many of them, and for what is no XML; naming the file, for
// a unit that is no positive number.
void require_readable_collada(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
