#include "runtime/cli/asset_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

#include "runtime/asset/reader.h"
#include "runtime/body/asset_choice.h"
#include "runtime/cli/edit_distance.h"
#include "runtime/core/error.h"

namespace abut::cli {

namespace {

// The names, of many the ten nearest to `name`, as far as letters go, and how many more there are.
std::string words_of(std::vector<std::string> names, const std::string& name) {
  constexpr std::size_t kMost = 10;
  const std::size_t count = names.size();
  if (count > kMost) {
    std::vector<std::pair<std::size_t, std::string>> nearest;
    for (std::string& other : names) nearest.emplace_back(edit_distance(name, other), std::move(other));
    std::partial_sort(nearest.begin(), nearest.begin() + kMost, nearest.end());
    names.clear();
    for (std::size_t k = 0; k < kMost; ++k) names.push_back(std::move(nearest[k].second));
  }
  return fmt::format("{}{}", fmt::join(names, ", "),
                     count > kMost ? fmt::format(" and {} more", count - kMost) : "");
}

}  // namespace

AssetFolder::AssetFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) throw IoError("'': the name of the folder of assets is empty");
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(folder_, error);
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw IoError(folder_.string() + ": cannot read this folder of assets: " + error.message());
  if (std::error_code ignored; std::filesystem::is_regular_file(folder_, ignored))
    throw IoError(folder_.string() + ": a file, not a folder of assets; name the folder that it is in");
  if (!is_folder)
    throw IoError(folder_.string() + ": not a folder of assets" +
                  (error ? " (" + error.message() + ")" : "") + "; make one with abut-preprocess DATASET " +
                  folder_.string());
}

bool AssetFolder::has(const std::string& name) const {
  if (name.empty() || name.find('/') != std::string::npos || name.find('\0') != std::string::npos)
    return false;
  const std::filesystem::path file = folder_ / (name + ".h5");
  std::error_code error;
  const bool exists = std::filesystem::exists(file, error);
  if (error) throw IoError(file.string() + ": cannot open: " + error.message());
  return exists;
}

const body::Geometry& AssetFolder::operator[](const std::string& name) {
  if (const auto known = geometries_.find(name); known != geometries_.end()) return known->second;
  const body::AssetChoice words = has(name) ? body::AssetChoice{name, {}} : body::parse_asset_choice(name);
  if (!has(words.file)) {
    const std::vector<std::string> known = names();
    throw InvalidInput("no asset '" + words.file + "' in " + folder_.string() + "; there " +
                       (known.empty() ? "are none; make some with abut-preprocess DATASET " + folder_.string()
                                      : "are: " + words_of(known, words.file)));
  }
  std::shared_ptr<const asset::Asset>& asset = assets_[words.file];
  if (!asset) asset = std::make_shared<const asset::Asset>(asset::load(folder_ / (words.file + ".h5")));
  return geometries_.emplace(name, body::Geometry(asset, words.detail)).first->second;
}

std::vector<std::string> AssetFolder::names() const {
  std::vector<std::string> result;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".h5") result.push_back(it->path().stem().string());
  if (error) throw IoError(folder_.string() + ": cannot read this folder of assets: " + error.message());
  std::sort(result.begin(), result.end());
  return result;
}

void require_no_container_replaced(const std::filesystem::path& output, bool records) {
  constexpr std::string_view kAsset = "ABUT asset\n", kRecording = "ABUT recording\n";
  if (std::error_code ignored; !std::filesystem::is_regular_file(output, ignored)) return;
  std::string found(kRecording.size(), '\0');
  std::ifstream(output, std::ios::binary).read(found.data(), static_cast<std::streamsize>(found.size()));
  const bool asset = found.starts_with(kAsset);
  if (asset || (!records && found == kRecording))
    throw IoError(output.string() + ": cannot write: it would replace " +
                  (asset ? "an asset" : "a recording") + "; give the output another name");
}

}  // namespace abut::cli
