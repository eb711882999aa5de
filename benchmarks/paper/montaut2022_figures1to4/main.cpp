// Pictures after figures 1 to 4 of [Montaut2022]:
//   montaut2022_figures1to4 [--out DIR]
// 1: witness points at perturbed poses; 2: ring weights of the soft maximum; 3: the poses at which the
// methods end on scanned hulls; 4: the way to contact on rough shapes. Targets are yellow, witness points
// blue.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "benchmarks/paper/montaut2022/hulls.h"
#include "benchmarks/paper/montaut2022/paper_estimators.h"
#include "benchmarks/paper/montaut2022/pose_problems.h"
#include "benchmarks/paper/montaut2022/stage.h"
#include "runtime/core/error.h"
#include "runtime/derivative/gumbel.h"
#include "runtime/derivative/samples.h"
#include "runtime/derivative/zeroth_order.h"
#include "runtime/witness/separation.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using namespace abut::benchmarks;
using preprocess::Camera;
using preprocess::Color;
using preprocess::Image;

constexpr int kPixels = 360;
const Color kA(0.76F, 0.84F, 0.95F), kB(0.93F, 0.84F, 0.76F);
const Color kTarget(1.00F, 0.85F, 0.05F), kWitness(0.10F, 0.30F, 0.95F);

const asset::ConvexView& hull(const body::Body& body) { return body.geometry.convex(); }

const asset::ConvexPiece& hull_of(const std::vector<NamedHull>& hulls, const std::string& name) {
  for (const NamedHull& hull : hulls)
    if (hull.name == name) return hull.piece;
  throw InvalidInput("no object " + name + " in the folder; give the folder of the objects with --objects");
}

std::vector<Vec3<double>> vertices_of(const asset::ConvexView& hull, const Pose<double>& X_WB) {
  std::vector<Vec3<double>> points;
  for (std::int32_t v = 0; v < hull.vertex_count; ++v)
    points.push_back(X_WB * witness::core_vertex<double>(hull, v));
  return points;
}

// Sees A and B, across the direction `along` in which something touches.
Camera camera_across(const Problem& problem, const std::vector<Pose<double>>& poses,
                     const Vec3<double>& along) {
  std::vector<Vec3<double>> points = vertices_of(hull(problem.A), {});
  for (const Pose<double>& X_AB : poses) {
    const std::vector<Vec3<double>> more = vertices_of(hull(problem.B), X_AB);
    points.insert(points.end(), more.begin(), more.end());
  }
  Camera camera = preprocess::camera_for(points);
  camera.radius *= 0.9;  // the corners of a box round everything stay empty
  const Vec3<double> from = camera.toward.normalized();
  camera.toward = from - 0.85 * from.dot(along) * along;
  return camera;
}

Image pose_panel(const Problem& problem, const Pose<double>& X_AB, const Camera& camera,
                 const std::string& caption) {
  const auto w = witness::separation<double>(hull(problem.A), hull(problem.B), X_AB);
  Stage stage(camera, kPixels);
  stage.body(hull(problem.A), {}, kA);
  stage.body(hull(problem.B), X_AB, kB);
  stage.dot(problem.target_A, 0.035, kTarget);
  stage.dot(X_AB * problem.target_B, 0.035, kTarget);
  stage.dot(w.p1, 0.022, kWitness);
  stage.dot(w.p2, 0.022, kWitness);
  char text[96];
  std::snprintf(text, sizeof text, "%s: off by %.2f mm", caption.c_str(),
                1e3 * std::sqrt(2 * derivative::contact_pose_cost(problem, X_AB, w)));
  std::printf("  %s\n", text);
  return stage.image(text);
}

Problem problem_of(const asset::ConvexPiece& a, const asset::ConvexPiece& b, Law law, std::uint64_t index) {
  const body::Body A = test::hull_body(a), B = test::hull_body(b);
  return draw_problem(A, B, law, 1, index);
}

// Witness points at poses drawn as the zeroth-order estimator draws them, each shown on its own body.
Image figure1(const asset::ConvexPiece& a, const asset::ConvexPiece& b) {
  const Problem problem = problem_of(a, b, Law::kContact, 0);
  const Pose<double>& X_AB = problem.start;
  const derivative::ZerothOrderConfig noise;
  const double size = derivative::hull_size(hull(problem.A)) + derivative::hull_size(hull(problem.B));
  const auto w = witness::separation<double>(hull(problem.A), hull(problem.B), X_AB);
  Stage stage(camera_across(problem, {X_AB}, w.n), 2 * kPixels);
  stage.body(hull(problem.A), {}, kA);
  stage.body(hull(problem.B), X_AB, kB);
  for (const Vec6<double>& z : derivative::whitened_samples<6>(1, 0, 25)) {
    Vec6<double> xi;
    xi << noise.angle * z.head<3>(), noise.length * size * z.tail<3>();
    const Pose<double> X = X_AB * exp<double>(xi);
    const auto moved = witness::separation<double>(hull(problem.A), hull(problem.B), X);
    stage.dot(moved.p1, 0.012, kWitness);
    stage.dot(X_AB * (X.R.transpose() * (moved.p2 - X.p)), 0.012, kWitness);
  }
  stage.dot(w.p1, 0.02, kTarget);
  stage.dot(w.p2, 0.02, kTarget);
  return stage.image("yellow: witness points, blue: at 25 perturbed poses");
}

