#include "preprocess/tetrahedralize/editable_tets.h"

#include <algorithm>

namespace abut::preprocess {
namespace {

bool has(const Tetrahedron& t, std::int32_t v) { return std::find(t.begin(), t.end(), v) != t.end(); }

}  // namespace

EditableTets::EditableTets(const TetrahedralMesh& mesh)
    : points_(mesh.vertices),
      tets_(mesh.tetrahedra),
      stars_(mesh.vertices.size()),
      inner_(mesh.vertices.size(), 1) {
  std::fill_n(inner_.begin(), mesh.surface_vertices, 0);
  for (std::size_t i = 0; i < tets_.size(); ++i) fill(static_cast<std::int32_t>(i), mesh.tetrahedra[i]);
}

double EditableTets::quality(const Tetrahedron& t) const {
  const double sine = smallest_sine(points_[t[0]], points_[t[1]], points_[t[2]], points_[t[3]]);
  if (!(sine > 0)) return -10;
  return inner(t[0]) || inner(t[1]) || inner(t[2]) || inner(t[3]) ? sine : sine - 2;
}

double EditableTets::worst(std::span<const std::int32_t> slots) const {
  double result = 2;
  for (const std::int32_t slot : slots) result = std::min(result, quality(slot));
  return result;
}

double EditableTets::worst(std::span<const Tetrahedron> tets) const {
  double result = 2;
  for (const Tetrahedron& t : tets) {
    result = std::min(result, quality(t));
    if (result == -10) break;
  }
  return result;
}

void EditableTets::fill(std::int32_t slot, const Tetrahedron& t) {
  tets_[slot] = t;
  for (const std::int32_t v : t) stars_[v].push_back(slot);
}

void EditableTets::empty(std::int32_t slot) {
  for (const std::int32_t v : tets_[slot]) {
    auto& star = stars_[v];
    *std::find(star.begin(), star.end(), slot) = star.back();
    star.pop_back();
  }
  tets_[slot] = {-1, -1, -1, -1};
}

void EditableTets::replace(std::span<const std::int32_t> removed, std::span<const Tetrahedron> added) {
  for (const std::int32_t slot : removed) {
    if (recording_) journal_.push_back({.slot = slot, .before = tets_[slot]});
    empty(slot);
    free_.push_back(slot);
  }
  for (const Tetrahedron& t : added) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::int32_t>(tets_.size()));
      tets_.push_back({-1, -1, -1, -1});
    }
    const std::int32_t slot = free_.back();
    free_.pop_back();
    if (recording_) journal_.push_back({.slot = slot, .before = tets_[slot]});
    fill(slot, t);
  }
}

void EditableTets::move(std::int32_t vertex, const Eigen::Vector3d& point) {
  if (recording_) journal_.push_back({.vertex = vertex, .point = points_[vertex]});
  points_[vertex] = point;
}

void EditableTets::begin() {
  recording_ = true;
  vertices_at_begin_ = points_.size();
}

void EditableTets::commit() {
  recording_ = false;
  journal_.clear();
}

void EditableTets::rollback() {
  for (; !journal_.empty(); journal_.pop_back()) {
    const Step& step = journal_.back();
    if (step.vertex >= 0) {
      points_[step.vertex] = step.point;
    } else if (step.before[0] >= 0) {  // it was freed: it is the last free slot
      free_.pop_back();
      fill(step.slot, step.before);
    } else {
      empty(step.slot);
      free_.push_back(step.slot);
    }
  }
  points_.resize(vertices_at_begin_);
  stars_.resize(vertices_at_begin_);
  inner_.resize(vertices_at_begin_);
  recording_ = false;
}

std::vector<std::int32_t> EditableTets::changed() const {
  std::vector<std::int32_t> result;
  for (const Step& step : journal_) {
    if (step.vertex >= 0)
      result.insert(result.end(), stars_[step.vertex].begin(), stars_[step.vertex].end());
    else if (alive(step.slot))
      result.push_back(step.slot);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::int32_t EditableTets::add_vertex(const Eigen::Vector3d& point, bool inner) {
  points_.push_back(point);
  inner_.push_back(inner ? 1 : 0);
  stars_.emplace_back();
  return static_cast<std::int32_t>(points_.size()) - 1;
}

std::optional<EditableTets::Ring> EditableTets::ring(std::int32_t a, std::int32_t b) const {
  struct Piece {
    std::int32_t slot, from, to;
  };
  std::vector<Piece> pieces;
  for (const std::int32_t slot : stars_[a]) {
    const Tetrahedron& t = tets_[slot];
    if (!has(t, b)) continue;
    // Bring (a, b) to the front by an even permutation; the other two vertices are a piece of the ring.
    const auto at = [&](std::int32_t v) {
      return static_cast<int>(std::find(t.begin(), t.end(), v) - t.begin());
    };
    const int i = at(a), j = at(b);
    int rest[2], n = 0;
    for (int k = 0; k < 4; ++k)
      if (k != i && k != j) rest[n++] = k;
    const int p[4] = {i, j, rest[0], rest[1]};
    int inversions = 0;
    for (int u = 0; u < 4; ++u)
      for (int v = u + 1; v < 4; ++v) inversions += p[u] > p[v] ? 1 : 0;
    if (inversions % 2 == 1) std::swap(rest[0], rest[1]);
    pieces.push_back({slot, t[rest[0]], t[rest[1]]});
  }
  if (pieces.size() < 3) return std::nullopt;
  Ring result;
  std::int32_t next = pieces[0].from;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::size_t j = i;
    while (j < pieces.size() && pieces[j].from != next) ++j;
    if (j == pieces.size()) return std::nullopt;  // the ring is open: the edge is on the surface
    std::swap(pieces[i], pieces[j]);
    result.slots.push_back(pieces[i].slot);
    result.vertices.push_back(next);
    next = pieces[i].to;
    if (next == result.vertices[0] && i + 1 < pieces.size()) return std::nullopt;  // two sheets touch
  }
  if (next != result.vertices[0]) return std::nullopt;
  return result;
}

std::int32_t EditableTets::across(std::int32_t slot, int k) const {
  const Tetrahedron& t = tets_[slot];
  const std::int32_t a = t[kFaces[k][0]], b = t[kFaces[k][1]], c = t[kFaces[k][2]];
  for (const std::int32_t other : stars_[a])
    if (other != slot && has(tets_[other], b) && has(tets_[other], c)) return other;
  return -1;
}

std::int32_t EditableTets::apex(std::int32_t slot, const Tetrahedron& of, int k) const {
  for (const std::int32_t v : tets_[slot])
    if (v != of[kFaces[k][0]] && v != of[kFaces[k][1]] && v != of[kFaces[k][2]]) return v;
  return -1;
}

TetrahedralMesh EditableTets::mesh() const {
  TetrahedralMesh result;
  std::vector<std::int32_t> place(points_.size(), -1);
  for (const bool inside : {false, true}) {
    for (std::size_t v = 0; v < points_.size(); ++v) {
      if (inner(static_cast<std::int32_t>(v)) != inside || (inside && stars_[v].empty())) continue;
      place[v] = static_cast<std::int32_t>(result.vertices.size());
      result.vertices.push_back(points_[v]);
    }
    if (!inside) result.surface_vertices = static_cast<std::int32_t>(result.vertices.size());
  }
  for (const Tetrahedron& t : tets_)
    if (t[0] >= 0) result.tetrahedra.push_back({place[t[0]], place[t[1]], place[t[2]], place[t[3]]});
  return result;
}

}  // namespace abut::preprocess
