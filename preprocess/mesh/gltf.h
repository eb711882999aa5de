#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// Checks of a glTF file before assimp reads it.
namespace abut::preprocess {

// Throws InvalidInput, naming the file and the item, for a glTF file that assimp cannot read within safe
// bounds, or reads other than glTF 2 states: one that is not whole or is no glTF 2; JSON that is nested too
// deeply, has two members of one name or numbers that are too large; buffers that are missing, views and
// accessors that go beyond what they read, positions that are not floats, indices that are no vertices or
// make no whole triangles; nodes that do not form a tree or form a very deep one, and transformations that
// are not affine maps of space onto itself; required extensions other than of looks (quantised or compressed
// meshes, instances), skins, and weights of morph targets. Animations are not applied. Files of other kinds
// pass.
void require_readable_gltf(std::string_view content, const std::filesystem::path& file);

// Digest of the bytes of a mesh file and of the files that hold its buffers. Throws IoError.
std::string source_digest(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
