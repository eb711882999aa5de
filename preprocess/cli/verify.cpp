#include "preprocess/cli/verify.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "preprocess/cli/verify_geometry.h"
#include "preprocess/cli/verify_grid.h"
#include "preprocess/cli/verify_pieces.h"
#include "preprocess/cli/verify_points.h"
#include "preprocess/cli/verify_spheres.h"
#include "preprocess/cli/verify_volume.h"
#include "preprocess/index/index.h"
#include "preprocess/mesh/simplify.h"
#include "runtime/asset/schema.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/witness/direction_cell.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

// Tolerances relative to the object's size. Normals and mass are recomputed in another order and differ by
// rounding.
constexpr double kNormalTolerance = 1e-6, kMassTolerance = 1e-9, kSupportTolerance = 1e-12;
// Allowed distance between a hull corner and the surface in addition to the recorded displacement by repair,
// which is known to less than this.
constexpr double kHullTolerance = 1e-3;
// Limit of the displacements recorded in an asset, which may be wrong; larger ones are not trusted, % of the
// diagonal.
constexpr double kMaxMoved = 10;

Vector3d vertex(const asset::SurfaceView& s, std::int32_t i) { return Vector3d::Map(s.vertices + 3 * i); }
Vector3d vertex(const asset::ConvexView& c, std::int32_t i) { return {c.x[i], c.y[i], c.z[i]}; }

double diagonal(const asset::SurfaceView& s) {
  if (s.vertex_count == 0) return 0;
  const Eigen::Map<const Eigen::Matrix3Xd> all(s.vertices, 3, s.vertex_count);
  return (all.rowwise().maxCoeff() - all.rowwise().minCoeff()).norm();
}

// A directed edge of a triangle, sortable.
using Edge = std::array<std::int32_t, 3>;  // from, to, triangle

std::vector<Edge> directed_edges(const std::int32_t* triangles, std::int32_t count) {
  std::vector<Edge> edges;
  for (std::int32_t t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) edges.push_back({triangles[3 * t + k], triangles[3 * t + (k + 1) % 3], t});
  std::sort(edges.begin(), edges.end());
  return edges;
}

using Vector = Eigen::Matrix<long double, 3, 1>;

// A number for every vertex, equal for vertices at the same position.
std::vector<std::size_t> positions(const asset::SurfaceView& s) {
  std::vector<std::size_t> order(static_cast<std::size_t>(s.vertex_count)), position(order.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    return std::array{s.vertices[3 * i], s.vertices[3 * i + 1], s.vertices[3 * i + 2]};
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < order.size(); ++i)
    position[order[i]] = i > 0 && key(order[i]) == key(order[i - 1]) ? position[order[i - 1]] : i;
  return position;
}

class Verifier {
 public:
  explicit Verifier(std::vector<std::string>& problems) : problems_(problems) {}

  void enter(std::string part) { part_ = std::move(part); }
  bool any() const { return !problems_.empty(); }
  void problem(const std::string& what) const { problems_.push_back(part_ + ": " + what); }
  void problems(const std::vector<std::string>& list) const {
    for (const std::string& what : list) problem(what);
  }

  // Checks neighbours by sorted edges: across (a, b) lies the triangle that has (b, a).
  void neighbours(const asset::SurfaceView& s) const {
    const std::vector<Edge> edges = directed_edges(s.triangles, s.triangle_count);
    for (const auto& [a, b, t] : edges) {
      const auto found = std::lower_bound(edges.begin(), edges.end(), Edge{b, a, 0});
      const bool exists = found != edges.end() && (*found)[0] == b && (*found)[1] == a;
      for (int k = 0; k < 3; ++k)
        if (s.triangles[3 * t + k] == a && (!exists || s.neighbours[3 * t + k] != (*found)[2]))
          return problem(fmt::format("neighbours: triangle {}, edge {} is wrong", t, k));
    }
  }

