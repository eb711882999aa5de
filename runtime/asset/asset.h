#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/asset/point_blocks.h"
#include "runtime/asset/sample_blocks.h"
#include "runtime/bvh/tree.h"

// The asset of one object: all data that the runtime has of it. An Asset owns its arrays; an AssetView is
// pointers and sizes for kernels. Arrays are row-major, indices are 32 bits, lengths are in metres, in the
// object's own frame. Parts may be absent; a part may have several levels (surfaces) or pieces (convex).
// schema.h lists every array of the file.
namespace abut::asset {

// A closed, oriented triangle surface. Triangles are stored in the leaf order of the tree.
struct Surface {
  std::vector<double> vertices;          // (vertices, 3) m
  std::vector<std::int32_t> triangles;   // (triangles, 3) counter-clockwise seen from outside
  std::vector<std::int32_t> neighbours;  // (triangles, 3) triangle across the edge from corner k to k + 1
  std::vector<double> vertex_normals;    // (vertices, 3) unit, outward, angle-weighted pseudonormal
  bvh::Tree tree;                        // over the triangles
  // Made by add_search(), which load() calls: (nodes, 4, 4) for each child of the tree, rows m x, y, z and h,
  // the plane m . p = h (h in m) above everything below the child, where m is the mean normal there.
  std::vector<float> planes;
  std::vector<std::int32_t> parts;  // (connected components) one triangle of each; made by add_search()
};

// A convex polytope with the vertex adjacency that its support function walks along. Vertex coordinates are
// stored one axis after the other, in an order that keeps neighbours close in memory.
struct ConvexPiece {
  std::vector<double> vertices;                 // (3, vertices) m: all x, then all y, then all z
  std::vector<std::int32_t> triangles;          // (triangles, 3) counter-clockwise seen from outside
  std::vector<std::int32_t> adjacency_offsets;  // (vertices + 1) row starts of `adjacency`
  std::vector<std::int32_t> adjacency;          // vertices joined by an edge, ascending within a row
  std::vector<std::int32_t>
      support_lookup;  // (6, k, k) support vertex of the direction at each cell's centre
  // For each cell all vertices that support a direction in it, which makes a walk unnecessary; may be absent.
  std::vector<std::int32_t> candidate_offsets;  // (6 k k + 1) row starts of `candidates`
  std::vector<std::int32_t> candidates;         // vertices, that of the cell's centre first in each row
};

// Direction cells of `support_lookup`: six faces of a cube (+x, -x, +y, -y, +z, -z), k x k cells each.
// See runtime/witness/support.h for the map from a direction to its cell.

// The interior of the object as tetrahedra with the penetration extent [Elandt2019]: 0 on the surface, 1 in
// the core, linear in each tetrahedron; extent times modulus is the pressure. Tetrahedra are stored in the
// leaf order of the tree and have positive volume: seen from corner 3, corners 0, 1, 2 run counter-clockwise.
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
  std::vector<float> tree_extent_ranges;  // (nodes, 2, 4) of everything below each child, rounded outward
};

// An oriented point cloud [Beker2025, III-B1]: planes that cover the surface, one per quad of an isotropic
// quad mesh aligned with the object's edges. A point is the mean of its quad's corners, its normal is the
// quad's. Points are stored in the leaf order of the tree.
struct OrientedPoints {
  std::vector<double> positions;    // (3, points) m: all x, then all y, then all z
  std::vector<double> normals;      // (3, points) unit, outward
  std::vector<double> areas;        // (points) m^2: of the quads
  std::vector<double> thickness;    // (points) m: wall thickness, straight through the solid from the point
  std::vector<std::int32_t> quads;  // (points, 4) vertex indices, counter-clockwise seen from outside
  std::vector<double> vertices;     // (vertices, 3) m
  std::vector<double> spacing;      // (4) m: square root of the mean area; least, mean and greatest edge
  bvh::Tree tree;                   // over the points
  PointBlocks blocks;               // the same points in blocks; made by add_blocks(), which load() calls
  SampleBlocks samples;             // samples of the surface, made with the blocks
};

inline constexpr int kBrickNodes = 4;  // nodes of a distance grid's brick along each axis
inline constexpr int kBrickSize = kBrickNodes * kBrickNodes * kBrickNodes;  // nodes of a brick
inline constexpr int kMaxPlaces = 1 << 24;  // brick places along an axis: nodes are counted in 32 bits

