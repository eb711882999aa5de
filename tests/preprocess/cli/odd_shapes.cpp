#include "odd_shapes.h"

#include <random>

#include "command_runner.h"
#include "odd_meshes.h"
#include "tests/support/shapes.h"

namespace abut::test {
namespace {

using Eigen::Vector3d;

// Flat, n x n squares.
TriangleMesh sheet(int n) {
  return parametric(n, n, {false, false, false},
                    [](double u, double v) { return Vector3d(0.2 * u, 0.2 * v, 0); });
}

TriangleMesh scattered(const TriangleMesh& part, int count, double within) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  TriangleMesh mesh;
  for (int i = 0; i < count; ++i) {
    const Vector3d axis(uniform(random), uniform(random), uniform(random)),
        at(uniform(random), uniform(random), uniform(random));
    append(mesh, rotated(part, kTurn * uniform(random), axis), within * at);
  }
  return mesh;
}

TriangleMesh grid_of(const TriangleMesh& part, int n, double step) {
  TriangleMesh mesh;
  for (int i = 0; i < n * n * n; ++i) append(mesh, part, step * Vector3d(i / n / n, i / n % n, i % n));
  return mesh;
}

TriangleMesh flap_and_hole() {
  TriangleMesh mesh = sphere(0.05, 3);
  const auto [a, b, c] = mesh.triangles[0];
  const auto tip = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.emplace_back(4 * mesh.vertices[a]);
  mesh.triangles.insert(mesh.triangles.end(), {{a, b, tip}, {b, a, tip}});
  mesh.triangles.erase(mesh.triangles.begin() + 200);
  return mesh;
}

// Every twelfth face is missing, by chance.
TriangleMesh moth_eaten(const TriangleMesh& whole) {
  std::mt19937 random(3);
  return part_of(whole, [&](std::size_t) { return random() % 12 != 0; });
}

void add_solids(std::vector<OddShape>& shapes) {
  const TriangleMesh ball = sphere(0.05, 3);
  shapes.push_back({"menger_2", menger_sponge(2)});
  shapes.push_back({"knot_through_itself", knot(300, 12, 0.03)});
  shapes.push_back({"thin_spiral_open", spiral(10, 500, 8, 0.0005)});
  shapes.push_back({"inside_out", turned_over(ball)});
  shapes.push_back({"flap_and_hole", flap_and_hole(), false, true});
}

void add_open(std::vector<OddShape>& shapes) {
  shapes.push_back({"one_triangle", {{{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}}, {{0, 1, 2}}}, false, true});
  shapes.push_back(
      {"two_triangles", {{{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}, {{0, 1, 2}, {0, 1, 3}}}});
  shapes.push_back({"klein_bottle", klein_bottle(80, 40)});
  shapes.push_back({"klein_eight", klein_eight(80, 40)});
  shapes.push_back({"moth_eaten_torus", moth_eaten(torus(0.1, 0.004, 250, 20))});
  shapes.push_back({"roman_surface", roman_surface(), false, true});
  shapes.push_back({"sheet_flat", sheet(20), false, true});
}

void add_parts(std::vector<OddShape>& shapes) {
  const TriangleMesh cube = box(0.01, 0.01, 0.01);
  const TriangleMesh open = part_of(cube, [](std::size_t f) { return f > 1; });
  for (const bool keep_all : {false, true}) {
    const std::string how = keep_all ? "_all" : "";
    shapes.push_back({"729_cubes" + how, grid_of(cube, 9, 0.02), keep_all});
    shapes.push_back({"60_open_boxes" + how, scattered(open, 60, 0.02), keep_all});
  }
}

void add_sizes(std::vector<OddShape>& shapes) {
  const TriangleMesh ball = sphere(0.05, 3), ring = torus(1, 0.4, 40, 20);
  shapes.push_back({"offset_1e12", shifted(ball, {1e12, 0, 1e12})});
  shapes.push_back({"offset_1e300", shifted(ball, {1e300, 0, 0}), false, true});
  shapes.push_back({"size_1e_12", scaled(ring, 1e-12, 1e-12, 1e-12), false, true});
  shapes.push_back({"size_1e15", scaled(ring, 1e15, 1e15, 1e15), false, true});
  shapes.push_back({"size_1e300", scaled(ring, 1e300, 1e300, 1e300), false, true});
}

}  // namespace

const std::vector<OddShape>& odd_shapes() {
  static const std::vector<OddShape> shapes = [] {
    std::vector<OddShape> made;
    for (const auto add : {add_solids, add_open, add_parts, add_sizes}) add(made);
    return made;
  }();
  return shapes;
}

}  // namespace abut::test
