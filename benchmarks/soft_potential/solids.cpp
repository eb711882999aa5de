#include "benchmarks/soft_potential/solids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "benchmarks/support/data.h"
#include "preprocess/mesh/write.h"
#include "runtime/contact/soft_potential.h"
#include "runtime/distance/surface_distance.h"

namespace abut::soft_potential_scenes {

namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

Eigen::Vector2d on_circle(double radius, int i, int sides) {
  const double angle = kTwoPi * i / sides;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

using Polygon = std::vector<Vec3<double>>;

struct Plane {
  Vec3<double> normal;  // outward
  double offset;        // m
};

// Of its faces, in the frame into which X takes it.
std::vector<Plane> planes(const Solid& solid, const Pose<double>& X) {
  std::vector<Plane> result;
  for (const std::vector<int>& face : solid.faces) {
    const auto corner = [&](int k) -> const Vec3<double>& {
      return solid.vertices[static_cast<std::size_t>(face[static_cast<std::size_t>(k)])];
    };
    const Vec3<double> n = X.R * (corner(1) - corner(0)).cross(corner(2) - corner(1)).normalized();
    result.push_back({n, n.dot(X * corner(0))});
  }
  return result;
}

// The part of a convex polygon behind a plane [Sutherland and Hodgman 1974].
void clip(Polygon& polygon, const Plane& plane, Polygon& scratch) {
  scratch.clear();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3<double>&a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double at_a = plane.normal.dot(a) - plane.offset, at_b = plane.normal.dot(b) - plane.offset;
    if (at_a <= 0) scratch.push_back(a);
    if ((at_a <= 0) != (at_b <= 0)) scratch.push_back(a + at_a / (at_a - at_b) * (b - a));
  }
  polygon.swap(scratch);
}

Vec3<double> vector_area(const Polygon& polygon) {
  Vec3<double> sum = Vec3<double>::Zero();
  for (std::size_t i = 2; i < polygon.size(); ++i)
    sum += (polygon[i - 1] - polygon[0]).cross(polygon[i] - polygon[0]) / 2;
  return sum;
}

}  // namespace

Solid prism(const std::vector<Eigen::Vector2d>& outline, double half_length) {
  Solid solid;
  const int n = static_cast<int>(outline.size());
  for (const double z : {-half_length, half_length})
    for (const Eigen::Vector2d& p : outline) solid.vertices.emplace_back(p.x(), p.y(), z);
  std::vector<int> low, high;
  for (int i = 0; i < n; ++i) {
    const int next = (i + 1) % n;
    solid.faces.push_back({i, next, n + next, n + i});
    low.push_back(n - 1 - i);
    high.push_back(n + i);
  }
  solid.faces.push_back(low);
  solid.faces.push_back(high);
  return solid;
}

Solid box(const Vec3<double>& half) {
  const double x = half.x(), y = half.y();
  return prism({{-x, -y}, {x, -y}, {x, y}, {-x, y}}, half.z());
}

Solid rod(double radius, double half_length, int sides) {
  std::vector<Eigen::Vector2d> outline;
  for (int i = 0; i < sides; ++i) outline.push_back(on_circle(radius, i, sides));
  return prism(outline, half_length);
}

preprocess::TriangleMesh mesh_of(const Solid& solid) {
  preprocess::TriangleMesh mesh;
  mesh.vertices = solid.vertices;
  for (const std::vector<int>& face : solid.faces)
    for (std::size_t i = 2; i < face.size(); ++i) mesh.triangles.push_back({face[0], face[i - 1], face[i]});
  return mesh;
}

preprocess::TriangleMesh mesh_of(const asset::SurfaceView& surface) {
  preprocess::TriangleMesh mesh;
  for (std::int32_t i = 0; i < surface.vertex_count; ++i)
    mesh.vertices.emplace_back(Vec3<double>::Map(surface.vertices + 3 * i));
  for (std::int32_t t = 0; t < surface.triangle_count; ++t) {
    const std::int32_t* corners = surface.triangles + 3 * t;
    mesh.triangles.push_back({corners[0], corners[1], corners[2]});
  }
  return mesh;
}

