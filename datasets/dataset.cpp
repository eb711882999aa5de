#include "datasets/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "datasets/deeper.h"
#include "datasets/layouts.h"
#include "datasets/names.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;

const LayoutReader& reader_of(const std::string& layout) {
  for (const LayoutReader* reader : kLayoutReaders)
    if (reader->name == layout) return *reader;
  throw InvalidInput(fmt::format("unknown layout '{}': use one of {}", layout, layout_names()));
}

std::string everything_looked_for() {
  std::string text;
  for (const LayoutReader* reader : kLayoutReaders)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", reader->name, reader->looked_for);
  return text;
}

const LayoutReader* detect(const Listing& root) {
  for (const LayoutReader* reader : kLayoutReaders)
    if (reader->detect(root)) return reader;
  return nullptr;
}

// Extensions of unsupported mesh formats, in lower case.
constexpr std::array kOtherFormats{".3ds",  ".3mf",  ".abc", ".blend", ".brep", ".ctm",  ".dxf",
                                   ".fbx",  ".iges", ".igs", ".lwo",   ".max",  ".mesh", ".msh",
                                   ".off",  ".step", ".stp", ".usd",   ".usda", ".usdc", ".usdz",
                                   ".vrml", ".vtk",  ".vtp", ".vtu",   ".wrl",  ".x3d",  ".xyz"};

bool is_of_other_format(const fs::path& file) {
  return std::find(kOtherFormats.begin(), kOtherFormats.end(), lower_extension(file)) != kOtherFormats.end();
}

// Adds notes about unused files next to the meshes: a line for each mesh, and one for the rest (textures,
// materials, lists).
void note_files_left_out(const Listing& listing, Dataset& dataset) {
  constexpr std::size_t kMaxNames = 20;
  std::size_t shapes = 0;
  std::vector<fs::path> others;
  const std::vector<fs::path> list = meshes_of(listing.files);
  const std::set<fs::path> meshes(list.begin(), list.end());
  for (const fs::path& file : listing.files) {
    if (has_mesh_extension(file)) {
      if (!meshes.contains(file))
        dataset.notes.push_back(
            fmt::format("'{}' was left out: a mesh of the same name is beside it", file.string()));
      continue;
    }
    if (!is_of_other_format(file)) {
      others.push_back(file);
    } else if (++shapes <= kMaxNames) {
      dataset.notes.push_back(fmt::format("'{}' was left out: {} is not read; convert it to {}",
                                          file.string(), lower_extension(file), kMeshFormats));
    }
  }
  if (shapes > kMaxNames)
    dataset.notes.push_back(fmt::format("'{}': {} of such formats left out", listing.folder.string(),
                                        counted(shapes - kMaxNames, "more file")));
  if (!others.empty())
    dataset.notes.push_back(fmt::format("'{}': {} left out (not meshes): {}", listing.folder.string(),
                                        counted(others.size(), "other file"), names_text(others)));
}

// For the message about an empty folder: a file that needs conversion, or meshes deeper down.
std::string hint(const Listing& root) {
  for (const fs::path& file : root.files)
    if (is_of_other_format(file))
      return fmt::format("; '{}' is in a format that is not read: convert it to {}", file.string(),
                         kMeshFormats);
  const std::string deeper = deeper_text(root.folder);
  return deeper.empty() ? "" : "; " + deeper;
}

Dataset open_folder(const fs::path& root, const OpenOptions& options) {
  const Listing listing = list_folder(root);
  const LayoutReader* reader = options.layout ? &reader_of(*options.layout) : detect(listing);
  if (!reader)
    throw InvalidInput(fmt::format("'{}': no mesh found; looked for {}{}", root.string(),
                                   everything_looked_for(), hint(listing)));
  Dataset dataset{.root = root, .layout = reader->name, .objects = {}, .notes = listing.notes};
  reader->read(listing, dataset);
  if (dataset.objects.empty())
    throw InvalidInput(fmt::format("'{}': no mesh found in layout {}; looked for {}{}", root.string(),
                                   reader->name, reader->looked_for, hint(listing)));
  std::vector<fs::path> strays = listing.files;
  std::erase_if(strays, [](const fs::path& file) { return !has_mesh_extension(file); });
  if (reader->folder_per_object && !strays.empty())
    dataset.notes.push_back(
        fmt::format("'{}': {} beside the objects' folders left out (layout flat reads them): {}",
                    root.string(), counted(strays.size(), "mesh file"), names_text(strays)));
  note_files_left_out(listing, dataset);
  return dataset;
}

Dataset open_file(const fs::path& file, const OpenOptions& options) {
  if (!has_mesh_extension(file))
    throw InvalidInput(fmt::format("'{}': not a mesh file; looked for {}", file.string(), kMeshFormats));
  for (const LayoutReader* reader : kLayoutReaders) {
    std::optional<std::string> name = reader->name_of_file(file);
    if (!name) continue;
    return {.root = file,
            .layout = options.layout.value_or(reader->name),
            .objects = {{.name = *name, .file = file, .notes = {}}},
            .notes = {}};
  }
  throw InvalidInput(fmt::format("'{}': no layout takes this file", file.string()));
}

}  // namespace

Dataset open_dataset(const fs::path& root, const OpenOptions& options) {
  if (options.metres_per_unit && !(std::isfinite(*options.metres_per_unit) && *options.metres_per_unit > 0))
    throw InvalidInput("metres per unit must be a positive number, not " +
                       std::to_string(*options.metres_per_unit));
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (error) throw IoError(fmt::format("'{}': {}", root.string(), error.message()));
  if (!fs::is_directory(status) && !fs::is_regular_file(status))
    throw IoError(fmt::format("'{}': neither a folder nor a file", root.string()));
  Dataset dataset = fs::is_directory(status) ? open_folder(root, options) : open_file(root, options);
  const double metres_per_unit = options.metres_per_unit.value_or(reader_of(dataset.layout).metres_per_unit);
  for (ObjectSource& object : dataset.objects) object.metres_per_unit = metres_per_unit;
  make_names_safe(dataset.objects);
  return dataset;
}

std::string layout_names() {
  std::string names;
  for (const LayoutReader* reader : kLayoutReaders)
    names += (names.empty() ? "" : ", ") + std::string(reader->name);
  return names;
}

}  // namespace abut::datasets
