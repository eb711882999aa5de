// Files that end too early, and sound ones that look like them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "tests/preprocess/mesh/read_fixture.h"

namespace abut::preprocess {
namespace {

TEST_F(Read, RefusesAnObjCutOffAmongItsFaces) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "v " + std::to_string(i) + " " + std::to_string(i * i) + " 0\n";
  expect_refused("cut.obj", text + "f 1 2 3\nf 2 3 4\n", "truncated");
  // An unfinished index still parses: the surface's last face gives it away.
  std::string digit = "v 0 0 5\nv 0 0 0\nv 1 0 0\n";
  for (int i = 4; i < 12; ++i) digit += "v 7 7 7\n";
  expect_refused("digit.obj", digit + "v 0 1 0\nv 0 0 1\nf 2 12 3\nf 2 3 13\nf 3 12 13\nf 2 13 1", "line 17");
}

TEST_F(Read, RefusesAFewFacedObjCutAtALineEnd) {
  const std::string vertices = "v 0 0 0\nv 0 0 1\nv 0 1 0\nv 0 1 1\nv 1 0 0\nv 1 0 1\nv 1 1 0\nv 1 1 1\n";
  const std::string faces[] = {"f 1 2 4\n", "f 1 4 3\n", "f 5 7 8\n", "f 5 8 6\n", "f 3 4 8\n", "f 3 8 7\n",
                               "f 1 3 7\n", "f 1 7 5\n", "f 1 5 6\n", "f 1 6 2\n", "f 2 6 8\n", "f 2 8 4\n"};
  std::string text = vertices;
  for (int i = 0; i < 12; ++i) {
    text += faces[i];
    if (i + 1 == 9 || i + 1 == 11) expect_refused("cut.obj", text, "truncated");
    if (i + 1 != 10) continue;
    // A cut, or a box without its lid: nobody can tell.
    read("open.obj", text);
    ASSERT_EQ(report_.warnings.size(), 1u);
    EXPECT_NE(report_.warnings[0].find("may be cut off"), std::string::npos) << report_.warnings[0];
  }
  read("whole.obj", text);
  EXPECT_EQ(report_.warnings.size(), 1u);
}

// A cone whose sides have an apex each, 10 nm apart: closing merges them.
TEST_F(Read, ASeamThatWasRoundedIsNoCutOffFile) {
  constexpr int kAround = 30;
  std::string text, base = "f", sides;
  for (int i = 0; i < kAround; ++i) {
    const double a = 2 * std::numbers::pi * i / kAround;
    text += fmt::format("v {} {} 0\nv {} 0 1\n", std::cos(a), std::sin(a), 1e-8 * i);
    base += fmt::format(" {}", 2 * (kAround - 1 - i) + 1);
    sides += fmt::format("f {} {} {}\n", 2 * i + 1, 2 * ((i + 1) % kAround) + 1, 2 * i + 2);
  }
  read("cone.obj", text + base + "\n" + sides);
  EXPECT_TRUE(report_.warnings.empty()) << report_.warnings[0];
}

// A tube open at both ends, and one whose single opening is large: parts of robots are modelled like that,
// and their last face often lies at an opening.
TEST_F(Read, AVertexWithinAnEdgeOfTheLastFacesIsNoCutOffFile) {
  const std::string text =
      "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0.1 0.1 0\nv 0 0 0.1\nv 0.1 0 0.1\nv 0 0.1 0.1\nv 0.1 0.1 0.1\n"
      "v 0.05 0 0\nf 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\n"
      "f 2 4 8\nf 2 8 6\nf 1 9 6\nf 9 2 6\n";
  EXPECT_EQ(read("split.obj", text).triangles.size(), 13U);
  EXPECT_TRUE(report_.warnings.empty()) << report_.warnings[0];
}

TEST_F(Read, AnOpenModelIsNoCutOffFile) {
  for (const bool both_ends : {true, false}) {
    constexpr int kAround = 40, kRows = 5;
    std::string text;
    for (int i = 0; i < kRows * kAround; ++i) {
      const double a = 2 * std::numbers::pi * (i % kAround) / kAround;
      text += "v " + std::to_string(std::cos(a)) + " " + std::to_string(std::sin(a)) + " " +
              std::to_string(i / kAround) + "\n";
    }
    if (!both_ends) {
      text += "f";
      for (int j = kAround; j >= 1; --j) text += " " + std::to_string(j);
      text += "\n";
    }
    for (int i = 0; i + 1 < kRows; ++i)
      for (int j = 0; j < kAround; ++j) {
        const int a = i * kAround + j + 1, b = i * kAround + (j + 1) % kAround + 1;
        text += "f " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(b + kAround) + " " +
                std::to_string(a + kAround) + "\n";
      }
    report_ = {};
    read("tube.obj", text);
    EXPECT_TRUE(report_.warnings.empty()) << report_.warnings.front();
  }
}

// A whole file may end its vertices with one that no face uses: a pivot far from the rim of an open surface
// says nothing, one beside the rim may have lost its faces.
TEST_F(Read, AVertexThatNoFaceUsesIsNoCutOffFile) {
  constexpr int kAround = 40, kRows = 9;
  const auto cut_off = [&](const char* name, const std::string& text) {
    report_ = {};
    read(name, text);
    return std::any_of(report_.warnings.begin(), report_.warnings.end(), [](const std::string& warning) {
      return warning.find("may be cut off") != std::string::npos;
    });
  };
  std::string vertices, faces;
  for (int i = 0; i < kRows * kAround; ++i) {
    const double a = 2 * std::numbers::pi * (i % kAround) / kAround;
    vertices += fmt::format("v {} {} {}\n", std::cos(a), std::sin(a), 0.2 * (i / kAround));
  }
  for (int i = 0; i + 1 < kRows; ++i)
    for (int j = 0; j < kAround; ++j) {
      const int a = i * kAround + j + 1, b = i * kAround + (j + 1) % kAround + 1;
      faces += fmt::format("f {} {} {} {}\n", a, b, b + kAround, a + kAround);
    }
  EXPECT_FALSE(cut_off("pivot.obj", vertices + "v 0 0 0.8\n" + faces));
  EXPECT_FALSE(cut_off("two.obj", vertices + "v 0 0 0.8\nv 5 5 5\n" + faces));
  EXPECT_TRUE(cut_off("beside.obj", vertices + "v 1 0 1.8\n" + faces));
  // Cut in the middle of a line, or with more vertices waiting, it is refused.
  expect_refused("cut.obj", vertices + "v 0 0 0.8\n" + faces.substr(0, faces.size() - 2), "truncated");
  expect_refused("more.obj", vertices + "v 0 0 0.8\nv 5 5 5\nv 6 6 6\n" + faces, "truncated");
}

TEST_F(Read, RefusesYcbObjectsCutOffAmongTheirFaces) {
  const std::filesystem::path ycb = std::filesystem::path(ABUT_SHARED_DIR) / "data" / "ycb";
  if (!std::filesystem::exists(ycb)) GTEST_SKIP() << ycb << " is missing";
  for (const char* object : {"025_mug", "011_banana", "003_cracker_box", "051_large_clamp"}) {
    std::ifstream file(ycb / object / "google_16k" / "textured.obj", std::ios::binary);
    ASSERT_TRUE(file) << object;
    const std::string whole((std::istreambuf_iterator<char>(file)), {});
    const std::size_t first = whole.find("\nf ");
    for (const double part : {0.01, 0.5, 0.9, 0.98, 0.99, 0.995}) {
      SCOPED_TRACE(std::string(object) + " " + std::to_string(part));
      const std::size_t at =
          first + static_cast<std::size_t>(part * static_cast<double>(whole.size() - first));
      expect_refused("cut.obj", whole.substr(0, at), "truncated");
      expect_refused("cut.obj", whole.substr(0, whole.rfind('\n', at) + 1), "truncated");
    }
  }
}

}  // namespace
}  // namespace abut::preprocess
