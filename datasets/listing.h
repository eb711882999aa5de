#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace abut::datasets {

// The contents of a folder, one level deep and in ascending order of name; hidden entries (leading dot) are
// left out.
struct Listing {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> folders;
  std::vector<std::filesystem::path> files;
  std::vector<std::string> notes;  // mesh names that are no regular files: dangling or looping links, pipes
};

// Lists a folder. Links are followed but not searched recursively: a loop of links is an entry that leads
// nowhere. Throws IoError.
Listing list_folder(const std::filesystem::path& folder);

// Whether the path is a regular file or a link to one; false if it does not exist or cannot be reached.
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

// Supported mesh formats, for messages.
inline constexpr const char* kMeshFormats = ".obj, .ply, .stl, .dae, .glb or .gltf";

// Whether the extension is one of them, in upper or lower case.
bool has_mesh_extension(const std::filesystem::path& path);

// Whether the file is .dae, .glb or .gltf: visual meshes, which may accompany one for computation.
bool is_scene(const std::filesystem::path& path);

// The mesh files, without scenes that have the same name as a mesh of another format: these only visualise
// it.
std::vector<std::filesystem::path> meshes_of(const std::vector<std::filesystem::path>& files);

// The names of entries for a message: at most twenty, and the number of the remaining ones.
std::string names_text(const std::vector<std::filesystem::path>& entries);

// The last component that is a name: "mug" for "a/mug/" and for "mug/.".
std::string folder_name(const std::filesystem::path& folder);

}  // namespace abut::datasets
