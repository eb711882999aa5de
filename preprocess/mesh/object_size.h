#pragma once

#include <optional>

#include "preprocess/mesh/mesh.h"

namespace abut::preprocess {

// A vertex far from all others.
struct StrayVertex {
  std::int32_t vertex = -1;
  double others = 0;  // diagonal of the others' bounding box, m
};

// The vertex without which the bounding box is smallest, if a diagonal `factor` times as long goes with it
// although its neighbours are near each other, as on no tip of a cone. Needs every vertex used by a face.
std::optional<StrayVertex> find_stray_vertex(const TriangleMesh& mesh, double factor);

// Whether the vertex's faces bound a solid with the others: each of their edges has two faces, directed
// oppositely, and they meet no face but at what they share.
bool is_sound_at(const TriangleMesh& mesh, std::int32_t vertex);

// The bounding box's diagonal, m: without a stray vertex, and without parts that together have little area,
// where it is less than half as long without them.
double object_size(const TriangleMesh& mesh);

}  // namespace abut::preprocess
