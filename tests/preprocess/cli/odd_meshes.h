#pragma once

#include <functional>
#include <numbers>
#include <vector>

#include "preprocess/mesh/mesh.h"

// Meshes by formula, closed and open, one-sided and crossing themselves, for the shapes of odd_shapes.h.
namespace abut::test {

inline constexpr double kTurn = 2 * std::numbers::pi;

// n x m squares over [0, 1]^2, where the surface may close on itself in u, in v, or in neither; `turned`: the
// seam in u joins v to 1 - v, so that the surface has one side.
struct Seams {
  bool u = true, v = true, turned = false;
};
preprocess::TriangleMesh parametric(int n, int m, const Seams& seams,
                                    const std::function<Eigen::Vector3d(double, double)>& at);

preprocess::TriangleMesh moved(preprocess::TriangleMesh mesh,
                               const std::function<Eigen::Vector3d(const Eigen::Vector3d&)>& map);
preprocess::TriangleMesh scaled(const preprocess::TriangleMesh& mesh, double x, double y, double z);
preprocess::TriangleMesh shifted(const preprocess::TriangleMesh& mesh, const Eigen::Vector3d& by);
preprocess::TriangleMesh rotated(const preprocess::TriangleMesh& mesh, double angle,
                                 const Eigen::Vector3d& axis);
preprocess::TriangleMesh turned_over(preprocess::TriangleMesh mesh);
// The faces that `keep` takes by number.
preprocess::TriangleMesh part_of(const preprocess::TriangleMesh& mesh,
                                 const std::function<bool(std::size_t)>& keep);

preprocess::TriangleMesh klein_bottle(int n, int m);
// A figure of eight that makes half a turn on its way around: Klein's bottle too.
preprocess::TriangleMesh klein_eight(int n, int m);
// The projective plane: opposite points of a sphere are one.
preprocess::TriangleMesh roman_surface();

// The boundary of those of n^3 cubes that `solid` takes; cubes may touch in edges and corners.
preprocess::TriangleMesh cells(int n, double edge, const std::function<bool(int, int, int)>& solid);
preprocess::TriangleMesh menger_sponge(int level);

// A tube of radius r around a curve over [0, 1].
preprocess::TriangleMesh tube(int n, int m, double r, const std::function<Eigen::Vector3d(double)>& curve,
                              bool closed = true);
preprocess::TriangleMesh knot(int n, int m, double r);
preprocess::TriangleMesh spiral(int turns, int n, int m, double r);

}  // namespace abut::test
