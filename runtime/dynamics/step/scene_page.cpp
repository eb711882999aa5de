#include "runtime/dynamics/step/scene_page.h"

#include <charconv>
#include <cmath>
#include <span>

#include "runtime/body/tessellation.h"
#include "runtime/core/base64.h"
#include "runtime/core/error.h"
#include "runtime/core/output_file.h"
#include "runtime/dynamics/step/page_text.h"

namespace abut::dynamics {
namespace {

// Triangles in a body's (or the world's) frame.
struct Mesh {
  std::vector<float> vertices;  // (vertices, 3) m
  std::vector<std::int32_t> triangles;

  std::int32_t add(const Vec3<double>& p) {
    for (int k = 0; k < 3; ++k) vertices.push_back(static_cast<float>(p[k]));
    return static_cast<std::int32_t>(vertices.size() / 3) - 1;
  }
  void face(std::int32_t a, std::int32_t b, std::int32_t c) { triangles.insert(triangles.end(), {a, b, c}); }
};

// Adds a shape's triangles to a mesh; half-spaces are left out, as they are drawn as grids.
void add_shape(const Shape& shape, Mesh& mesh) {
  constexpr double kDeviation = 0.03;  // of round primitives, relative to the radius
  if (shape.geometry.half_space()) return;
  asset::Surface own;
  if (const body::Primitive* primitive = shape.geometry.primitive())
    own = body::tessellate(*primitive, kDeviation);
  const asset::SurfaceView surface = shape.geometry.primitive() ? asset::view(own) : shape.geometry.surface();
  const auto first = static_cast<std::int32_t>(mesh.vertices.size() / 3);
  for (std::ptrdiff_t v = 0; v < surface.vertex_count; ++v)
    mesh.add(shape.X_BS * Vec3<double>::Map(surface.vertices + 3 * v));
  for (std::ptrdiff_t t = 0; t < surface.triangle_count; ++t)
    mesh.face(first + surface.triangles[3 * t], first + surface.triangles[3 * t + 1],
              first + surface.triangles[3 * t + 2]);
}

// "[a,b,...]" in the fewest digits that read back the same.
std::string json(std::span<const double> numbers) {
  std::string text = "[";
  for (const double number : numbers) {
    char digits[32];
    if (text.size() > 1) text += ',';
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
  return text + "]";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

template <class T>
std::string packed(const std::vector<T>& data) {
  return base64(std::as_bytes(std::span(data)));
}

// "[vertices,triangles]"
std::string mesh_json(const std::vector<float>& vertices, const std::vector<std::int32_t>& triangles) {
  std::string text = "[\"";
  text.append(packed(vertices)).append("\",\"").append(packed(triangles)).append("\"]");
  return text;
}

// Meshes of the bodies, and for each body the index of its mesh; bodies that look alike share one.
std::string bodies_json(const Scene& scene) {
  std::vector<std::string> meshes;
  std::string index;
  for (const Body& body : scene.bodies) {
    Mesh mesh;
    for (const Shape& shape : body.shapes) add_shape(shape, mesh);
    const std::string text = mesh_json(mesh.vertices, mesh.triangles);
    std::size_t k = 0;
    while (k < meshes.size() && meshes[k] != text) ++k;
    if (k == meshes.size()) meshes.push_back(text);
    if (!index.empty()) index += ',';
    index += std::to_string(k);
  }
  return "index:[" + index + "],meshes:[" + joined(meshes) + "]";
}

std::string marks_json(std::span<const PageMark> marks) {
  std::vector<std::string> texts;
  for (const PageMark& mark : marks) {
    const std::array<double, 3> rgb{1. * mark.rgb[0], 1. * mark.rgb[1], 1. * mark.rgb[2]};
    std::string& text = texts.emplace_back("[");
    text.append(mesh_json(mark.vertices, mark.triangles)).append(",").append(json(rgb)).append("]");
  }
  return joined(texts);
}

std::string planes_json(const Scene& scene) {
  std::vector<std::string> planes;
  for (const Shape& shape : scene.fixed) {
    if (!shape.geometry.half_space()) continue;
    const Vec3<double> x = shape.X_BS.R.col(0), y = shape.X_BS.R.col(1), p = shape.X_BS.p;
    planes.push_back(json(std::array{p.x(), p.y(), p.z(), x.x(), x.y(), x.z(), y.x(), y.y(), y.z()}));
  }
  return joined(planes);
}

// Shapes of the fixed world that are neither boxes nor half-spaces, in one mesh.
std::string fixed_json(const Scene& scene) {
  Mesh mesh;
  for (const Shape& shape : scene.fixed)
    if (shape.geometry.as<body::Box<double>>() == nullptr) add_shape(shape, mesh);
  return mesh_json(mesh.vertices, mesh.triangles);
}

std::string edges_json(const Scene& scene) {
  std::vector<std::string> edges;
  for (const Shape& shape : scene.fixed) {
    const auto* box = shape.geometry.as<body::Box<double>>();
    if (!box) continue;
    for (int corner = 0; corner < 8; ++corner) {
      for (int k = 0; k < 3; ++k) {
        if (corner >> k & 1) continue;  // each edge once, from its lower end
        Vec3<double> end;
        for (int j = 0; j < 3; ++j) end[j] = corner >> j & 1 ? box->half[j] : -box->half[j];
        const Vec3<double> a = shape.X_BS * end;
        end[k] = box->half[k];
        const Vec3<double> b = shape.X_BS * end;
        edges.push_back(json(std::array{a.x(), a.y(), a.z(), b.x(), b.y(), b.z()}));
      }
    }
  }
  return joined(edges);
}

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><title>abut</title><style>
)";
constexpr const char* kBody = R"(</style></head><body>
<div id="stage"><canvas id="view" tabindex="0" role="img" aria-label="scene: drag or arrow keys turn, wheel zooms"></canvas></div>
<div id="bar"><button id="play">play</button><input id="at" type="range" min="0" value="0" aria-label="time"><output id="time"></output></div>
<script>
)";
constexpr const char* kEnd = "</script></body></html>\n";

}  // namespace

std::string scene_page(const Scene& scene, const Recording& recording, std::span<const PageMark> marks) {
  const std::size_t numbers = 3 * scene.bodies.size() * recording.times.size();
  if (recording.times.empty()) throw InvalidInput("scene page: the recording has no frame");
  if (recording.positions.size() != numbers || recording.quaternions.size() != numbers / 3 * 4)
    throw InvalidInput("scene page: the recording is of another number of bodies than the scene's " +
                       std::to_string(scene.bodies.size()));
  const std::vector<float> position(recording.positions.begin(), recording.positions.end());
  const std::vector<float> quaternion(recording.quaternions.begin(), recording.quaternions.end());
  return std::string(kHead) + kSceneStyle + kBody + kViewScript + "const scene={" + bodies_json(scene) +
         ",fixed:" + fixed_json(scene) + ",edges:[" + edges_json(scene) + "],planes:[" + planes_json(scene) +
         "],marks:[" + marks_json(marks) + "],times:" + json(recording.times) + ",position:\"" +
         packed(position) + "\",quaternion:\"" + packed(quaternion) + "\"};\n" + kSceneScript + kEnd;
}

void write_scene_page(const Scene& scene, const Recording& recording, const std::filesystem::path& file) {
  OutputFile out(file);
  out.write(scene_page(scene, recording));
  out.finish();
}

}  // namespace abut::dynamics
