#include "benchmarks/paper/diffcollision2026_optimisation/problems.h"

#include <algorithm>
#include <cmath>

#include "benchmarks/support/data.h"
#include "datasets/dataset.h"
#include "preprocess/index/index.h"
#include "preprocess/mesh/close.h"
#include "preprocess/mesh/read.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_pair.h"
#include "runtime/proximity/distance_model.h"

namespace abut::benchmarks {
namespace {

constexpr double kTurn = 6.283185307179586476925;  // rad

// Of a surface: a vertex, or a point uniform on it.
Target draw_target(const asset::SurfaceView& surface, bool vertex, Random& random) {
  const auto corner = [&](std::int32_t v) { return Vec3<double>(surface.vertices + std::ptrdiff_t(3) * v); };
  if (vertex) {
    const auto v = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(surface.vertex_count)));
    return {corner(v), Vec3<double>(surface.vertex_normals + std::ptrdiff_t(3) * v).normalized()};
  }
  std::vector<double> area;
  double total = 0;
  const auto side = [&](std::int32_t t, int k) -> Vec3<double> {
    const std::int32_t* const of = surface.triangles + std::ptrdiff_t(3) * t;
    return corner(of[k]) - corner(of[0]);
  };
  for (std::int32_t t = 0; t < surface.triangle_count; ++t)
    area.push_back(total += side(t, 1).cross(side(t, 2)).norm());
  const auto at = std::upper_bound(area.begin(), area.end(), random.uniform() * total) - area.begin();
  const auto t = std::min(static_cast<std::int32_t>(at), surface.triangle_count - 1);
  double u = random.uniform(), v = random.uniform();
  if (u + v > 1) u = 1 - u, v = 1 - v;
  return {corner(surface.triangles[std::ptrdiff_t(3) * t]) + u * side(t, 1) + v * side(t, 2),
          side(t, 1).cross(side(t, 2)).normalized()};
}

using Points = std::vector<Vec3<double>>;

Points vertices_of(const asset::ConvexPiece& piece) {
  const asset::ConvexView view = asset::view(piece);
  Points points;
  for (std::int32_t v = 0; v < view.vertex_count; ++v) points.emplace_back(view.x[v], view.y[v], view.z[v]);
  return points;
}

void add_triangles(const asset::ConvexPiece& piece, preprocess::TriangleMesh& mesh) {
  const auto first = static_cast<std::int32_t>(mesh.vertices.size());
  const asset::ConvexView view = asset::view(piece);
  const Points points = vertices_of(piece);
  mesh.vertices.insert(mesh.vertices.end(), points.begin(), points.end());
  for (std::int32_t t = 0; t < view.triangle_count; ++t) {
    const std::int32_t* const of = view.triangles + std::ptrdiff_t(3) * t;
    mesh.triangles.push_back({first + of[0], first + of[1], first + of[2]});
  }
}

body::Body scaled_body(const ScannedObject& object, double extent, Shape shape) {
  preprocess::TriangleMesh scaled = object.mesh;
  Vec3<double> low = scaled.vertices[0], high = low;
  for (const Vec3<double>& v : scaled.vertices) low = low.cwiseMin(v), high = high.cwiseMax(v);
  const auto scale = [&](Points& points) {
    for (Vec3<double>& v : points) v = (v - (low + high) / 2) * (extent / (high - low).maxCoeff());
  };
  scale(scaled.vertices);
  asset::Asset asset;
  asset.convex.push_back(preprocess::build_convex_piece(scaled.vertices));
  if (shape != Shape::kSurface) scaled = {};
  if (shape == Shape::kHull) add_triangles(asset.convex.front(), scaled);
  if (shape == Shape::kPieces) {
    std::vector<Points> points;
    for (const asset::ConvexPiece& piece : object.pieces) scale(points.emplace_back(vertices_of(piece)));
    preprocess::ConvexPieces made = preprocess::build_pieces(points, 0, 0);
    for (asset::ConvexPiece& piece : made.convex) {
      add_triangles(piece, scaled);
      asset.convex.push_back(std::move(piece));
    }
    asset.pieces.push_back(std::move(made.pieces));
  }
  asset.surfaces.push_back(preprocess::build_surface(scaled));
  return {body::Geometry(std::move(asset)), {}};
}

}  // namespace

