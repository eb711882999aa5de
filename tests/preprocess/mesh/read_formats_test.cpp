#include <gtest/gtest.h>

#include <cctype>

#include "runtime/core/random.h"
#include "tests/preprocess/mesh/read_fixture.h"
#include "tests/support/runs.h"

namespace abut::preprocess {
namespace {

TEST_F(Read, PlyOfAllFormatsWithForeignProperties) {
  for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    SCOPED_TRACE(format);
    expect_tetrahedron(read("a.ply", tetrahedron_ply(format)));
  }
}

TEST_F(Read, RefusesEveryTruncationOfAPly) {
  for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    const std::string whole = tetrahedron_ply(format);
    for (std::size_t n = 1; n + 2 < whole.size();
         ++n) {  // without its last digit and newline an ASCII file is still whole
      SCOPED_TRACE(n);
      EXPECT_THROW(parse("cut.ply", whole.substr(0, n)), InvalidInput);
    }
    expect_refused("cut.ply", whole.substr(0, whole.size() - 6), "truncated");
  }
}

TEST_F(Read, RefusesBadPlies) {
  const std::string vertices = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string header = "ply\nformat ascii 1.0\n" + vertices +
                             "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  expect_refused("nan.ply", header + "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", "vertex 2 of 3");
  expect_refused("inf.ply", header + "0 0 0\n1 1e999 0\n0 1 0\n3 0 1 2\n", "vertex 2 of 3");
  expect_refused("range.ply", header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "face 1");
  expect_refused("negative.ply", header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "face 1 of 1");
  expect_refused("fraction.ply", header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", "face 1 of 1");
  expect_refused("few.ply", header + "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "face 1 of 1");
  expect_refused("word.ply", header + "0 0 0\n1 zero 0\n0 1 0\n3 0 1 2\n", "vertex 2 of 3");
  expect_refused("none.ply", "ply\nformat ascii 1.0\n" + vertices + "end_header\n0 0 0\n1 0 0\n0 1 0\n",
                 "no faces");
  const auto warnings = [](const std::string& bytes) {
    Report report;
    (void)parse_ply(bytes, "rest.ply", report);
    return report.warnings;
  };
  const std::string triangle = header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  EXPECT_TRUE(warnings(triangle + " \r\n").empty());
  EXPECT_EQ(warnings(triangle + "3 0 2 1\n"),
            std::vector<std::string>{"8 bytes after all that its header promises: left out"});
  expect_refused("magic.ply", "pry\n", "line 1");
  expect_refused("format.ply", "ply\nformat middle_endian 1.0\nend_header\n", "line 2");
  // A promise of 64 GB must be refused by arithmetic, not by trying.
  for (const char* format : {"ascii", "binary_little_endian"}) {
    expect_refused("huge.ply",
                   std::string("ply\nformat ") + format +
                       " 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\nproperty float "
                       "z\nend_header\n0 0 0\n",
                   "vertex");
    expect_refused(
        "list.ply",
        std::string("ply\nformat ") + format +
            " 1.0\nelement face 1\nproperty list uint int vertex_indices\nend_header\n\xff\xff\xff\xff\n",
        "");
  }
}

TEST_F(Read, StlOfAllKinds) {
  expect_tetrahedron(read("a.stl", binary_stl("by hand", 4)));
  expect_tetrahedron(read("solid.stl", binary_stl("solid but binary", 4)));
  expect_tetrahedron(read("tail.stl", binary_stl("solid but binary", 4) + "more"));
  EXPECT_EQ(read("text.stl", "solid a\n" + kFacet + "endsolid a\nsolid b c\n" + kFacet + kFacet + "endsolid")
                .triangles.size(),
            3u);
  std::string capitals = "\nSOLID A\n" + kFacet + "ENDSOLID A\n";
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(read("capitals.stl", capitals).triangles.size(), 1u);
}

TEST_F(Read, AnStlWithMoreFacesThanItsHeaderSaysIsTold) {
  const std::string whole = binary_stl("by hand", 4);
  const auto warnings = [](const std::string& bytes) {
    Report report;
    parse_stl(bytes, "more.stl", report);
    return report.warnings;
  };
  std::string less = whole;
  less[80] = 3;
  EXPECT_EQ(warnings(less),
            std::vector<std::string>{"its header promises 3 faces, and 4 are there: the rest is left out"});
  EXPECT_EQ(warnings(whole), std::vector<std::string>{});
  EXPECT_EQ(warnings(whole + std::string(428, '\0')), std::vector<std::string>{});  // padding
}

TEST_F(Read, RefusesBadStls) {
  const std::string whole = binary_stl("by hand", 4);
  for (std::size_t n = 1; n < whole.size(); ++n)
    EXPECT_THROW(parse("cut.stl", whole.substr(0, n)), InvalidInput) << n;
  expect_refused("cut.stl", whole.substr(0, whole.size() - 1), "face 4");
  expect_refused("huge.stl", binary_stl("", 0xffffffff), "truncated");
  expect_refused("none.stl", binary_stl("", 0).substr(0, 84), "no faces");
  std::string nan = whole;
  nan.replace(84 + 50 + 12, 4, "\xff\xff\xff\xff");
  expect_refused("nan.stl", nan, "face 2");
  const std::string text = "solid a\n" + kFacet + kFacet + "endsolid a\n";
  for (std::size_t n = 1; n + 3 < text.size(); ++n)
    EXPECT_THROW(parse("cut.stl", text.substr(0, n)), InvalidInput) << n;
  expect_refused("cuttext.stl", text.substr(0, 150), "face 2");
  expect_refused("word.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 zero 0\n", "line 4");
  expect_refused("inf.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 inf 0\n", "line 4");
  expect_refused("notext.stl", "solid a\nendsolid a\n", "no faces");
}

// Whatever the bytes, a reader returns a mesh that is whole or throws.
TEST_F(Read, SurvivesDamagedBytes) {
  Random random(7);
  const std::pair<const char*, std::string> seeds[] = {
      {"f.obj", kTetrahedronObj},
      {"f.ply", tetrahedron_ply("ascii")},
      {"f.ply", tetrahedron_ply("binary_little_endian")},
      {"f.ply", tetrahedron_ply("binary_big_endian")},
      {"f.stl", binary_stl("solid", 4)},
      {"f.stl", "solid a\n" + kFacet + kFacet + "endsolid\n"}};
  for (const auto& [name, seed] : seeds) {
    for (int trial = 0; trial < abut::test::runs(1500); ++trial) {
      std::string bytes = seed;
      for (auto n = random.bits() % 8 + 1; n > 0 && !bytes.empty(); --n) {
        const std::size_t at = random.bits() % bytes.size();
        switch (random.bits() % 4) {
          case 0:
            bytes[at] = static_cast<char>(random.bits());
            break;
          case 1:
            bytes[at] = "0123456789-+.e \n/"[random.bits() % 17];
            break;
          case 2:
            bytes.erase(at, random.bits() % 20);
            break;
          default:
            bytes.insert(at, bytes.substr(random.bits() % bytes.size(), random.bits() % 20));
        }
      }
      try {
        if (bytes.empty()) continue;
        const TriangleMesh mesh = parse(name, bytes);
        for (const auto& v : mesh.vertices) ASSERT_TRUE(v.allFinite());
        for (const auto& t : mesh.triangles) {
          for (const int c : t) ASSERT_TRUE(c >= 0 && c < static_cast<int>(mesh.vertices.size()));
        }
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace abut::preprocess
