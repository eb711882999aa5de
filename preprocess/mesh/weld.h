#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"

// The steps on a triangle soup that need no geometry beyond equality of positions.
namespace abut::preprocess {

struct WeldedSoup {
  TriangleMesh mesh;                    // every position once, in order of first use; collapsed faces kept
  std::size_t seam_vertices = 0;        // vertices merged into another of the same position
  std::vector<std::int32_t> vertex_of;  // soup vertex -> welded vertex; -1 where no face uses it
};

// Merges vertices at identical positions (-0 equals 0) and forgets those that no face uses.
WeldedSoup weld(const TriangleMesh& soup);

// Drops faces two of whose corners are one vertex; returns how many.
std::size_t drop_collapsed(TriangleMesh& mesh);

// Merges vertices of open edges that lie within `tolerance` (m) of each other; faces that collapse by it are
// dropped. Returns how many vertices went.
std::size_t weld_rims(TriangleMesh& mesh, double tolerance);

struct Coincident {
  std::size_t flaps = 0;       // pairs of coincident opposite faces, both removed
  std::size_t duplicates = 0;  // faces that repeat another with the same orientation, removed
};

// Cancels faces on the same three vertices: of p with one orientation and n with the other, the excess stays
// once.
Coincident cancel_coincident(TriangleMesh& mesh);

// The undirected edges with a single face, as pairs of vertices, and their number.
std::vector<std::array<std::int32_t, 2>> open_edges(const TriangleMesh& mesh);
std::size_t count_open_edges(const TriangleMesh& mesh);

// Of one edge, at most.
std::size_t most_faces_at_an_edge(const TriangleMesh& mesh);

// Component of each face, joined through shared vertices, numbered from 0 in order of first face.
struct Components {
  std::vector<std::int32_t> of_face;
  std::int32_t count = 0;
};
Components find_components(const TriangleMesh& mesh);

// The faces that `keep` marks, with the vertices that they use.
TriangleMesh select_faces(const TriangleMesh& mesh, const std::vector<char>& keep);
// Those of one component.
TriangleMesh select_part(const TriangleMesh& mesh, const Components& parts, std::int32_t part);

// Appends the other mesh's vertices and faces.
void append_mesh(TriangleMesh& mesh, const TriangleMesh& other);

// Total area, m^2, and volume enclosed (signed; meaningful for a closed surface), m^3.
double area(const TriangleMesh& mesh);
double volume(const TriangleMesh& mesh);

}  // namespace abut::preprocess
