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

// Exporters of assets as models for simulators. To add a simulator, add a file for it and its row in
// exporter.cpp.
namespace abut::preprocess {

// An object to be exported. All data are in the object's own frame.
struct ExportObject {
  std::string name;  // the asset's name
  // Identifies the object in its folder and in every file: letters, digits, '_', '-', '.' and non-ASCII
  // characters.
  std::string id;
  Inertial inertial;
  std::vector<std::string> convex;  // parts that collide as convex shapes, by their names for export_part()
  Eigen::Vector3d low, high;        // bounding box of the surface, m
  Visual visual;                    // shown instead of the surface if it has parts
  double hull_ratio = 0;  // volume of the colliding hull over the solid's; 0 if the hull does not collide
};

struct ExportSettings {
  double modulus = 1e7;  // Pa: pressure where the extent is 1
};

struct Exporter {
  std::string_view name;
  std::string_view summary;
  // Names what the asset lacks for this simulator, as text for the user; empty if nothing.
  std::string (*lacks)(const asset::Asset&);
  // Writes the object's files to `folder`, which exists, and returns their names. Parts of the visual that
  // the simulator does not support are omitted, with a note. Throws InvalidInput, before it writes, for an
  // object that the simulator would reject.
  std::vector<std::string> (*write)(const asset::Asset&, ExportObject&, const ExportSettings&,
                                    const std::filesystem::path& folder);
  // Writes a scene of all objects, each in out/<id>/, or removes an earlier one if there are no objects; null
  // if this simulator gets no scene.
  void (*write_scene)(std::span<const ExportObject>, const std::filesystem::path& out);
  bool convex_collides;  // whether the convex parts are what collides
};

// All exporters, and the one with the given name. Throws InvalidInput, listing the known names, for another.
std::span<const Exporter> exporters();
const Exporter& exporter(std::string_view name);

// Converts a name to an id: characters special to XML, shells or file systems become '_'.
std::string export_id(const std::string& name);

// Distinct ids for these files, none of them in `taken`. They depend only on the files' names; a name that is
// a valid id is kept.
std::vector<std::string> export_ids(const std::vector<std::filesystem::path>& assets,
                                    std::set<std::string> taken = {});

// Why Drake could not use the volume as a pressure field; empty if it can: volumes are positive, no
// tetrahedron has all four corners on the surface (its pressure would be zero throughout), and the extent is
// positive inside and zero on the surface.
std::string pressure_mesh_fault(const asset::VolumeView& volume);

namespace detail {
extern const Exporter kMujoco, kDrake, kUrdf, kUsd, kMeshes;

// "x y z" with all significant digits.
std::string digits(const Eigen::Vector3d& v);
std::string lacks_surface(const asset::Asset& asset);
// Names of the visible meshes: "surface", or "visual_<k>" for each part of the visual; and writes their
// files, as .obj.
std::vector<std::string> seen_meshes(const ExportObject& object);
std::vector<std::string> write_seen(const asset::Asset& asset, const ExportObject& object,
                                    const std::filesystem::path& folder);
// Writes <id>_convex_<k>.<extension> for each convex part and appends the names to `files`. The names contain
// the object's id, since readers of several objects may identify meshes by file name only.
void write_convex(const asset::Asset& asset, const ExportObject& object, const std::string& extension,
                  const std::filesystem::path& folder, std::vector<std::string>& files);
}  // namespace detail

}  // namespace abut::preprocess