preprocess::TriangleMesh tube(double inner, double outer, double half_length, int sides) {
  preprocess::TriangleMesh mesh;
  const std::pair<double, double> section[] = {
      {inner, -half_length}, {outer, -half_length}, {outer, half_length}, {inner, half_length}};
  for (int i = 0; i < sides; ++i)
    for (const auto& [radius, z] : section) {
      const Eigen::Vector2d p = on_circle(radius, i, sides);
      mesh.vertices.emplace_back(p.x(), p.y(), z);
    }
  for (int i = 0; i < sides; ++i)
    for (int k = 0; k < 4; ++k) {
      const int a = 4 * i + k, b = 4 * i + (k + 1) % 4, c = 4 * ((i + 1) % sides) + k,
                d = 4 * ((i + 1) % sides) + (k + 1) % 4;
      mesh.triangles.push_back({a, c, d});
      mesh.triangles.push_back({a, d, b});
    }
  return mesh;
}

body::Body made(const std::string& name, const preprocess::TriangleMesh& mesh, int quads, int tetrahedra) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("abut_scenes_" + name + ".obj");
  preprocess::write_mesh(mesh, file);
  asset::Asset asset = preprocess::make_asset({.name = name, .file = file, .metres_per_unit = 1, .notes = {}},
                                              benchmarks::points_and_grid({quads}, tetrahedra), {});
  std::filesystem::remove(file);
  return {body::Geometry(std::move(asset))};
}

body::Body scanned(const std::string& part, int quads) {
  for (const datasets::ObjectSource& object :
       datasets::open_dataset(benchmarks::objects_folder(), {}).objects)
    if (object.name.find(part) != std::string::npos)
      return {body::Geometry(preprocess::make_asset(object, benchmarks::points_and_grid({quads}), {}))};
  throw InvalidInput("the dataset has no object whose name contains " + part);
}

std::vector<Contender> contenders(const body::Body& A, const body::Body& B) {
  std::vector<Contender> result;
  for (const benchmarks::Law& law : benchmarks::kLaws)
    result.push_back({law.title, std::string_view(law.model) == "soft_potential", law.settings,
                      contact::make_model(law.model, law.settings), &A, &B});
  return result;
}

Contender limit(const body::Body& A, const body::Body& B, const body::Body& fine_A,
                const body::Body& fine_B) {
  const double eps3 =
      contact::SoftPotentialConfig{}.eps3 * finer_spacing(A, B) / finer_spacing(fine_A, fine_B);
  SettingValues settings{{"field", "grid"}, {"eps3", fmt::format("{}", eps3)}};
  auto model = contact::make_model("soft_potential", settings);
  return {fmt::format("soft potential, grid, {} quads", kLimitQuads),
          true,
          std::move(settings),
          std::move(model),
          &fine_A,
          &fine_B};
}

double finer_spacing(const body::Body& A, const body::Body& B) {
  return std::min(A.geometry.points().spacing, B.geometry.points().spacing);
}

Overlap overlap(const asset::SurfaceView& A, const Solid& B, const Pose<double>& X_AB) {
  const std::vector<Plane> faces = planes(B, X_AB);
  Overlap result{Vec3<double>::Zero(), 0};
  double area = 0;
  Polygon polygon, scratch;
  for (std::int32_t t = 0; t < A.triangle_count; ++t) {
    polygon.clear();
    for (int k = 0; k < 3; ++k) polygon.push_back(distance::internal::corner<double>(A, t, k));
    for (const Plane& face : faces) {
      clip(polygon, face, scratch);
      if (polygon.empty()) break;
    }
    const Vec3<double> inside = vector_area(polygon);
    result.push += inside;
    area += inside.norm();
  }
  if (area > 0) result.even = result.push.norm() / area;
  return result;
}

double angle_between(const Vec3<double>& a, const Vec3<double>& b) {
  if (!(a.norm() > 0 && b.norm() > 0)) return 180;
  return 360 / kTwoPi * std::atan2(a.cross(b).norm(), a.dot(b));
}

int Angles::within(double bound) const {
  return static_cast<int>(
      std::count_if(degrees.begin(), degrees.end(), [&](double d) { return d <= bound; }));
}

double Angles::quantile(double share) const {
  std::vector<double> sorted = degrees;
  std::sort(sorted.begin(), sorted.end());
  return sorted.at(static_cast<std::size_t>(share * double(sorted.size() - 1)));
}

}  // namespace abut::soft_potential_scenes
