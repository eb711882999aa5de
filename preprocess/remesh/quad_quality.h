#pragma once

#include <map>
#include <string>

#include "preprocess/remesh/quad_mesh.h"
#include "preprocess/remesh/reference_surface.h"

namespace abut::preprocess {

// Quality of a quad mesh, of its quads and as an approximation of a surface.
struct QuadQuality {
  std::size_t quads = 0, vertices = 0;
  double irregular_percent = 0;        // of the vertices: valence other than four
  double angle_deviation = 0;          // root mean square deviation of the quads' angles from 90, degrees
  double edge_variation = 0;           // standard deviation of the edge lengths over their mean
  double mean_edge = 0;                // m
  double hausdorff_in_out = 0;         // largest distance from the surface to the quads, % of its diagonal
  double hausdorff_out_in = 0;         // largest distance from the quads to the surface, % of its diagonal
  double normal_error_mean = 0;        // between quads and the surface at their centres' foot points, degrees
  double normal_error_p95 = 0;         // the same, 95th percentile
  std::size_t flips = 0;               // quads oriented against the surface's point nearest to their centre
  double straddling_percent = 0;       // of the quads: lie across a crease
  std::size_t bad_edges = 0;           // open or non-manifold
  std::size_t self_intersections = 0;  // pairs of quads that intersect for any choice of diagonals
};

// Measures a quad mesh against the surface that it approximates; `closed` is that surface's mesh. Hausdorff
// distances are certified to 0.02 % of the diagonal. A quad's foot point is the surface point closest to its
// centre that faces the same way. The closest point of the whole surface is used instead if it faces away and
// is closer by more than a tenth of the quad's edge, or if no point nearby faces the same way. Flips and
// self-intersections are counted by TangleRule::kStrict, without such an allowance.
// A quad straddles a crease if the surface's mean normals below two parts of it differ by more than 60
// degrees. The parts are two rows, two columns or two corners (three points each) of 4 x 4 points on its
// inner 80 %. A quad whose side lies on the crest of a rounded right angle sees at most half the turn; dents
// and noise narrower than a row do not count.
QuadQuality measure(const QuadMesh& mesh, const TriangleMesh& closed, const ReferenceSurface& surface);

// Angle between a quad and the surface at its foot point as defined above, degrees.
double normal_error(const QuadMesh& mesh, const Quad& quad, const ReferenceSurface& surface);

// The values by name, each with its unit as suffix and `prefix` before it.
std::map<std::string, double> measures_of(const QuadQuality& quality, const std::string& prefix);

}  // namespace abut::preprocess
