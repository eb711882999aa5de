#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// What glTF files say in their JSON.
namespace abut::preprocess {

// Throws InvalidInput, naming the file, where it is no glTF that assimp reads within its bounds: a .glb with
// fewer bytes than it promises, what is no JSON in UTF-8, JSON nested too deeply, with two members of one
// name or with offsets that overflow, an extension of glTF that changes how the mesh is stored and that
// assimp does not read, nodes that are no tree or a very deep one. Files of other kinds pass.
void require_readable_gltf(std::string_view content, const std::filesystem::path& file);

// Of the bytes of a mesh file, and of those that hold its buffers. Throws IoError.
std::string source_digest(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