// The signed distance of the finest surface as a cubic B-spline, twice continuously differentiable: with the
// centred cubic B-spline beta and q = (p - origin) / spacing, the value at p is the sum over the nodes
// (i, j, k) of c_ijk beta(q_x - i) beta(q_y - j) beta(q_z - k). Nodes are stored in bricks; a brick exists
// wherever one of its nodes is needed for a point inside the surface or within `reach` of it.
struct DistanceGrid {
  std::vector<double> lattice;       // (5) m: x, y and z of node (0, 0, 0); spacing; reach
  std::vector<std::int32_t> places;  // (3) number of places for bricks along x, y and z
  std::vector<std::int32_t> index;   // (places) x fastest: the brick at each place, -1: none
  std::vector<float> coefficients;   // (bricks, 4, 4, 4) m: z slowest, x fastest
  // Made by add_rows(), which load() calls: (bricks, 4, 4, 8) m, the coefficients once more, each row
  // followed by that of the next brick along x, NaN where there is none.
  std::vector<float> rows;
  // (places) x fastest, made by add_rows(): Chebyshev distance in places from each place to the nearest with
  // a brick, at most 255.
  std::vector<std::uint8_t> gaps;
};

// Convex pieces whose union represents the object: piece i is the asset's convex[i + 1]. Stored in the leaf
// order of the tree.
struct Pieces {
  // (2) m: upper bounds of the distance of a point of the union outside the finest surface, and of the
  // distance of a point of the solid from the union.
  std::vector<double> errors;
  std::vector<std::int32_t> adjacency_offsets;  // (pieces + 1) row starts of `adjacency`
  std::vector<std::int32_t> adjacency;          // pieces that touch or overlap, ascending within a row
  bvh::Tree tree;                               // over the pieces
};

// Spheres whose union covers the solid.
struct SphereSet {
  std::vector<double> centers;  // (spheres, 3) m
  std::vector<double> radii;    // (spheres) m
  // (1) m: upper bound of the distance of a point of the union outside the finest surface.
  std::vector<double> error;
};

// Mass properties of the solid, in the object's frame, at unit density: exact for its triangles; closed forms
// for a primitive.
struct MassProperties {
  double volume = 0;                     // m^3
  double area = 0;                       // m^2
  double center_of_mass[3] = {0, 0, 0};  // m
  double inertia[9] = {};  // m^5: about the centre of mass, at density 1 kg/m^3, along the object's axes
};

// Where an asset comes from: enough to make it again and to decide whether it is up to date.
struct Provenance {
  std::string source_file;                                    // absolute path
  std::string source_digest;                                  // "xxh3-128:<hex>" of the source file's bytes
  std::map<std::string, std::string> parameters;              // every parameter that affects the result
  std::map<std::string, std::string> versions;                // tool and libraries
  std::vector<std::string> warnings;                          // what was repaired, what is doubtful
  std::vector<std::pair<std::string, double>> stage_seconds;  // wall time of each stage, s
  std::map<std::string, double> measures;  // quality measures; the unit is the key's suffix
};

// Everything known about one object, in its own frame; absent parts are empty.
struct Asset {
  std::string name;                    // of the object, used in messages and results
  std::vector<Surface> surfaces;       // level 0 is the finest
  std::vector<ConvexPiece> convex;     // the convex hull, then the pieces, if any
  std::vector<Volume> volumes;         // level 0 is the finest
  std::vector<OrientedPoints> points;  // level 0 is the finest
  std::vector<DistanceGrid> grids;     // level 0 is the finest
  MassProperties mass;                 // of the solid within the closed surface
  Provenance provenance;               // how it was made
  std::vector<Pieces> pieces;          // at most one
  std::vector<SphereSet> spheres;      // at most one
};

// A view of a Surface; see there for the meaning of the arrays.
struct SurfaceView {
  const double* vertices = nullptr;                   // (vertex_count, 3) m
  const std::int32_t* triangles = nullptr;            // (triangle_count, 3)
  const std::int32_t* neighbours = nullptr;           // (triangle_count, 3)
  const double* vertex_normals = nullptr;             // (vertex_count, 3)
  std::int32_t vertex_count = 0, triangle_count = 0;  // 0: no surface
  bvh::TreeView tree;                                 // over the triangles
  const float* planes = nullptr;                      // (nodes, 4, 4); null: none
  const std::int32_t* parts = nullptr;                // (part_count)
  std::int32_t part_count = 0;                        // connected components
};

