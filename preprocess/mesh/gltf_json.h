#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// A glTF file as its chunks and its JSON. Internal to the checks of glTF files.
namespace abut::preprocess::gltf {

using Json = nlohmann::json;

// Throws InvalidInput with the file.
[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what);

// The JSON text: all of a .gltf; of a .glb its first chunk. Empty for other extensions.
std::string_view json_text(std::string_view content, const std::filesystem::path& file);

// A file that has been parsed. The content outlives it.
struct Document {
  // Refuses a .glb whose header and chunks are not those that it promises, anything but JSON in UTF-8, and
  // JSON that is nested too deeply, or has two members of one name or numbers that are too large.
  Document(std::string_view content, const std::filesystem::path& its_file);

  [[noreturn]] void refuse(const std::string& what) const { gltf::refuse(file, what); }

  // The top-level list; empty if there is none.
  const Json& list(const char* key) const { return list(json, key, "the file"); }
  // The list in an item of this name; empty if there is none. Refuses a member that is no list.
  const Json& list(const Json& item, const char* key, const std::string& name) const;
  // The object in an item; null if there is none. Refuses a member that is no object.
  const Json* object(const Json& item, const char* key, const std::string& name) const;
  // The whole number in an item; empty if there is none. Refuses a member that is no whole number from 0 on.
  std::optional<std::size_t> whole(const Json& item, const char* key, const std::string& name) const;
  // Likewise, the index of an item in the top-level list `of`. Refuses one beyond it.
  std::optional<std::size_t> index(const Json& item, const char* key, const std::string& name,
                                   const char* of) const;

  const std::filesystem::path& file;
  bool is_binary = false;                  // whether it is a .glb
  std::optional<std::string_view> binary;  // the chunk of its buffer
  Json json;
};

}  // namespace abut::preprocess::gltf
