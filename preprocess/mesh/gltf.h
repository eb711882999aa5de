#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// Checks of a glTF file's JSON before assimp reads it.
namespace abut::preprocess {

// Throws InvalidInput, naming the file, for a glTF file that assimp cannot read within safe bounds: a .glb
// with fewer bytes than it declares, anything but JSON in UTF-8, JSON that is nested too deeply, has two
// members of one name or offsets that overflow, and nodes that do not form a tree or form a very deep one;
// and for one whose geometry it would read wrongly: with a required extension other than of looks (quantised
// or compressed meshes, instances), a skin, weights of morph targets, or positions that are not floats. Files
// of other kinds pass.
void require_readable_gltf(std::string_view content, const std::filesystem::path& file);

// Digest of the bytes of a mesh file and of the files that hold its buffers. Throws IoError.
std::string source_digest(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