  // Checks normals against the angle-weighted sum over all triangles around a position, in extended
  // precision.
  void normals(const asset::SurfaceView& s) const {
    const std::vector<std::size_t> position = positions(s);
    std::vector<Vector> sums(position.size(), Vector::Zero());
    std::vector<double> noise(position.size(), 0);
    for (std::int32_t t = 0; t < s.triangle_count; ++t) {
      for (int k = 0; k < 3; ++k) {
        const std::int32_t i = s.triangles[3 * t + k];
        const Vector a = vertex(s, i).cast<long double>();
        const Vector u = vertex(s, s.triangles[3 * t + (k + 1) % 3]).cast<long double>() - a;
        const Vector v = vertex(s, s.triangles[3 * t + (k + 2) % 3]).cast<long double>() - a;
        const Vector area = u.cross(v);
        if (!(area.norm() > 0)) continue;
        const long double angle = std::atan2(area.norm(), u.dot(v));
        const std::size_t place = position[static_cast<std::size_t>(i)];
        sums[place] += angle * area.normalized();
        noise[place] += static_cast<double>(1e-15L * angle * u.norm() * v.norm() / area.norm());
      }
    }
    for (std::int32_t i = 0; i < s.vertex_count; ++i) {
      const std::size_t place = position[static_cast<std::size_t>(i)];
      const auto length = static_cast<double>(sums[place].norm());
      const Vector3d stored = Vector3d::Map(s.vertex_normals + 3 * i);
      // The angle by which rounding in double precision may turn the normal: large where a triangle is nearly
      // collinear.
      const double tolerance = kNormalTolerance + noise[place] / length;
      const bool wrong =
          tolerance < 1 && !((sums[place].normalized().cast<double>() - stored).norm() <= tolerance);
      if (wrong || !(std::abs(stored.norm() - 1) <= kNormalTolerance))
        return problem(fmt::format("vertex_normals: vertex {} has the wrong normal", i));
    }
  }

  void adjacency(const asset::ConvexPiece& piece) const {
    const asset::ConvexView c = asset::view(piece);
    std::vector<Edge> edges = directed_edges(c.triangles, c.triangle_count);
    std::size_t at = 0;
    for (std::int32_t i = 0; i < c.vertex_count; ++i) {
      for (std::int32_t k = c.adjacency_offsets[i]; k < c.adjacency_offsets[i + 1]; ++k, ++at)
        if (at >= edges.size() || edges[at][0] != i || edges[at][1] != c.adjacency[k])
          return problem(fmt::format("adjacency: the row of vertex {} does not match the triangles", i));
    }
    if (at != edges.size()) problem("adjacency: edges are missing");
  }

  // Checks the lookup: on a convex polytope a vertex that no neighbour exceeds in a direction is a support
  // point.
  void lookup(const asset::ConvexView& c, double size) const {
    const std::int32_t k = c.lookup_resolution;
    if (k < 1) return problem("support_lookup: is empty");
    for (std::int32_t cell = 0; cell < 6 * k * k; ++cell) {
      const Vector3d d = witness::cell_direction<double>(cell, k);
      const std::int32_t i = c.support_lookup[cell];
      for (std::int32_t j = c.adjacency_offsets[i]; j < c.adjacency_offsets[i + 1]; ++j)
        if (d.dot(vertex(c, c.adjacency[j]) - vertex(c, i)) > kSupportTolerance * size)
          return problem(fmt::format("support_lookup: cell {} holds a vertex that is not the support", cell));
      if (c.candidate_offsets != nullptr && c.candidates[c.candidate_offsets[cell]] != i)
        return problem(fmt::format("candidates: row {} does not begin with the cell's support vertex", cell));
    }
    if (c.candidate_offsets == nullptr) return;
    candidates(c, size);
    rows(c, size);
  }

  // Checks that every row has all vertices that support a direction of its cell. These are connected, so that
  // one which is missing would leave a neighbour of a vertex of the row.
  void rows(const asset::ConvexView& c, double size) const {
    const std::int32_t k = c.lookup_resolution;
    std::vector<std::int32_t> met(static_cast<std::size_t>(c.vertex_count), -1);  // last cell that met it
    for (std::int32_t cell = 0; cell < 6 * k * k; ++cell) {
      const std::span<const std::int32_t> row(c.candidates + c.candidate_offsets[cell],
                                              c.candidates + c.candidate_offsets[cell + 1]);
      for (const std::int32_t i : row) met[static_cast<std::size_t>(i)] = cell;
      for (const std::int32_t i : row) {
        for (std::int32_t j = c.adjacency_offsets[i]; j < c.adjacency_offsets[i + 1]; ++j) {
          const std::int32_t w = c.adjacency[j];
          if (std::exchange(met[static_cast<std::size_t>(w)], cell) == cell) continue;
          if (supports_in_cell(c, w, cell, -kSupportTolerance * size))
            return problem(fmt::format("candidates: row {} lacks vertex {}, a support of its cell", cell, w));
        }
      }
    }
  }