std::vector<ScannedObject> read_objects(const std::string& folder, bool pieces) {
  std::vector<ScannedObject> objects;
  for (const datasets::ObjectSource& source : datasets::open_dataset(objects_folder(folder), {}).objects) {
    preprocess::Report report;
    const auto mesh = preprocess::read_mesh(source.file, 1, report);
    ScannedObject& object = objects.emplace_back(
        ScannedObject{source.name, preprocess::close_surface(mesh, {}, report).surface, {}});
    if (!pieces) continue;
    Vec3<double> low = object.mesh.vertices[0], high = low;
    for (const Vec3<double>& v : object.mesh.vertices) low = low.cwiseMin(v), high = high.cwiseMax(v);
    const asset::Surface surface = preprocess::build_surface(object.mesh);
    object.pieces = preprocess::make_pieces(object.mesh, asset::view(surface),
                                            {.kind = preprocess::PieceParameters::Kind::kCount,
                                             .count = 32,
                                             .error = 0.01 * (high - low).maxCoeff()},
                                            report, [](const std::string&) {})
                        .convex;
  }
  return objects;
}

ScaledPair draw_pair(const std::vector<ScannedObject>& objects, Shape shape, std::uint64_t seed,
                     std::uint64_t index) {
  constexpr double kLeast = 0.02, kMax = 0.2;  // m
  Random random(seed, index);
  const ScannedObject &A = objects[random.below(objects.size())], &B = objects[random.below(objects.size())];
  const double a = random.uniform(kLeast, kMax), b = random.uniform(kLeast, kMax);
  return {A.name + " " + B.name, shape, scaled_body(A, a, shape), scaled_body(B, b, shape)};
}

std::vector<TargetProblem> draw_problems(const ScaledPair& pair, int count, std::uint64_t seed,
                                         std::uint64_t index) {
  constexpr int kDraws = 100;
  const auto model = proximity::make_distance_model(pair.shape == Shape::kPieces ? "pieces" : "surface");
  const asset::SurfaceView A = pair.A.geometry.surface(), B = pair.B.geometry.surface();
  std::vector<TargetProblem> problems;
  Random random(seed + 1, index);
  for (int draw = 0; draw < kDraws * count && static_cast<int>(problems.size()) < count; ++draw) {
    const std::size_t kind = problems.size() % 3;
    const Target a = draw_target(A, kind != 1, random), b = draw_target(B, kind != 0, random);
    Pose<double> X;
    X.R = exp_rotation<double>(random.uniform(0, kTurn) * a.n) *
          Eigen::Quaterniond::FromTwoVectors(b.n, -a.n).toRotationMatrix();
    X.p = a.point + kMargin * a.n - X.R * b.point;
    if (pair.shape != Shape::kPieces && !(distance::nearest_triangles(A, B, X).pair.distance2 > 0))
      continue;  // sooner told than a depth
    const witness::Witness<double> placed = model->separation({&pair.A, &pair.B, X});
    if (!(placed.distance > 0)) continue;
    Pose<double> start;
    const double w = random.normal(), x = random.normal(), y = random.normal(), z = random.normal();
    start.R = rotation_from_quaternion(w, x, y, z);
    for (int k = 0; k < 3; ++k) start.p[k] = 0.1 * random.normal();
    problems.push_back({{pair.A, pair.B, a.point, b.point, start}, a.n, b.n, false});
    problems.back().solvable = loss(problems.back().problem, X, placed) < kSolved;
  }
  return problems;
}

Residual residual(const derivative::ContactPoseProblem& problem, const Pose<double>& X_AB,
                  const witness::Witness<double>& w) {
  Residual r;
  r << w.p1 - problem.target_A, X_AB.R.transpose() * (w.p2 - X_AB.p) - problem.target_B, w.distance - kMargin;
  return r;
}

ResidualJacobian residual_jacobian(const Pose<double>& X_AB, const witness::Witness<double>& w,
                                   const derivative::WitnessDerivative<double>& d) {
  Mat36<double> held;  // of p2's place in B while p2 stands still in A
  held << skew<double>(X_AB.R.transpose() * (w.p2 - X_AB.p)), -Mat3<double>::Identity();
  ResidualJacobian J;
  J << d.dp1_A_dxi_B, X_AB.R.transpose() * d.dp2_A_dxi_B + held, d.dd_dxi_B;
  return J;
}

}  // namespace abut::benchmarks
