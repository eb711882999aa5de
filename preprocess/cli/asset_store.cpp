#include "preprocess/cli/asset_store.h"

#include <algorithm>
#include <span>

#include "datasets/listing.h"
#include "runtime/asset/container.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"

namespace abut::preprocess {
namespace {

// Replaces the name of the source file at the beginning of warnings.
void rename_in_warnings(asset::Asset& asset, const std::string& from, const std::string& to) {
  for (std::string& warning : asset.provenance.warnings)
    if (warning.starts_with(from)) warning.replace(0, from.size(), to);
}

}  // namespace

AssetStore::AssetStore(const std::filesystem::path& folder, const std::filesystem::path& out)
    : path_(folder) {
  std::error_code error;
  if (std::filesystem::equivalent(folder, out, error))
    throw InvalidInput(folder.string() + ": is OUT; give --store a folder of its own");
  try {
    folder_.emplace(folder, "give --store a folder that can be written");
  } catch (const IoError& refused) {
    if (!std::filesystem::is_directory(folder, error)) throw;
    note_ = std::string(refused.what()) + ". What this one has is taken, and nothing is kept in it";
  }
}

std::string AssetStore::key(const datasets::ObjectSource& source, const Parameters& parameters) {
  const std::string text = digest_of(source.file) + '\n' + lower_extension(source.file) + '\n' +
                           settings_text(parameters, source.metres_per_unit);
  std::string digest = asset::digest(std::as_bytes(std::span(text)));
  std::replace(digest.begin(), digest.end(), ':', '-');
  return digest;
}

std::optional<ObjectLock> AssetStore::lock(const std::string& key, const std::function<void()>& wait) const {
  if (!folder_) return std::nullopt;
  try {
    return folder_->lock(key, wait);
  } catch (const IoError&) {  // the folder has disappeared: keep() reports it
    return std::nullopt;
  }
}

std::optional<asset::Asset> AssetStore::find(const std::string& key, const datasets::ObjectSource& source,
                                             const Parameters& parameters,
                                             std::vector<std::string>& warnings) const {
  const std::filesystem::path file = entry(key);
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::symlink_status(file, error);
  if (there.type() == std::filesystem::file_type::not_found) return std::nullopt;
  const auto passed_by = [&](const std::string& why) {
    warnings.push_back("--store: " + why + "; not taken");
    return std::nullopt;
  };
  if (!std::filesystem::is_regular_file(there)) return passed_by(file.string() + ": is no file");
  try {
    asset::Asset asset = asset::load(file);
    if (const auto change = out_of_date(asset.provenance, source, parameters))
      return passed_by(file.string() + ": is of something else than its name says: " + *change);
    rename_in_warnings(asset, asset.provenance.source_file, source.file.string());
    asset.name = source.name;
    asset.provenance.source_file = absolute_source(source);
    return asset;
  } catch (const BadAsset& damaged) {
    return passed_by(damaged.what());
  } catch (const IoError& refused) {
    return passed_by(refused.what());
  }
}

void AssetStore::keep(const std::string& key, const datasets::ObjectSource& source, asset::Asset asset,
                      std::vector<std::string>& warnings) const {
  if (!folder_) return;
  rename_in_warnings(asset, source.file.string(), asset.provenance.source_file);
  try {
    asset::save(asset, entry(key), Replace::kName);
  } catch (const IoError& refused) {
    warnings.push_back("--store: " + std::string(refused.what()) + "; not kept");
  }
}

}  // namespace abut::preprocess
