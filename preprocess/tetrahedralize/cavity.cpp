#include "preprocess/tetrahedralize/cavity.h"

#include <algorithm>
#include <cstddef>

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr std::size_t kMaxCavity = 60;
constexpr double kEdgeEnd = 0.1;  // fraction of a surface edge; closer to its ends it is not split

// The tetrahedra that contain the edge a-b.
std::vector<std::int32_t> at_edge(const EditableTets& tets, std::int32_t a, std::int32_t b) {
  std::vector<std::int32_t> result;
  for (const std::int32_t slot : tets.star(a)) {
    const Tetrahedron& t = tets.tet(slot);
    if (std::find(t.begin(), t.end(), b) != t.end()) result.push_back(slot);
  }
  return result;
}

void add_edge_places(const EditableTets& tets, const Tetrahedron& t, const Vector3d (&p)[4], int e,
                     std::vector<VertexPlace>& to) {
  const auto [a, b] = kEdges[e];
  const auto [c, d] = kEdges[5 - e];
  const std::vector<std::int32_t> around = at_edge(tets, t[a], t[b]);
  if (tets.inner(t[a]) || tets.inner(t[b]) || tets.ring(t[a], t[b])) {
    to.push_back({(p[a] + p[b]) / 2, around, {}});
    return;
  }
  const Vector3d ab = p[b] - p[a], cd = p[d] - p[c];
  const Vector3d across = cd - cd.dot(ab) / ab.squaredNorm() * ab;
  const auto foot = [&, start = p[a]](const Vector3d& q) { return (q - start).dot(ab) / ab.squaredNorm(); };
  std::vector<double> shares{0.5, foot(p[c]), foot(p[d])};
  if (across.norm() > 0)
    shares.push_back(
        foot(p[c] + std::clamp((p[a] - p[c]).dot(across) / across.squaredNorm(), 0.0, 1.0) * cd));
  for (const double share : shares)
    if (share > kEdgeEnd && share < 1 - kEdgeEnd) to.push_back({p[a] + share * ab, around, {t[a], t[b]}});
}

bool is_within(const Cavity& cavity, const Cavity::Face& face) {
  return std::find(cavity.slots.begin(), cavity.slots.end(), face.beyond) != cavity.slots.end();
}

// The faces of a tetrahedron, each with the quality of the tetrahedron between it and the place, as
// EditableTets computes it: one without a vertex inside the solid is worse than any other.
std::vector<Cavity::Face> faces_of(const EditableTets& tets, std::int32_t slot, const VertexPlace& place) {
  const Tetrahedron& t = tets.tet(slot);
  std::vector<Cavity::Face> faces;
  for (int k = 0; k < 4; ++k) {
    const std::array<std::int32_t, 3> f{t[kFaces[k][0]], t[kFaces[k][1]], t[kFaces[k][2]]};
    double q = smallest_sine(tets.point(f[0]), tets.point(f[1]), tets.point(f[2]), place.point);
    const bool flat = !place.on.empty() && !tets.inner(f[0]) && !tets.inner(f[1]) && !tets.inner(f[2]);
    faces.push_back({f, tets.across(slot, k), flat ? q - 2 : q});
  }
  return faces;
}

}  // namespace

std::vector<VertexPlace> vertex_places(const EditableTets& tets, std::int32_t slot) {
  const Tetrahedron t = tets.tet(slot);
  const Vector3d p[4] = {tets.point(t[0]), tets.point(t[1]), tets.point(t[2]), tets.point(t[3])};
  std::vector<VertexPlace> result{{(p[0] + p[1] + p[2] + p[3]) / 4, {slot}, {}}};
  for (int k = 0; k < 4; ++k) {
    const auto& f = kFaces[k];
    const Vector3d middle = (p[f[0]] + p[f[1]] + p[f[2]]) / 3;
    const std::int32_t beyond = tets.across(slot, k);
    if (beyond >= 0)
      result.push_back({middle, {slot, beyond}, {}});
    else
      result.push_back({middle, {slot}, {t[f[0]], t[f[1]], t[f[2]]}});
  }
  for (int e = 0; e < 6; ++e) add_edge_places(tets, t, p, e, result);
  return result;
}

Cavity start_cavity(const EditableTets& tets, const VertexPlace& place) {
  Cavity cavity;
  cavity.point = place.point;
  cavity.inside = place.on.empty();
  cavity.slots = place.seeds;
  const auto holds_point = [&](const Cavity::Face& face) {
    return face.beyond < 0 && !place.on.empty() &&
           std::all_of(place.on.begin(), place.on.end(), [&](std::int32_t v) {
             return std::find(face.corners.begin(), face.corners.end(), v) != face.corners.end();
           });
  };
  std::size_t cut = 0;  // number of surface triangles on which the point lies
  for (const std::int32_t seed : place.seeds)
    for (const Cavity::Face& face : faces_of(tets, seed, place)) {
      if (holds_point(face))
        ++cut;
      else if (!is_within(cavity, face))
        cavity.faces.push_back(face);
    }
  // There must be two triangles at an edge, or the one that contains the point.
  cavity.valid = place.on.empty() || cut == 4 - place.on.size();
  return cavity;
}

Cavity dig_cavity(const EditableTets& tets, const VertexPlace& place) {
  Cavity cavity = start_cavity(tets, place);
  if (!cavity.valid) return cavity;
  while (cavity.slots.size() < kMaxCavity) {
    const auto worst = std::min_element(cavity.faces.begin(), cavity.faces.end(),
                                        [](const auto& a, const auto& b) { return a.quality < b.quality; });
    cavity.quality = worst->quality;
    const std::int32_t next = worst->beyond;
    if (next < 0) break;
    std::vector<Cavity::Face> added = faces_of(tets, next, place);
    std::erase_if(added, [&](const auto& face) { return is_within(cavity, face); });
    if (std::any_of(added.begin(), added.end(), [&](const auto& f) { return f.quality <= cavity.quality; }))
      break;
    cavity.slots.push_back(next);
    std::erase_if(cavity.faces, [&](const auto& face) { return is_within(cavity, face); });
    cavity.faces.insert(cavity.faces.end(), added.begin(), added.end());
  }
  return cavity;
}

std::int32_t fill_cavity(EditableTets& tets, const Cavity& cavity) {
  const std::int32_t v = tets.add_vertex(cavity.point, cavity.inside);
  std::vector<Tetrahedron> added;
  for (const Cavity::Face& face : cavity.faces)
    added.push_back({face.corners[0], face.corners[1], face.corners[2], v});
  tets.replace(cavity.slots, added);
  return v;
}

}  // namespace abut::preprocess
