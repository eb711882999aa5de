#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// What glTF files say in their JSON.
namespace abut::preprocess {

// A name as glTF has it, with %20 for a blank.
std::string percent_decoded(std::string_view uri);

// The files beside a .gltf or .glb that hold its buffers, decoded; none of what is no such file.
std::vector<std::string> buffer_files(std::string_view content, const std::filesystem::path& file);

// Throws InvalidInput, naming the file and the extension of glTF, where it requires one that changes how the
// mesh is stored and that assimp does not read.
void require_readable_gltf(std::string_view content, const std::filesystem::path& file);

// Of the bytes of a mesh file, and of those that hold its buffers. Throws IoError.
std::string source_digest(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
