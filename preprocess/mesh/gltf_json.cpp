#include "preprocess/mesh/gltf_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"

namespace abut::preprocess::gltf {
namespace {

constexpr std::size_t kGlbHeader = 12, kChunkHeader = 8;  // bytes

std::size_t whole_at(std::string_view content, std::size_t place) {
  std::uint32_t number = 0;
  std::memcpy(&number, content.data() + place, sizeof number);
  return number;
}

// Assimp allocates as many bytes as a .glb declares, so the declared sizes must be present.
void require_whole_glb(std::string_view content, const std::filesystem::path& file) {
  if (!content.starts_with("glTF") || content.size() < kGlbHeader + kChunkHeader)
    refuse(file, "it has no header of a binary glTF");
  for (const std::size_t promised :
       {whole_at(content, 8), kGlbHeader + kChunkHeader + whole_at(content, kGlbHeader)})
    if (promised > content.size())
      refuse(file, fmt::format("it has {}, but its header promises {}: it is truncated",
                               counted(content.size(), "byte"), promised));
  if (whole_at(content, 8) != content.size())
    refuse(file, fmt::format("it has {}, but its header promises {}", counted(content.size(), "byte"),
                             whole_at(content, 8)));
  if (const std::size_t version = whole_at(content, 4); version != 2)
    refuse(file, fmt::format("it is a binary glTF of version {}, not 2", version));
  if (content.substr(kGlbHeader + 4, 4) != "JSON") refuse(file, "its first chunk is not JSON");
}

// The second chunk of a whole .glb, which is the one of its buffer.
std::optional<std::string_view> binary_chunk(std::string_view content, const std::filesystem::path& file) {
  const std::size_t json = whole_at(content, kGlbHeader);
  content.remove_prefix(kGlbHeader + kChunkHeader + json);
  if (content.empty()) return std::nullopt;
  if (json % 4 != 0)
    refuse(file, fmt::format("its JSON chunk has {} bytes, which are not padded to 4", json));
  if (content.size() < kChunkHeader || content.substr(4, 4) != std::string_view("BIN\0", 4))
    refuse(file, "its second chunk is not that of a buffer (BIN)");
  const std::size_t promised = whole_at(content, 0);
  content.remove_prefix(kChunkHeader);
  if (promised > content.size())
    refuse(file, fmt::format("its buffer's chunk promises {} of the {} that are left",
                             counted(promised, "byte"), content.size()));
  return content.substr(0, promised);
}

// Limits of assimp's JSON reader: it recurses, adds offsets and lengths without checks, accepts bytes that
// are not UTF-8, and of two members of one name takes the first, whereas the parser used for the checks here
// takes the last.
class JsonBounds : public nlohmann::json_sax<Json> {
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
  bool parse_error(std::size_t place, const std::string& word,
                   const nlohmann::detail::exception& error) override {
    constexpr int kTooLarge = 406;
    return beyond(error.id == kTooLarge
                      ? fmt::format("the number {}, which is too large", word.substr(0, 30))
                      : fmt::format("at byte {} of its JSON what is no JSON in UTF-8", place));
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

const Json* member(const Json& item, const char* key) {
  if (!item.is_object()) return nullptr;
  const auto found = item.find(key);
  return found == item.end() ? nullptr : &*found;
}

}  // namespace

void refuse(const std::filesystem::path& file, const std::string& what) {
  throw InvalidInput(fmt::format("{}: {}; export it again", file.string(), what));
}

std::string_view json_text(std::string_view content, const std::filesystem::path& file) {
  const std::string extension = lower_extension(file);
  if (extension == ".gltf") return content;
  if (extension != ".glb" || content.size() < kGlbHeader + kChunkHeader) return {};
  return content.substr(kGlbHeader + kChunkHeader, whole_at(content, kGlbHeader));
}

Document::Document(std::string_view content, const std::filesystem::path& its_file)
    : file(its_file), is_binary(lower_extension(file) == ".glb") {
  if (is_binary) {
    require_whole_glb(content, file);
    binary = binary_chunk(content, file);
  }
  const std::string_view text = json_text(content, file);
  JsonBounds bounds;
  Json::sax_parse(text, &bounds);
  if (!bounds.excess().empty()) refuse("it has " + bounds.excess());
  json = Json::parse(text);
  if (!json.is_object()) refuse("its JSON is no object");
}

const Json& Document::list(const Json& item, const char* key, const std::string& name) const {
  static const Json kNone = Json::array();
  const Json* found = member(item, key);
  if (!found) return kNone;
  if (!found->is_array()) refuse(fmt::format("'{}' of {} is no list", key, name));
  return *found;
}

const Json* Document::object(const Json& item, const char* key, const std::string& name) const {
  const Json* found = member(item, key);
  if (found && !found->is_object()) refuse(fmt::format("'{}' of {} is no object", key, name));
  return found;
}

std::optional<std::size_t> Document::whole(const Json& item, const char* key, const std::string& name) const {
  const Json* found = member(item, key);
  if (!found) return std::nullopt;
  if (!found->is_number_unsigned()) refuse(fmt::format("'{}' of {} is no whole number from 0 on", key, name));
  return found->get<std::size_t>();
}

std::optional<std::size_t> Document::index(const Json& item, const char* key, const std::string& name,
                                           const char* of) const {
  const auto found = whole(item, key, name);
  if (const std::size_t count = list(of).size(); found && *found >= count)
    refuse(fmt::format("'{}' of {} is {}, but there are {} {}", key, name, *found, count, of));
  return found;
}

}  // namespace abut::preprocess::gltf
