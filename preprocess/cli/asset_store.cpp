#include "preprocess/cli/asset_store.h"

#include <algorithm>
#include <span>

#include "datasets/listing.h"
#include "preprocess/cli/versions.h"
#include "runtime/asset/container.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// Warnings name the file that the asset is made of.
void rename_in_warnings(asset::Asset& asset, const std::string& from, const std::string& to) {
  for (std::string& warning : asset.provenance.warnings)
    if (warning.starts_with(from)) warning.replace(0, from.size(), to);
}

}  // namespace

AssetStore::AssetStore(const std::filesystem::path& folder, const std::filesystem::path& out)
    : folder_(folder) {
  std::error_code error;
  if (std::filesystem::equivalent(folder, out, error))
    throw InvalidInput(folder.string() + ": is OUT; give --store a folder of its own");
}

std::string AssetStore::key(const datasets::ObjectSource& source, const Parameters& parameters) {
  std::string text = digest_of(source.file) + '\n' + datasets::lower_extension(source.file) + '\n';
  for (const auto& map : {describe(parameters, source.metres_per_unit), versions()})
    for (const auto& [name, value] : map) text += name + '=' + value + '\n';
  std::string digest = asset::digest(std::as_bytes(std::span(text)));
  std::replace(digest.begin(), digest.end(), ':', '-');
  return digest;
}

std::optional<asset::Asset> AssetStore::find(const std::string& key, const datasets::ObjectSource& source,
                                             const Parameters& parameters) const {
  const std::filesystem::path file = folder_.asset(key);
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    asset::Asset asset = asset::load(file);
    if (out_of_date(asset.provenance, source, parameters)) return std::nullopt;
    rename_in_warnings(asset, asset.provenance.source_file, source.file.string());
    asset.name = source.name;
    asset.provenance.source_file = absolute_source(source);
    return asset;
  } catch (const BadAsset&) {
    return std::nullopt;
  }
}

void AssetStore::keep(const std::string& key, const datasets::ObjectSource& source,
                      asset::Asset asset) const {
  rename_in_warnings(asset, source.file.string(), asset.provenance.source_file);
  asset::save(asset, folder_.asset(key));
}

}  // namespace abut::preprocess
