#include "preprocess/mesh/read.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "preprocess/mesh/write.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "tests/preprocess/mesh/read_fixture.h"

namespace abut::preprocess {
namespace {

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

TEST_F(Read, ObjWhoseLinesEndWithCrAlone) {
  std::string text = kTetrahedronObj;
  std::replace(text.begin(), text.end(), '\n', '\r');
  expect_tetrahedron(read("a.obj", text));
}

TEST_F(Read, ObjBehindAByteOrderMark) {
  expect_tetrahedron(read("a.obj", "\xEF\xBB\xBF" + std::string(kTetrahedronObj)));
}

TEST_F(Read, ObjInColumnsWithSeveralBlanks) {
  std::string text = kTetrahedronObj;
  for (std::size_t at = 0; (at = text.find("v ", at)) != text.npos; at += 3) text.replace(at, 2, "v  ");
  expect_tetrahedron(read("columns.obj", text));
  std::replace(text.begin(), text.end(), ' ', '\t');
  expect_tetrahedron(read("tabs.obj", text));
}

TEST_F(Read, ObjNegativeIndicesForwardReferencesAndContinuedLines) {
  expect_tetrahedron(
      read("a.obj",
           "v 0 0 0\nv +1 0 0 0.5\nv 0 1 0\nv 0 0 1e0\nf -4 -2 -3\nf -4 \\\n-3 -1\nf -3 -2 -1\nf -4 -1 -2"));
  expect_tetrahedron(
      read("b.obj", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"));
}

// The area of triangles in the plane z = 0, none of which is turned over: of what they cover once.
double area_covered(const TriangleMesh& mesh) {
  double total = 0;
  for (const Triangle& t : mesh.triangles) {
    const Eigen::Vector3d e = mesh.vertices[t[1]] - mesh.vertices[t[0]],
                          f = mesh.vertices[t[2]] - mesh.vertices[t[0]];
    EXPECT_GE(e.x() * f.y() - e.y() * f.x(), 0);
    total += (e.x() * f.y() - e.y() * f.x()) / 2;
  }
  return total;
}

TEST_F(Read, ObjPolygonsConvexAndNot) {
  // An L of area 3: every fan has a triangle that is turned over; ears cover it once.
  const TriangleMesh mesh =
      read("l.obj", "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 2 3 4 5 6 1\n");
  ASSERT_EQ(mesh.triangles.size(), 4u);
  EXPECT_DOUBLE_EQ(area_covered(mesh), 3);
}

TEST_F(Read, ConcaveFacesBeforeTheirVerticesAreCutAsAfter) {
  const std::string obj_faces = "f 2 1 6 5 4 3\nf 1 2 8 7\n", ply_faces = "6 1 0 5 4 3 2\n4 0 1 7 6\n",
                    header = "ply\nformat ascii 1.0\n", end = "end_header\n",
                    vertex = "element vertex 8\nproperty float x\nproperty float y\nproperty float z\n",
                    face = "element face 2\nproperty list uchar int vertex_indices\n";
  std::string obj, ply;
  for (const char* v : {"0 0 0", "2 0 0", "2 1 0", "1 1 0", "1 2 0", "0 2 0", "0 0 1", "2 0 1"})
    obj += "v " + std::string(v) + "\n", ply += std::string(v) + "\n";
  const TriangleMesh after = read("after.obj", obj + obj_faces);
  EXPECT_EQ(after.triangles.size(), 6U);
  EXPECT_NE(after.triangles,
            read("fan.obj", obj + "f 2 1 6\nf 2 6 5\nf 2 5 4\nf 2 4 3\nf 1 2 8\nf 1 8 7\n").triangles);
  EXPECT_EQ(read("before.obj", obj_faces + obj).triangles, after.triangles);
  EXPECT_EQ(read("after.ply", header + vertex + face + end + ply + ply_faces).triangles, after.triangles);
  EXPECT_EQ(read("before.ply", header + face + vertex + end + ply_faces + ply).triangles, after.triangles);
}

TEST_F(Read, ObjFacesWithAHoleThroughACutOfVerticesOfItsOwn) {
  // A square of side 4 less one of side 2 in its midst; corners 1 and 5, 6 and 10 are at one place.
  const TriangleMesh mesh = read("hole.obj",
                                 "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 0 0 0\n"
                                 "v 1 1 0\nv 1 3 0\nv 3 3 0\nv 3 1 0\nv 1 1 0\nf 1 2 3 4 5 6 7 8 9 10\n");
  EXPECT_EQ(mesh.triangles.size(), 8u);
  EXPECT_DOUBLE_EQ(area_covered(mesh), 12);
}

TEST_F(Read, ObjFacesOfManyCornersThatAreNotConvex) {
  // A strip of twenty turns of a spiral: out along one edge, back along the other.
  constexpr int kCorners = 10000;  // the most that a face may have
  std::vector<Eigen::Vector2d> corners;
  std::string text, face = "f";
  for (int i = 0; i < kCorners; ++i) {
    const bool out = i < kCorners / 2;
    const double turns = 20.0 * (out ? i : kCorners - 1 - i) / (kCorners / 2 - 1),
                 r = turns + (out ? 1.0 : 0.5);
    corners.emplace_back(r * std::cos(2 * std::numbers::pi * turns),
                         r * std::sin(2 * std::numbers::pi * turns));
    text += fmt::format("v {} {} 0\n", corners.back().x(), corners.back().y());
    face += fmt::format(" {}", i + 1);
  }
  double area = 0;
  for (int i = 0; i < kCorners; ++i) {
    const Eigen::Vector2d& next = corners[(i + 1) % kCorners];
    area += (corners[i].x() * next.y() - corners[i].y() * next.x()) / 2;
  }
  const TriangleMesh mesh = read("spiral.obj", text + face + "\n");
  EXPECT_EQ(mesh.triangles.size(), kCorners - 2u);
  EXPECT_NEAR(std::abs(area_covered(mesh)), std::abs(area), 1e-9 * std::abs(area));
}

TEST_F(Read, ObjCommentsThatEndInABackslash) {
  const std::string text = kTetrahedronObj;
  expect_tetrahedron(read("path.obj", "# from C:\\models\\\n" + text));
  expect_tetrahedron(read("behind.obj", "vn 0 0 1 # C:\\\n" + text));
  expect_tetrahedron(read("blank.obj", " # from C:\\models\\\r\n" + text));
}

TEST_F(Read, WarnsOfDuplicatedVerticesButNotOfSeams) {
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\nv 1 0 0\nvt 0 0\nvt 1 1\nvn 0 0 1\n";
  read("seam.obj",
       v + "f 1/1/1 3/1/1 2/1/1\nf 5/2/1 6/2/1 4/1/1\nf 2/1/1 3/1/1 4/1/1\nf 1/1/1 4/1/1 3/1/1\n");
  EXPECT_TRUE(report_.warnings.empty());
  read("twins.obj",
       v + "f 1/1/1 3/1/1 2/1/1\nf 5/1/1 6/2/1 4/1/1\nf 2/1/1 3/1/1 4/1/1\nf 1/1/1 4/1/1 3/1/1\n");
  ASSERT_EQ(report_.warnings.size(), 1u);
  EXPECT_EQ(report_.warnings[0], "1 duplicated vertex merged");
  read("plain.obj", v + "f 1 3 2\nf 5 6 4\nf 2 3 4\nf 1 4 3\n");
  ASSERT_EQ(report_.warnings.size(), 2u);
  EXPECT_EQ(report_.warnings[1], "2 duplicated vertices merged");
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

TEST_F(Read, VerticesThatNoFaceUsesAreToldAndDoNotCountInTheSize) {
  read("far.obj", kTetrahedronObj + std::string("v 100 0 0\n"));
  ASSERT_EQ(report_.warnings.size(), 1u);
  EXPECT_EQ(report_.warnings[0], "1 vertex that no face uses ignored");
  read("far.ply",
       "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
       "z\nelement face 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1e-5 0 0\n0 1e-5 0\n1 0 "
       "0\n3 0 1 2\n");
  ASSERT_EQ(report_.warnings.size(), 3u);
  EXPECT_EQ(report_.warnings[1], "1 vertex that no face uses ignored");
  EXPECT_NE(report_.warnings[2].find("0.01414 mm"), std::string::npos) << report_.warnings[2];
}

TEST_F(Read, AMarkOfTheByteOrderIsNoBinaryStl) {
  const TriangleMesh mesh = read("marked.stl",
                                 "\xEF\xBB\xBFsolid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
                                 "vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n");
  EXPECT_EQ(mesh.triangles.size(), 1u);
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

TEST_F(Read, RefusesMeshesOfOnePointAndFacesOfTooManyCorners) {
  const std::string point = "v 1 2 3\nv 1 2 3\nv 1 2 3\n";
  expect_refused("point.obj", point + "f 1 2 3\n", "point.obj: all vertices of its faces are at one point");
  expect_refused(
      "point.ply",
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
      "z\nelement face 1\nproperty list int int vertex_indices\nend_header\n1 2 3\n1 2 3\n1 2 3\n3 0 "
      "1 2\n",
      "all vertices of its faces are at one point");
  std::string obj, corners;
  for (int i = 1; i <= 10001; ++i) {
    obj += "v " + std::to_string(i) + " " + std::to_string(i * i) + " 0\n";
    corners += " " + std::to_string(i);
  }
  expect_refused(
      "wheel.obj", obj + "f 1 2 3\nf" + corners + "\n",
      "wheel.obj: line 10003: face 2 has 10001 corners, and no face may have more than 10000: cut it");
  std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
      "z\nelement face 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n10001";
  for (int i = 0; i < 10001; ++i) ply += " 0";
  expect_refused("wheel.ply", ply + "\n", "wheel.ply: face 1 of 1: has 10001 corners");
}

TEST_F(Read, ALargeNumberIsNotAnInfiniteOne) {
  expect_refused("large.obj", "v 0 0 0\nv 1e20 0 0\nv 0 1 0\nf 1 2 3\n", "wrong units");
  expect_refused("infinite.obj", "v 0 0 0\nv inf 0 0\nv 0 1 0\nf 1 2 3\n", "not a finite number");
}

TEST_F(Read, WhatWasWrittenComesBackToTheBit) {
  Random random(3);
  TriangleMesh mesh;
  for (int i = 0; i < 300; ++i)
    mesh.vertices.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1) * 1e-9,
                               random.uniform(-1, 1) / 3);
  mesh.vertices.emplace_back(0.1 + 0.2, 5e-324, -0.0);
  for (int i = 0; i + 2 < 301; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
  for (const char* name : {"a.obj", "a.ply"}) {
    write_mesh(mesh, folder_ / name);
    const TriangleMesh back = read_mesh(folder_ / name, 1, report_);
    EXPECT_EQ(back.triangles, mesh.triangles);
    ASSERT_EQ(back.vertices.size(), mesh.vertices.size());
    EXPECT_EQ(std::memcmp(back.vertices.data(), mesh.vertices.data(), 24 * mesh.vertices.size()), 0) << name;
  }
  write_mesh(mesh, folder_ / "a.vtk");
  EXPECT_GT(std::filesystem::file_size(folder_ / "a.vtk"), 301u * 40);
  EXPECT_THROW(write_mesh(mesh, folder_ / "a.xyz"), InvalidInput);
  EXPECT_THROW(write_mesh(mesh, folder_ / "none" / "a.obj"), IoError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}),
            3);  // and no temporary file is left
}

// A limit on the file's size stands in for a full disk.
TEST_F(Read, AFullDiskIsAnErrorThatLeavesNothing) {
  TriangleMesh mesh;
  mesh.vertices.assign(1000, Eigen::Vector3d::Ones());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  EXPECT_THROW(write_mesh(mesh, folder_ / "a.obj"), IoError);
  std::signal(SIGXFSZ, handler);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Read, RefusesAFileThatMayNotBeRead) {
  const auto path = write("a.obj", kTetrahedronObj);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  constexpr uid_t kNobody = 65534;
  const bool root = ::geteuid() == 0;  // root may read everything, so be nobody for a moment
  if (root) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  EXPECT_THROW(read_mesh(path, 1, report_), IoError);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
}

TEST_F(Read, AMillionTriangles) {
  TriangleMesh mesh;
  for (int i = 0; i < 500'003; ++i) mesh.vertices.emplace_back(i * 1e-6, std::sin(i), std::cos(i));
  for (int i = 0; i < 1'000'000; ++i) mesh.triangles.push_back({i / 2, i / 2 + 1, i / 2 + 2});
  write_mesh(mesh, folder_ / "big.obj");
  EXPECT_EQ(read_mesh(folder_ / "big.obj", 1, report_).triangles.size(), 1'000'000u);
}

#ifndef ABUT_SANITIZED  // whose shadow memory is beyond any limit
// In a child process whose address space may grow by less than the mesh takes.
TEST_F(Read, MemoryThatRunsOutNamesTheFile) {
  std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  while (text.size() < (std::size_t{20} << 20)) text += "f 1 2 3\nf 1 3 2\nv 0 0 1\nf 1 2 4\nv 1 0 1\n";
  const std::filesystem::path file = write("large.obj", text);
  const pid_t child = ::fork();
  if (child == 0) {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most =
        static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (30 << 20);
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_AS, &limit);
    try {
      (void)read_mesh(file, 1, report_);
    } catch (const IoError& error) {
      ::_exit(std::string(error.what()).starts_with(file.string() + ": not enough memory") ? 0 : 1);
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

// A pipe would be waited for.
TEST_F(Read, PipesAreRefusedAtOnce) {
  for (const char* name : {"a.obj", "a.ply", "a.stl"}) {
    const std::filesystem::path pipe = folder_ / name;
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THROW(read_mesh(pipe, 1, report_), IoError);
  }
}

}  // namespace
}  // namespace abut::preprocess
