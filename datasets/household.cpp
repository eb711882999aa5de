#include "datasets/household.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "datasets/household/faults.h"
#include "datasets/household/shapes.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::datasets {
namespace {
namespace fs = std::filesystem;
using household::Shape;
using household::Surface;

void write_file(const fs::path& file, const std::string& text) {
  OutputFile out(file);
  out.write(text);
  out.finish(/*durable=*/false);
}

std::string to_obj(const Surface& surface, bool name_material) {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  if (name_material) fmt::format_to(out, "mtllib textured.mtl\n");
  for (const Eigen::Vector3d& p : surface.vertices)
    fmt::format_to(out, "v {:.17g} {:.17g} {:.17g}\n", p.x(), p.y(), p.z());
  if (name_material) fmt::format_to(out, "usemtl material_0\n");
  for (const household::Triangle& t : surface.triangles)
    fmt::format_to(out, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return fmt::to_string(text);
}

// Adds to each object the fault that does most harm there, and returns the faults.
std::vector<Fault> damage(Shape& shape) {
  const std::string name = shape.name;
  Surface& surface = shape.surface;
  std::vector<Fault> faults;
  const auto add = [&](FaultKind kind, int count, const char* description) {
    faults.push_back({name, kind, count, description});
  };
  if (name == "001_box") {
    add(FaultKind::kDuplicateVertices, household::duplicate_seam_vertices(surface),
        "vertices that repeat the position of another along six charts' seams");
  } else if (name == "002_can") {
    household::turn_inside_out(surface);
    add(FaultKind::kInsideOut, 1, "all faces turned, so that the volume is negative");
  } else if (name == "003_bottle") {
    household::scale(surface, 1000);
    add(FaultKind::kWrongUnits, 1, "written in millimetres: 178 m high if read as metres");
  } else if (name == "004_bowl") {
    add(FaultKind::kHole, household::add_holes(surface, 5),
        "holes left by taking out all faces of one vertex");
  } else if (name == "005_mug") {
    add(FaultKind::kTunnel, household::add_tunnels(surface, 3, 0.006),
        "tunnels under 1 mm wide through the wall, each of which adds 1 to the genus");
  } else if (name == "006_banana") {
    add(FaultKind::kFlap, household::add_flaps(surface, 6),
        "two collapsed faces, two coincident opposite faces and an edge of four faces each");
  } else if (name == "007_clamp") {
    add(FaultKind::kSelfIntersection, household::add_self_intersections(surface, 4),
        "pairs of dents whose sides cross below the surface");
  } else if (name == "008_scissors") {
    household::add_blob(surface, 0.003);
    add(FaultKind::kExtraComponent, 1, "a ball of 3 mm radius beside the object");
  }
  add(FaultKind::kMissingMaterial, 1, "names textured.mtl, which is not there");
  return faults;
}

std::string to_json(const std::vector<Fault>& faults) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Fault& fault : faults)
    rows.push_back({{"object", fault.object},
                    {"kind", to_string(fault.kind)},
                    {"count", fault.count},
                    {"description", fault.description}});
  return rows.dump(1) + "\n";
}

// Whether a file is a list that to_json() made.
bool are_faults(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return false;
  const auto rows = nlohmann::json::parse(read_text(file), nullptr, false);
  return rows.is_array() && std::all_of(rows.begin(), rows.end(), [](const nlohmann::json& row) {
           return row.is_object() && row.contains("object") && row.contains("kind");
         });
}

}  // namespace

std::string to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDuplicateVertices:
      return "duplicate_vertices";
    case FaultKind::kFlap:
      return "flap";
    case FaultKind::kHole:
      return "hole";
    case FaultKind::kInsideOut:
      return "inside_out";
    case FaultKind::kExtraComponent:
      return "extra_component";
    case FaultKind::kSelfIntersection:
      return "self_intersection";
    case FaultKind::kTunnel:
      return "tunnel";
    case FaultKind::kMissingMaterial:
      return "missing_material";
    case FaultKind::kWrongUnits:
      return "wrong_units";
  }
  return "unknown";
}

Household write_household(const fs::path& root, const HouseholdOptions& options) {
  std::error_code error;
  fs::create_directories(root, error);
  if (error) throw IoError(fmt::format("'{}': cannot make the folder: {}", root.string(), error.message()));
  Household set;
  for (Shape& shape : household::make_shapes()) {
    if (options.dirty) {
      std::vector<Fault> faults = damage(shape);
      std::move(faults.begin(), faults.end(), std::back_inserter(set.faults));
    }
    const fs::path folder = root / shape.name / "google_16k";
    fs::create_directories(folder, error);
    if (error)
      throw IoError(fmt::format("'{}': cannot make the folder: {}", folder.string(), error.message()));
    const fs::path file = folder / "textured.obj";
    write_file(file, to_obj(shape.surface, options.dirty));
    set.objects.push_back({shape.name, file, shape.volume, shape.genus});
  }
  const fs::path faults = root / "faults.json";
  if (options.dirty)
    write_file(faults, to_json(set.faults));
  else if (are_faults(faults) && !fs::remove(faults, error) && error)  // of an earlier, dirty set
    throw IoError(fmt::format("'{}': cannot be removed: {}", faults.string(), error.message()));
  return set;
}

}  // namespace abut::datasets
