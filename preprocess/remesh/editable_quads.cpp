#include "preprocess/remesh/editable_quads.h"

#include <algorithm>

namespace abut::preprocess {
namespace {

int place_of(const Quad& q, std::int32_t v) {
  return static_cast<int>(std::find(q.begin(), q.end(), v) - q.begin());
}

}  // namespace

EditableQuads::EditableQuads(const QuadMesh& mesh) : mesh_(mesh), quads_of_(mesh.vertices.size()) {
  for (std::int32_t f = 0; f < quad_slots(); ++f)
    for (const std::int32_t v : mesh_.quads[f]) quads_of_[v].push_back(f);
}

std::int32_t EditableQuads::quad_with_edge(std::int32_t a, std::int32_t b) const {
  for (const std::int32_t f : quads_of_[a]) {
    const Quad& q = mesh_.quads[f];
    if (q[(place_of(q, a) + 1) % 4] == b) return f;
  }
  return -1;
}

bool EditableQuads::joined(std::int32_t a, std::int32_t b) const {
  return quad_with_edge(a, b) >= 0 || quad_with_edge(b, a) >= 0;
}

void EditableQuads::detach(std::int32_t f) {
  for (const std::int32_t v : mesh_.quads[f]) std::erase(quads_of_[v], f);
  mesh_.quads[f] = {-1, -1, -1, -1};
}

void EditableQuads::attach(std::int32_t f, const Quad& q) {
  mesh_.quads[f] = q;
  for (const std::int32_t v : q)
    quads_of_[v].insert(std::lower_bound(quads_of_[v].begin(), quads_of_[v].end(), f), f);
}

// Requires that no quad but f has both corners, and that only the other two corners of f are joined to both
// of them: otherwise two edges that are not sides of f would coincide.
bool EditableQuads::can_collapse(std::int32_t f, int k) const {
  const Quad& q = mesh_.quads[f];
  const std::int32_t keep = q[k], gone = q[(k + 2) % 4], left = q[(k + 1) % 4], right = q[(k + 3) % 4];
  if (left == right) return false;
  for (const std::int32_t g : quads_of_[keep]) {
    const Quad& p = mesh_.quads[g];
    if (g != f && place_of(p, gone) < 4) return false;
    const int at = place_of(p, keep);
    for (const int side : {1, 3}) {
      const std::int32_t w = p[(at + side) % 4];
      if (w != left && w != right && joined(w, gone)) return false;
    }
  }
  // A corner of valence two between them would be left with one quad.
  return valence(left) > 2 && valence(right) > 2 && valence(keep) + valence(gone) - 2 >= 2;
}

void EditableQuads::collapse(std::int32_t f, int k, const Eigen::Vector3d& position) {
  const std::int32_t keep = mesh_.quads[f][k], gone = mesh_.quads[f][(k + 2) % 4];
  detach(f);
  const std::vector<std::int32_t> moved = quads_of_[gone];
  for (const std::int32_t g : moved) {
    Quad q = mesh_.quads[g];
    detach(g);
    q[place_of(q, gone)] = keep;
    attach(g, q);
  }
  mesh_.vertices[keep] = position;
}

std::optional<std::array<Quad, 2>> EditableQuads::turned(std::int32_t f, int k, bool forward) const {
  const Quad& q = mesh_.quads[f];
  const std::int32_t a = q[k], b = q[(k + 1) % 4];
  const std::int32_t g = quad_with_edge(b, a);
  if (g < 0 || g == f || valence(a) < 4 || valence(b) < 4) return std::nullopt;
  const Quad& p = mesh_.quads[g];
  const int j = place_of(p, b);  // p[j] = b, p[j + 1] = a
  const std::array<std::int32_t, 6> h = {b, q[(k + 2) % 4], q[(k + 3) % 4],
                                         a, p[(j + 2) % 4], p[(j + 3) % 4]};
  for (int i = 0; i < 6; ++i)
    for (int l = 0; l < i; ++l)
      if (h[i] == h[l]) return std::nullopt;
  const int s = forward ? 1 : 2;  // the new edge joins h[s] and h[s + 3]
  if (joined(h[s], h[s + 3])) return std::nullopt;
  return std::array<Quad, 2>{Quad{h[s], h[s + 1], h[s + 2], h[s + 3]},
                             Quad{h[s + 3], h[(s + 4) % 6], h[(s + 5) % 6], h[s]}};
}

void EditableQuads::turn(std::int32_t f, int k, const std::array<Quad, 2>& quads) {
  const std::int32_t a = mesh_.quads[f][k], b = mesh_.quads[f][(k + 1) % 4];
  const std::int32_t g = quad_with_edge(b, a);
  detach(f);
  detach(g);
  attach(f, quads[0]);
  attach(g, quads[1]);
}

bool EditableQuads::remove_doublet(std::int32_t v) {
  const std::int32_t f = quads_of_[v][0], g = quads_of_[v][1];
  const Quad q = mesh_.quads[f], p = mesh_.quads[g];
  const int k = place_of(q, v);
  const std::int32_t opposite = p[(place_of(p, v) + 2) % 4];
  if (opposite == q[(k + 2) % 4]) return false;
  detach(f);
  detach(g);
  Quad joint = q;
  joint[k] = opposite;
  attach(f, joint);
  return true;
}

QuadMesh EditableQuads::compact() const {
  QuadMesh result;
  std::vector<std::int32_t> place(mesh_.vertices.size(), -1);
  for (const Quad& q : mesh_.quads) {
    if (q[0] < 0) continue;
    Quad& out = result.quads.emplace_back();
    for (int k = 0; k < 4; ++k) {
      std::int32_t& v = place[q[k]];
      if (v < 0) {
        v = static_cast<std::int32_t>(result.vertices.size());
        result.vertices.push_back(mesh_.vertices[q[k]]);
      }
      out[k] = v;
    }
  }
  return result;
}

}  // namespace abut::preprocess
