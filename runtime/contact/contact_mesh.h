#pragma once

#include <filesystem>
#include <vector>

#include "runtime/contact/pressure_field.h"

// The contact surface of the pressure-field model as a mesh, for pictures, sensors and integrals of one's
// own. The wrench does not need it.
namespace abut::contact {

// One polygon of the contact surface.
struct ContactFace {
  std::int32_t first = 0, count = 0;  // range of its corners in ContactMesh::corners
  double area = 0;                    // m^2
  Vec3<double> centroid;              // m
  double pressure = 0;                // at the centroid and at rest, Pa
  // At rest the force on A is area pressure share n. Less than 1 by fade_pulls; half if Polygon::in_face.
  double share = 1;
  Vec3<double> n;                       // unit normal, out of B into A
  Vec3<double> gradient_A, gradient_B;  // of the pressures, Pa/m; zero for a rigid body
};

// Convex polygons, one per pair of tetrahedra (or of a tetrahedron and a triangle), in B's frame.
struct ContactMesh {
  std::vector<Vec3<double>> corners;  // m; not shared between faces
  std::vector<double> pressures;      // at the corners and at rest, Pa
  std::vector<ContactFace> faces;     // each refers to its corners
};

// Returns the surface that the model's wrench is an integral over. Throws InvalidInput as the model does.
ContactMesh contact_mesh(const body::Pair& pair, const PressureFieldSettings& settings = {});

// Returns the mesh with every face cut into triangles around its centroid [Elandt2019, Algorithm 1].
ContactMesh triangulated(const ContactMesh& mesh);

// Writes .vtk (legacy polygons; pressure per corner; normals, areas and shares per face) or .ply (pressure
// per corner, share per face). The force on A is the sum over faces of the product of area, pressure, share
// and normal. Throws InvalidInput for another extension, and IoError if the file cannot be written.
void write_contact_mesh(const ContactMesh& mesh, const std::filesystem::path& file);

}  // namespace abut::contact
