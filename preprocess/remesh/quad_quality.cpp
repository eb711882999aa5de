#include "preprocess/remesh/quad_quality.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "preprocess/mesh/measure.h"
#include "preprocess/remesh/untangle.h"
#include "runtime/core/parallel.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr double kCertified = 2e-4;  // of the Hausdorff distances, over the diagonal
constexpr double kNearer = 0.1;      // over the edge: by how much an opposite wall must be closer to count
constexpr double kStraddleCosine = 0.5;
constexpr int kSamples = 4;  // along each side of the grid that detects straddling
constexpr double kInner = 0.8;

double angle(const Vec3& u, const Vec3& v) { return kDegrees * std::atan2(u.cross(v).norm(), u.dot(v)); }

struct QuadFigures {
  double normal_error = 0;
  bool straddles = false;
};

Vec3 bilinear(const QuadMesh& mesh, const Quad& q, double s, double t) {
  return (1 - s) * ((1 - t) * mesh.vertices[q[0]] + t * mesh.vertices[q[3]]) +
         s * ((1 - t) * mesh.vertices[q[1]] + t * mesh.vertices[q[2]]);
}

// The surface's normals on a grid over the quad's inner part; zero where no point nearby faces its way.
using Normals = std::array<std::array<Vec3, kSamples>, kSamples>;
Normals normals_below(const QuadMesh& mesh, const Quad& q, const ReferenceSurface& surface) {
  const Vec3 area = vector_area(mesh, q), n = area.normalized();
  const auto at = [](int i) { return 0.5 + kInner * (static_cast<double>(i) / (kSamples - 1) - 0.5); };
  Normals normals;
  for (int i = 0; i < kSamples; ++i)
    for (int j = 0; j < kSamples; ++j)
      normals[i][j] =
          surface.closest_facing(bilinear(mesh, q, at(i), at(j)), {&n, 1}, 0, std::sqrt(area.norm())).normal;
  return normals;
}

// Whether two of the directions differ by more than the angle of a crease.
bool part(std::array<Vec3, 4> means) {
  for (Vec3& mean : means) mean.normalize();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      if (means[i].norm() > 0 && means[j].norm() > 0 && means[i].dot(means[j]) < kStraddleCosine) return true;
  return false;
}

bool straddles(const QuadMesh& mesh, const Quad& q, const ReferenceSurface& surface) {
  const Normals n = normals_below(mesh, q, surface);
  std::array<Vec3, 4> rows, columns;
  for (int i = 0; i < kSamples; ++i) {
    rows[i] = columns[i] = Vec3::Zero();
    for (int j = 0; j < kSamples; ++j) {
      rows[i] += n[i][j];
      columns[i] += n[j][i];
    }
  }
  const std::array<Vec3, 4> corners = {n[0][0] + n[0][1] + n[1][0], n[0][3] + n[0][2] + n[1][3],
                                       n[3][3] + n[3][2] + n[2][3], n[3][0] + n[3][1] + n[2][0]};
  return part(rows) || part(columns) || part(corners);
}

QuadFigures measure_quad(const QuadMesh& mesh, const Quad& q, const ReferenceSurface& surface) {
  QuadFigures figures;
  figures.normal_error = normal_error(mesh, q, surface);
  figures.straddles = straddles(mesh, q, surface);
  return figures;
}

void measure_surface(const QuadMesh& mesh, const ReferenceSurface& surface, QuadQuality& quality) {
  std::vector<QuadFigures> figures(mesh.quads.size());
  parallel_for(
      static_cast<std::int64_t>(figures.size()), 0,
      [&](std::int64_t f, int) { figures[f] = measure_quad(mesh, mesh.quads[f], surface); }, 64);
  std::vector<double> errors;
  std::size_t straddling = 0;
  for (const QuadFigures& f : figures) {
    errors.push_back(f.normal_error);
    straddling += f.straddles;
    quality.normal_error_mean += f.normal_error / static_cast<double>(figures.size());
  }
  const auto p95 = errors.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(errors.size()));
  std::nth_element(errors.begin(), p95, errors.end());
  quality.normal_error_p95 = *p95;
  quality.straddling_percent = 100.0 * static_cast<double>(straddling) / static_cast<double>(figures.size());
}

