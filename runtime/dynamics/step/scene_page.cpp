#include "runtime/dynamics/step/scene_page.h"

#include <charconv>
#include <cmath>
#include <span>

#include "runtime/body/tessellation.h"
#include "runtime/core/base64.h"
#include "runtime/core/error.h"
#include "runtime/core/output_file.h"

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

// Half-spaces are drawn as grids.
void add_shape(const Shape& shape, Mesh& mesh) {
  constexpr double kDeviation = 0.03;  // of round primitives, of the radius
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

// "[a,b,...]" in the shortest digits that give the numbers back.
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

// Bodies that look alike share a mesh: (index of the mesh of each body; meshes).
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

constexpr const char* kHead = R"page(<!doctype html>
<html><head><meta charset="utf-8"><title>abut</title><style>
body{margin:0;background:#f4f3ef;font:14px sans-serif;color:#333;overflow:hidden}
canvas{display:block;width:100vw;height:calc(100vh - 40px);cursor:grab}
#bar{height:40px;display:flex;align-items:center;gap:12px;padding:0 12px}
#at{flex:1}
</style></head><body><canvas id="view"></canvas>
<div id="bar"><button id="play">stop</button><input id="at" type="range" min="0" value="0"><span id="time"></span></div>
<script>
"use strict";
)page";

constexpr const char* kScript = R"page(
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const floats = text => new Float32Array(bytes(text).buffer);
const ints = text => new Int32Array(bytes(text).buffer);
const mesh = pair => ({v: floats(pair[0]), t: ints(pair[1])});
const meshes = scene.meshes.map(mesh);
const marks = scene.marks.map(mark => ({...mesh(mark[0]), rgb: mark[1]}));
const P = floats(scene.position), Q = floats(scene.quaternion), T = scene.times, N = scene.index.length;
const palette = [[214,96,77],[244,165,96],[90,174,97],[67,147,195],[146,109,181],[200,180,80],[120,190,180],[190,110,150]];

// What is seen: all bodies at the first and the last frame.
function extent() {
  const low = [1e30, 1e30, 1e30], high = [-1e30, -1e30, -1e30];
  for (const f of [0, T.length - 1]) for (let i = 0; i < N; i++) {
    const v = meshes[scene.index[i]].v, R = rotation(4 * (f * N + i)), p = 3 * (f * N + i);
    for (let at = 0; at < v.length; at += 3) for (let k = 0; k < 3; k++) {
      const x = R[3 * k] * v[at] + R[3 * k + 1] * v[at + 1] + R[3 * k + 2] * v[at + 2] + P[p + k];
      low[k] = Math.min(low[k], x);
      high[k] = Math.max(high[k], x);
    }
  }
  return {low, high};
}
const seen = extent();
const camera = {
  center: seen.low.map((x, k) => (x + seen.high[k]) / 2),
  radius: 0.55 * Math.hypot(...seen.low.map((x, k) => seen.high[k] - x)), turn: -1.0, tilt: 0.35
};

// A z-buffer: colours and depths of a picture of w x h pixels.
class Picture {
  constructor(w, h, pixels) {
    this.w = w; this.h = h; this.pixels = pixels;
    this.depth = new Float32Array(w * h);
  }
  start() {
    this.depth.fill(-1e30);
    this.pixels.fill(0xffeff3f4);
    const {turn, tilt} = camera, c = Math.cos, s = Math.sin;
    this.axes = [-s(turn), c(turn), 0, -s(tilt) * c(turn), -s(tilt) * s(turn), c(tilt),
                 c(tilt) * c(turn), c(tilt) * s(turn), s(tilt)];
    this.scale = Math.min(this.w, this.h) / (2 * camera.radius);
  }
  // Rows of `out`: x, y in pixels, z toward the viewer, of vertices placed by rotation R and p.
  place(v, R, p, out) {
    const A = this.axes, o = camera.center, x0 = this.w / 2, y0 = this.h / 2, m = this.scale;
    for (let k = 0; k < v.length; k += 3) {
      const x = R[0] * v[k] + R[1] * v[k + 1] + R[2] * v[k + 2] + p[0] - o[0];
      const y = R[3] * v[k] + R[4] * v[k + 1] + R[5] * v[k + 2] + p[1] - o[1];
      const z = R[6] * v[k] + R[7] * v[k + 1] + R[8] * v[k + 2] + p[2] - o[2];
      out[k] = x0 + m * (A[0] * x + A[1] * y + A[2] * z);
      out[k + 1] = y0 - m * (A[3] * x + A[4] * y + A[5] * z);
      out[k + 2] = m * (A[6] * x + A[7] * y + A[8] * z);
    }
  }
  triangle(a, b, c, o, color, backs) {
    const ux = o[b] - o[a], uy = o[b + 1] - o[a + 1], uz = o[b + 2] - o[a + 2];
    const vx = o[c] - o[a], vy = o[c + 1] - o[a + 1], vz = o[c + 2] - o[a + 2];
    const area = ux * vy - uy * vx;  // y points down: faces that look at us have a negative one
    if (!(area < 0) && !(backs && area > 0)) return;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, length = Math.hypot(nx, ny, area) || 1;
    const light = 0.45 + 0.55 * Math.max(0, (-0.35 * nx + 0.5 * ny - 0.79 * area) / length);
    const rgb = 0xff000000 | (color[2] * light) << 16 | (color[1] * light) << 8 | (color[0] * light);
    const top = Math.max(0, Math.ceil(Math.min(o[a + 1], o[b + 1], o[c + 1])));
    const bottom = Math.min(this.h - 1, Math.floor(Math.max(o[a + 1], o[b + 1], o[c + 1])));
    const dzx = (uz * vy - vz * uy) / area, dzy = (ux * vz - vx * uz) / area;
    for (let y = top; y <= bottom; y++) {
      let from = 1e30, to = -1e30;
      for (const [i, j] of [[a, b], [b, c], [c, a]]) {
        const yi = o[i + 1], yj = o[j + 1];
        if ((yi < y && yj < y) || (yi > y && yj > y) || yi === yj) continue;
        const x = o[i] + (o[j] - o[i]) * (y - yi) / (yj - yi);
        from = Math.min(from, x);
        to = Math.max(to, x);
      }
      const first = Math.max(0, Math.ceil(from)), last = Math.min(this.w - 1, Math.floor(to));
      let at = y * this.w + first, z = o[a + 2] + dzx * (first - o[a]) + dzy * (y - o[a + 1]);
      for (let x = first; x <= last; x++, at++, z += dzx) {
        if (z > this.depth[at]) { this.depth[at] = z; this.pixels[at] = rgb; }
      }
    }
  }
  mesh(m, R, p, color, backs) {
    if (!m.out) m.out = new Float32Array(m.v.length);
    this.place(m.v, R, p, m.out);
    for (let k = 0; k < m.t.length; k += 3) this.triangle(3 * m.t[k], 3 * m.t[k + 1], 3 * m.t[k + 2], m.out, color, backs);
  }
  // A line of small steps that lies on what it covers.
  line(a, b, rgb) {
    const v = new Float32Array([...a, ...b]), o = new Float32Array(6), one = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    this.place(v, one, [0, 0, 0], o);
    const steps = Math.ceil(Math.max(Math.abs(o[3] - o[0]), Math.abs(o[4] - o[1])));
    for (let s = 0; s <= steps && steps < 20000; s++) {
      const t = s / (steps || 1), x = Math.round(o[0] + t * (o[3] - o[0])), y = Math.round(o[1] + t * (o[4] - o[1]));
      if (x < 0 || y < 0 || x >= this.w || y >= this.h) continue;
      const z = o[2] + t * (o[5] - o[2]) + 0.5, at = y * this.w + x;
      if (z > this.depth[at]) { this.depth[at] = z; this.pixels[at] = rgb; }
    }
  }
}

function rotation(k) {
  const w = Q[k], x = Q[k + 1], y = Q[k + 2], z = Q[k + 3];
  return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
          2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
}

function grid(picture) {
  const step = Math.pow(10, Math.floor(Math.log10(camera.radius))), lines = 30, c = camera.center;
  for (const g of scene.planes) {
    const at = (u, v) => [0, 1, 2].map(k => g[k] + u * g[3 + k] + v * g[6 + k]);
    const u0 = step * Math.round([0, 1, 2].reduce((s, k) => s + (c[k] - g[k]) * g[3 + k], 0) / step);
    const v0 = step * Math.round([0, 1, 2].reduce((s, k) => s + (c[k] - g[k]) * g[6 + k], 0) / step);
    const r = lines / 2 * step;
    for (let k = -lines / 2; k <= lines / 2; k++) {
      picture.line(at(u0 + k * step, v0 - r), at(u0 + k * step, v0 + r), 0xffd2d6d8);
      picture.line(at(u0 - r, v0 + k * step), at(u0 + r, v0 + k * step), 0xffd2d6d8);
    }
  }
}

// Walls would hide what is between them: of the fixed world only edges are drawn.
function draw(picture, frame) {
  picture.start();
  for (let i = 0; i < N; i++) {
    const k = frame * N + i;
    picture.mesh(meshes[scene.index[i]], rotation(4 * k), [P[3 * k], P[3 * k + 1], P[3 * k + 2]],
                 palette[i % palette.length], false);
  }
  grid(picture);
  for (const e of scene.edges) picture.line(e.slice(0, 3), e.slice(3), 0xff8a8f90);
  picture.depth.fill(-1e30);  // marks are seen through what hides them
  for (const m of marks) picture.mesh(m, [1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0], m.rgb, true);
}

if (typeof document !== "undefined") {
  const view = document.getElementById("view"), context = view.getContext("2d");
  const play = document.getElementById("play"), at = document.getElementById("at"), label = document.getElementById("time");
  let picture, image, frame = 0, playing = true, started = performance.now(), dirty = true;
  at.max = T.length - 1;
  if (T.length < 2) document.getElementById("bar").style.display = "none";
  const resize = () => {
    view.width = view.clientWidth; view.height = view.clientHeight;
    image = context.createImageData(view.width, view.height);
    picture = new Picture(view.width, view.height, new Uint32Array(image.data.buffer));
    dirty = true;
  };
  const go = to => { frame = to; at.value = to; dirty = true; };
  const toggle = () => {
    playing = !playing;
    play.textContent = playing ? "stop" : "play";
    started = performance.now() - 1000 * (T[frame] - T[0]);
  };
  play.onclick = toggle;
  at.oninput = () => { if (playing) toggle(); go(+at.value); };
  onkeydown = e => { if (e.key === " ") { toggle(); e.preventDefault(); } };
  view.onpointermove = e => {
    if (!e.buttons) return;
    camera.turn -= 0.007 * e.movementX;
    camera.tilt = Math.max(-1.5, Math.min(1.5, camera.tilt + 0.007 * e.movementY));
    dirty = true;
  };
  view.onwheel = e => { camera.radius *= Math.exp(0.001 * e.deltaY); dirty = true; e.preventDefault(); };
  onresize = resize;
  resize();
  const tick = now => {
    if (playing && T.length > 1) {
      const length = T[T.length - 1] - T[0], time = T[0] + ((now - started) / 1000) % (length + 1);
      let next = frame;
      while (next + 1 < T.length && T[next + 1] <= time) next++;
      if (T[next] > time) next = 0;
      if (next !== frame) go(next);
    }
    if (dirty) {
      draw(picture, frame);
      context.putImageData(image, 0, 0);
      label.textContent = T[frame].toFixed(2) + " s";
      dirty = false;
    }
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}
</script></body></html>
)page";

}  // namespace

std::string scene_page(const Scene& scene, const Recording& recording, std::span<const PageMark> marks) {
  const std::size_t numbers = 3 * scene.bodies.size() * recording.times.size();
  if (recording.times.empty()) throw InvalidInput("scene page: the recording has no frame");
  if (recording.positions.size() != numbers || recording.quaternions.size() != numbers / 3 * 4)
    throw InvalidInput("scene page: the recording is of another number of bodies than the scene's " +
                       std::to_string(scene.bodies.size()));
  const std::vector<float> position(recording.positions.begin(), recording.positions.end());
  const std::vector<float> quaternion(recording.quaternions.begin(), recording.quaternions.end());
  return kHead + ("const scene={" + bodies_json(scene)) + ",edges:[" + edges_json(scene) + "],planes:[" +
         planes_json(scene) + "],marks:[" + marks_json(marks) + "],times:" + json(recording.times) +
         ",position:\"" + packed(position) + "\",quaternion:\"" + packed(quaternion) + "\"};" + kScript;
}

void write_scene_page(const Scene& scene, const Recording& recording, const std::filesystem::path& file) {
  OutputFile out(file);
  out.write(scene_page(scene, recording));
  out.finish();
}

}  // namespace abut::dynamics
