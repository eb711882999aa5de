#pragma once

#include <optional>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// A vertex far from all others.
struct StrayVertex {
  std::int32_t vertex = -1;
  double others = 0;  // diagonal of the other vertices' bounding box, m
};

// Finds the vertex whose removal shrinks the bounding box most. It is a stray vertex if the diagonal with it
// is more than `factor` times that without it, and its neighbours are close to one another, unlike at the tip
// of a cone. Every vertex must be used by a face.
std::optional<StrayVertex> find_stray_vertex(const TriangleMesh& mesh, double factor);

// Whether the vertex's faces, together with the rest, can bound a solid: each of their edges has two
// oppositely directed faces, and they meet other faces only in shared vertices and edges.
bool is_sound_at(const TriangleMesh& mesh, std::int32_t vertex);

// Size of the object, m: the bounding box's diagonal, without a stray vertex and without parts of negligible
// total area if the diagonal is less than half as long without them.
double object_size(const TriangleMesh& mesh);

}  // namespace abut::preprocess
