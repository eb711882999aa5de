#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Eight everyday objects made by code, so that everything runs with nothing downloaded.
namespace abut::datasets {

enum class FaultKind {
  kDuplicateVertices,  // count: vertices that repeat another's position
  kFlap,               // two collapsed faces, two coincident opposite faces and a 4-face edge each
  kHole,               // count: boundary loops
  kInsideOut,          // every face seen from inside
  kExtraComponent,     // count: blobs beside the object
  kSelfIntersection,   // count: spots where the surface crosses itself
  kTunnel,             // count: tunnels through a wall, each of which adds 1 to the genus
  kMissingMaterial,    // a .mtl file is named and not there
  kWrongUnits,         // millimetres in a file of metres
};

// "duplicate_vertices", "flap", ...
std::string to_string(FaultKind kind);

// One fault that was put into a file on purpose.
struct Fault {
  std::string object;
  FaultKind kind = FaultKind::kFlap;
  int count = 0;
  std::string description;
};

struct HouseholdObject {
  std::string name;            // NNN_name
  std::filesystem::path file;  // <root>/NNN_name/google_16k/textured.obj
  double volume = 0;           // m^3, of the sound shape; from its formula, not from the mesh
  int genus = 0;               // of the sound shape
};

struct HouseholdOptions {
  bool dirty = false;  // put the faults into the files
};

struct Household {
  std::vector<HouseholdObject> objects;  // in ascending order of name
  std::vector<Fault> faults;             // empty unless dirty
};

// Writes box, can, bottle, bowl (wall 1.5 mm), mug (with a handle), banana, clamp and scissors below `root`
// in the layout of the YCB set, in metres with 17 digits, about 16k triangles each; makes the folders. A
// sound object is closed, oriented outward, connected and free of self-intersection. The dirty set has the
// faults that are returned and listed in <root>/faults.json. The same bytes at every call. Throws IoError
// where a file cannot be written.
Household write_household(const std::filesystem::path& root, const HouseholdOptions& options = {});

}  // namespace abut::datasets
