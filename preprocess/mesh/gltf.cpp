#include "preprocess/mesh/gltf.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "preprocess/mesh/beside.h"
#include "preprocess/mesh/gltf_checks.h"
#include "runtime/asset/container.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {

using namespace gltf;

// An array, or an object whose members are the items, as in glTF 1.0.
const Json& list_in(const Json& json, const char* key) {
  static const Json kNone = Json::array();
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_structured() ? *found : kNone;
}

// Extensions that a reader of bare geometry may leave out: they concern looks.
bool concerns_looks(std::string_view extension) {
  constexpr std::string_view kLooks[] = {"KHR_materials_", "KHR_texture_",    "KHR_lights_",
                                         "KHR_xmp",        "EXT_texture_",    "EXT_lights_",
                                         "MSFT_texture_",  "KHR_techniques_", "ADOBE_materials_"};
  return std::any_of(std::begin(kLooks), std::end(kLooks),
                     [&](std::string_view start) { return extension.starts_with(start); });
}

void require_known_extensions(const Document& document) {
  for (const Json& required : document.list("extensionsRequired")) {
    if (!required.is_string()) document.refuse("'extensionsRequired' of the file has what is no name");
    if (!concerns_looks(required.get<std::string>()))
      throw InvalidInput(fmt::format("{}: its geometry needs {}, which is not read; export it without",
                                     document.file.string(), required.get<std::string>()));
  }
}

void require_known_version(const Document& document) {
  const Json* asset = document.object(document.json, "asset", "the file");
  if (!asset || !asset->contains("version")) document.refuse("it states no asset.version");
  for (const char* key : {"version", "minVersion"}) {
    const Json version = asset->value(key, Json("2.0"));
    if (!version.is_string() || !version.get<std::string>().starts_with("2."))
      document.refuse(fmt::format("its asset.{} is {}, and only glTF 2 is read", key, version.dump()));
  }
}

bool has_weights(const Json& item, const std::string& name, const Document& document) {
  const Json& weights = document.list(item, "weights", name);
  return std::any_of(weights.begin(), weights.end(),
                     [](const Json& w) { return !w.is_number() || w.get<double>() != 0; });
}

// The mesh is read as its accessors have it, at its node: neither posed by joints nor blended with targets.
void require_rigid(const Document& document) {
  const auto refuse = [&](const std::string& name, const char* what) {
    throw InvalidInput(fmt::format("{}: {} {}; apply that, and export it again without",
                                   document.file.string(), name, what));
  };
  for (const auto& [number, node] : document.list("nodes").items()) {
    const std::string name = "node " + number;
    if (!node.is_object() || !node.contains("mesh")) continue;
    if (node.contains("skin")) refuse(name, "has a skin, whose joints pose its mesh");
    if (has_weights(node, name, document)) refuse(name, "has weights of morph targets");
  }
  for (const auto& [number, mesh] : document.list("meshes").items())
    if (has_weights(mesh, "mesh " + number, document))
      refuse("mesh " + number, "has weights of morph targets");
}

// The files that hold its buffers, each listed once even if several buffers name it.
std::vector<std::filesystem::path> buffer_files(std::string_view content, const std::filesystem::path& file) {
  std::vector<std::filesystem::path> files;
  std::set<std::filesystem::path> known;
  const Json json = Json::parse(json_text(content, file), nullptr, false);
  for (const Json& buffer : list_in(json, "buffers")) {
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
  const std::string extension = lower_extension(file);
  if (extension != ".gltf" && extension != ".glb") return;
  const Document document(content, file);
  require_known_version(document);
  require_known_extensions(document);
  require_rigid(document);
  Buffers buffers(document);
  require_meshes(document, buffers);
  require_animations(document, buffers);
  require_nodes(document);
}

std::string source_digest(std::string_view content, const std::filesystem::path& file) {
  std::string buffers;
  for (const std::filesystem::path& buffer : buffer_files(content, file)) buffers += read_text(buffer);
  if (buffers.empty()) return asset::digest(std::as_bytes(std::span(content)));
  const std::string all = std::string(content) + buffers;
  return asset::digest(std::as_bytes(std::span(all)));
}

}  // namespace abut::preprocess
