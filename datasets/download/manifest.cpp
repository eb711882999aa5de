#include "datasets/download/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "datasets/dataset.h"
#include "datasets/download/manifest_text.h"
#include "datasets/names.h"
#include "runtime/core/error.h"

namespace abut::datasets {
namespace {

using nlohmann::json;

// Letters, digits and - . _ ~ unchanged, other bytes as %XX [RFC 3986, 2.1].
std::string percent_encoded(const std::string& text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

// Refuses misspelt digests or keys, which would leave an archive unchecked.
void require_digests(const Manifest& manifest, const std::string& file) {
  const auto is_of_variant = [&](const std::string& key) {
    return std::any_of(manifest.variants.begin(), manifest.variants.end(), [&](const Variant& variant) {
      return key.find('/') != std::string::npos && key.substr(key.find('/') + 1) == variant.name;
    });
  };
  for (const auto& [key, digest] : manifest.sha256) {
    if (!is_of_variant(key))
      throw InvalidInput(
          fmt::format("{}: sha256: '{}' is no OBJECT/VARIANT of a variant that the set has", file, key));
    if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
      throw InvalidInput(fmt::format("{}: sha256: '{}' of {} is no SHA-256: 64 digits from 0 to 9 and a to f",
                                     file, digest, key));
  }
}

template <class Range>
std::string names_of(const Range& range) {
  std::vector<std::string> names;
  names.reserve(range.size());
  for (const auto& item : range) names.push_back(item.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Manifest manifest_from_json(const std::string& text, const std::string& file) {
  try {
    const json root = json::parse(text);
    Manifest manifest{.name = root.at("name"),
                      .title = root.at("title"),
                      .licence = root.at("licence"),
                      .homepage = root.at("homepage"),
                      .cite = root.value("cite", ""),
                      .object_list = root.value("object_list", ""),
                      .archives_hold_folder = root.value("archives_hold_object_folder", false),
                      .variants = {},
                      .sha256 = root.value("sha256", std::map<std::string, std::string>())};
    for (const json& variant : root.at("variants"))
      manifest.variants.push_back({variant.at("name"), variant.at("address")});
    for (const std::string& line : {manifest.name, manifest.title, manifest.licence, manifest.homepage})
      if (line.find('\n') != std::string::npos)
        throw InvalidInput(file + ": name, title, licence and homepage must be of one line each");
    if (manifest.variants.empty()) throw InvalidInput(file + ": it has no variant");
    for (const Variant& variant : manifest.variants) {
      require_object_name(variant.name, file);
      if (variant.address.find("{object}") == std::string::npos)
        throw InvalidInput(
            fmt::format("{}: the address of '{}' has no {{object}} in it", file, variant.name));
    }
    require_digests(manifest, file);
    return manifest;
  } catch (const json::exception& error) {
    throw InvalidInput(fmt::format("{}: not a manifest of an object set: {}", file, error.what()));
  }
}

const std::vector<Manifest>& manifests() {
  static const std::vector<Manifest> all = [] {
    std::vector<Manifest> made;
    for (const char* text : kManifestTexts) made.push_back(manifest_from_json(text, "built in"));
    return made;
  }();
  return all;
}

const Manifest& find_manifest(const std::string& name) {
  for (const Manifest& manifest : manifests())
    if (manifest.name == name) return manifest;
  throw InvalidInput(fmt::format("there is no set '{}'; there are: {}; --manifest FILE takes one of your own",
                                 name, names_of(manifests())));
}

const Variant& find_variant(const Manifest& manifest, const std::string& name) {
  for (const Variant& variant : manifest.variants)
    if (name.empty() || variant.name == name) return variant;
  throw InvalidInput(
      fmt::format("{} has no variant '{}'; it has: {}", manifest.name, name, names_of(manifest.variants)));
}

std::string archive_address(const Variant& variant, const std::string& object) {
  constexpr std::string_view kPlace = "{object}";
  std::string address = variant.address;
  const std::string encoded = percent_encoded(object);
  for (std::size_t at = 0; (at = address.find(kPlace, at)) != std::string::npos; at += encoded.size())
    address.replace(at, kPlace.size(), encoded);
  return address;
}

std::vector<std::string> object_names(const std::string& text, const std::string& address) {
  try {
    const json root = json::parse(text);
    std::vector<std::string> names;
    for (const json& object : root.is_object() ? root.at("objects") : root)
      names.push_back(object.is_object() ? object.at("name") : object);
    for (const std::string& name : names) require_object_name(name, address);
    return names;
  } catch (const json::exception&) {
    throw InvalidInput(address + ": what the server sent is no list of objects");
  }
}

void require_object_name(const std::string& name, const std::string& source) {
  if (name.empty() || name.front() == '.' || name.size() > kLongestName ||
      name.find('/') != std::string::npos || safe_name(name) != name)
    throw InvalidInput(fmt::format("{}: '{}' cannot be the name of an object", source, safe_name(name)));
}

}  // namespace abut::datasets
