#pragma once

#include <string>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/pieces/pieces.h"
#include "runtime/derivative/contact_pose.h"

// Problems of the optimisation of [Chen2025]: find the pose at which given points of two bodies are their
// witness points, a margin apart.
namespace abut::benchmarks {

inline constexpr double kMargin = 1e-3;  // m
inline constexpr double kSolved = 1e-6;  // m^2: a loss below it

// What stands for an object.
enum class Shape { kHull, kSurface, kPieces };

// An object as the pipeline closes it, to be scaled.
struct ScannedObject {
  std::string name;
  preprocess::TriangleMesh mesh;           // m
  std::vector<asset::ConvexPiece> pieces;  // made where wanted
};

// Of a folder in a layout that datasets knows, in the order of their names. `pieces`: with convex pieces, at
// most 32 of at most 64 vertices, for an error of 1 % of the longest side.
std::vector<ScannedObject> read_objects(const std::string& folder, bool pieces);

// Two bodies, each scaled so that the longest side of its box is 2 to 20 cm.
struct ScaledPair {
  std::string name;
  Shape shape;
  body::Body A, B;
};

// Pair `index`: the same for the same seed, and of the same objects and sizes with every shape. Bodies have a
// surface: the object's, the hull's, or those of all pieces.
ScaledPair draw_pair(const std::vector<ScannedObject>& objects, Shape shape, std::uint64_t seed,
                     std::uint64_t index);

struct Target {
  Vec3<double> point, n;  // in the body's frame: m, outward unit normal
};

struct TargetProblem {
  derivative::ContactPoseProblem problem;  // targets tp1, tp2; the start
  Vec3<double> n_A, n_B;                   // outward unit normals at the targets, each in its body's frame
  // Whether the placing by which the targets were kept solves the problem: of a body that is not convex a
  // target may lie in a dent that nothing reaches, where no pose solves it.
  bool solvable = false;
};

// Up to `count` problems of a pair. Targets are in turn of the kinds (vertex, face point), (face point,
// vertex), (vertex, vertex), kept where placing them kMargin apart with opposed normals, turned about the
// normal by a random angle, leaves the bodies apart. B starts at a random rotation, 0.1 m times a normal
// variate on each axis from A's frame. Fewer where a hundred draws for each were not enough.
std::vector<TargetProblem> draw_problems(const ScaledPair& pair, int count, std::uint64_t seed,
                                         std::uint64_t index);

// r = (p1 - tp1; p2 - tp2; d - margin), the points in the frames of their bodies, m. The loss of [Chen2025],
// |p1 - p2 + margin n|^2 + |tp1 - p1|^2 + |tp2 - p2|^2, is r'r: p2 - p1 = d n.
using Residual = Eigen::Matrix<double, 7, 1>;
using ResidualJacobian = Eigen::Matrix<double, 7, 6>;
Residual residual(const derivative::ContactPoseProblem& problem, const Pose<double>& X_AB,
                  const witness::Witness<double>& witness);

// Of r by the twist (w; v) of B.
ResidualJacobian residual_jacobian(const Pose<double>& X_AB, const witness::Witness<double>& witness,
                                   const derivative::WitnessDerivative<double>& derivative);

inline double loss(const derivative::ContactPoseProblem& problem, const Pose<double>& X_AB,
                   const witness::Witness<double>& witness) {  // m^2
  return residual(problem, X_AB, witness).squaredNorm();
}

}  // namespace abut::benchmarks