// Weights of the soft maximum at the defaults for 1, 3 and 5 rings: area of a dot proportional to its weight.
Image figure2(const asset::ConvexPiece& a, const asset::ConvexPiece& b) {
  const Problem problem = problem_of(a, b, Law::kContact, 0);
  const asset::ConvexView& hull = problem.A.geometry.convex();
  const auto w = witness::separation<double>(hull, problem.B.geometry.convex(), problem.start);
  const std::span simplex(w.vertex_A, static_cast<std::size_t>(w.simplex_size));
  const Color levels[] = {kTarget, {0.60F, 0.15F, 0.75F}, {0.10F, 0.30F, 0.95F}, {0.15F, 0.80F, 0.85F}};
  derivative::RingWorkspace<double> workspace;
  workspace.heights.reserve(static_cast<std::size_t>(hull.vertex_count));
  std::vector<Image> panels;
  for (const int rings : {1, 3, 5}) {
    std::vector<std::size_t> counts;  // of the vertices within 0, 1, ... rings
    for (int k = 0; k <= rings; ++k) counts.push_back(workspace.walk.gather(hull, simplex, k).size());
    const auto vertices = workspace.walk.gather(hull, simplex, rings);
    const auto range = derivative::measure_heights<double>(hull, vertices, w.n,
                                                           derivative::tangent_basis(w.n), workspace.heights);
    const double mean_depth = range.sum / static_cast<double>(vertices.size()) - range.least;
    const double temperature = derivative::recommended_eps(rings) * mean_depth;
    Camera camera = preprocess::camera_for(vertices_of(hull, {}));
    camera.toward = w.n + 0.25 * Vec3<double>::UnitZ();
    camera.center = w.p1;
    camera.radius *= 0.22;
    Stage stage(camera, kPixels);
    stage.body(hull, {}, kA);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const auto ring = std::upper_bound(counts.begin(), counts.end(), i) - counts.begin();
      const double weight = std::exp(-(workspace.heights.depth[i] - range.least) / temperature);
      stage.dot(witness::core_vertex<double>(hull, vertices[i]), 0.005 + 0.03 * std::sqrt(weight),
                levels[(ring + 1) / 2]);
    }
    panels.push_back(
        stage.image("rings: " + std::to_string(rings) + ", vertices: " + std::to_string(vertices.size())));
  }
  return preprocess::beside(panels);
}

Image figure3(const asset::ConvexPiece& a, const asset::ConvexPiece& b, std::uint64_t index) {
  const Problem problem = problem_of(a, b, Law::kContact, index);
  constexpr int kIterations = 50;
  const std::pair<const char*, Pose<double>> ends[] = {
      {"start", problem.start},
      {"differences",
       derivative::gauss_newton_contact_pose(problem, paper_finite_difference(1e-6), kIterations).X_AB},
      {"order 0",
       derivative::gauss_newton_contact_pose(problem, paper_zeroth_order(50, 1e-2, 1), kIterations).X_AB},
      {"order 1",
       derivative::gauss_newton_contact_pose(problem, paper_gaussian(20, 1e-3, 1), kIterations).X_AB},
  };
  std::vector<Pose<double>> poses;
  for (const auto& [name, X_AB] : ends) poses.push_back(X_AB);
  const auto w = witness::separation<double>(hull(problem.A), hull(problem.B), poses.back());
  const Camera camera = camera_across(problem, poses, w.n);
  std::vector<Image> panels;
  for (const auto& [name, X_AB] : ends) panels.push_back(pose_panel(problem, X_AB, camera, name));
  return preprocess::beside(panels);
}

Image figure4(std::uint64_t index) {
  Random random(1, index);
  asset::ConvexPiece pieces[2];
  for (auto& piece : pieces) {
    Vec3<double> axes;
    for (int k = 0; k < 3; ++k) axes[k] = random.uniform(0.1, 0.3);
    piece = test::tessellated_ellipsoid(0, axes, test::random_rotation(random));
  }
  const Problem problem = problem_of(pieces[0], pieces[1], Law::kContact, index);
  std::vector<Pose<double>> poses;
  for (const int iterations : {0, 2, 5, 50})
    poses.push_back(derivative::solve_contact_pose(problem, {{"iterations", iterations}}).X_AB);
  const auto w = witness::separation<double>(hull(problem.A), hull(problem.B), poses.back());
  const Camera camera = camera_across(problem, poses, w.n);
  std::vector<Image> panels;
  const char* const names[] = {"start", "2 steps", "5 steps", "50 steps"};
  for (std::size_t k = 0; k < poses.size(); ++k)
    panels.push_back(pose_panel(problem, poses[k], camera, names[k]));
  return preprocess::beside(panels);
}

}  // namespace

int main(int argc, char** argv) {
  std::string out = ".", objects;
  std::uint64_t scanned = 0, rough = 0;
  CLI::App app("Pictures after figures 1 to 4 of Montaut et al. 2022");
  app.add_option("--out", out, "existing folder for the pictures")->capture_default_str();
  app.add_option("--objects", objects, kObjectsHelp);
  app.add_option("--scanned", scanned, "number of the problem of figure 3")->capture_default_str();
  app.add_option("--rough", rough, "number of the problem of figure 4")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const std::vector<NamedHull> hulls = read_ycb_hulls(objects_folder(objects));
    const asset::ConvexPiece& mustard = hull_of(hulls, "006_mustard_bottle");
    const asset::ConvexPiece& drill = hull_of(hulls, "035_power_drill");
    const auto write = [&](const char* name, const Image& image) {
      preprocess::write_png(image, out + "/montaut2022_" + name + ".png");
    };
    write("figure1", figure1(mustard, drill));
    write("figure2", figure2(mustard, drill));
    std::printf("figure 3, problem %d\n", static_cast<int>(scanned));
    write("figure3", figure3(mustard, drill, scanned));
    std::printf("figure 4, problem %d\n", static_cast<int>(rough));
    write("figure4", figure4(rough));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
