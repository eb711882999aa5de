#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/export/amount.h"
#include "preprocess/export/visual.h"
#include "runtime/asset/asset.h"

// Assets as models for simulators. To add a simulator: its file, and its row in exporter.cpp.
namespace abut::preprocess {

// An object on its way to a simulator. Everything is in the object's own frame.
struct ExportObject {
  std::string name;  // the asset's
  // Names the object in its folder and in every file: letters, digits, '_', '-', '.' and what is not ASCII.
  std::string id;
  Inertial inertial;
  std::vector<std::string> convex;  // what collides as convex: parts by their names for export_part()
  Eigen::Vector3d low, high;        // bounding box of the surface, m
  Visual visual;                    // seen instead of the surface where it has parts
  double hull_ratio = 0;  // volume of the hull that collides over the solid's; 0: it is not the hull
};

struct ExportSettings {
  double modulus = 1e7;  // Pa: pressure where the extent is 1
};

struct Exporter {
  std::string_view name;
  std::string_view summary;
  // What the asset lacks for it, in words for a person; empty: nothing.
  std::string (*lacks)(const asset::Asset&);
  // Writes the object's files to `folder`, which exists; their names. What the simulator does not take of the
  // visual is left out with a note. Throws InvalidInput, before it writes, for an object that the simulator
  // would refuse.
  std::vector<std::string> (*write)(const asset::Asset&, ExportObject&, const ExportSettings&,
                                    const std::filesystem::path& folder);
  // Writes a scene of all of them, each in out/<id>/, or removes the earlier one where there are none; null:
  // no scene.
  void (*write_scene)(std::span<const ExportObject>, const std::filesystem::path& out);
  bool convex_collides;  // convex parts are what collides
};

// The table; and its row of that name, or InvalidInput with the names that there are.
std::span<const Exporter> exporters();
const Exporter& exporter(std::string_view name);

// The name as an id: what XML, shells or file systems may take for something else is '_'.
std::string export_id(const std::string& name);

// The id of each of these files, all different and none of `taken`. They follow from the names alone,
// whatever is in the files; a name that is an id keeps it.
std::vector<std::string> export_ids(const std::vector<std::filesystem::path>& assets,
                                    std::set<std::string> taken = {});

// Why Drake could not take the volume as a pressure field; empty where it can: positive volumes, no
// tetrahedron with all four corners on the surface (its pressure would be zero throughout), extent positive
// inside and zero on the surface.
std::string pressure_mesh_fault(const asset::VolumeView& volume);

namespace detail {
extern const Exporter kMujoco, kDrake, kUrdf, kUsd, kMeshes;

// "x y z" with all digits.
std::string digits(const Eigen::Vector3d& v);
std::string lacks_surface(const asset::Asset& asset);
// What is seen: "surface", or "visual_<k>" for each part of the visual; and its files, as .obj.
std::vector<std::string> seen_meshes(const ExportObject& object);
std::vector<std::string> write_seen(const asset::Asset& asset, const ExportObject& object,
                                    const std::filesystem::path& folder);
// Writes <id>_convex_<k>.<extension> for each convex part; adds their names to `files`. Named after the
// object, as who reads several of them may know meshes by their files' names alone.
void write_convex(const asset::Asset& asset, const ExportObject& object, const std::string& extension,
                  const std::filesystem::path& folder, std::vector<std::string>& files);
}  // namespace detail

}  // namespace abut::preprocess