  // Checks for directions anywhere in the cells that the best vertex of a row is the support.
  void candidates(const asset::ConvexView& c, double size) const {
    constexpr int kDirections = 4000;
    Random random(1);
    for (int n = 0; n < kDirections; ++n) {
      const Vector3d d = Vector3d(random.normal(), random.normal(), random.normal()).normalized();
      const std::int32_t cell = witness::direction_cell<double>(d, c.lookup_resolution);
      const auto higher = [&](std::int32_t i, std::int32_t j) {
        return d.dot(vertex(c, i)) < d.dot(vertex(c, j));
      };
      const std::int32_t best = *std::max_element(c.candidates + c.candidate_offsets[cell],
                                                  c.candidates + c.candidate_offsets[cell + 1], higher);
      for (std::int32_t j = c.adjacency_offsets[best]; j < c.adjacency_offsets[best + 1]; ++j)
        if (d.dot(vertex(c, c.adjacency[j]) - vertex(c, best)) > kSupportTolerance * size)
          return problem(fmt::format("candidates: row {} lacks a support vertex of its cell", cell));
    }
  }

 private:
  std::vector<std::string>& problems_;
  std::string part_;
};

// Volume, area, first and second moments about `o` by the divergence theorem: the integral of f over the
// solid is that of n_a F over the surface, where dF/dx_a = f. Uses the quadrature at edge midpoints and
// corners that is exact for cubics.
struct Moments {
  long double volume = 0, area = 0;
  Vector first = Vector::Zero();
  Eigen::Matrix<long double, 3, 3> second = Eigen::Matrix<long double, 3, 3>::Zero();
};

Moments integrate(const asset::SurfaceView& s, const Vector3d& o) {
  Moments m;
  for (std::int32_t t = 0; t < s.triangle_count; ++t) {
    std::array<Vector, 3> p;
    for (std::size_t k = 0; k < 3; ++k)
      p[k] = (vertex(s, s.triangles[3 * t + static_cast<int>(k)]) - o).cast<long double>();
    const Vector n = (p[1] - p[0]).cross(p[2] - p[0]) / 2;
    m.area += n.norm();
    const auto at = [&](const Vector& x, long double weight) {
      m.volume += weight * n.dot(x) / 3;
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3;
        m.first[a] += weight * n[a] * x[a] * x[a] / 2;
        m.second(a, a) += weight * n[a] * x[a] * x[a] * x[a] / 3;
        m.second(a, b) += weight * n[a] * x[a] * x[a] * x[b] / 2;
      }
    };
    for (std::size_t k = 0; k < 3; ++k) {
      at(p[k], 1.0L / 20);
      at((p[k] + p[(k + 1) % 3]) / 2, 2.0L / 15);
    }
    at((p[0] + p[1] + p[2]) / 3, 9.0L / 20);
  }
  for (int a = 0; a < 3; ++a) m.second((a + 1) % 3, a) = m.second(a, (a + 1) % 3);
  return m;
}

void verify_mass(const asset::Asset& asset, const asset::SurfaceView& s, double size,
                 const Verifier& verifier) {
  const Vector3d center = Vector3d::Map(asset.mass.center_of_mass);
  const Moments m = integrate(s, center);
  const auto check = [&](const char* what, double stored, long double computed, long double scale) {
    if (!(std::abs(stored - static_cast<double>(computed)) <= kMassTolerance * scale))
      verifier.problem(
          fmt::format("{} is {:.17g}, computed anew {:.17g}", what, stored, static_cast<double>(computed)));
  };
  const double volume = static_cast<double>(m.volume);
  if (!(volume > 0)) return verifier.problem(fmt::format("the volume is {:g} m^3", volume));
  check("volume", asset.mass.volume, m.volume, m.area * size);
  check("area", asset.mass.area, m.area, asset.mass.area);
  for (int a = 0; a < 3; ++a)
    check("center_of_mass", 0, m.first[a] / m.volume, m.area * size / m.volume * size);
  const Eigen::Matrix<long double, 3, 3> inertia =
      m.second.trace() * Eigen::Matrix<long double, 3, 3>::Identity() - m.second;
  for (int a = 0; a < 9; ++a)
    check("inertia", asset.mass.inertia[a], inertia(a / 3, a % 3), m.area * size * size * size);
}

// A displacement recorded in the asset, m, at most `most` (% of the size); `otherwise` (% of the size) if it
// is not recorded.
double recorded_distance(const asset::Provenance& provenance, const std::string& measure, double otherwise,
                         double size, double most = kMaxMoved) {
  const auto recorded = provenance.measures.find(measure);
  const double percent = recorded == provenance.measures.end() ? otherwise : recorded->second;
  return percent >= 0 ? std::min(percent, most) / 100 * size : 0;
}

