#include "preprocess/report/report.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>

#include "preprocess/export/export_set.h"
#include "preprocess/export/exporter.h"
#include "preprocess/mesh/write.h"
#include "preprocess/report/page_data.h"
#include "preprocess/report/pages.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr int kThumbnail = 144;  // pixels: twice what the table shows, for dense screens
constexpr const char* kIndex = "index.html";

using Shared = std::shared_ptr<const asset::Asset>;

// The coarsest volume: its contact surfaces are the pages' largest part.
body::Body body_of(const Shared& asset) {
  const int coarsest = static_cast<int>(asset->volumes.size()) - 1;
  return {body::Geometry(asset, {.volume = std::max(0, coarsest)})};
}

std::string object_page(const Shared& asset, const Shared& partner, bool with_index) {
  nlohmann::json data = facts_data(*asset);
  data["index"] = with_index ? nlohmann::json(kIndex) : nlohmann::json(nullptr);
  data["object"] = object_data(*asset);
  data["pair"] = pair_data(body_of(asset), body_of(partner));
  return page(asset->name, data, "assetPage");
}

// The asset after the first `from`, around the end, that can be read: itself where there is no other.
Shared next_asset(const std::vector<std::filesystem::path>& assets, std::size_t from) {
  for (std::size_t k = 1; k <= assets.size(); ++k) {
    try {
      auto asset =
          std::make_shared<const asset::Asset>(load_named_by_file(assets[(from + k) % assets.size()]));
      if (detail::lacks_surface(*asset).empty()) return asset;
    } catch (const Error&) {  // a row of the table says why
    }
  }
  return nullptr;
}

}  // namespace

std::vector<ReportedObject> write_report(const std::vector<std::filesystem::path>& assets,
                                         const std::string& title, bool with_index,
                                         const std::filesystem::path& out,
                                         const std::function<void(const ReportedObject&)>& done) {
  std::error_code ignored;  // write_whole() says what is wrong with the folder
  std::filesystem::create_directories(out, ignored);
  std::vector<ReportedObject> objects;
  std::set<std::string> ids{"index"};
  nlohmann::json rows = nlohmann::json::array();
  std::size_t failed = 0;
  for (std::size_t i = 0; i < assets.size(); ++i) {
    ReportedObject& object = objects.emplace_back(ReportedObject{assets[i], {}, {}});
    std::optional<std::string> text;
    std::string id;
    try {
      const auto asset = std::make_shared<const asset::Asset>(load_named_by_file(assets[i]));
      if (const std::string missing = detail::lacks_surface(*asset); !missing.empty())
        throw InvalidInput(fmt::format("{}: the asset has {}", assets[i].string(), missing));
      id = export_id(asset->name);
      for (int k = 2; !ids.insert(id).second; ++k) id = fmt::format("{}-{}", export_id(asset->name), k);
      text = object_page(asset, next_asset(assets, i), with_index);
      rows.push_back(row_data(*asset, id + ".html", kThumbnail));
    } catch (const Error& error) {
      object.failure = error.what();
      rows.push_back(failed_row(assets[i].stem().string(), error.what()));
      ++failed;
    }
    if (text) {
      object.page = out / (id + ".html");
      write_whole(object.page, *text);
    }
    done(object);
  }
  if (with_index) {
    const std::string summary = fmt::format("{}{}", counted(assets.size(), "object"),
                                            failed == 0 ? "" : fmt::format(", {} cannot be read", failed));
    const nlohmann::json data{
        {"name", title}, {"summary", summary}, {"columns", columns_data()}, {"rows", rows}};
    write_whole(out / kIndex, page(title, data, "setPage"));
  }
  return objects;
}

}  // namespace abut::preprocess
