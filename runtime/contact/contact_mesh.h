#pragma once

#include <filesystem>
#include <vector>

#include "runtime/contact/pressure_field.h"

// The contact surface of the pressure-field model itself, for pictures, sensors and other people's sums. The
// wrench needs none of it.
namespace abut::contact {

// One polygon of the contact surface.
struct ContactFace {
  std::int32_t first = 0, count = 0;  // of its corners in ContactMesh::corners
  double area = 0;                    // m^2
  Vec3<double> centroid;              // m
  double pressure = 0;                // at the centroid and at rest, Pa
  double share =
      1;  // the face's force is area pressure share: what fade_pulls leaves; half in Polygon::in_face
  Vec3<double> n;                       // unit normal, out of B into A
  Vec3<double> gradient_A, gradient_B;  // of the pressures, Pa/m; zero for a rigid body
};

// Convex polygons, one per pair of tetrahedra (or tetrahedron and triangle), in B's frame.
struct ContactMesh {
  std::vector<Vec3<double>> corners;  // m; neighbours do not share them
  std::vector<double> pressures;      // at the corners and at rest, Pa
  std::vector<ContactFace> faces;     // each names its corners
};

// The surface that the model's wrench is an integral over. Throws InvalidInput as the model does.
ContactMesh contact_mesh(const body::Pair& pair, const PressureFieldSettings& settings = {});

// Every face as triangles around its centroid [Elandt2019, Algorithm 1].
ContactMesh triangulated(const ContactMesh& mesh);

// Writes .vtk (legacy polygons, pressure per corner, normals, areas and shares per face) or .ply (pressure
// per corner, share per face): the force is the sum of area, pressure, share and normal. Throws InvalidInput
// for another ending, IoError where the file cannot be written.
void write_contact_mesh(const ContactMesh& mesh, const std::filesystem::path& file);

}  // namespace abut::contact
