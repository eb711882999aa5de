#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "preprocess/mesh/mesh.h"
#include "preprocess/tetrahedralize/inradius.h"
#include "preprocess/tetrahedralize/tetrahedral_mesh.h"

namespace abut::preprocess {

enum class FieldKind {
  kHarmonic,  // Laplace's equation between surface and core [Elandt2019, Eq. 4]
  kDistance,  // distance to the surface over the largest one inside, as Drake has it: for comparison
};

struct ExtentParameters {
  FieldKind field = FieldKind::kHarmonic;
  // The core is everything at least (1 - core_fraction) x local inradius deep; in (0, 1). At 1/2 a plate's
  // field rises to 1 within half its half-thickness, whatever that is, so that the pressure at a given share
  // of the thickness is the same for thin parts and thick ones; and the ridges that run from the edges of a
  // box inward are not yet part of the core, which would make the field jump at the edges.
  double core_fraction = 0.5;
};

// A vertex a little outside the core, where one is meant to lie on its boundary, still counts as part of it,
// with an extent of at least this.
inline constexpr double kLeastCoreExtent = 0.97;

// A place in the core whose extent is less is missed: no vertex near it lies in the core.
inline constexpr double kMissedExtent = 0.5;

// The penetration extent: 0 on the surface, 1 in the core, linear in every tetrahedron.
struct ExtentField {
  std::vector<double> extent;              // per vertex
  std::vector<Eigen::Vector3d> gradients;  // per tetrahedron, 1/m
};

// The solution of Laplace's equation by linear finite elements with the given values where there are some
// (per vertex; at least one). Where obtuse tetrahedra make the solution leave the range of the given values,
// the couplings of the wrong sign at the vertices concerned are dropped, which restores the discrete maximum
// principle; the measure extent_max_principle_repairs counts them. Throws InvalidInput where a part of the
// mesh has no given value.
std::vector<double> solve_laplace(const TetrahedralMesh& mesh,
                                  const std::vector<std::optional<double>>& given, Report& report);

// The field of a tetrahedral mesh; `inradius` is that of its surface. Of Laplace's equation every connected
// part reaches kLeastCoreExtent: where no vertex lies in its core, the deepest one stands for it, and a
// warning says so. Vertices that those on the surface alone cut off from it, and such as lose
// their couplings to it to the maximum principle, have their share of the way to it.
// Measures: extent_max_principle_repairs. Throws InvalidInput where a part has no
// vertex inside.
ExtentField extent_field(const TetrahedralMesh& mesh, const LocalInradius& inradius,
                         const ExtentParameters& parameters, Report& report);

// Of the volume of the tetrahedra whose middles lie in the core the share where the field is below
// kMissedExtent, as in narrow parts of whose core no vertex is. By a thousand of them or more.
double missed_core(const TetrahedralMesh& mesh, const ExtentField& field, const LocalInradius& inradius,
                   double core_fraction);

// Gradients of a field given at the vertices.
ExtentField with_gradients(const TetrahedralMesh& mesh, std::vector<double> extent);

// The integral of the squared gradient, m: the stiffness of the field as a whole (its capacity).
double dirichlet_energy(const TetrahedralMesh& mesh, const ExtentField& field);

}  // namespace abut::preprocess
