#include "preprocess/mesh/gltf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "datasets/listing.h"
#include "preprocess/mesh/beside.h"
#include "runtime/asset/container.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {

constexpr std::size_t kGlbHeader = 12, kChunkHeader = 8;  // bytes

std::size_t whole_at(std::string_view content, std::size_t place) {
  std::uint32_t number = 0;
  std::memcpy(&number, content.data() + place, sizeof number);
  return number;
}

// The JSON text: all of a .gltf; of a .glb its first chunk, which follows the header, the chunk length and
// kind. Empty for other extensions.
std::string_view json_text(std::string_view content, const std::filesystem::path& file) {
  const std::string extension = datasets::lower_extension(file);
  if (extension == ".gltf") return content;
  if (extension != ".glb" || content.size() < kGlbHeader + kChunkHeader) return {};
  return content.substr(kGlbHeader + kChunkHeader, whole_at(content, kGlbHeader));
}

nlohmann::json gltf_json(std::string_view content, const std::filesystem::path& file) {
  return nlohmann::json::parse(json_text(content, file), nullptr, false);
}

// Assimp allocates as many bytes as a .glb declares, so the declared sizes must be present.
void require_whole_glb(std::string_view content, const std::filesystem::path& file) {
  if (datasets::lower_extension(file) != ".glb") return;
  const auto refuse = [&](const std::string& what) {
    throw InvalidInput(file.string() + ": " + what + "; export it again");
  };
  if (!content.starts_with("glTF") || content.size() < kGlbHeader + kChunkHeader)
    refuse("it has no header of a binary glTF");
  for (const std::size_t promised :
       {whole_at(content, 8), kGlbHeader + kChunkHeader + whole_at(content, kGlbHeader)})
    if (promised > content.size())
      refuse(fmt::format("it has {}, but its header promises {}: it is truncated",
                         counted(content.size(), "byte"), promised));
}

// Limits of assimp's JSON reader: it recurses, adds offsets and lengths without checks, accepts bytes that
// are not UTF-8, and of two members of one name takes the first, whereas the parser used for the checks here
// takes the last.
class JsonBounds : public nlohmann::json_sax<nlohmann::json> {
 public:
  const std::string& excess() const { return excess_; }  // what exceeds the bounds; empty if nothing

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr number_unsigned_t kMax = number_unsigned_t{1} << 53;
    return value <= kMax || beyond("a whole number above 2^53");
  }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool key(string_t& name) override {
    return names_.back().insert(name).second || beyond(fmt::format("two members '{}' in one object", name));
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t place, const std::string&, const nlohmann::detail::exception&) override {
    return beyond(fmt::format("at byte {} of its JSON what is no JSON in UTF-8", place));
  }

 private:
  bool beyond(std::string what) {
    excess_ = std::move(what);
    return false;
  }
  bool open() {
    constexpr std::size_t kDeepest = 256;
    names_.emplace_back();
    return names_.size() <= kDeepest || beyond("lists or objects that are nested more than 256 deep");
  }
  bool close() {
    names_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> names_;  // member names of each open object; empty sets for arrays
  std::string excess_;
};

// An array, or an object whose members are the items, as in glTF 1.0.
const nlohmann::json& list_in(const nlohmann::json& json, const char* key) {
  static const nlohmann::json kNone = nlohmann::json::array();
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_structured() ? *found : kNone;
}

// The key by which glTF refers to an item: its number, or in glTF 1.0 its name. Empty for other types.
std::string name_of(const nlohmann::json& item) {
  if (item.is_string()) return item.get<std::string>();
  return item.is_number_unsigned() ? std::to_string(item.get<std::size_t>()) : "";
}

// The item that `reference` names in a list; null if there is none.
const nlohmann::json* item_of(const nlohmann::json& list, const nlohmann::json& reference) {
  if (list.is_array() && reference.is_number_unsigned()) {
    const auto k = reference.get<std::size_t>();
    return k < list.size() ? &list[k] : nullptr;
  }
  const auto found = list.is_object() && reference.is_string()
                         ? list.find(reference.get_ref<const std::string&>())
                         : list.end();
  return found == list.end() ? nullptr : &*found;
}

// Assimp traverses the nodes recursively, and a node as often as it is named.
void require_tree(const nlohmann::json& nodes, const std::filesystem::path& file) {
  constexpr int kDeepest = 1000;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> numbers;
  for (const auto& [name, node] : nodes.items()) {  // names are indices if it is an array
    numbers.emplace(name, names.size());
    names.push_back(name);
  }
  std::vector<std::size_t> parents(names.size(), names.size());
  std::size_t k = 0;
  for (const nlohmann::json& node : nodes) {
    for (const nlohmann::json& child : list_in(node, "children")) {
      const auto found = numbers.find(name_of(child));
      if (found == numbers.end()) continue;  // assimp reports it
      std::size_t& parent = parents[found->second];
      if (parent != names.size())
        throw InvalidInput(fmt::format("{}: node {} is a child of two, {} and {}; export it again",
                                       file.string(), found->first, names[parent], names[k]));
      parent = k;
    }
    ++k;
  }
  for (std::size_t node = 0; node < names.size(); ++node) {
    int depth = 0;
    for (std::size_t at = node; at < names.size(); at = parents[at])
      if (++depth > kDeepest)
        throw InvalidInput(fmt::format("{}: node {} is more than {} deep; export it again", file.string(),
                                       names[node], kDeepest));
  }
}

