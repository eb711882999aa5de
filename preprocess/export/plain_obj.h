#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace abut::preprocess {

// An OBJ file in the few words that assimp takes as parse_obj() does: vertices of three numbers, faces with
// indices from 1 behind all that they name, "usemtl", and those "mtllib" that are there.
struct PlainObj {
  std::string text;
  std::vector<std::string> libraries;  // MTLs that are there, seen from the file's folder
  std::vector<std::string> missing;    // names of those that are not
  std::size_t bare_faces = 0;          // stated with texture coordinates or normals that are not there at all
                                       // corners: in `text` they are without
  bool colored = false;                // whether vertices have colours, which `text` has not
};

// `content`: what parse_obj() takes. An MTL that is not there is replaced by the one of the file's own name.
PlainObj plain_obj(std::string_view content, const std::filesystem::path& file);

}  // namespace abut::preprocess