void verify_hull(const asset::Asset& asset, const asset::AssetView& view, double size, Verifier& verifier) {
  for (std::size_t i = 0; i < asset.convex.size(); ++i) {
    const asset::ConvexView c = asset::view(asset.convex[i]);
    verifier.enter(fmt::format("convex/{}", i));
    verifier.problems(convexity_problems(c));
    verifier.adjacency(asset.convex[i]);
    verifier.lookup(c, size);
  }
  if (verifier.any()) return;
  verifier.enter("convex/0");
  if (asset.convex.size() > 1 && asset.pieces.empty())
    return verifier.problem(
        fmt::format("is one of {} convex parts, and no pieces say of what", asset.convex.size()));
  const double moved = recorded_distance(asset.provenance, "hausdorff_to_input_percent", 0, size);
  const double limit = 1e-9 * size + moved;
  const double out = protrusion(view.surface, view.convex);
  if (!(out <= limit))
    verifier.problem(
        fmt::format("the surface sticks out of it by {:.3g} m, more than the repair moved it", out));
  const asset::ConvexView& hull = view.convex;
  for (std::int32_t i = 0; i < hull.vertex_count; ++i) {
    const double away = std::abs(distance::signed_distance<double>(view.surface, vertex(hull, i)).distance);
    if (!(away <= moved + kHullTolerance * size))
      return verifier.problem(fmt::format(
          "vertex {} is {:.3g} m from the surface, more than the repair moved it: not its hull", i, away));
  }
}

void verify_volumes(const asset::Asset& asset, const asset::SurfaceView& surface, double size,
                    Verifier& verifier) {
  const auto& parameters = asset.provenance.parameters;
  const auto says = [&](const char* name, const char* value) {
    const auto found = parameters.find(name);
    return found != parameters.end() && found->second == value;
  };
  for (std::size_t i = 0; i < asset.volumes.size(); ++i) {
    verifier.enter(fmt::format("volume/{}", i));
    verifier.problems(
        volume_problems(asset::view(asset.volumes[i]),
                        {surface,
                         recorded_distance(asset.provenance, fmt::format("volume{}_hausdorff_percent", i),
                                           SimplifyParameters{}.max_hausdorff_percent, size),
                         says("volume.fill_voids", "true"), says("volume.field", "laplace")}));
  }
}

}  // namespace

std::vector<std::string> verify(const asset::Asset& asset) {
  std::vector<std::string> problems;
  Verifier verifier(problems);
  try {
    asset::check(asset, asset.name);
  } catch (const BadAsset& error) {
    problems.emplace_back(error.what());
    return problems;
  }
  const asset::AssetView view = asset::view(asset);
  const double size = diagonal(view.surface);
  for (std::size_t i = 0; i < asset.surfaces.size(); ++i) {
    const asset::SurfaceView s = asset::view(asset.surfaces[i]);
    verifier.enter(fmt::format("surface/{}", i));
    verifier.problems(solid_problems(s));
    verifier.neighbours(s);
    verifier.normals(s);
  }
  for (std::size_t i = 0; i < asset.points.size(); ++i) {
    verifier.enter(fmt::format("points/{}", i));
    const asset::PointsView points = asset::view(asset.points[i]);
    const auto recorded = [&](const char* direction, double most) {
      return recorded_distance(asset.provenance, fmt::format("points{}_hausdorff_{}_percent", i, direction),
                               kMaxMoved, size, most) +
             kHullTolerance * size;
    };
    // Quads may leave out thin parts of any size, of which abut-preprocess warns.
    verifier.problems(point_problems(
        points, asset.points[i].spacing,
        {view.surface, size, recorded("out_in", kMaxMoved) + points.spacing / 2, recorded("in_out", 100)}));
  }
  verifier.enter("asset");
  if (asset.surfaces.empty()) verifier.problem("has no surface");
  if (asset.convex.empty()) verifier.problem("has no convex hull");
  if (!problems.empty()) return problems;
  verify_hull(asset, view, size, verifier);
  verifier.enter("mass");
  verify_mass(asset, view.surface, size, verifier);
  verify_volumes(asset, view.surface, size, verifier);
  for (std::size_t i = 0; i < asset.grids.size(); ++i) {
    verifier.enter(fmt::format("grid/{}", i));
    verifier.problems(grid_problems(asset::view(asset.grids[i]), view.surface));
  }
  if (!asset.pieces.empty()) {
    verifier.enter("pieces/0");
    verifier.problems(piece_problems(asset));
  }
  if (!asset.spheres.empty()) {
    verifier.enter("spheres/0");
    verifier.problems(sphere_problems(asset));
  }
  return problems;
}

}  // namespace abut::preprocess
