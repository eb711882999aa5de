#pragma once

#include <vector>

#include "preprocess/mesh/mesh.h"

// Steps on a triangle soup that compare vertex positions and indices, without further geometry.
namespace abut::preprocess {

struct WeldedSoup {
  TriangleMesh mesh;                    // every position once, in order of first use; collapsed faces kept
  std::size_t seam_vertices = 0;        // vertices merged into another at the same position
  std::vector<std::int32_t> vertex_of;  // soup vertex -> welded vertex; -1 if no face uses it
};

// Merges vertices at identical positions (-0 equals 0) and removes those that no face uses.
WeldedSoup weld(const TriangleMesh& soup);

// Drops faces that have the same vertex at two corners; returns their number.
std::size_t drop_collapsed(TriangleMesh& mesh);

// Gap up to which open edges count as one, over the object's size.
constexpr double kRimTolerance = 1e-6;

// Merges vertices of open edges that lie within `tolerance` (m) of each other and drops the faces that
// collapse. Returns the number of vertices removed.
std::size_t weld_rims(TriangleMesh& mesh, double tolerance);

struct Coincident {
  std::size_t flaps = 0;       // pairs of coincident opposite faces, both removed
  std::size_t duplicates = 0;  // faces removed because they repeat another with the same orientation
};

// Cancels faces on the same three vertices: with p of them in one orientation and n in the other, the excess
// orientation remains, once.
Coincident cancel_coincident(TriangleMesh& mesh);

// The undirected edges with a single face, as pairs of vertices, and their number.
std::vector<std::array<std::int32_t, 2>> open_edges(const TriangleMesh& mesh);
std::size_t count_open_edges(const TriangleMesh& mesh);

// Largest number of faces that share an edge.
std::size_t most_faces_at_an_edge(const TriangleMesh& mesh);

// Connected component of each face (faces connected through shared vertices), numbered from 0 in order of
// their first face.
struct Components {
  std::vector<std::int32_t> of_face;
  std::int32_t count = 0;
};
Components find_components(const TriangleMesh& mesh);

// The faces that `keep` marks, with the vertices that they use.
TriangleMesh select_faces(const TriangleMesh& mesh, const std::vector<char>& keep);
// The faces of one component, with the vertices that they use.
TriangleMesh select_part(const TriangleMesh& mesh, const Components& parts, std::int32_t part);

// Appends the vertices and faces of `other`.
void append_mesh(TriangleMesh& mesh, const TriangleMesh& other);

// Total area, m^2, and enclosed volume, m^3 (signed; meaningful for a closed surface).
double area(const TriangleMesh& mesh);
double volume(const TriangleMesh& mesh);

}  // namespace abut::preprocess
