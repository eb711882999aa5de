// The contact surface as files: what is read back is what the model integrates over.
#include "runtime/contact/contact_mesh.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/core/error.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

namespace fs = std::filesystem;
using namespace abut;
using contact::ContactMesh;

asset::Asset ellipsoid(const Vec3<double>& axes) {
  asset::Asset made;
  made.volumes.push_back(test::star_volume(asset::view(test::tessellated_ellipsoid(2, axes))));
  return made;
}

struct File {
  std::vector<Vec3<double>> corners;
  std::vector<double> pressures;
  std::vector<std::vector<int>> faces;
  std::vector<double> shares;
};

void expect_word(std::istream& in, const std::string& expected) {
  std::string word;
  in >> word;
  EXPECT_EQ(word, expected);
}

std::vector<int> read_face(std::istream& in) {
  std::size_t corners = 0;
  in >> corners;
  std::vector<int> face(corners);
  for (int& corner : face) in >> corner;
  return face;
}

std::vector<double> read_scalars(std::istream& in, const char* name, std::size_t count) {
  for (const char* word : {"SCALARS", name, "double", "1", "LOOKUP_TABLE", "default"}) expect_word(in, word);
  std::vector<double> scalars(count);
  for (double& x : scalars) in >> x;
  return scalars;
}

File read_vtk(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "# vtk DataFile Version 3.0");
  std::getline(in, line);
  for (const char* word : {"ASCII", "DATASET", "POLYDATA", "POINTS"}) expect_word(in, word);
  File file;
  std::size_t points = 0, faces = 0, size = 0;
  in >> points;
  expect_word(in, "double");
  file.corners.resize(points);
  for (auto& x : file.corners) in >> x[0] >> x[1] >> x[2];
  expect_word(in, "POLYGONS");
  in >> faces >> size;
  EXPECT_EQ(size, faces + points);
  for (std::size_t i = 0; i < faces; ++i) file.faces.push_back(read_face(in));
  expect_word(in, "POINT_DATA");
  in >> size;
  EXPECT_EQ(size, points);
  file.pressures = read_scalars(in, "pressure", points);
  expect_word(in, "CELL_DATA");
  in >> size;
  EXPECT_EQ(size, faces);
  (void)read_scalars(in, "area", faces);
  file.shares = read_scalars(in, "share", faces);
  EXPECT_TRUE(in.good());
  return file;
}

File read_ply(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  File file;
  std::size_t points = 0, faces = 0;
  std::getline(in, line);
  EXPECT_EQ(line, "ply");
  while (std::getline(in, line) && line != "end_header") {
    std::istringstream words(line);
    std::string word, kind;
    words >> word >> kind;
    if (word == "element") words >> (kind == "vertex" ? points : faces);
  }
  file.corners.resize(points);
  file.pressures.resize(points);
  for (std::size_t i = 0; i < points; ++i)
    in >> file.corners[i][0] >> file.corners[i][1] >> file.corners[i][2] >> file.pressures[i];
  file.shares.resize(faces);
  for (double& share : file.shares) {
    file.faces.push_back(read_face(in));
    in >> share;
  }
  EXPECT_TRUE(in.good());
  return file;
}

// The force of the faces in a file, by triangles from their first corner.
Vec3<double> force(const File& file) {
  Vec3<double> sum = Vec3<double>::Zero();
  for (const std::vector<int>& face : file.faces)
    for (std::size_t k = 2; k < face.size(); ++k) {
      const int a = face[0], b = face[k - 1], c = face[k];
      const Vec3<double> area =
          (file.corners[b] - file.corners[a]).cross(file.corners[c] - file.corners[a]) / 2;
      sum += (file.pressures[a] + file.pressures[b] + file.pressures[c]) / 3 * area.norm() *
             Vec3<double>::UnitX();
    }
  return sum;
}