void measure_shape(const QuadMesh& mesh, QuadQuality& quality) {
  std::unordered_map<std::uint64_t, int> edges;  // undirected: faces on one side + 16 faces on the other
  double angles = 0, sum = 0, sum2 = 0;
  std::size_t count = 0;
  for (const Quad& q : mesh.quads)
    for (int k = 0; k < 4; ++k) {
      const std::int32_t a = q[k], b = q[(k + 1) % 4];
      const Vec3 &at = mesh.vertices[a], &next = mesh.vertices[b], &before = mesh.vertices[q[(k + 3) % 4]];
      const double off = angle(next - at, before - at) - 90;
      angles += off * off;
      const auto key =
          static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint32_t>(std::max(a, b));
      int& sides = edges[key];
      if (sides == 0) {
        const double length = (next - at).norm();
        sum += length;
        sum2 += length * length;
        ++count;
      }
      sides += a < b ? 1 : 16;
    }
  quality.angle_deviation = std::sqrt(angles / static_cast<double>(4 * mesh.quads.size()));
  quality.mean_edge = sum / static_cast<double>(count);
  quality.edge_variation =
      std::sqrt(std::max(0.0, sum2 / static_cast<double>(count) - quality.mean_edge * quality.mean_edge)) /
      quality.mean_edge;
  quality.bad_edges = static_cast<std::size_t>(
      std::count_if(edges.begin(), edges.end(), [](const auto& e) { return e.second != 17; }));
  std::size_t irregular = 0, used = 0;
  for (const std::int32_t v : valences(mesh)) {
    used += v > 0;
    irregular += v > 0 && v != 4;
  }
  quality.vertices = used;
  quality.irregular_percent = 100.0 * static_cast<double>(irregular) / static_cast<double>(used);
}

}  // namespace

double normal_error(const QuadMesh& mesh, const Quad& q, const ReferenceSurface& surface) {
  const Vec3 area = vector_area(mesh, q), n = area.normalized(), c = centre(mesh, q);
  const FootPoint any = surface.closest(c);
  if (any.normal.dot(n) > 0) return angle(n, any.normal);
  const FootPoint same =
      surface.closest_facing(c, {&n, 1}, 0, any.distance + kNearer * std::sqrt(area.norm()));
  return angle(n, same.triangle < 0 ? any.normal : same.normal);
}

QuadQuality measure(const QuadMesh& mesh, const TriangleMesh& closed, const ReferenceSurface& surface) {
  QuadQuality quality;
  quality.quads = mesh.quads.size();
  if (mesh.quads.empty()) return quality;
  measure_shape(mesh, quality);
  measure_surface(mesh, surface, quality);
  const TriangleMesh triangles = triangulate(mesh);
  const Hausdorff h = hausdorff(closed, triangles, kCertified * surface.diagonal());
  quality.hausdorff_in_out = 100 * h.from_A / surface.diagonal();
  quality.hausdorff_out_in = 100 * h.from_B / surface.diagonal();
  TangleFinder finder(surface, TangleRule::kStrict);
  finder.find(mesh);
  quality.flips = finder.tangles().flips;
  quality.self_intersections = finder.tangles().crossings;
  return quality;
}

std::map<std::string, double> measures_of(const QuadQuality& q, const std::string& prefix) {
  return {{prefix + "quads", static_cast<double>(q.quads)},
          {prefix + "vertices", static_cast<double>(q.vertices)},
          {prefix + "irregular_percent", q.irregular_percent},
          {prefix + "angle_deviation_degrees", q.angle_deviation},
          {prefix + "edge_variation", q.edge_variation},
          {prefix + "mean_edge_m", q.mean_edge},
          {prefix + "hausdorff_in_out_percent", q.hausdorff_in_out},
          {prefix + "hausdorff_out_in_percent", q.hausdorff_out_in},
          {prefix + "normal_error_mean_degrees", q.normal_error_mean},
          {prefix + "normal_error_p95_degrees", q.normal_error_p95},
          {prefix + "flips", static_cast<double>(q.flips)},
          {prefix + "straddling_percent", q.straddling_percent},
          {prefix + "bad_edges", static_cast<double>(q.bad_edges)},
          {prefix + "self_intersections", static_cast<double>(q.self_intersections)}};
}

}  // namespace abut::preprocess
