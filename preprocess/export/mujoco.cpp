#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "preprocess/export/exporter.h"
#include "preprocess/mesh/write.h"
#include "runtime/core/error.h"

// MJCF [Todorov2012]: a file for each object, and a scene with all of them above a plane.
namespace abut::preprocess {
namespace {

constexpr std::string_view kUnits =
    "<!-- Lengths in m, masses in kg. diaginertia: principal moments of inertia in kg m^2 about the centre "
    "of "
    "mass;\n     quat: the rotation from principal axes to the object's axes, w first. -->\n";

// MuJoCo only supports PNG.
bool is_png(const std::string& texture) { return texture.ends_with(".png"); }

void append_meshes(std::string& text, const ExportObject& object, const std::string& folder) {
  const auto out = std::back_inserter(text);
  for (const std::string& name : detail::seen_meshes(object))
    fmt::format_to(out, "    <mesh name=\"{0}_{2}\" file=\"{1}{2}.obj\"/>\n", object.id, folder, name);
  for (std::size_t k = 0; k < object.convex.size(); ++k)
    fmt::format_to(out, "    <mesh name=\"{0}_convex_{2}\" file=\"{1}{0}_convex_{2}.obj\"/>\n", object.id,
                   folder, k);
  for (const auto& texture : object.visual.textures)
    if (is_png(texture.first))
      fmt::format_to(out, "    <texture name=\"{0}_{2}\" type=\"2d\" file=\"{1}{2}\"/>\n", object.id, folder,
                     texture.first);
  for (std::size_t k = 0; k < object.visual.parts.size(); ++k) {
    const VisualPart& part = object.visual.parts[k];
    const Eigen::Vector4d& c = part.color;
    fmt::format_to(out, "    <material name=\"{}_material_{}\" rgba=\"{:.6g} {:.6g} {:.6g} {:.6g}\"",
                   object.id, k, c[0], c[1], c[2], c[3]);
    if (is_png(part.texture)) fmt::format_to(out, " texture=\"{}_{}\"", object.id, part.texture);
    text += "/>\n";
  }
}

void append_seen(std::string& text, const ExportObject& object) {
  const std::vector<std::string> names = detail::seen_meshes(object);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string material =
        object.visual.parts.empty() ? "" : fmt::format(" material=\"{}_material_{}\"", object.id, k);
    fmt::format_to(std::back_inserter(text),
                   "      <geom name=\"{0}_{1}\" type=\"mesh\" mesh=\"{0}_{1}\"{2} group=\"2\" contype=\"0\" "
                   "conaffinity=\"0\"/>\n",
                   object.id, names[k], material);
  }
}

// Writes principal moments: MuJoCo diagonalises a full matrix itself and keeps fewer digits.
void append_body(std::string& text, const ExportObject& object, const Eigen::Vector3d& position) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(object.inertial.inertia);
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  const Eigen::Quaterniond q(axes);
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "    <body name=\"{0}\" pos=\"{1}\">\n"
                 "      <freejoint name=\"{0}_free\"/>\n"
                 "      <inertial pos=\"{2}\" mass=\"{3:.17g}\"\n"
                 "                quat=\"{4:.17g} {5}\" diaginertia=\"{6}\"/>\n",
                 object.id, detail::digits(position), detail::digits(object.inertial.center),
                 object.inertial.mass, q.w(), detail::digits(q.vec()),
                 detail::digits(principal.eigenvalues()));
  append_seen(text, object);
  for (std::size_t k = 0; k < object.convex.size(); ++k)
    fmt::format_to(
        out, "      <geom name=\"{0}_convex_{1}\" type=\"mesh\" mesh=\"{0}_convex_{1}\" group=\"3\"/>\n",
        object.id, k);
  text += "    </body>\n";
}

// MuJoCo rejects moving bodies whose mass or moment is not above its mjMINVAL.
void require_moving(const Inertial& inertial) {
  constexpr double kLeast = 1e-15;  // kg and kg m^2
  const double moment = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertial.inertia).eigenvalues()[0];
  if (inertial.mass > kLeast && moment > kLeast) return;
  throw InvalidInput(
      fmt::format("its mass of {:.3g} kg and least moment of inertia of {:.3g} kg m^2 are not both "
                  "above {:g}, below which MuJoCo refuses a body that moves",
                  inertial.mass, moment, kLeast));
}

