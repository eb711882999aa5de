#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <iterator>

#include "preprocess/export/exporter.h"
#include "preprocess/export/part.h"
#include "preprocess/mesh/write.h"

// USD as text (USDA): a rigid body of UsdPhysics for each object.
namespace abut::preprocess {
namespace {

// A name as USD has them: letters, digits and '_', no digit first.
std::string identifier(const std::string& id) {
  std::string name;
  for (const char c : id) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "_" + name : name;
}

std::string tuple(const Eigen::Vector3d& v) {
  return fmt::format("({:.17g}, {:.17g}, {:.17g})", v.x(), v.y(), v.z());
}

// A prim of the mesh; `head` is its metadata, `rows` are attributes beside the mesh's own.
void append_mesh(std::string& text, const std::string& name, const TriangleMesh& mesh,
                 const std::string& head, const std::string& rows) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "\n    def Mesh \"{}\"{}\n    {{\n{}", name, head, rows);
  text += "        uniform token subdivisionScheme = \"none\"\n        int[] faceVertexCounts = [";
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) text += t == 0 ? "3" : ", 3";
  text += "]\n        int[] faceVertexIndices = [";
  const char* between = "";
  for (const Triangle& triangle : mesh.triangles) {
    fmt::format_to(out, "{}{}, {}, {}", between, triangle[0], triangle[1], triangle[2]);
    between = ", ";
  }
  text += "]\n        point3f[] points = [";
  between = "";
  for (const Eigen::Vector3d& vertex : mesh.vertices) {
    text += between + tuple(vertex);
    between = ", ";
  }
  text += "]\n    }\n";
}

std::vector<std::string> write(const asset::Asset& asset, const ExportObject& object, const ExportSettings&,
                               const std::filesystem::path& folder) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(object.inertial.inertia);
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  const Eigen::Quaterniond q(axes);
  const std::string name = identifier(object.id);
  std::string text = fmt::format(
      "#usda 1.0\n(\n    defaultPrim = \"{0}\"\n    doc = \"{1}\"\n    metersPerUnit = 1\n"
      "    kilogramsPerUnit = 1\n    upAxis = \"Z\"\n)\n\n"
      "def Xform \"{0}\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n"
      "    kind = \"component\"\n)\n{{\n"
      "    float physics:mass = {2:.17g}\n    point3f physics:centerOfMass = {3}\n"
      "    float3 physics:diagonalInertia = {4}\n    quatf physics:principalAxes = ({5:.17g}, {6:.17g}, "
      "{7:.17g}, {8:.17g})\n",
      name, object.id, object.inertial.mass, tuple(object.inertial.center), tuple(principal.eigenvalues()),
      q.w(), q.x(), q.y(), q.z());
  append_mesh(text, "surface", to_mesh(asset::view(asset.surfaces[0])), "", "");
  const std::size_t first = asset.convex.size() - object.convex.size();
  for (std::size_t k = 0; k < object.convex.size(); ++k)
    append_mesh(
        text, fmt::format("convex_{}", k), to_mesh(asset::view(asset.convex[first + k])),
        " (\n        prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]\n    )",
        "        uniform token purpose = \"guide\"\n"
        "        uniform token physics:approximation = \"convexHull\"\n");
  text += "}\n";
  const std::string file = object.id + ".usda";
  write_whole(folder / file, text);
  return {file};
}

}  // namespace

namespace detail {
const Exporter kUsd{"usd",
                    "USD as text with UsdPhysics: a rigid body for each object; convex parts collide, the "
                    "surface is seen",
                    lacks_surface, write, nullptr};
}

}  // namespace abut::preprocess
