#include "preprocess/report/report.h"

#include <fmt/format.h>
#include <signal.h>

#include <memory>
#include <span>
#include <utility>

#include "preprocess/export/export_set.h"
#include "preprocess/export/exporter.h"
#include "preprocess/mesh/write.h"
#include "preprocess/process/packing.h"
#include "preprocess/process/runner.h"
#include "preprocess/report/page_data.h"
#include "preprocess/report/pages.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::preprocess {
namespace {

constexpr int kThumbnail = 144;  // pixels: twice the size in the table, for high-resolution screens
constexpr const char* kIndex = "index.html";
constexpr const char* kContact = "contact";  // the stage of a page that may be omitted

using Shared = std::shared_ptr<const asset::Asset>;

// Uses the coarsest volume: contact surfaces are the largest part of the pages.
body::Body body_of(const Shared& asset) {
  const int coarsest = static_cast<int>(asset->volumes.size()) - 1;
  return {body::Geometry(asset, {.volume = std::max(0, coarsest)})};
}

// Loads an asset. Throws what loading throws, and InvalidInput if there is nothing to show.
Shared shown_asset(const std::filesystem::path& file) {
  auto asset = std::make_shared<const asset::Asset>(load_named_by_file(file));
  if (const std::string missing = detail::lacks_surface(*asset); !missing.empty())
    throw InvalidInput(fmt::format("{}: the asset has {}", file.string(), missing));
  return asset;
}

// The next asset after file `i`, cyclically, that can be read; `asset` itself if there is no other.
Shared next_asset(const std::vector<std::filesystem::path>& assets, std::size_t i, const Shared& asset) {
  for (std::size_t k = 1; k < assets.size(); ++k) {
    try {
      return shown_asset(assets[(i + k) % assets.size()]);
    } catch (const OutOfMemory&) {  // the choice must not depend on the available memory
      throw;
    } catch (const Error&) {  // a row of the table reports it
    }
  }
  return asset;
}

// `pair`: makes the data of its contact; `no_pair`: why there is none, or empty.
std::string object_page(const asset::Asset& asset, bool with_index,
                        const std::function<nlohmann::json()>& pair, const std::string& no_pair) {
  nlohmann::json data = facts_data(asset);
  data["index"] = with_index ? nlohmann::json(kIndex) : nlohmann::json(nullptr);
  data["object"] = object_data(asset);
  data["pair"] = no_pair.empty() ? pair() : nlohmann::json(nullptr);
  if (!no_pair.empty())
    data["cautions"].push_back("its contact with the next object is left out: " + no_pair);
  return page(asset.name, data, "assetPage");
}

std::string row_text(const nlohmann::json& row) {
  return row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct MadePage {
  std::string text, failure;  // one of them is empty
  std::string row;            // row of the index, JSON
};

// Makes a page in a child process, which isolates failures. If its contact makes the page fail, the page is
// made without it.
MadePage make_page(const std::vector<std::filesystem::path>& assets, std::size_t i, bool with_index,
                   const std::string& link, const ReportLimits& limits) {
  std::string no_pair;
  const Work work = [&](std::size_t, const StageCallback& stage) {
    stage("page");
    Packer packer;
    const Shared asset = shown_asset(assets[i]);
    const auto pair = [&] {
      stage(kContact);
      return pair_data(body_of(asset), body_of(next_asset(assets, i, asset)));
    };
    packer.put(object_page(*asset, with_index, pair, no_pair));
    packer.put(row_text(row_data(*asset, link, kThumbnail)));
    return std::move(packer.bytes);
  };
  RunObserver silent;
  for (;;) {
    const RunResult run = run_jobs(1, work, {1, limits.timeout_seconds, limits.memory_bytes}, silent);
    if (run.signal != 0) ::raise(run.signal);
    const JobResult& job = run.jobs.front();
    if (job.outcome == Outcome::kDone) {
      MadePage made;
      Unpacker unpacker(job.payload);
      unpacker.take(made.text);
      unpacker.take(made.row);
      return made;
    }
    if (job.stage == kContact && no_pair.empty()) {
      no_pair = job.reason.empty() ? "no reason given" : job.reason;
      continue;
    }
    const std::string name = assets[i].string();
    const std::string failure = job.reason.starts_with(name) ? job.reason : name + ": " + job.reason;
    return {{}, failure, row_text(failed_row(assets[i].stem().string(), failure))};
  }
}

// Throws if a page would replace a file that is not a page, or the target of a link, or cannot be written.
void claim(const std::filesystem::path& page) {
  constexpr std::size_t kHead = 1024;  // bytes: the mark is within these
  std::error_code error;               // check_writable() reports the cause
  const std::filesystem::file_status status = std::filesystem::symlink_status(page, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw InvalidInput(fmt::format("{}: it is {}; remove it", page.string(),
                                   std::filesystem::is_symlink(status) ? "a link" : "no file"));
  if (std::filesystem::exists(status)) {
    std::string head(kHead, 0);
    head.resize(InputFile(page).read(std::as_writable_bytes(std::span(head))));
    if (head.find(kPageMark) == std::string::npos)
      throw InvalidInput(page.string() +
                         ": it is no page of a report; remove it, or choose another folder with --out");
  }
  check_writable(page);
}

}  // namespace

std::vector<ReportedObject> write_report(const std::vector<std::filesystem::path>& assets,
                                         const std::string& title, bool with_index,
                                         const std::filesystem::path& out,
                                         const std::function<void(const ReportedObject&)>& done,
                                         const ReportLimits& limits) {
  std::error_code ignored;  // claim() reports what is wrong with the folder
  std::filesystem::create_directories(out, ignored);
  const std::vector<std::string> ids = export_ids(assets, {"index"});
  if (with_index) claim(out / kIndex);
  for (const std::string& id : ids) claim(out / (id + ".html"));
  std::vector<ReportedObject> objects;
  nlohmann::json rows = nlohmann::json::array();
  std::size_t failed = 0;
  for (std::size_t i = 0; i < assets.size(); ++i) {
    const MadePage made = make_page(assets, i, with_index, ids[i] + ".html", limits);
    ReportedObject& object = objects.emplace_back(ReportedObject{assets[i], {}, made.failure});
    rows.push_back(nlohmann::json::parse(made.row));
    if (made.failure.empty()) {
      object.page = out / (ids[i] + ".html");
      write_whole(object.page, made.text);
    } else {
      ++failed;
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
