#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

namespace abut {

// Returns the ending of a file's name, from its last dot on, in small letters: ".obj" of "Mug.OBJ"; empty
// where it has none.
inline std::string lower_extension(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace abut
