#pragma once

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// Connectivity of a closed triangle mesh under edge splits, flips and collapses. Face f owns the half-edges
// 3f, 3f + 1, 3f + 2; the user of the class keeps attributes of half-edges, faces and vertices in arrays.
//
// Names in the comments below: h runs from a to b in the face (h, n, p) with corners a, b, c; its twin t lies
// in the face (t, tn, tp) with corners b, a, d.
class HalfedgeMesh {
 public:
  // Throws InvalidInput unless every edge has two oppositely directed faces and every vertex a single fan.
  explicit HalfedgeMesh(const TriangleMesh& mesh);

  static std::int32_t next(std::int32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
  static std::int32_t previous(std::int32_t h) { return h % 3 == 0 ? h + 2 : h - 1; }
  static std::int32_t face(std::int32_t h) { return h / 3; }

  std::int32_t origin(std::int32_t h) const { return origin_[h]; }
  std::int32_t target(std::int32_t h) const { return origin_[next(h)]; }
  std::int32_t twin(std::int32_t h) const { return twin_[h]; }
  // A half-edge that leaves v; -1 if v has no face (any longer).
  std::int32_t leaving(std::int32_t v) const { return leaving_[v]; }
  // The next half-edge that leaves the same vertex, clockwise.
  std::int32_t around(std::int32_t h) const { return next(twin_[h]); }

  std::int32_t vertex_slots() const { return static_cast<std::int32_t>(leaving_.size()); }
  std::int32_t halfedge_slots() const { return static_cast<std::int32_t>(origin_.size()); }
  std::int32_t face_slots() const { return halfedge_slots() / 3; }
  bool alive(std::int32_t h) const { return origin_[h] >= 0; }
  Triangle triangle(std::int32_t f) const { return {origin_[3 * f], origin_[3 * f + 1], origin_[3 * f + 2]}; }
  int valence(std::int32_t v) const;
  bool joined(std::int32_t u, std::int32_t v) const;

  // Inserts a new vertex m on the edge and returns it. Appends two faces: (m b, b c, c m), whose b c was n,
  // and (b m, m d, d b), whose d b was tp. n becomes m c, tp becomes d m.
  std::int32_t split(std::int32_t h);

  // Whether the edge may be flipped: c and d must not be joined yet, and a and b must keep three edges.
  bool can_flip(std::int32_t h) const;
  // Flips the edge: h becomes d c, n becomes the former p (c a), p the former tn (a d), tn the former tp (d
  // b), tp the former n (b c).
  void flip(std::int32_t h);

  // Whether merging the edge's ends keeps the mesh manifold (link condition [Dey et al. 1999]).
  bool can_collapse(std::int32_t h) const;
  // Merges a into b. Both faces are removed; the twins of n and p become each other's twins, and so do those
  // of tn and tp.
  void collapse(std::int32_t h);

 private:
  void pair(std::int32_t a, std::int32_t b) {
    twin_[a] = b;
    twin_[b] = a;
  }

  std::vector<std::int32_t> origin_;  // -1 once removed
  std::vector<std::int32_t> twin_;
  std::vector<std::int32_t> leaving_;
};

}  // namespace abut::preprocess
