#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "preprocess/mesh/formats.h"
#include "preprocess/mesh/read.h"
#include "runtime/core/error.h"

// Files of meshes for the tests of the readers.
namespace abut::preprocess {

inline const std::string kTetrahedronObj =
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

inline void expect_tetrahedron(const TriangleMesh& mesh) {
  ASSERT_EQ(mesh.triangles.size(), 4u);
  double sixfold = 0;
  for (const Triangle& t : mesh.triangles) {
    Eigen::Matrix3d m;
    for (int k = 0; k < 3; ++k) m.col(k) = mesh.vertices.at(t[k]);
    sixfold += m.determinant();
  }
  EXPECT_DOUBLE_EQ(sixfold, 1);
}

// The parser behind an extension, without the detour over a file.
inline TriangleMesh parse(const std::string& name, const std::string& bytes) {
  Report report;
  if (name.ends_with(".obj")) return parse_obj(bytes, name, report);
  return name.ends_with(".ply") ? parse_ply(bytes, name, report) : parse_stl(bytes, name, report);
}

// A PLY file of a tetrahedron with foreign properties in between, in each of the three formats.
template <class T>
void append_number(std::string& out, double value, bool big) {
  const T number = static_cast<T>(value);
  char raw[sizeof(T)];
  std::memcpy(raw, &number, sizeof(T));
  if (big) std::reverse(raw, raw + sizeof(T));
  out.append(raw, sizeof(T));
}

inline std::string tetrahedron_ply(const std::string& format) {
  const double p[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  std::string out =
      "ply\nformat " + format +
      " 1.0\ncomment by hand\nelement camera 1\nproperty float x\nproperty list uchar short ids\n"
      "element vertex 4\nproperty uchar red\nproperty double z\nproperty float y\nproperty short x\n"
      "element face 4\nproperty list uchar float weights\nproperty list int uint vertex_index\n"
      "element empty 7\nend_header\n";
  if (format == "ascii") {
    out += "0.5 2 7 8\n";
    for (const auto& v : p)
      out +=
          "255 " + std::to_string(v[2]) + " " + std::to_string(v[1]) + " " + std::to_string(int(v[0])) + "\n";
    for (const auto& f : faces) {
      out +=
          "1 0.5 3 " + std::to_string(f[0]) + " " + std::to_string(f[1]) + " " + std::to_string(f[2]) + "\n";
    }
    return out;
  }
  const bool big = format == "binary_big_endian";
  append_number<float>(out, 0.5, big);
  append_number<std::uint8_t>(out, 2, big);
  append_number<std::int16_t>(out, 7, big);
  append_number<std::int16_t>(out, 8, big);
  for (const auto& v : p) {
    append_number<std::uint8_t>(out, 255, big);
    append_number<double>(out, v[2], big);
    append_number<float>(out, v[1], big);
    append_number<std::int16_t>(out, v[0], big);
  }
  for (const auto& f : faces) {
    append_number<std::uint8_t>(out, 1, big);
    append_number<float>(out, 0.5, big);
    append_number<std::int32_t>(out, 3, big);
    for (int c : f) append_number<std::uint32_t>(out, c, big);
  }
  return out;
}

inline std::string binary_stl(const std::string& title, std::uint32_t count) {
  std::string out = title;
  out.resize(80, ' ');
  append_number<std::uint32_t>(out, count, false);
  const float p[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const auto& f : {std::array{0, 2, 1}, std::array{0, 1, 3}, std::array{1, 2, 3}, std::array{0, 3, 2}}) {
    out.append(12, '\0');
    for (const int c : f) {
      for (const float x : p[c]) append_number<float>(out, x, false);
    }
    out.append(2, '\0');
  }
  return out;
}

inline const std::string kFacet =
    "  facet normal 0 0 nan\n    outer loop\n      vertex 0 0 0\n      vertex 1e0 0 0\n      VERTEX 0 1 0\n"
    "    endloop\n  endfacet\n";

}  // namespace abut::preprocess
