#include "preprocess/mesh/gltf.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <vector>

#include "datasets/listing.h"
#include "preprocess/mesh/beside.h"
#include "runtime/asset/container.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {

// Of a .gltf the whole text, of a .glb its first chunk: after a header of 12 bytes its length and kind.
nlohmann::json gltf_json(std::string_view content, const std::filesystem::path& file) {
  constexpr std::size_t kHeader = 12, kChunkHeader = 8;
  const std::string extension = datasets::lower_extension(file);
  if (extension == ".glb") {
    if (content.size() < kHeader + kChunkHeader) return nlohmann::json::value_t::discarded;
    std::uint32_t length = 0;
    std::memcpy(&length, content.data() + kHeader, sizeof length);
    content = content.substr(kHeader + kChunkHeader, length);
  } else if (extension != ".gltf") {
    return nlohmann::json::value_t::discarded;
  }
  return nlohmann::json::parse(content, nullptr, false);
}

const nlohmann::json& list_in(const nlohmann::json& json, const char* key) {
  static const nlohmann::json kNone = nlohmann::json::array();
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_array() ? *found : kNone;
}

// The files that hold its buffers, each once whatever it names how often.
std::vector<std::filesystem::path> buffer_files(std::string_view content, const std::filesystem::path& file) {
  std::vector<std::filesystem::path> files;
  std::set<std::filesystem::path> known;
  const nlohmann::json json = gltf_json(content, file);
  for (const nlohmann::json& buffer : list_in(json, "buffers")) {
    if (!buffer.is_object()) continue;
    const auto uri = buffer.find("uri");
    if (uri == buffer.end() || !uri->is_string()) continue;
    const std::string name = uri->get<std::string>();
    if (name.starts_with("data:")) continue;
    if (const auto found = find_beside(name, file);
        found && known.insert(std::filesystem::canonical(*found)).second)
      files.push_back(*found);
  }
  return files;
}

}  // namespace

void require_readable_gltf(std::string_view content, const std::filesystem::path& file) {
  constexpr std::string_view kUnread[] = {"KHR_mesh_quantization", "KHR_draco_mesh_compression",
                                          "EXT_meshopt_compression"};
  const nlohmann::json json = gltf_json(content, file);
  for (const nlohmann::json& required : list_in(json, "extensionsRequired"))
    for (const std::string_view unread : kUnread)
      if (required == unread)
        throw InvalidInput(
            fmt::format("{}: its meshes are stored by {}, which assimp does not read; export it without",
                        file.string(), unread));
}

std::string source_digest(std::string_view content, const std::filesystem::path& file) {
  std::string buffers;
  for (const std::filesystem::path& buffer : buffer_files(content, file)) buffers += read_text(buffer);
  if (buffers.empty()) return asset::digest(std::as_bytes(std::span(content)));
  const std::string all = std::string(content) + buffers;
  return asset::digest(std::as_bytes(std::span(all)));
}

}  // namespace abut::preprocess
