#include <fmt/format.h>

#include <iterator>

#include "preprocess/export/exporter.h"
#include "preprocess/mesh/write.h"

// URDF: each object is a robot with one link.
namespace abut::preprocess {
namespace {

std::vector<std::string> write(const asset::Asset& asset, ExportObject& object, const ExportSettings&,
                               const std::filesystem::path& folder) {
  std::vector<std::string> files = detail::write_seen(asset, object, folder);
  detail::write_convex(asset, object, "obj", folder, files);
  files.push_back(object.id + ".urdf");
  const Eigen::Matrix3d& I = object.inertial.inertia;
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<!-- Lengths in m, masses in kg, moments of inertia in kg m^2 about the centre of mass. -->\n"
      "<robot name=\"{0}\">\n"
      "  <link name=\"{0}\">\n"
      "    <inertial>\n"
      "      <origin xyz=\"{1}\" rpy=\"0 0 0\"/>\n"
      "      <mass value=\"{2:.17g}\"/>\n"
      "      <inertia ixx=\"{3:.17g}\" ixy=\"{4:.17g}\" ixz=\"{5:.17g}\" iyy=\"{6:.17g}\" iyz=\"{7:.17g}\" "
      "izz=\"{8:.17g}\"/>\n"
      "    </inertial>\n",
      object.id, detail::digits(object.inertial.center), object.inertial.mass, I(0, 0), I(0, 1), I(0, 2),
      I(1, 1), I(1, 2), I(2, 2));
  for (const std::string& name : detail::seen_meshes(object))
    fmt::format_to(std::back_inserter(text),
                   "    <visual name=\"{0}_{1}\">\n"
                   "      <geometry><mesh filename=\"{1}.obj\"/></geometry>\n"
                   "    </visual>\n",
                   object.id, name);
  for (std::size_t k = 0; k < object.convex.size(); ++k)
    fmt::format_to(std::back_inserter(text),
                   "    <collision name=\"{0}_convex_{1}\">\n"
                   "      <geometry><mesh filename=\"{0}_convex_{1}.obj\"/></geometry>\n"
                   "    </collision>\n",
                   object.id, k);
  text += "  </link>\n</robot>\n";
  write_whole(folder / files.back(), text);
  return files;
}

}  // namespace

namespace detail {
const Exporter kUrdf{"urdf",
                     "URDF: a robot of one link for each object; convex parts collide; the surface is seen, "
                     "or the source with its materials",
                     lacks_surface,
                     write,
                     nullptr,
                     true};
}

}  // namespace abut::preprocess
