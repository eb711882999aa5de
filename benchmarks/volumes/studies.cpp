#include "benchmarks/volumes/studies.h"

#include "tests/preprocess/tetrahedralize/shapes.h"

namespace abut::volumes_study {
namespace {

preprocess::TriangleMesh ellipsoid() {
  preprocess::TriangleMesh mesh = shapes::sphere(1, 5);
  for (Eigen::Vector3d& v : mesh.vertices) v = v.cwiseProduct(Eigen::Vector3d(0.05, 0.03, 0.02));
  return mesh;
}

// A cylinder between two half-balls, along z.
preprocess::TriangleMesh capsule() {
  preprocess::TriangleMesh mesh = shapes::sphere(0.02, 5);
  for (Eigen::Vector3d& v : mesh.vertices) v.z() += v.z() > 0 ? 0.03 : v.z() < 0 ? -0.03 : 0;
  return mesh;
}

}  // namespace

const std::vector<Shape>& convergence_shapes() {
  static const std::vector<Shape> result{{"ball", shapes::sphere(0.05, 5)},
                                         {"can", shapes::cylinder(0.05, 0.06, 0.002)},
                                         {"flat can", shapes::cylinder(0.05, 0.015, 0.002)},
                                         {"tall can", shapes::cylinder(0.02, 0.08, 0.001)},
                                         {"box", shapes::box({0.05, 0.03, 0.02})},
                                         {"ellipsoid", ellipsoid()},
                                         {"torus", shapes::torus(0.05, 0.02, 0.002)},
                                         {"capsule", capsule()}};
  return result;
}

const std::vector<Shape>& cost_shapes() {
  static const std::vector<Shape> result{{"torus", shapes::torus(0.1, 0.05, 0.012)},
                                         {"cup", shapes::cup(0.05, 0.05, 0.005, 0.01)}};
  return result;
}

}  // namespace abut::volumes_study
