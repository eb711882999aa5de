#include "preprocess/mesh/editable_mesh.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

std::int32_t third(const Triangle& t, std::int32_t a, std::int32_t b) {
  for (const std::int32_t v : t) {
    if (v != a && v != b) return v;
  }
  return -1;
}

// The vertex after v in t.
std::int32_t after(const Triangle& t, std::int32_t v) {
  for (int k = 0; k < 3; ++k) {
    if (t[k] == v) return t[(k + 1) % 3];
  }
  return -1;
}

Triangle replaced(Triangle t, std::int32_t from, std::int32_t to) {
  for (std::int32_t& v : t) {
    if (v == from) v = to;
  }
  return t;
}

}  // namespace

EditableMesh::EditableMesh(const TriangleMesh& mesh)
    : positions_(mesh.vertices), faces_(mesh.triangles), live_faces_(mesh.triangles.size()) {
  faces_of_.resize(positions_.size());
  for (std::int32_t f = 0; f < face_slots(); ++f) {
    for (const std::int32_t v : faces_[f]) {
      if (v < 0 || v >= vertex_slots())
        throw InvalidInput(fmt::format("triangle {} names vertex {} of {}", f, v, vertex_slots()));
      faces_of_[v].push_back(f);
    }
  }
  for (std::int32_t v = 0; v < vertex_slots(); ++v) {
    if (!positions_[v].allFinite()) throw InvalidInput(fmt::format("vertex {} is not finite", v));
    if (faces_of_[v].empty()) continue;
    // Walk around v along the edges v -> next: a single closed fan must meet every face of v once.
    const std::int32_t start = faces_of_[v].front();
    std::int32_t f = start;
    std::size_t met = 0;
    do {
      const Triangle& t = faces_[f];
      const std::int32_t previous = after(t, after(t, v));
      f = face_with_edge(v, previous);
      ++met;
    } while (f >= 0 && f != start && met <= faces_of_[v].size());
    if (f != start || met != faces_of_[v].size())
      throw InvalidInput(fmt::format(
          "the surface is not closed and manifold at vertex {}: close it with close_surface first", v));
  }
}

Corners EditableMesh::corners(std::int32_t f) const {
  const Triangle& t = faces_[f];
  return {positions_[t[0]], positions_[t[1]], positions_[t[2]]};
}

Corners EditableMesh::corners(const Triangle& t, const Change& change) const {
  const auto at = [&](std::int32_t v) -> const Vec3& {
    return v == change.moved ? change.position : positions_[v];
  };
  return {at(t[0]), at(t[1]), at(t[2])};
}

std::int32_t EditableMesh::face_with_edge(std::int32_t a, std::int32_t b) const {
  for (const std::int32_t f : faces_of_[a]) {
    if (after(faces_[f], a) == b) return f;
  }
  return -1;
}

void EditableMesh::neighbours(std::int32_t v, std::vector<std::int32_t>& out) const {
  out.clear();
  for (const std::int32_t f : faces_of_[v]) out.push_back(after(faces_[f], v));
  std::sort(out.begin(), out.end());
}

bool EditableMesh::make_collapse(std::int32_t u, std::int32_t v, const Vec3& x, Change& change) const {
  const std::int32_t f = face_with_edge(u, v), g = face_with_edge(v, u);
  if (f < 0 || g < 0) return false;
  const std::int32_t a = third(faces_[f], u, v), b = third(faces_[g], u, v);
  // Link condition: u and v have exactly two common neighbours a and b, and (u, a, b), (v, a, b) are not the
  // whole part.
  std::size_t common = 0;
  for (const std::int32_t e : faces_of_[u]) {
    const std::int32_t w = after(faces_[e], u);
    common += w != v && (face_with_edge(v, w) >= 0);
  }
  if (common != 2 || a == b) return false;
  if ((face_with_edge(a, b) >= 0) && faces_of_[a].size() == 3 && faces_of_[b].size() == 3) return false;
  change.faces.clear();
  change.added.clear();
  change.moved = v;
  change.position = x;
  for (const std::int32_t w : {u, v}) {
    for (const std::int32_t e : faces_of_[w]) {
      if (e == f || e == g) continue;
      change.faces.push_back(e);
      change.added.push_back(replaced(faces_[e], u, v));
    }
  }
  change.faces.push_back(f);
  change.faces.push_back(g);
  return true;
}

bool EditableMesh::make_flip(std::int32_t a, std::int32_t b, Change& change) const {
  const std::int32_t f = face_with_edge(a, b), g = face_with_edge(b, a);
  const std::int32_t c = third(faces_[f], a, b), d = third(faces_[g], a, b);
  if (c == d || face_with_edge(c, d) >= 0) return false;
  change.faces = {f, g};
  change.added = {{a, d, c}, {b, c, d}};
  change.moved = -1;
  return true;
}

void EditableMesh::make_move(std::int32_t v, const Vec3& x, Change& change) const {
  change.faces = faces_of_[v];
  change.added.clear();
  for (const std::int32_t f : change.faces) change.added.push_back(faces_[f]);
  change.moved = v;
  change.position = x;
}

void EditableMesh::apply(const Change& change) {
  for (const std::int32_t f : change.faces) {
    for (const std::int32_t v : faces_[f]) std::erase(faces_of_[v], f);
  }
  for (std::size_t i = 0; i < change.faces.size(); ++i) {
    const std::int32_t f = change.faces[i];
    if (i >= change.added.size()) {
      faces_[f] = {-1, -1, -1};
      --live_faces_;
      continue;
    }
    faces_[f] = change.added[i];
    for (const std::int32_t v : faces_[f]) faces_of_[v].push_back(f);
  }
  if (change.moved >= 0) positions_[change.moved] = change.position;
}

TriangleMesh EditableMesh::compact() const {
  TriangleMesh out;
  std::vector<std::int32_t> number(positions_.size(), -1);
  for (std::int32_t v = 0; v < vertex_slots(); ++v) {
    if (faces_of_[v].empty()) continue;
    number[v] = static_cast<std::int32_t>(out.vertices.size());
    out.vertices.push_back(positions_[v]);
  }
  for (const Triangle& t : faces_) {
    if (t[0] >= 0) out.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
  }
  return out;
}

double shape_quality(const Corners& t) {
  const Vec3 a = t[1] - t[0], b = t[2] - t[0], c = t[2] - t[1];
  const double edges = a.squaredNorm() + b.squaredNorm() + c.squaredNorm();
  return edges > 0 ? 2 * std::sqrt(3.0) * a.cross(b).norm() / edges : 0;
}

bool is_flat(const Corners& t) { return (t[1] - t[0]).cross(t[2] - t[0]).squaredNorm() == 0; }

Vec3 unit_normal(const Corners& t) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double length = n.norm();
  return length > 0 ? Vec3(n / length) : Vec3::Zero();
}

}  // namespace abut::preprocess
