#include "preprocess/mesh/read.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <filesystem>
#include <fstream>
#include <random>

#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

const std::string kTetrahedronObj =
    "mtllib nowhere.mtl\nusemtl a\ng group\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2 4/3\nf "
    "2//1 3//1 4//1\n"
    "f 1/1/1 4/2/2 3/3/3\n";

class Read : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("abut_read_" + std::to_string(::getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }

  TriangleMesh read(const std::string& name, const std::string& content, double scale = 1) {
    return read_mesh(write(name, content), scale, report_);
  }

  // The message of the refusal, which must name the file and `part` and be one line.
  template <class E = InvalidInput>
  void expect_refused(const std::string& name, const std::string& content, const std::string& part) {
    try {
      read(name, content);
      ADD_FAILURE() << "not refused: " << content.substr(0, 200);
    } catch (const E& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find(name), text.npos) << text;
      EXPECT_NE(text.find(part), text.npos) << text;
      EXPECT_EQ(text.find('\n'), text.npos) << text;
    }
  }

  std::filesystem::path folder_;
  Report report_;
};

void expect_tetrahedron(const TriangleMesh& mesh) {
  ASSERT_EQ(mesh.triangles.size(), 4u);
  double sixfold = 0;
  for (const Triangle& t : mesh.triangles) {
    Eigen::Matrix3d m;
    for (int k = 0; k < 3; ++k) m.col(k) = mesh.vertices.at(t[k]);
    sixfold += m.determinant();
  }
  EXPECT_DOUBLE_EQ(sixfold, 1);
}

TEST_F(Read, ObjOfAllCornerForms) {
  expect_tetrahedron(read("a.obj", kTetrahedronObj));
  EXPECT_TRUE(report_.warnings.empty());
  EXPECT_EQ(report_.measures.at("input_triangles"), 4);
}

TEST_F(Read, ObjUpperCaseExtensionCrLfAndNoFinalNewline) {
  std::string text = kTetrahedronObj;
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2) text.replace(at, 1, "\r\n");
  expect_tetrahedron(read("a.OBJ", text.substr(0, text.size() - 2)));
}

TEST_F(Read, ObjNegativeIndicesForwardReferencesAndContinuedLines) {
  expect_tetrahedron(
      read("a.obj",
           "v 0 0 0\nv +1 0 0 0.5\nv 0 1 0\nv 0 0 1e0\nf -4 -2 -3\nf -4 \\\n-3 -1\nf -3 -2 -1\nf -4 -1 -2"));
  expect_tetrahedron(
      read("b.obj", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"));
}

TEST_F(Read, ObjPolygonsConvexAndNot) {
  // An L of area 3: every fan has a triangle that is turned over; ears cover it once.
  const TriangleMesh mesh =
      read("l.obj", "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 2 3 4 5 6 1\n");
  ASSERT_EQ(mesh.triangles.size(), 4u);
  double total = 0;
  for (const Triangle& t : mesh.triangles) {
    const Eigen::Vector3d e = mesh.vertices[t[1]] - mesh.vertices[t[0]],
                          f = mesh.vertices[t[2]] - mesh.vertices[t[0]];
    EXPECT_GE(e.x() * f.y() - e.y() * f.x(), 0);
    total += (e.x() * f.y() - e.y() * f.x()) / 2;
  }
  EXPECT_DOUBLE_EQ(total, 3);
}

TEST_F(Read, ScaleAndSuspiciousUnits) {
  EXPECT_DOUBLE_EQ(read("a.obj", kTetrahedronObj, 0.25).diagonal(), std::sqrt(3) * 0.25);
  EXPECT_TRUE(report_.warnings.empty());
  read("big.obj", kTetrahedronObj, 200);
  ASSERT_EQ(report_.warnings.size(), 1u);
  EXPECT_NE(report_.warnings[0].find("346.4 m"), std::string::npos) << report_.warnings[0];
  EXPECT_NE(report_.warnings[0].find("--scale"), std::string::npos);
  read("small.obj", kTetrahedronObj, 1e-4);
  EXPECT_EQ(report_.warnings.size(), 2u);
  EXPECT_THROW(read("a.obj", kTetrahedronObj, 0), InvalidInput);
  EXPECT_THROW(read("a.obj", kTetrahedronObj, std::nan("")), InvalidInput);
}

TEST_F(Read, RefusesBadFiles) {
  expect_refused<IoError>("sub/none.obj", "", "No such file");
  EXPECT_THROW(read_mesh(folder_, 1, report_), IoError);
  expect_refused("empty.obj", "", "empty");
  expect_refused("empty.ply", "", "empty");
  expect_refused("empty.stl", "", "empty");
  expect_refused("a.step", "ISO", "unknown mesh format");
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  expect_refused("nofaces.obj", v, "line 3");
  expect_refused("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "line 2");
  expect_refused("inf.obj", "v 0 0 0\nv 0 1e999 0\nv 0 1 0\nf 1 2 3\n", "vertex 2");
  expect_refused("word.obj", "v 0 0 zero\n", "not a number");
  expect_refused("short.obj", "v 0 0 0\nv 1 0", "line 2");
  expect_refused("corner.obj", v + "f 1 2 3\nf 1 2", "line 5");
  expect_refused("slash.obj", v + "f 1/1 2/2 3/", "line 4");
  expect_refused("range.obj", v + "f 1 2 4\n", "line 4");
  expect_refused("zero.obj", v + "f 0 1 2\n", "line 4");
  expect_refused("negative.obj", v + "f -1 -2 -4\n", "line 4");
  expect_refused("huge.obj", v + "f 1 2 99999999999999999999\n", "line 4");
}

TEST_F(Read, RefusesAnObjCutOffAmongItsFaces) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "v " + std::to_string(i) + " " + std::to_string(i * i) + " 0\n";
  expect_refused("cut.obj", text + "f 1 2 3\nf 2 3 4\n", "truncated");
  // An unfinished index still parses: the surface's last face gives it away.
  std::string digit = "v 0 0 5\nv 0 0 0\nv 1 0 0\n";
  for (int i = 4; i < 12; ++i) digit += "v 7 7 7\n";
  expect_refused("digit.obj", digit + "v 0 1 0\nv 0 0 1\nf 2 12 3\nf 2 3 13\nf 3 12 13\nf 2 13 1", "line 17");
}

}  // namespace
}  // namespace abut::preprocess
