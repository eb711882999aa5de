#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// What glTF files say in their JSON.
namespace abut::preprocess {

// Throws InvalidInput, naming the file and the extension of glTF, where it requires one that changes how the
// mesh is stored and that assimp does not read.
void require_readable_gltf(std::string_view content, const std::filesystem::path& file);

// Of the bytes of a mesh file, and of those that hold its buffers. Throws IoError.
std::string source_digest(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
