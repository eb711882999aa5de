#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <iterator>

#include "preprocess/export/exporter.h"
#include "preprocess/export/part.h"
#include "preprocess/mesh/write.h"

// SDFormat for Drake's hydroelastic contact. Drake reads a compliant mesh's tetrahedra from a legacy VTK file
// and computes the pressure from them; our pressure is in the file as a point field, which Drake ignores.
namespace abut::preprocess {
namespace {

std::string lacks(const asset::Asset& asset) {
  if (asset.volumes.empty()) return "no volume";
  const std::string fault = pressure_mesh_fault(asset::view(asset.volumes[0]));
  return fault.empty() ? detail::lacks_surface(asset) : "no volume that Drake takes: " + fault;
}

std::vector<std::string> write(const asset::Asset& asset, ExportObject& object,
                               const ExportSettings& settings, const std::filesystem::path& folder) {
  std::vector<std::string> files = detail::write_seen(asset, object, folder);
  files.emplace_back("volume.vtk");
  export_part(asset, "volume", folder / files.back());
  files.push_back(object.id + ".sdf");
  std::string seen;
  for (const std::string& name : detail::seen_meshes(object))
    fmt::format_to(std::back_inserter(seen),
                   "      <visual name=\"{0}_{1}\">\n"
                   "        <geometry><mesh><uri>{1}.obj</uri></mesh></geometry>\n"
                   "      </visual>\n",
                   object.id, name);
  const Eigen::Matrix3d& I = object.inertial.inertia;
  write_whole(folder / files.back(),
              fmt::format("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                          "<!-- Lengths in m, masses in kg, moments of inertia in kg m^2 about the centre of "
                          "mass, modulus in Pa.\n"
                          "     volume.vtk: tetrahedra in m; `extent` at their points times the modulus is "
                          "the pressure. -->\n"
                          "<sdf version=\"1.7\" xmlns:drake=\"http://drake.mit.edu\">\n"
                          "  <model name=\"{0}\">\n"
                          "    <link name=\"{0}\">\n"
                          "      <inertial>\n"
                          "        <pose>{1} 0 0 0</pose>\n"
                          "        <mass>{2:.17g}</mass>\n"
                          "        <inertia>\n"
                          "          <ixx>{3:.17g}</ixx><ixy>{4:.17g}</ixy><ixz>{5:.17g}</ixz>\n"
                          "          <iyy>{6:.17g}</iyy><iyz>{7:.17g}</iyz><izz>{8:.17g}</izz>\n"
                          "        </inertia>\n"
                          "      </inertial>\n"
                          "{10}"
                          "      <collision name=\"{0}_volume\">\n"
                          "        <geometry><mesh><uri>volume.vtk</uri></mesh></geometry>\n"
                          "        <drake:proximity_properties>\n"
                          "          <drake:compliant_hydroelastic/>\n"
                          "          <drake:hydroelastic_modulus>{9:.17g}</drake:hydroelastic_modulus>\n"
                          "        </drake:proximity_properties>\n"
                          "      </collision>\n"
                          "    </link>\n"
                          "  </model>\n"
                          "</sdf>\n",
                          object.id, detail::digits(object.inertial.center), object.inertial.mass, I(0, 0),
                          I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2), settings.modulus, seen));
  return files;
}

}  // namespace

std::string pressure_mesh_fault(const asset::VolumeView& v) {
  std::vector<char> on_surface(static_cast<std::size_t>(v.vertex_count), 0);
  for (std::int32_t slot = 0; slot < 4 * v.tetrahedron_count; ++slot) {
    if (v.neighbours[slot] >= 0) continue;
    for (int k = 0; k < 4; ++k)
      if (k != slot % 4) on_surface[static_cast<std::size_t>(v.tetrahedra[slot / 4 * 4 + k])] = 1;
  }
  for (std::int32_t t = 0; t < v.tetrahedron_count; ++t) {
    Eigen::Vector3d p[4];
    for (int k = 0; k < 4; ++k) p[k] = Eigen::Vector3d::Map(v.vertices + 3 * v.tetrahedra[4 * t + k]);
    if (!((p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]) > 0))
      return fmt::format("tetrahedron {} has no positive volume", t);
  }
  for (std::int32_t t = 0; t < v.tetrahedron_count; ++t) {
    const std::int32_t* corners = v.tetrahedra + 4 * t;
    if (std::all_of(corners, corners + 4,
                    [&](std::int32_t i) { return on_surface[static_cast<std::size_t>(i)]; }))
      return fmt::format("tetrahedron {} has all four corners on the surface", t);
  }
  for (std::int32_t i = 0; i < v.vertex_count; ++i)
    if (on_surface[static_cast<std::size_t>(i)] ? v.extent[i] != 0 : !(v.extent[i] > 0))
      return fmt::format("the extent at vertex {} is {:g} {}", i, v.extent[i],
                         on_surface[static_cast<std::size_t>(i)] ? "on the surface" : "inside");
  return {};
}

namespace detail {
const Exporter kDrake{
    "drake",
    "SDFormat with compliant hydroelastic contact: tetrahedra as VTK with the extent at their points",
    lacks,
    write,
    nullptr,
    false};
}

}  // namespace abut::preprocess