class ContactMeshFiles : public testing::Test {
 protected:
  ContactMeshFiles()
      : folder(fs::temp_directory_path() / ("abut_contact_mesh_test_" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~ContactMeshFiles() override { fs::remove_all(folder); }
  fs::path folder;
};

TEST_F(ContactMeshFiles, ReadBackAsWritten) {
  const asset::Asset egg = ellipsoid({0.05, 0.04, 0.06}), ball = ellipsoid({0.04, 0.04, 0.04});
  const body::Body A = test::body_of(egg), B = test::body_of(ball);
  const ContactMesh mesh = contact::contact_mesh({&A, &B, {Mat3<double>::Identity(), {0.08, 0.005, 0.01}}});
  ASSERT_GT(mesh.faces.size(), 3u);
  double push = 0;
  for (const contact::ContactFace& face : mesh.faces) push += face.area * face.pressure;
  for (const ContactMesh& written : {mesh, triangulated(mesh)}) {
    for (const std::string ending : {".vtk", ".ply"}) {
      const fs::path path = folder / ("surface" + ending);
      write_contact_mesh(written, path);
      const File file = ending == ".vtk" ? read_vtk(path) : read_ply(path);
      EXPECT_EQ(file.corners, written.corners);
      EXPECT_EQ(file.pressures, written.pressures);
      ASSERT_EQ(file.faces.size(), written.faces.size());
      for (std::size_t i = 0; i < file.faces.size(); ++i) {
        ASSERT_EQ(file.faces[i].size(), static_cast<std::size_t>(written.faces[i].count));
        EXPECT_EQ(file.faces[i].front(), written.faces[i].first);
        EXPECT_EQ(file.shares[i], written.faces[i].share);
      }
      EXPECT_NEAR(force(file).x(), push, 1e-12 * push);
    }
  }
}

// The faces add up to the model's force, and a half-space as body A has those of the exchanged pair.
TEST(ContactMesh, OfAHalfSpaceEitherWay) {
  const asset::Asset egg = ellipsoid({0.05, 0.04, 0.06});
  const body::Body A = test::body_of(body::HalfSpace<double>{}, {.modulus = 3e6}), B = test::body_of(egg);
  const Pose<double> X_AB{exp_rotation<double>({0.3, -0.2, 0.5}), {0.1, 0.2, 0.04}};
  const body::Pair pair{&A, &B, X_AB};
  const ContactMesh mesh = contact::contact_mesh(pair),
                    other = contact::contact_mesh({&B, &A, X_AB.inverse()});
  ASSERT_GT(mesh.faces.size(), 3u);
  ASSERT_EQ(mesh.faces.size(), other.faces.size());
  ASSERT_EQ(mesh.pressures, other.pressures);
  Vec3<double> sum = Vec3<double>::Zero();
  for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
    const contact::ContactFace &face = mesh.faces[i], &same = other.faces[i];
    EXPECT_EQ(face.area, same.area);
    EXPECT_EQ(face.pressure, same.pressure);
    EXPECT_LT((X_AB * face.centroid - same.centroid).norm(), 1e-15);
    EXPECT_LT((X_AB.R * face.n + same.n).norm(), 1e-14);
    EXPECT_LT((X_AB.R * face.gradient_A - same.gradient_B).norm(), 1e-14 * same.gradient_B.norm());
    EXPECT_LT((X_AB.R * face.gradient_B - same.gradient_A).norm(), 1e-14 * same.gradient_A.norm());
    sum -= face.area * face.pressure * face.n;
  }
  const Vec3<double> force = contact::contact_wrench("pressure_field", pair).F_BBo_B.tail<3>();
  EXPECT_GT((X_AB.R * force).z(), 0);
  EXPECT_LT((force - sum).norm(), 1e-12 * force.norm());
}

TEST_F(ContactMeshFiles, EmptyOnesAndFaults) {
  contact::write_contact_mesh({}, folder / "none.vtk");
  EXPECT_TRUE(read_vtk(folder / "none.vtk").faces.empty());
  EXPECT_THROW(contact::write_contact_mesh({}, folder / "surface.stl"), InvalidInput);
  EXPECT_THROW(contact::write_contact_mesh({}, folder / "no" / "folder.ply"), IoError);
}

}  // namespace