// A view of a ConvexPiece.
struct ConvexView {
  const double* x = nullptr;                          // (vertex_count) m
  const double* y = nullptr;                          // (vertex_count) m
  const double* z = nullptr;                          // (vertex_count) m
  const std::int32_t* triangles = nullptr;            // (triangle_count, 3)
  const std::int32_t* adjacency_offsets = nullptr;    // (vertex_count + 1)
  const std::int32_t* adjacency = nullptr;            // (adjacency_offsets[vertex_count])
  const std::int32_t* support_lookup = nullptr;       // (6, lookup_resolution, lookup_resolution)
  const std::int32_t* candidate_offsets = nullptr;    // (6 lookup_resolution^2 + 1); null: absent
  const std::int32_t* candidates = nullptr;           // vertices that support a direction of each cell
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
  // body::Geometry::id of the geometry it is a view of; 0: none, and nothing is cached for it.
  std::uint64_t id = 0;
};

// A view of OrientedPoints.
struct PointsView {
  const double* x = nullptr;                       // (point_count) m
  const double* y = nullptr;                       // (point_count) m
  const double* z = nullptr;                       // (point_count) m
  const double* nx = nullptr;                      // (point_count) unit normal, outward
  const double* ny = nullptr;                      // (point_count)
  const double* nz = nullptr;                      // (point_count)
  const double* areas = nullptr;                   // (point_count) m^2
  const double* thickness = nullptr;               // (point_count) m
  const std::int32_t* quads = nullptr;             // (point_count, 4)
  const double* vertices = nullptr;                // (vertex_count, 3) m
  double spacing = 0;                              // square root of the mean area, m
  std::int32_t point_count = 0, vertex_count = 0;  // 0: no points; 0: no quads
  bvh::TreeView tree;                              // over the points
  PointBlocksView blocks;                          // the points in blocks, for sums over those that matter
  SampleBlocksView samples;                        // samples of the surface, in blocks as well
};

// A view of a DistanceGrid.
struct DistanceGridView {
  const std::int32_t* index = nullptr;  // (places z, y, x) brick, -1: none
  const float* rows = nullptr;          // (brick_count, 4, 4, 8) m
  const std::uint8_t* gaps = nullptr;   // (places z, y, x) Chebyshev distance to the nearest brick
  std::int32_t places[3] = {0, 0, 0};   // number along x, y, z
  std::int32_t brick_count = 0;         // 0: no grid
  double origin[3] = {0, 0, 0};         // of node (0, 0, 0), m
  double spacing = 0;                   // of the nodes, m
  double reach = 0;                     // m
};

// A view of Pieces and of the convex pieces themselves.
struct PiecesView {
  const ConvexView* convex = nullptr;               // (piece_count)
  const std::int32_t* adjacency_offsets = nullptr;  // (piece_count + 1)
  const std::int32_t* adjacency = nullptr;          // (adjacency_offsets[piece_count])
  std::int32_t piece_count = 0;                     // 0: no pieces
  double outward_error = 0, inward_error = 0;       // bounds, m: Pieces::errors
  bvh::TreeView tree;                               // over the pieces
};

// The parts that represent an object: one level of each part and one convex piece; counts are 0 where a part
// is absent.
struct AssetView {
  SurfaceView surface;                   // its boundary
  ConvexView convex;                     // its hull or one of its pieces
  VolumeView volume;                     // its interior with the extent
  PointsView points;                     // its surface as oriented points
  DistanceGridView grid;                 // its signed distance
  const MassProperties* mass = nullptr;  // of the whole object; null: unknown
};

// Views are valid while the data that they refer to exists and is not changed.
SurfaceView view(const Surface& surface);
ConvexView view(const ConvexPiece& piece);        // candidate_offsets is null if it has no candidates
VolumeView view(const Volume& volume);            // id 0: of no geometry
PointsView view(const OrientedPoints& points);    // requires add_blocks()
DistanceGridView view(const DistanceGrid& grid);  // requires add_rows()
// `convex`: views of the pieces, one per piece.
PiecesView view(const Pieces& pieces, const std::vector<ConvexView>& convex);
AssetView view(const Asset& asset);      // level 0 of each part, and the hull
AssetView view(const Asset&&) = delete;  // a view must not outlive its data

// Makes the blocks and samples of points whose other arrays are filled; the last step of making points.
// Throws InvalidInput for no points, arrays of different lengths, a position that is NaN or infinite, a
// normal whose length is not 1 within 1e-6, coincident points, or a spacing that is not positive.
void add_blocks(OrientedPoints& points);

// Makes the planes and parts of a surface whose other arrays are filled; the last step of making a surface.
void add_search(Surface& surface);

// Makes the rows and gaps of a grid whose other arrays are consistent; the last step of making a grid.
void add_rows(DistanceGrid& grid);

}  // namespace abut::asset