// Extensions that a reader of bare geometry may leave out: they concern looks.
bool concerns_looks(std::string_view extension) {
  constexpr std::string_view kLooks[] = {"KHR_materials_", "KHR_texture_",    "KHR_lights_",
                                         "KHR_xmp",        "EXT_texture_",    "EXT_lights_",
                                         "MSFT_texture_",  "KHR_techniques_", "ADOBE_materials_"};
  return std::any_of(std::begin(kLooks), std::end(kLooks),
                     [&](std::string_view start) { return extension.starts_with(start); });
}

void require_known_extensions(const nlohmann::json& json, const std::filesystem::path& file) {
  for (const nlohmann::json& required : list_in(json, "extensionsRequired"))
    if (required.is_string() && !concerns_looks(required.get<std::string>()))
      throw InvalidInput(fmt::format("{}: its geometry needs {}, which is not read; export it without",
                                     file.string(), required.get<std::string>()));
}

bool has_weights(const nlohmann::json& item) {
  const nlohmann::json& weights = list_in(item, "weights");
  return std::any_of(weights.begin(), weights.end(),
                     [](const nlohmann::json& w) { return w.is_number() && w.get<double>() != 0; });
}

// The mesh is read as its accessors have it, at its node: neither posed by joints nor blended with targets.
void require_rigid(const nlohmann::json& json, const std::filesystem::path& file) {
  const auto refuse = [&](const char* list, const std::string& name, const char* what) {
    throw InvalidInput(fmt::format("{}: {} {} {}; apply that, and export it again without", file.string(),
                                   list, name, what));
  };
  for (const auto& [name, node] : list_in(json, "nodes").items()) {
    if (!node.is_object() || !node.contains("mesh")) continue;
    if (node.contains("skin")) refuse("node", name, "has a skin, whose joints pose its mesh");
    if (has_weights(node)) refuse("node", name, "has weights of morph targets");
  }
  for (const auto& [name, mesh] : list_in(json, "meshes").items())
    if (has_weights(mesh)) refuse("mesh", name, "has weights of morph targets");
}

// Assimp takes the bytes of a position for three floats, whatever their type.
void require_positions_of_floats(const nlohmann::json& json, const std::filesystem::path& file) {
  constexpr int kFloat = 5126;
  const nlohmann::json& accessors = list_in(json, "accessors");
  for (const auto& [name, mesh] : list_in(json, "meshes").items())
    for (const nlohmann::json& primitive : list_in(mesh, "primitives")) {
      const nlohmann::json& attributes = list_in(primitive, "attributes");
      if (!attributes.is_object() || !attributes.contains("POSITION")) continue;
      const nlohmann::json* accessor = item_of(accessors, attributes.at("POSITION"));
      if (accessor == nullptr || !accessor->is_object()) continue;  // assimp reports it
      if (accessor->value("componentType", nlohmann::json()) != kFloat ||
          accessor->value("type", nlohmann::json()) != "VEC3")
        throw InvalidInput(
            fmt::format("{}: mesh {} has positions that are not three floats each (quantised?), which is "
                        "not read; export it without quantisation",
                        file.string(), name));
    }
}

// The files that hold its buffers, each listed once even if several buffers name it.
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
  const std::string extension = datasets::lower_extension(file);
  if (extension != ".gltf" && extension != ".glb") return;
  require_whole_glb(content, file);
  JsonBounds bounds;
  nlohmann::json::sax_parse(json_text(content, file), &bounds);
  if (!bounds.excess().empty())
    throw InvalidInput(fmt::format("{}: it has {}; export it again", file.string(), bounds.excess()));
  const nlohmann::json json = gltf_json(content, file);
  require_known_extensions(json, file);
  require_rigid(json, file);
  require_positions_of_floats(json, file);
  require_tree(list_in(json, "nodes"), file);
}

std::string source_digest(std::string_view content, const std::filesystem::path& file) {
  std::string buffers;
  for (const std::filesystem::path& buffer : buffer_files(content, file)) buffers += read_text(buffer);
  if (buffers.empty()) return asset::digest(std::as_bytes(std::span(content)));
  const std::string all = std::string(content) + buffers;
  return asset::digest(std::as_bytes(std::span(all)));
}

}  // namespace abut::preprocess
