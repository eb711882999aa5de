#pragma once

#include <Eigen/Geometry>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// What an object looks like: the triangles of the file that its asset was made from, with their materials.
namespace abut::preprocess {

// Triangles of one material, in the asset's frame.
struct VisualPart {
  TriangleMesh mesh;                     // vertices in m
  std::vector<Eigen::Vector3d> normals;  // one of each vertex; or none
  std::vector<Eigen::Vector2d> places;   // in the texture, of each vertex; (0, 0) lower left; or none
  Eigen::Vector4d color{1, 1, 1, 1};     // red, green, blue (sRGB), opacity: 0 to 1; times the texture's
  std::string texture;                   // name of the picture; empty: none
};

struct Visual {
  std::vector<VisualPart> parts;                // none: the file has no materials, or cannot be had
  std::map<std::string, std::string> textures;  // PNG and JPEG: bytes by name
  std::vector<std::string> notes;               // what was left out and why

  // Frees the meshes and the bytes; what names them stays.
  void drop_data();
};

// Read again from the asset's source, an OBJ with its MTL, COLLADA or glTF file, where it is as it was when
// the asset was made. Assimp runs in a child process: what it makes of a bad file is a note.
// `box`: about the asset's surface, m.
Visual visual_of(const asset::Asset& asset, const Eigen::AlignedBox3d& box);

// Writes visual_<k>.obj for each part, visual.mtl and the textures to `folder`; or the textures alone. Their
// names. Throws IoError.
std::vector<std::string> write_visual(const Visual& visual, const std::filesystem::path& folder);
std::vector<std::string> write_textures(const Visual& visual, const std::filesystem::path& folder);

}  // namespace abut::preprocess
