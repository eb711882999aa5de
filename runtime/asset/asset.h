#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/asset/point_blocks.h"
#include "runtime/asset/sample_blocks.h"
#include "runtime/bvh/tree.h"

// The asset of one object: what the runtime knows of it. An Asset owns, an AssetView is pointers and sizes
// for kernels. Arrays are row-major, indices 32 bits, lengths in metres, in the object's own frame. Parts may
// be absent; a part may come as several levels (surfaces) or pieces (convex). schema.h names every array in
// the file.
namespace abut::asset {

// A closed, oriented triangle surface. Triangles are stored in the leaf order of the tree.
struct Surface {
  std::vector<double> vertices;          // (vertices, 3) m
  std::vector<std::int32_t> triangles;   // (triangles, 3) counter-clockwise seen from outside
  std::vector<std::int32_t> neighbours;  // (triangles, 3) triangle across the edge from corner k to k + 1
  std::vector<double> vertex_normals;    // (vertices, 3) unit, outward, angle-weighted pseudonormal
  bvh::Tree tree;                        // over the triangles
  // What add_search() makes, and load() calls: (nodes, 4, 4) rows m x, y, z and h (m) of the plane m . p = h
  // above all that is below each child of the tree, m being the mean normal there; and a triangle of each
  // connected part.
  std::vector<float> planes;
  std::vector<std::int32_t> parts;  // (connected parts) a triangle of each
};

// A convex polytope with the connectivity that a support function walks on. The vertex coordinates are stored
// one axis after the other, in an order that keeps neighbours close in memory.
struct ConvexPiece {
  std::vector<double> vertices;                 // (3, vertices) m: all x, then all y, then all z
  std::vector<std::int32_t> triangles;          // (triangles, 3) counter-clockwise seen from outside
  std::vector<std::int32_t> adjacency_offsets;  // (vertices + 1) row starts of `adjacency`
  std::vector<std::int32_t> adjacency;          // vertices joined by an edge, ascending within a row
  std::vector<std::int32_t>
      support_lookup;  // (6, k, k) support vertex of the direction at each cell's centre
  // Every vertex that supports some direction of a cell, so that no walk is needed; may be absent.
  std::vector<std::int32_t> candidate_offsets;  // (6 k k + 1) row starts of `candidates`
  std::vector<std::int32_t> candidates;         // vertices, the centre's first in each row
};

// Direction cells of `support_lookup`: six faces of a cube (+x, -x, +y, -y, +z, -z), k x k cells each.
// See runtime/witness/support.h for the map from a direction to its cell.

// The inside of the object in tetrahedra with the penetration extent [Elandt2019]: 0 on the surface, 1 in the
// core, linear in each tetrahedron; times a modulus it is the pressure. Tetrahedra are stored in the leaf
// order of the tree, of positive volume: corner 3 sees 0, 1, 2 run counter-clockwise.
struct Volume {
  std::vector<double> vertices;          // (vertices, 3) m
  std::vector<std::int32_t> tetrahedra;  // (tetrahedra, 4)
  std::vector<std::int32_t> neighbours;  // (tetrahedra, 4) across the face opposite corner k; -1: the surface
  std::vector<double> extent;            // (vertices) in [0, 1]
  std::vector<double> gradients;         // (tetrahedra, 3) 1/m: of the extent
  std::vector<double> face_planes;       // (tetrahedra, 4, 4) n, d of the face opposite corner k: inside is
                                         // where n . x + d >= 0, n unit, d in m
  std::vector<double> extent_ranges;     // (tetrahedra, 2) least and greatest extent
  bvh::Tree tree;                        // over the tetrahedra
  std::vector<float> tree_extent_ranges;  // (nodes, 2, 4) of what is below each child, rounded outward
};

// An oriented point cloud [Beker2025, III-B1]: planes that cover the surface, one per quad of an isotropic
// quad mesh aligned with the object's edges. A point is the mean of its quad's corners, its normal that of
// the quad. Points are stored in the leaf order of the tree.
struct OrientedPoints {
  std::vector<double> positions;    // (3, points) m: all x, then all y, then all z
  std::vector<double> normals;      // (3, points) unit, outward
  std::vector<double> areas;        // (points) m^2: of the quads
  std::vector<double> thickness;    // (points) m: of the wall, straight through the solid from the point
  std::vector<std::int32_t> quads;  // (points, 4) vertex indices, counter-clockwise seen from outside
  std::vector<double> vertices;     // (vertices, 3) m
  std::vector<double> spacing;      // (4) m: square root of the mean area; least, mean, greatest edge
  bvh::Tree tree;                   // over the points
  PointBlocks blocks;               // the points once more: add_blocks() makes them, load() calls it
  SampleBlocks samples;             // of the surface, made with them
};

inline constexpr int kBrickNodes = 4;  // of a distance grid's brick, along each axis
inline constexpr int kBrickSize = kBrickNodes * kBrickNodes * kBrickNodes;  // nodes of a brick
inline constexpr int kMaxPlaces = 1 << 24;  // for bricks along an axis: nodes are counted in 32 bits

// The signed distance of the finest surface as a cubic B-spline, twice continuously differentiable: with
// beta the centred cubic B-spline and q = (p - origin) / spacing, its value at p is the sum over the nodes
// (i, j, k) of c_ijk beta(q_x - i) beta(q_y - j) beta(q_z - k). Nodes are in bricks; there is one wherever a
// node is needed for a point inside the surface or within `reach` of it.
struct DistanceGrid {
  std::vector<double> lattice;       // (5) m: node (0, 0, 0), its x, y and z; spacing; reach
  std::vector<std::int32_t> places;  // (3) for bricks, along x, y and z
  std::vector<std::int32_t> index;   // (places) x fastest: the brick there, -1: none
  std::vector<float> coefficients;   // (bricks, 4, 4, 4) m: z slowest, x fastest
  // What add_rows() makes, and load() calls: (bricks, 4, 4, 8) m, the coefficients once more, each row with
  // that of the next brick along x, NaN where there is none; and how many places it is from each place to one
  // with a brick along the axis on which it is farthest, at most 255.
  std::vector<float> rows;
  std::vector<std::uint8_t> gaps;  // (places) x fastest
};

// Convex pieces whose union stands for the object: piece i is the asset's convex[i + 1]. They are in the leaf
// order of the tree.
struct Pieces {
  // (2) m: no point of the union is farther outside the finest surface than the first, no point of the solid
  // farther from the union than the second.
  std::vector<double> errors;
  std::vector<std::int32_t> adjacency_offsets;  // (pieces + 1) row starts of `adjacency`
  std::vector<std::int32_t> adjacency;          // pieces that touch or overlap, ascending within a row
  bvh::Tree tree;                               // over the pieces
};

// Balls whose union holds the solid.
struct SphereSet {
  std::vector<double> centers;  // (spheres, 3) m
  std::vector<double> radii;    // (spheres) m
  std::vector<double> error;    // (1) m: no point of the union is farther outside the finest surface
};

// Of the solid, in the object's frame, at unit density: exact for its triangles, closed forms of a primitive.
struct MassProperties {
  double volume = 0;                     // m^3
  double area = 0;                       // m^2
  double center_of_mass[3] = {0, 0, 0};  // m
  double inertia[9] = {};  // m^5: about the centre of mass at density 1 kg/m^3, axes of the object
};

// Where an asset comes from: enough to make it again, and to know when it must be.
struct Provenance {
  std::string source_file;                                    // its absolute path
  std::string source_digest;                                  // "xxh3-128:<hex>" of the source file's bytes
  std::map<std::string, std::string> parameters;              // every parameter that shapes the result
  std::map<std::string, std::string> versions;                // tool and libraries
  std::vector<std::string> warnings;                          // what was mended, what is doubtful
  std::vector<std::pair<std::string, double>> stage_seconds;  // wall time of each stage, s
  std::map<std::string, double> measures;                     // quality figures; the unit is the key's suffix
};

// All that is known of one object, in its own frame; parts that it lacks are empty.
struct Asset {
  std::string name;                    // of the object, as messages and answers call it
  std::vector<Surface> surfaces;       // level 0 is the finest
  std::vector<ConvexPiece> convex;     // the convex hull, and the pieces if there are any
  std::vector<Volume> volumes;         // level 0 is the finest
  std::vector<OrientedPoints> points;  // level 0 is the finest
  std::vector<DistanceGrid> grids;     // level 0 is the finest
  MassProperties mass;                 // of the closed surface
  Provenance provenance;               // how it was made
  std::vector<Pieces> pieces;          // one at most
  std::vector<SphereSet> spheres;      // one at most
};

// A view of a Surface: its arrays, whose meaning stands there.
struct SurfaceView {
  const double* vertices = nullptr;                   // (vertex_count, 3) m
  const std::int32_t* triangles = nullptr;            // (triangle_count, 3)
  const std::int32_t* neighbours = nullptr;           // (triangle_count, 3)
  const double* vertex_normals = nullptr;             // (vertex_count, 3)
  std::int32_t vertex_count = 0, triangle_count = 0;  // 0: no surface
  bvh::TreeView tree;                                 // over the triangles
  const float* planes = nullptr;                      // (nodes, 4, 4); null: none
  const std::int32_t* parts = nullptr;                // (part_count)
  std::int32_t part_count = 0;                        // connected parts
};

// A view of a ConvexPiece.
struct ConvexView {
  const double* x = nullptr;                        // (vertex_count) m
  const double* y = nullptr;                        // (vertex_count) m
  const double* z = nullptr;                        // (vertex_count) m
  const std::int32_t* triangles = nullptr;          // (triangle_count, 3)
  const std::int32_t* adjacency_offsets = nullptr;  // (vertex_count + 1)
  const std::int32_t* adjacency = nullptr;          // (adjacency_offsets[vertex_count])
  const std::int32_t* support_lookup = nullptr;     // (6, lookup_resolution, lookup_resolution)
  const std::int32_t* candidate_offsets = nullptr;  // (6 lookup_resolution^2 + 1); null where they are absent
  const std::int32_t* candidates = nullptr;         // vertices that support a direction of the cell
  std::int32_t vertex_count = 0, triangle_count = 0;  // 0: no piece
  std::int32_t lookup_resolution = 0;                 // cells along an edge of the cube; 0: no lookup
};

// A view of a Volume.
struct VolumeView {
  const double* vertices = nullptr;                      // (vertex_count, 3) m
  const std::int32_t* tetrahedra = nullptr;              // (tetrahedron_count, 4)
  const std::int32_t* neighbours = nullptr;              // (tetrahedron_count, 4)
  const double* extent = nullptr;                        // (vertex_count)
  const double* gradients = nullptr;                     // (tetrahedron_count, 3) 1/m
  const double* face_planes = nullptr;                   // (tetrahedron_count, 4, 4)
  const double* extent_ranges = nullptr;                 // (tetrahedron_count, 2)
  std::int32_t vertex_count = 0, tetrahedron_count = 0;  // 0: no volume
  bvh::TreeView tree;                                    // over the tetrahedra
  const float* tree_extent_ranges = nullptr;             // (tree.nodes, 2, 4)
  // body::Geometry::id of what it is a view of; 0: of none, nothing is remembered of it.
  std::uint64_t id = 0;
};

// A view of OrientedPoints.
struct PointsView {
  const double* x = nullptr;                       // (point_count) m
  const double* y = nullptr;                       // (point_count) m
  const double* z = nullptr;                       // (point_count) m
  const double* nx = nullptr;                      // (point_count) of the unit normal, outward
  const double* ny = nullptr;                      // (point_count)
  const double* nz = nullptr;                      // (point_count)
  const double* areas = nullptr;                   // (point_count) m^2
  const double* thickness = nullptr;               // (point_count) m
  const std::int32_t* quads = nullptr;             // (point_count, 4)
  const double* vertices = nullptr;                // (vertex_count, 3) m
  double spacing = 0;                              // square root of the mean area, m
  std::int32_t point_count = 0, vertex_count = 0;  // 0: no points; no corners of quads
  bvh::TreeView tree;                              // over the points
  PointBlocksView blocks;                          // of the points, for sums over those that matter
  SampleBlocksView samples;                        // of the surface that they stand for, likewise
};

// A view of a DistanceGrid.
struct DistanceGridView {
  const std::int32_t* index = nullptr;  // (places z, y, x) brick, -1: none
  const float* rows = nullptr;          // (brick_count, 4, 4, 8) m
  const std::uint8_t* gaps = nullptr;   // (places z, y, x) to the next brick
  std::int32_t places[3] = {0, 0, 0};   // along x, y, z
  std::int32_t brick_count = 0;         // 0: no grid
  double origin[3] = {0, 0, 0};         // of node (0, 0, 0), m
  double spacing = 0;                   // of nodes, m
  double reach = 0;                     // m
};

// A view of Pieces, and of the convex pieces themselves.
struct PiecesView {
  const ConvexView* convex = nullptr;               // (piece_count)
  const std::int32_t* adjacency_offsets = nullptr;  // (piece_count + 1)
  const std::int32_t* adjacency = nullptr;          // (adjacency_offsets[piece_count])
  std::int32_t piece_count = 0;                     // 0: no pieces
  double outward_error = 0, inward_error = 0;       // m
  bvh::TreeView tree;                               // over the pieces
};

// What stands for an object: one level of each part, and one convex piece; counts are 0 where a part is
// absent.
struct AssetView {
  SurfaceView surface;                   // its boundary
  ConvexView convex;                     // its hull, or one of its pieces
  VolumeView volume;                     // its inside, with the extent
  PointsView points;                     // its surface as planes
  DistanceGridView grid;                 // its signed distance
  const MassProperties* mass = nullptr;  // of the whole object; null: unknown
};

// Views are valid while what they show stands unchanged.
SurfaceView view(const Surface& surface);
ConvexView view(const ConvexPiece& piece);        // without candidates where it has none
VolumeView view(const Volume& volume);            // of no geometry: id 0
PointsView view(const OrientedPoints& points);    // with blocks and samples, which add_blocks() makes
DistanceGridView view(const DistanceGrid& grid);  // by its rows, which add_rows() makes
// `convex`: views of the pieces, one each.
PiecesView view(const Pieces& pieces, const std::vector<ConvexView>& convex);
AssetView view(const Asset& asset);      // level 0 of each part, and the hull
AssetView view(const Asset&&) = delete;  // a view must not outlive what it shows

// Makes the blocks of points whose other arrays are filled: the last step of whoever makes points. Throws
// InvalidInput for no points, a position that is NaN or infinite, a normal whose length is not 1 to 1e-6, all
// points at one place, or a spacing that is not positive.
void add_blocks(OrientedPoints& points);

// Makes the planes and parts of a surface whose other arrays are filled: the last step of whoever makes one.
void add_search(Surface& surface);

// Makes the rows of a grid whose other arrays fit together: the last step of whoever makes one.
void add_rows(DistanceGrid& grid);

}  // namespace abut::asset
