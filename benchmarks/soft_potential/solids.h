#pragma once

#include <memory>
#include <string>
#include <vector>

#include "benchmarks/support/soft_contact.h"
#include "preprocess/mesh/mesh.h"
#include "runtime/contact/model.h"

// Bodies of the scenes, made in code, and how two of them overlap.
namespace abut::soft_potential_scenes {

// A convex polyhedron.
struct Solid {
  std::vector<Vec3<double>> vertices;   // m
  std::vector<std::vector<int>> faces;  // counter-clockwise seen from outside
};

// The convex outline (x, y), counter-clockwise, from z = -half_length to half_length (m).
Solid prism(const std::vector<Eigen::Vector2d>& outline, double half_length);
Solid box(const Vec3<double>& half);
// A regular prism of `sides` sides with corners on the cylinder.
Solid rod(double radius, double half_length, int sides = 96);

preprocess::TriangleMesh mesh_of(const Solid& solid);
preprocess::TriangleMesh mesh_of(const asset::SurfaceView& surface);

// A tube about z with the inner and outer radius (m), of `sides` sides.
preprocess::TriangleMesh tube(double inner, double outer, double half_length, int sides = 96);

// The mesh through the offline pipeline, with `quads` quads, their distance grid, and tetrahedra.
body::Body made(const std::string& name, const preprocess::TriangleMesh& mesh, int quads = 2000,
                int tetrahedra = 0);

// The first object of the reference data (or of those that stand in for it) with this in its name.
body::Body scanned(const std::string& part, int quads = 2000);

// A law and the pair that it is asked about, by turns that the scene chooses.
struct Contender {
  std::string title;
  bool potential;
  SettingValues settings;
  std::unique_ptr<contact::Model> model;
  const body::Body *A, *B;

  Vec6<double> wrench(const Pose<double>& X_AB) const {  // on B about Bo, in B
    return model->wrench({A, B, X_AB}, contact::Want::kValue).F_BBo_B;
  }
};

// The published law and the potential, each with its two fields.
std::vector<Contender> contenders(const body::Body& A, const body::Body& B);

// What the potential tends to as the samples get finer: that of grids on meshes of the same two bodies with
// kLimitQuads quads, its eps3 (m) that of A and B.
inline constexpr int kLimitQuads = 16000;
Contender limit(const body::Body& A, const body::Body& B, const body::Body& fine_A, const body::Body& fine_B);

double finer_spacing(const body::Body& A, const body::Body& B);

// Minus the gradient of the volume that A and B have in common by translations of B, in A, m^2: the integral
// of A's normal over that part of its surface which is in B. Exact. `even`: its length over the area of that
// part, 1 where all of it looks one way.
struct Overlap {
  Vec3<double> push;
  double even;
};
Overlap overlap(const asset::SurfaceView& A, const Solid& B, const Pose<double>& X_AB);

// In degrees; 180 where one is zero.
double angle_between(const Vec3<double>& a, const Vec3<double>& b);

// Counts of angles, and their median and largest.
struct Angles {
  std::vector<double> degrees;
  int within(double bound) const;
  double quantile(double share) const;
};

}  // namespace abut::soft_potential_scenes
