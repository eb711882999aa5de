#pragma once

#include <Eigen/Geometry>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "runtime/asset/asset.h"

// The appearance of an object: the triangles of the file from which its asset was made, with their materials.
namespace abut::preprocess {

// Triangles of one material, in the asset's frame.
struct VisualPart {
  TriangleMesh mesh;                     // vertices in m
  std::vector<Eigen::Vector3d> normals;  // one for each vertex, or empty
  std::vector<Eigen::Vector2d> places;   // texture coordinates of each vertex, (0, 0) lower left; or empty
  Eigen::Vector4d color{1, 1, 1, 1};     // red, green, blue (sRGB), opacity: 0 to 1; multiplies the texture
  std::string texture;                   // name of the picture; empty if none
};

struct Visual {
  std::vector<VisualPart> parts;                // empty if the file has no materials or is not available
  std::map<std::string, std::string> textures;  // PNG and JPEG: bytes by name
  std::vector<std::string> notes;               // what was omitted, and why

  // Frees the meshes and the bytes, but keeps names and colours.
  void drop_data();
};

// Reads the visual again from the asset's source, an OBJ with its MTL, COLLADA or glTF file, if that is
// unchanged since the asset was made. Assimp runs in a child process, so that its failure on a bad file only
// becomes a note. `box`: bounding box of the asset's surface, m.
Visual visual_of(const asset::Asset& asset, const Eigen::AlignedBox3d& box);

// Writes visual_<k>.obj for each part, visual.mtl and the textures to `folder`, or only the textures; returns
// the file names. Throws IoError.
std::vector<std::string> write_visual(const Visual& visual, const std::filesystem::path& folder);
std::vector<std::string> write_textures(const Visual& visual, const std::filesystem::path& folder);

}  // namespace abut::preprocess
