#include "runtime/cli/asset_folder.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "runtime/asset/reader.h"
#include "runtime/core/error.h"
#include "runtime/core/output_file.h"

namespace abut::cli {

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

const body::Geometry& AssetFolder::operator[](const std::string& name) {
  if (const auto known = geometries_.find(name); known != geometries_.end()) return known->second;
  const std::filesystem::path file = folder_ / (name + ".h5");
  const bool plain =
      !name.empty() && name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
  std::error_code error;
  const bool exists = plain && std::filesystem::exists(file, error);
  if (error) throw IoError(file.string() + ": cannot open: " + error.message());
  if (!exists) {
    std::string known;
    for (const std::string& other : names()) known += (known.empty() ? "" : ", ") + other;
    throw InvalidInput("no asset '" + name + "' in " + folder_.string() + "; there " +
                       (known.empty() ? "are none; make some with abut-preprocess DATASET " + folder_.string()
                                      : "are: " + known));
  }
  return geometries_.emplace(name, asset::load(file)).first->second;
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

void require_no_asset_replaced(const std::filesystem::path& output) {
  constexpr std::string_view kFirstLine = "ABUT asset\n";
  if (std::error_code ignored; !std::filesystem::is_regular_file(output, ignored)) return;
  std::string found(kFirstLine.size(), '\0');
  std::ifstream(output, std::ios::binary).read(found.data(), static_cast<std::streamsize>(found.size()));
  if (found == kFirstLine) require_not_input(output, output);
}

}  // namespace abut::cli
