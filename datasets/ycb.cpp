// Reader of the YCB object and model set [Calli2015] as its authors distribute it: NNN_name/<scan>/<file>.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "datasets/layouts.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;

// In order of preference: first Google's scans, the coarsest first; then of Berkeley's two reconstructions
// the Poisson surface, which is closed, before that of the truncated distance field. Some objects have only
// Berkeley's.
constexpr std::array kScans{"google_16k", "google_64k", "google_512k", "poisson", "tsdf"};
constexpr std::array kFiles{"textured.obj", "nontextured.ply", "nontextured.stl"};

bool has_scan(const fs::path& object) {
  return std::any_of(kScans.begin(), kScans.end(),
                     [&](const char* scan) { return is_folder(object / scan); });
}

bool detect(const Listing& root) {
  return has_scan(root.folder) || std::any_of(root.folders.begin(), root.folders.end(), has_scan);
}

void read_object(const fs::path& folder, Dataset& dataset) {
  for (const char* scan : kScans) {
    for (const char* file : kFiles) {
      const fs::path choice = fs::path(scan) / file;
      if (!is_file(folder / choice)) continue;
      ObjectSource object;
      object.name = folder_name(folder);
      object.file = folder / choice;
      const fs::path preferred = fs::path(kScans.front()) / kFiles.front();
      if (choice != preferred)
        object.notes.push_back(fmt::format("took {}: {} is missing", choice.string(), preferred.string()));
      dataset.objects.push_back(std::move(object));
      return;
    }
  }
  dataset.notes.push_back(
      fmt::format("'{}': no mesh; looked for {}", folder.string(), kYcbReader.looked_for));
}

void read(const Listing& root, Dataset& dataset) {
  if (has_scan(root.folder)) return read_object(root.folder, dataset);
  for (const fs::path& folder : root.folders) read_object(folder, dataset);
}

std::optional<std::string> name_of_file(const fs::path& file) {
  const fs::path scan = file.parent_path();
  const bool known =
      std::any_of(kScans.begin(), kScans.end(), [&](const char* name) { return scan.filename() == name; }) &&
      std::any_of(kFiles.begin(), kFiles.end(), [&](const char* name) { return file.filename() == name; });
  if (!known) return std::nullopt;
  return folder_name(scan.parent_path());
}

}  // namespace

const LayoutReader kYcbReader{"ycb",
                              1,
                              "NNN_name/{google_16k,google_64k,google_512k,poisson,tsdf}/"
                              "{textured.obj,nontextured.ply,nontextured.stl}",
                              true,
                              detect,
                              read,
                              name_of_file};

}  // namespace abut::datasets
