#include "preprocess/remesh/lattice_mesh.h"

namespace abut::preprocess {

using H = HalfedgeMesh;

LatticeMesh::LatticeMesh(HalfedgeMesh mesh, Lattice lattice, std::vector<char> crease,
                         std::vector<Hold> holds, std::vector<Eigen::Vector3d> points)
    : mesh_(std::move(mesh)),
      lattice_(std::move(lattice)),
      crease_(std::move(crease)),
      holds_(std::move(holds)),
      sums_(std::move(points)),
      counts_(sums_.size(), 1) {
  for (std::int32_t v = 0; v < mesh_.vertex_slots(); ++v) merged_into_.push_back(v);
}

std::int32_t LatticeMesh::root(std::int32_t v) const {
  while (merged_into_[v] != v) v = merged_into_[v];
  return v;
}

int LatticeMesh::turns(std::int32_t v) const {
  int sum = 0;
  const std::int32_t start = mesh_.leaving(v);
  std::int32_t h = start;
  do {
    sum += lattice_.turns[h];
    h = mesh_.around(h);
  } while (h != start);
  return sum & 3;
}

bool LatticeMesh::movable(std::int32_t v) const {
  return (released_ || holds_[v] == Hold::kFree) && turns(v) == 0;
}

void LatticeMesh::set_twin(std::int32_t h) {
  lattice_.offsets[mesh_.twin(h)] = -turned(lattice_.offsets[h], lattice_.turns[h]);
}

void LatticeMesh::move(std::int32_t v, Offset step) {
  const std::int32_t start = mesh_.leaving(v);
  std::int32_t h = start;
  do {
    lattice_.offsets[h] -= step;
    set_twin(h);
    step = turned(step, lattice_.turns[h]);
    h = mesh_.around(h);
  } while (h != start);
}

void LatticeMesh::align(std::int32_t h) {
  const int k = -lattice_.turns[h] & 3;
  if (k == 0) return;
  const std::int32_t first = mesh_.twin(h) / 3 * 3;
  for (std::int32_t e = first; e < first + 3; ++e) {
    lattice_.offsets[e] = turned(lattice_.offsets[e], k);
    lattice_.turns[e] = static_cast<std::uint8_t>((lattice_.turns[e] - k) & 3);
    lattice_.turns[mesh_.twin(e)] = static_cast<std::uint8_t>(-lattice_.turns[e] & 3);
  }
}

Offset LatticeMesh::flipped_offset(std::int32_t h) {
  align(h);
  return -offset(H::next(mesh_.twin(h))) - offset(H::previous(h));
}

void LatticeMesh::flip(std::int32_t h) {
  const Offset across = flipped_offset(h);
  const std::int32_t t = mesh_.twin(h);
  const std::int32_t n = H::next(h), p = H::previous(h), tn = H::next(t), tp = H::previous(t);
  const auto turn_around = [&](auto& values) {
    const auto old_n = values[n];
    values[n] = values[p];
    values[p] = values[tn];
    values[tn] = values[tp];
    values[tp] = old_n;
  };
  mesh_.flip(h);
  turn_around(lattice_.offsets);
  turn_around(lattice_.turns);
  turn_around(crease_);
  lattice_.offsets[h] = across;
  lattice_.offsets[t] = -across;
}

bool LatticeMesh::can_collapse(std::int32_t h) const {
  const std::int32_t a = mesh_.origin(h), b = mesh_.target(h);
  // Merge only along its crease, or into a vertex that is held at least as strongly.
  if (!released_ && holds_[a] > holds_[b]) return false;
  if (!offset(h).isZero() && !movable(a)) return false;
  return mesh_.can_collapse(h);
}

void LatticeMesh::collapse(std::int32_t h) {
  const std::int32_t a = mesh_.origin(h), b = mesh_.target(h), t = mesh_.twin(h);
  if (offset(h).isZero()) {
    if (holds_[a] == holds_[b]) {
      sums_[b] += sums_[a];
      counts_[b] += counts_[a];
    }
  } else {
    Offset step = offset(h);
    // From the axes of h's face to those of leaving(a)'s.
    for (std::int32_t e = h; e != mesh_.leaving(a); e = mesh_.around(e))
      step = turned(step, lattice_.turns[e]);
    move(a, step);
  }
  for (const std::int32_t e : {h, t}) {
    const std::int32_t x = mesh_.twin(H::next(e)), y = mesh_.twin(H::previous(e));
    lattice_.turns[x] = static_cast<std::uint8_t>((lattice_.turns[x] + lattice_.turns[H::previous(e)]) & 3);
    lattice_.turns[y] = static_cast<std::uint8_t>(-lattice_.turns[x] & 3);
    if (crease(y)) crease_[x] = crease_[y];
    crease_[y] = crease_[x];
  }
  mesh_.collapse(h);
  merged_into_[a] = b;
}

std::int32_t LatticeMesh::split(std::int32_t h, const Offset& part) {
  const std::int32_t t = mesh_.twin(h), n = H::next(h), tp = H::previous(t), p = H::previous(h);
  const std::int32_t a = mesh_.origin(h), b = mesh_.target(h), F = mesh_.halfedge_slots(), G = F + 3;
  const Offset whole = offset(h), rest = whole - part, old_n = offset(n), old_tp = offset(tp);
  const int r = lattice_.turns[h];
  const auto turns = [&](std::int32_t e) { return lattice_.turns[e]; };
  const double share =
      static_cast<double>(part.dot(whole)) / static_cast<double>(std::max(1, whole.squaredNorm()));
  const Eigen::Vector3d middle = (1 - share) * point(a) + share * point(b);
  const std::int32_t m = mesh_.split(h);
  auto& d = lattice_.offsets;
  d.resize(d.size() + 6);
  lattice_.turns.insert(lattice_.turns.end(), {turns(h), turns(n), 0, turns(t), 0, turns(tp)});
  crease_.insert(crease_.end(), {crease_[h], crease_[n], 0, crease_[h], 0, crease_[tp]});
  lattice_.turns[n] = lattice_.turns[tp] = 0;
  crease_[n] = crease_[tp] = 0;
  d[h] = part;
  d[t] = -turned(part, r);
  d[F] = rest;
  d[G] = -turned(rest, r);
  d[F + 1] = old_n;
  d[G + 2] = old_tp;
  d[n] = -d[p] - part;
  d[F + 2] = -d[n];
  d[tp] = old_tp + d[G];
  d[G + 1] = -d[tp];
  holds_.push_back(crease_[h] ? Hold::kLine : Hold::kFree);
  sums_.push_back(middle);
  counts_.push_back(1);
  merged_into_.push_back(m);
  return m;
}

}  // namespace abut::preprocess
