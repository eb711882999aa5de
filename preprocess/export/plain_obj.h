#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace abut::preprocess {

// An OBJ file reduced to the syntax that assimp and parse_obj() interpret identically: vertices of three
// numbers, faces with indices from 1 that come after everything they refer to, "usemtl", and the "mtllib"
// files that exist.
struct PlainObj {
  std::string text;
  std::vector<std::string> libraries;  // MTL files that exist, relative to the file's folder
  std::vector<std::string> missing;    // names of those that do not exist
  std::size_t bare_faces = 0;          // faces written without texture coordinates or normals that are
                                       // incomplete
  bool colored = false;                // whether vertices have colours, which `text` omits
};

// `content`: must be accepted by parse_obj(). A missing MTL is replaced by one with the same name as the
// file.
PlainObj plain_obj(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
