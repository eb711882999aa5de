#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <iterator>

#include "preprocess/export/exporter.h"
#include "preprocess/export/part.h"
#include "preprocess/mesh/write.h"

// USD as text (USDA): a rigid body of UsdPhysics for each object.
namespace abut::preprocess {
namespace {

// A valid USD name: letters, digits and '_', with no digit first.
std::string identifier(const std::string& id) {
  std::string name;
  for (const char c : id) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "_" + name : name;
}

std::string tuple(const Eigen::Vector3d& v) {
  return fmt::format("({:.17g}, {:.17g}, {:.17g})", v.x(), v.y(), v.z());
}

// Appends a mesh prim; `head` is its metadata, `rows` are attributes in addition to the mesh's own.
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

template <int kSize>
std::string rows_of(const std::vector<Eigen::Matrix<double, kSize, 1>>& values) {
  std::string text;
  for (const auto& value : values) {
    text += text.empty() ? "(" : ", (";
    for (int k = 0; k < kSize; ++k)
      fmt::format_to(std::back_inserter(text), "{}{:.9g}", k > 0 ? ", " : "", value[k]);
    text += ")";
  }
  return text;
}

// Linear light from an sRGB-encoded value.
double linear(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

// Appends a part of the visual, with the UsdPreviewSurface material bound to it.
void append_visual(std::string& text, const std::string& root, const VisualPart& part, std::size_t k) {
  const std::string material = fmt::format("/{}/material_{}", root, k);
  std::string rows = fmt::format("        rel material:binding = <{}>\n", material);
  const auto out = std::back_inserter(rows);
  if (!part.normals.empty())
    fmt::format_to(out,
                   "        normal3f[] normals = [{}] (\n            interpolation = \"vertex\"\n        )\n",
                   rows_of(part.normals));
  if (!part.places.empty())
    fmt::format_to(
        out, "        texCoord2f[] primvars:st = [{}] (\n            interpolation = \"vertex\"\n        )\n",
        rows_of(part.places));
  append_mesh(text, fmt::format("visual_{}", k), part.mesh,
              " (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )", rows);
  Eigen::Vector4d c = part.color;
  for (int i = 0; i < 3; ++i) c[i] = linear(c[i]);
  std::string color = fmt::format("inputs:diffuseColor = ({:.6g}, {:.6g}, {:.6g})", c[0], c[1], c[2]),
              texture;
  if (!part.texture.empty()) {
    color = fmt::format("inputs:diffuseColor.connect = <{}/texture.outputs:rgb>", material);
    texture = fmt::format(
        "        def Shader \"texture\"\n        {{\n"
        "            uniform token info:id = \"UsdUVTexture\"\n"
        "            asset inputs:file = @./{0}@\n"
        "            float4 inputs:scale = ({2:.6g}, {3:.6g}, {4:.6g}, 1)\n"
        "            float2 inputs:st.connect = <{1}/places.outputs:result>\n"
        "            token inputs:wrapS = \"repeat\"\n            token inputs:wrapT = \"repeat\"\n"
        "            float3 outputs:rgb\n        }}\n"
        "        def Shader \"places\"\n        {{\n"
        "            uniform token info:id = \"UsdPrimvarReader_float2\"\n"
        "            string inputs:varname = \"st\"\n            float2 outputs:result\n        }}\n",
        part.texture, material, c[0], c[1], c[2]);
  }
  fmt::format_to(std::back_inserter(text),
                 "\n    def Material \"material_{0}\"\n    {{\n"
                 "        token outputs:surface.connect = <{1}/shader.outputs:surface>\n"
                 "        def Shader \"shader\"\n        {{\n"
                 "            uniform token info:id = \"UsdPreviewSurface\"\n"
                 "            color3f {2}\n            float inputs:opacity = {3:.6g}\n"
                 "            token outputs:surface\n        }}\n{4}    }}\n",
                 k, material, color, c[3], texture);
}

std::vector<std::string> write(const asset::Asset& asset, ExportObject& object, const ExportSettings&,
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
  if (object.visual.parts.empty())
    append_mesh(text, "surface", to_mesh(asset::view(asset.surfaces[0])), "", "");
  for (std::size_t k = 0; k < object.visual.parts.size(); ++k)
    append_visual(text, name, object.visual.parts[k], k);
  const std::size_t first = asset.convex.size() - object.convex.size();
  for (std::size_t k = 0; k < object.convex.size(); ++k)
    append_mesh(
        text, fmt::format("convex_{}", k), to_mesh(asset::view(asset.convex[first + k])),
        " (\n        prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]\n    )",
        "        uniform token purpose = \"guide\"\n"
        "        uniform token physics:approximation = \"convexHull\"\n");
  text += "}\n";
  std::vector<std::string> files;
  if (!object.visual.parts.empty()) files = write_textures(object.visual, folder);
  files.push_back(object.id + ".usda");
  write_whole(folder / files.back(), text);
  return files;
}

}  // namespace

namespace detail {
const Exporter kUsd{"usd",
                    "USD as text with UsdPhysics: a rigid body for each object; convex parts collide, the "
                    "surface is seen, or the source with its materials",
                    lacks_surface,
                    write,
                    nullptr,
                    true};
}

}  // namespace abut::preprocess
