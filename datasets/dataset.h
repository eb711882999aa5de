#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Where the meshes of an object set are: readers of the layouts that people have on disk.
namespace abut::datasets {

// Room is left for an extension and a temporary suffix in the 255 bytes that file systems allow.
inline constexpr std::size_t kLongestName = 200;

struct ObjectSource {
  std::string name;                // unique in the dataset; the asset is called <name>.h5
  std::filesystem::path file;      // the mesh that was chosen
  double metres_per_unit = 1;      // scale of the file's coordinates
  std::vector<std::string> notes;  // what was chosen and why, where there was a choice
};

struct Dataset {
  std::filesystem::path root;
  std::string layout;                 // its name: "ycb"
  std::vector<ObjectSource> objects;  // in ascending order of name
  std::vector<std::string> notes;     // what was met on the way and left out, one line each
};

struct OpenOptions {
  std::optional<std::string> layout;      // its name; detected when absent
  std::optional<double> metres_per_unit;  // the layout's own unit when absent (BOP: 0.001, others: 1)
};

// The objects of the dataset `root`: a folder in one of the layouts (one object's own folder will do), or one
// mesh file. Names are made safe to name files and to print: valid UTF-8 without control characters, at most
// kLongestName bytes, unique; a note says where that changed one. Hidden entries are left out. Throws IoError
// where the path does not exist or cannot be read, InvalidInput where nothing in it looks like a mesh, naming
// what was looked for, for the name of no layout, and for a scale that is not a positive number.
Dataset open_dataset(const std::filesystem::path& root, const OpenOptions& options = {});

// "ycb, bop, ...": the names of the layouts, in the order of detection.
std::string layout_names();

}  // namespace abut::datasets
