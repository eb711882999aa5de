#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace abut::datasets {

// What a folder holds, one level deep and in ascending order of name; hidden entries (leading dot) are left
// out.
struct Listing {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> folders;
  std::vector<std::filesystem::path> files;
  std::vector<std::string> notes;  // mesh files that are no regular files: dangling or looping links, pipes
};

// Links are followed, never searched through: a loop of links is an entry that leads nowhere. Throws IoError.
Listing list_folder(const std::filesystem::path& folder);

// True for a regular file or a link to one; false where there is none or it cannot be reached.
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

// The extension in lower case, with its dot.
std::string lower_extension(const std::filesystem::path& path);

// Of the meshes that are read, for messages.
inline constexpr const char* kMeshFormats = ".obj, .ply, .stl, .dae, .glb or .gltf";

// True where the extension is one of them in upper or lower case.
bool has_mesh_extension(const std::filesystem::path& path);

// True of .dae, .glb and .gltf: meshes to look at, which may come beside one to compute with.
bool is_scene(const std::filesystem::path& path);

// Without scenes of the same name as a mesh of another format: these are the pictures of
// it.
std::vector<std::filesystem::path> meshes_of(const std::vector<std::filesystem::path>& files);

// The names of entries for a message: of many the first twenty, and how many more there are.
std::string names_text(const std::vector<std::filesystem::path>& entries);

// The last component that is a name: "mug" of "a/mug/" and of "mug/.".
std::string folder_name(const std::filesystem::path& folder);

}  // namespace abut::datasets
