#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "datasets/dataset.h"
#include "datasets/listing.h"

namespace abut::datasets {

// One arrangement of meshes in folders. A new layout is one file and one row in kLayoutReaders.
struct LayoutReader {
  const char* name;
  double metres_per_unit;  // of the layout's files
  const char* looked_for;  // for messages: the paths that define this layout
  bool folder_per_object;  // mesh files directly in the root belong to no object
  bool (*detect)(const Listing& root);
  // Appends the objects and the notes; leaves names as found and metres_per_unit at 1.
  void (*read)(const Listing& root, Dataset& dataset);
  // The object's name if only `file` is given and lies where this layout puts it.
  std::optional<std::string> (*name_of_file)(const std::filesystem::path& file);
};

// Number of folders in `root` with exactly one mesh: the objects of the layout `direct`.
std::size_t folders_with_one_mesh(const Listing& root);

extern const LayoutReader kYcbReader, kBopReader, kGsoReader, kFlatReader, kDirectReader;

// In the order of detection: the most specific first.
inline constexpr std::array kLayoutReaders{
    &kYcbReader, &kBopReader, &kGsoReader, &kFlatReader, &kDirectReader,
};

}  // namespace abut::datasets
