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
  kDistance,  // distance to the surface over the largest one inside, as in Drake; for comparison
};

struct ExtentParameters {
  FieldKind field = FieldKind::kHarmonic;
  // The core is everything at least (1 - core_fraction) x local inradius deep; in (0, 1). At 1/2 a plate's
  // field rises to 1 within half of its half-thickness, for any thickness, so that the pressure at a given
  // share of the thickness is the same for thin and thick parts; and the ridges that run inward from the
  // edges of a box are not yet part of the core, which would make the field jump at the edges.
  double core_fraction = 0.5;
};

// Least extent of a core vertex: vertices slightly outside the core that are meant to lie on its boundary
// count as part of it, with at least this extent.
inline constexpr double kLeastCoreExtent = 0.97;

// A place in the core is missed if its extent is less than this: no vertex near it lies in the core.
inline constexpr double kMissedExtent = 0.5;

// The penetration extent: 0 on the surface, 1 in the core, linear in every tetrahedron.
struct ExtentField {
  std::vector<double> extent;              // for each vertex
  std::vector<Eigen::Vector3d> gradients;  // for each tetrahedron, 1/m
};

// Solves Laplace's equation with linear finite elements and prescribed values at some vertices (`given`, at
// least one). Where obtuse tetrahedra cause the solution to leave the range of the given values, the
// couplings of the wrong sign at the affected vertices are dropped, which restores the discrete maximum
// principle; the measure extent_max_principle_repairs counts these vertices. Throws InvalidInput if a part of
// the mesh has no given value.
std::vector<double> solve_laplace(const TetrahedralMesh& mesh,
                                  const std::vector<std::optional<double>>& given, Report& report);

// Computes the field of a tetrahedral mesh; `inradius` is that of its surface. With kHarmonic every connected
// part reaches kLeastCoreExtent: if none of its vertices lies in its core, the deepest one is used instead,
// with a warning. Vertices whose neighbours are all on the surface, and those that lose their couplings to
// the core to the maximum principle, get their share of the way to the core. Measures:
// extent_max_principle_repairs. Throws InvalidInput if a part has no vertex inside.
ExtentField extent_field(const TetrahedralMesh& mesh, const LocalInradius& inradius,
                         const ExtentParameters& parameters, Report& report);

// Share of the core's volume where the field is below kMissedExtent, as in narrow parts whose core contains
// no vertex. Estimated from the tetrahedra whose centroid lies in the core, a sample of at least 1,000
// tetrahedra if there are more.
double missed_core(const TetrahedralMesh& mesh, const ExtentField& field, const LocalInradius& inradius,
                   double core_fraction);

// Adds the gradients to a field given at the vertices.
ExtentField with_gradients(const TetrahedralMesh& mesh, std::vector<double> extent);

// The integral of the squared gradient, m: the stiffness of the field as a whole (its capacity).
double dirichlet_energy(const TetrahedralMesh& mesh, const ExtentField& field);

}  // namespace abut::preprocess
