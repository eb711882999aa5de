#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Finds the meshes of an object set: readers of the common folder layouts.
namespace abut::datasets {

// Upper bound of the length of names. It leaves room for an extension and a temporary suffix in the 255 bytes
// that file systems allow.
inline constexpr std::size_t kLongestName = 200;

struct ObjectSource {
  std::string name;                // unique in the dataset; the asset is <name>.h5
  std::filesystem::path file;      // the mesh that was chosen
  double metres_per_unit = 1;      // scale of the file's coordinates
  std::vector<std::string> notes;  // if there was a choice: what was chosen and why
};

struct Dataset {
  std::filesystem::path root;
  std::string layout;                 // name of the layout, such as "ycb"
  std::vector<ObjectSource> objects;  // in ascending order of name
  std::vector<std::string> notes;     // what was found but left out, one line each
};

struct OpenOptions {
  std::optional<std::string> layout;      // name of the layout; detected if absent
  std::optional<double> metres_per_unit;  // if absent, the layout's own unit (BOP: 0.001, others: 1)
};

// Finds the objects of the dataset `root`: a folder in one of the layouts (the folder of a single object also
// works), or one mesh file. Names are made safe as file names and for printing: valid UTF-8 without control
// characters, at most kLongestName bytes, unique; a note says where this changed a name. Hidden entries are
// ignored. Throws IoError if the path does not exist or cannot be read; InvalidInput if nothing in it looks
// like a mesh, naming what was looked for, for an unknown layout name, and for a scale that is not a positive
// number.
Dataset open_dataset(const std::filesystem::path& root, const OpenOptions& options = {});

// "ycb, bop, ...": the names of the layouts, in the order of detection.
std::string layout_names();

}  // namespace abut::datasets