// Whether MuJoCo accepts a mesh: it rejects meshes without volume and those with an edge that two triangles
// traverse in the same direction.
bool takes(const TriangleMesh& mesh) {
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  const Eigen::Vector3d& origin = mesh.vertices[0];
  double volume = 0, area = 0;
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k)
      if (!edges.emplace(t[k], t[(k + 1) % 3]).second) return false;
    const Eigen::Vector3d a = mesh.vertices[t[0]] - origin, b = mesh.vertices[t[1]] - origin,
                          c = mesh.vertices[t[2]] - origin;
    volume += std::abs(a.dot(b.cross(c))) / 6;
    area += (b - a).cross(c - a).norm() / 2;
  }
  constexpr double kFlat = 1e-6;  // relative to the area to the power of 3/2
  return volume > kFlat * std::pow(area, 1.5) && volume > 1e-14;
}

void leave_out_what_is_not_taken(ExportObject& object) {
  Visual& visual = object.visual;
  for (const auto& texture : visual.textures)
    if (!is_png(texture.first)) {
      visual.notes.push_back(object.name +
                             ": MuJoCo takes PNG alone: a JPEG texture is replaced by its colour");
      break;
    }
  if (std::all_of(visual.parts.begin(), visual.parts.end(),
                  [](const VisualPart& p) { return takes(p.mesh); }))
    return;
  visual.parts.clear();
  visual.textures.clear();
  visual.notes.push_back(
      object.name +
      ": a part of its visual is flat or has triangles that turn against each other, which "
      "MuJoCo refuses: the surface is seen");
}

std::vector<std::string> write(const asset::Asset& asset, ExportObject& object, const ExportSettings&,
                               const std::filesystem::path& folder) {
  require_moving(object.inertial);
  leave_out_what_is_not_taken(object);
  std::vector<std::string> files = detail::write_seen(asset, object, folder);
  detail::write_convex(asset, object, "obj", folder, files);
  files.push_back(object.id + ".xml");
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n{}<mujoco model=\"{}\">\n  <asset>\n", kUnits, object.id);
  append_meshes(text, object, "");
  text += "  </asset>\n  <worldbody>\n";
  append_body(text, object, Eigen::Vector3d::Zero());
  text += "  </worldbody>\n</mujoco>\n";
  write_whole(folder / files.back(), text);
  return files;
}

// Places the objects in a square grid, each slightly above the plane.
void write_scene(std::span<const ExportObject> objects, const std::filesystem::path& out) {
  const std::filesystem::path file = out / "scene.xml";
  if (objects.empty()) {
    std::error_code ignored;  // there is none, or it stays
    std::filesystem::remove(file, ignored);
    return;
  }
  constexpr double kGap = 1.2;  // between centres, over the largest diagonal
  double step = 0;
  for (const ExportObject& object : objects) step = std::max(step, kGap * (object.high - object.low).norm());
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(objects.size()))));
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n{}<mujoco model=\"scene\">\n  <statistic "
      "extent=\"{:.3g}\"/>\n  "
      "<asset>\n",
      kUnits, step * static_cast<double>(std::max<std::size_t>(columns, 1)));
  for (const ExportObject& object : objects) append_meshes(text, object, object.id + "/");
  text +=
      "  </asset>\n  <worldbody>\n    <light pos=\"0 0 3\" directional=\"true\"/>\n"
      "    <geom name=\"ground\" type=\"plane\" size=\"0 0 1\"/>\n";
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const ExportObject& object = objects[k];
    const std::size_t column = k % columns, row = k / columns;
    const Eigen::Vector3d cell(static_cast<double>(column), static_cast<double>(row), 0);
    const Eigen::Vector3d middle = (object.low + object.high) / 2;
    const double lift = 0.05 * (object.high - object.low).norm();
    append_body(text, object,
                {step * cell.x() - middle.x(), step * cell.y() - middle.y(), lift - object.low.z()});
  }
  text += "  </worldbody>\n</mujoco>\n";
  write_whole(file, text);
}

}  // namespace

namespace detail {
const Exporter kMujoco{
    "mujoco",
    "MJCF: convex parts collide; the surface is seen, or the source with its materials; scene.xml has all "
    "objects over a plane",
    lacks_surface,
    write,
    write_scene,
    true};
}

}  // namespace abut::preprocess
