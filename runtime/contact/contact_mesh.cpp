#include "runtime/contact/contact_mesh.h"

#include <cstdio>
#include <string>

#include "runtime/contact/pressure_field/near_plane.h"
#include "runtime/contact/pressure_field/visit_facets.h"
#include "runtime/core/extension.h"
#include "runtime/core/output_file.h"

namespace abut::contact {

namespace {

// A sink that collects the facets with a positive area.
class FacetList {
 public:
  FacetList(const body::Pair& pair, const PressureFieldConfig& config)
      : X_BA_(pair.X_AB.inverse()), law_(rate_law(pair, config)) {}

  const Pose<double>& X_BA() const { return X_BA_; }
  const RateLaw& law() const { return law_; }
  ContactMesh& result() { return mesh_; }

  template <class Build>
  void add(std::uint64_t, Build&& build) {
    const Facet<double> facet = build(X_BA_);
    const auto [area, centroid] = place(facet);
    if (!(area > 0)) return;
    ContactFace face;
    face.first = static_cast<std::int32_t>(mesh_.corners.size());
    face.count = facet.polygon.size;
    face.area = area;
    face.centroid = centroid;
    face.pressure = facet.pressure(face.centroid);
    face.share = facet.polygon.weight() * facet.share;
    face.n = facet.n;
    face.gradient_A = facet.gradient_A;
    face.gradient_B = facet.gradient_B;
    mesh_.faces.push_back(face);
    for (int i = 0; i < facet.polygon.size; ++i) {
      mesh_.corners.push_back(facet.polygon.corners[i]);
      mesh_.pressures.push_back(facet.pressure(facet.polygon.corners[i]));
    }
  }

 private:
  Pose<double> X_BA_;
  RateLaw law_;
  ContactMesh mesh_;
};

// The mesh of a pair whose body A is not a half-space.
ContactMesh mesh_of(const body::Pair& pair, const PressureFieldConfig& config) {
  FacetList list(pair, config);
  PressureFieldWorkspace<double> workspace;
  visit_facets(pair, config, workspace, list);
  return std::move(list.result());
}

// The mesh moved by a vector, m.
ContactMesh moved(ContactMesh mesh, const Vec3<double>& by) {
  for (Vec3<double>& corner : mesh.corners) corner += by;
  for (ContactFace& face : mesh.faces) face.centroid += by;
  return mesh;
}

// Transforms the mesh of the pair with A and B exchanged, in A's frame, to the mesh of the pair, in B's
// frame.
ContactMesh exchanged(ContactMesh mesh, const Pose<double>& X_BA) {
  for (Vec3<double>& corner : mesh.corners) corner = X_BA * corner;
  for (ContactFace& face : mesh.faces) {
    face.centroid = X_BA * face.centroid;
    face.n = -(X_BA.R * face.n);
    std::swap(face.gradient_A, face.gradient_B);
    face.gradient_A = X_BA.R * face.gradient_A;
    face.gradient_B = X_BA.R * face.gradient_B;
  }
  return mesh;
}

// A text file, written with printf formats.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& file) : file_(file) {}

  void print(const char* text) { file_.write(text); }
  template <class... Values>
  void print(const char* format, Values... values) {
    char line[128];  // four numbers of 24 characters
    const int length = std::snprintf(line, sizeof line, format, values...);
    file_.write({line, static_cast<std::size_t>(length)});
  }
  void print_rows(const std::vector<Vec3<double>>& rows) {
    for (const Vec3<double>& v : rows) print("%.17g %.17g %.17g\n", v.x(), v.y(), v.z());
  }
  void print_corners(const ContactFace& face) {
    print("%d", face.count);
    for (std::int32_t i = 0; i < face.count; ++i) print(" %d", face.first + i);
  }
  // Does not wait for the disk, since surfaces may be written by the thousand.
  void finish() { file_.finish(/*durable=*/false); }

 private:
  OutputFile file_;
};

void write_vtk(const ContactMesh& mesh, TextFile& file) {
  file.print("# vtk DataFile Version 3.0\ncontact surface in B's frame, metres\nASCII\nDATASET POLYDATA\n");
  file.print("POINTS %zu double\n", mesh.corners.size());
  file.print_rows(mesh.corners);
  file.print("POLYGONS %zu %zu\n", mesh.faces.size(), mesh.faces.size() + mesh.corners.size());
  for (const ContactFace& face : mesh.faces) {
    file.print_corners(face);
    file.print("\n");
  }
  file.print("POINT_DATA %zu\nSCALARS pressure double 1\nLOOKUP_TABLE default\n", mesh.corners.size());
  for (const double p : mesh.pressures) file.print("%.17g\n", p);
  file.print("CELL_DATA %zu\nSCALARS area double 1\nLOOKUP_TABLE default\n", mesh.faces.size());
  for (const ContactFace& face : mesh.faces) file.print("%.17g\n", face.area);
  file.print("SCALARS share double 1\nLOOKUP_TABLE default\n");
  for (const ContactFace& face : mesh.faces) file.print("%.17g\n", face.share);
  file.print("NORMALS normal double\n");
  for (const ContactFace& face : mesh.faces)
    file.print("%.17g %.17g %.17g\n", face.n.x(), face.n.y(), face.n.z());
}

void write_ply(const ContactMesh& mesh, TextFile& file) {
  file.print("ply\nformat ascii 1.0\ncomment contact surface in B's frame, metres, pascals\n");
  file.print("element vertex %zu\n", mesh.corners.size());
  for (const char* name : {"x", "y", "z", "pressure"}) file.print("property double %s\n", name);
  file.print("element face %zu\nproperty list uchar int vertex_indices\nproperty double share\nend_header\n",
             mesh.faces.size());
  for (std::size_t i = 0; i < mesh.corners.size(); ++i) {
    const Vec3<double>& v = mesh.corners[i];
    file.print("%.17g %.17g %.17g %.17g\n", v.x(), v.y(), v.z(), mesh.pressures[i]);
  }
  for (const ContactFace& face : mesh.faces) {
    file.print_corners(face);
    file.print(" %.17g\n", face.share);
  }
}

}  // namespace

ContactMesh contact_mesh(const body::Pair& pair, const PressureFieldSettings& settings) {
  const PressureFieldConfig config = config_of(pair, settings);
  if (pair.A->geometry.half_space() != nullptr)
    return exchanged(contact_mesh(exchanged(pair), settings), pair.X_AB.inverse());
  if (pair.B->geometry.half_space() != nullptr) {
    const NearPlane plane(pair);
    return moved(mesh_of(plane.pair(), config), -plane.p_NB());
  }
  return mesh_of(pair, config);
}

ContactMesh triangulated(const ContactMesh& mesh) {
  ContactMesh result;
  for (const ContactFace& face : mesh.faces)
    for (std::int32_t i = 0; i < face.count; ++i) {
      const std::int32_t a = face.first + i, b = face.first + (i + 1) % face.count;
      ContactFace part = face;
      part.first = static_cast<std::int32_t>(result.corners.size());
      part.count = 3;
      const Vec3<double>&p = mesh.corners[a], &q = mesh.corners[b];
      part.area = (p - face.centroid).cross(q - face.centroid).norm() / 2;
      part.centroid = (face.centroid + p + q) / 3;
      part.pressure = (face.pressure + mesh.pressures[a] + mesh.pressures[b]) / 3;
      result.corners.insert(result.corners.end(), {face.centroid, p, q});
      result.pressures.insert(result.pressures.end(), {face.pressure, mesh.pressures[a], mesh.pressures[b]});
      result.faces.push_back(part);
    }
  return result;
}

void write_contact_mesh(const ContactMesh& mesh, const std::filesystem::path& file) {
  const std::string ending = lower_extension(file);
  if (ending != ".vtk" && ending != ".ply")
    throw InvalidInput(file.string() + ": a contact surface is written as .vtk or .ply");
  TextFile out(file);
  ending == ".vtk" ? write_vtk(mesh, out) : write_ply(mesh, out);
  out.finish();
}

}  // namespace abut::contact
