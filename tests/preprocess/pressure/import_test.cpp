#include "preprocess/pressure/import.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "preprocess/cli/verify.h"
#include "runtime/core/error.h"
#include "tests/preprocess/pressure/vtu_text.h"
#include "tests/support/pressure_field_data.h"

namespace {

namespace fs = std::filesystem;
using namespace abut;
using preprocess::TetrahedralMesh;

struct Grid {
  TetrahedralMesh mesh;
  std::vector<double> pressures;
};

// Four tetrahedra around an inner point at pressure 5.
Grid star() {
  Grid grid;
  grid.mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 0.2}};
  grid.mesh.tetrahedra = {{4, 1, 2, 3}, {0, 4, 2, 3}, {0, 1, 4, 3}, {0, 1, 2, 4}};
  grid.pressures = {0, 0, 0, 0, 5};
  return grid;
}

// Another body beside those of the grid.
void add(Grid& grid, const Grid& body, double scale, const Eigen::Vector3d& shift) {
  const auto first = static_cast<std::int32_t>(grid.mesh.vertices.size());
  for (const Eigen::Vector3d& v : body.mesh.vertices) grid.mesh.vertices.emplace_back(scale * v + shift);
  for (preprocess::Tetrahedron t : body.mesh.tetrahedra) {
    for (std::int32_t& corner : t) corner += first;
    grid.mesh.tetrahedra.push_back(t);
  }
  grid.pressures.insert(grid.pressures.end(), body.pressures.begin(), body.pressures.end());
}

// A second star of these points of the first in place of its own, and others.
void join(Grid& grid, const std::vector<Eigen::Vector3d>& others) {
  const auto shared = static_cast<std::int32_t>(4 - others.size());
  for (const Eigen::Vector3d& v : others) {
    grid.mesh.vertices.push_back(v);
    grid.pressures.push_back(0);
  }
  const auto number = [&](int k) { return k < shared ? k : 5 + k - shared; };
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (int k = 0; k < 4; ++k) middle += grid.mesh.vertices[number(k)] / 4;
  grid.mesh.vertices.push_back(middle);
  grid.pressures.push_back(5);
  const auto inner = static_cast<std::int32_t>(grid.mesh.vertices.size()) - 1;
  for (preprocess::Tetrahedron t : star().mesh.tetrahedra) {
    for (std::int32_t& corner : t) corner = corner == 4 ? inner : number(corner);
    if (preprocess::six_volumes(grid.mesh.vertices[t[0]], grid.mesh.vertices[t[1]], grid.mesh.vertices[t[2]],
                                grid.mesh.vertices[t[3]]) < 0)
      std::swap(t[0], t[1]);
    grid.mesh.tetrahedra.push_back(t);
  }
}

std::string vtk(const Grid& grid, bool offsets = false) {
  std::ostringstream out;
  out.precision(17);
  const auto& [mesh, pressures] = grid;
  out << "# vtk DataFile Version 3.0\nby a test\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS "
      << mesh.vertices.size() << " double\n";
  for (const auto& v : mesh.vertices) out << v.x() << ' ' << v.y() << ' ' << v.z() << '\n';
  const std::size_t n = mesh.tetrahedra.size();
  if (offsets) {
    out << "CELLS " << n + 1 << ' ' << 4 * n << "\nOFFSETS vtktypeint64\n";
    for (std::size_t i = 0; i <= n; ++i) out << 4 * i << ' ';
    out << "\nCONNECTIVITY vtktypeint64\n";
  } else {
    out << "CELLS " << n << ' ' << 5 * n << '\n';
  }
  for (const auto& t : mesh.tetrahedra)
    out << (offsets ? "" : "4 ") << t[0] << ' ' << t[1] << ' ' << t[2] << ' ' << t[3] << '\n';
  out << "CELL_TYPES " << n << '\n';
  for (std::size_t i = 0; i < n; ++i) out << "10\n";
  out << "POINT_DATA " << pressures.size() << "\nSCALARS pressure double 1\nLOOKUP_TABLE default\n";
  for (const double p : pressures) out << p << '\n';
  return out.str();
}

class Import : public testing::Test {
 protected:
  Import() : file(fs::temp_directory_path() / ("abut_import_test_" + std::to_string(::getpid()) + ".vtk")) {}
  ~Import() override { fs::remove(file); }

  asset::Asset from(const std::string& text) const {
    std::ofstream(file) << text;
    return preprocess::import_volume(file);
  }
  // The message, which names the file, has these words.
  void refused(const std::string& text, const std::string& words) const {
    try {
      from(text);
      ADD_FAILURE() << "not refused: " << words;
    } catch (const InvalidInput& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(words), std::string::npos) << message;
      EXPECT_TRUE(message.starts_with(file.string())) << message;
    }
  }
  void refused(const std::function<void(Grid&)>& spoil, const std::string& words) const {
    Grid grid = star();
    spoil(grid);
    refused(vtk(grid), words);
  }
  fs::path file;
};

TEST_F(Import, ASoundFileMakesASoundAsset) {
  for (const bool offsets : {false, true}) {
    const asset::Asset made = from(vtk(star(), offsets));
    EXPECT_TRUE(preprocess::verify(made).empty());
    EXPECT_EQ(made.surfaces.front().triangles.size(), 12u);
    EXPECT_EQ(made.provenance.measures.at("import_largest_pressure"), 5);
    EXPECT_EQ(*std::max_element(made.volumes.front().extent.begin(), made.volumes.front().extent.end()), 1);
    EXPECT_NEAR(made.mass.volume, 1.0 / 6, 1e-15);
  }
}

// Everything that ParaView, meshio and VTK write.
TEST_F(Import, XmlFilesInEveryFormat) {
  using test::VtuFormat;
  for (const VtuFormat format :
       {VtuFormat::kAscii, VtuFormat::kBinary, VtuFormat::kAppendedBase64, VtuFormat::kAppendedRaw})
    for (const int options : {0, 1, 2, 4, 8, 15}) {
      test::VtuOptions with;
      with.format = format;
      with.compressed = (options & 1) != 0;
      with.big_endian = (options & 2) != 0;
      with.wide_header = (options & 4) != 0;
      with.single = (options & 8) != 0;
      if (format == VtuFormat::kAscii && with.compressed) continue;
      SCOPED_TRACE(std::to_string(static_cast<int>(format)) + ", options " + std::to_string(options));
      const asset::Asset made = from(test::VtuWriter(with)(star().mesh, star().pressures));
      EXPECT_TRUE(preprocess::verify(made).empty());
      EXPECT_EQ(made.provenance.measures.at("import_largest_pressure"), 5);
      EXPECT_NEAR(made.mass.volume, 1.0 / 6, 1e-15);
      ASSERT_EQ(made.volumes.front().tetrahedra.size(), 16u);
    }
}

TEST_F(Import, FaultsOfXmlFilesAreRefusedAndNamed) {
  using test::VtuFormat;
  const auto text = [](VtuFormat format, bool compressed = false) {
    test::VtuOptions with;
    with.format = format;
    with.compressed = compressed;
    return test::VtuWriter(with)(star().mesh, star().pressures);
  };
  const auto with = [](std::string whole, const std::string& what, const std::string& instead) {
    return whole.replace(whole.find(what), what.size(), instead);
  };
  const std::string good = text(VtuFormat::kAscii);
  refused(with(good, "type=\"UnstructuredGrid\"", "type=\"PolyData\""), "not an unstructured grid");
  refused(with(good, "Name=\"pressure\"", "Name=\"stress\""), "scalars `pressure` of the points are missing");
  refused(with(good, "\"pressure\" NumberOfComponents=\"1\"", "\"pressure\" NumberOfComponents=\"3\""),
          "more than one component");
  refused(with(good, "0 0 0 0 5", "0 0 0 5"),
          "the array 'pressure' of PointData (line 10) has 4 numbers, not 5");
  refused(with(good, "0 0 0 0 5", "0 0 x 0 5"), "has 'x' for a number");
  refused(with(good, "4 8 12 16", "4 8 13 16"), "cell 2 is no tetrahedron");
  refused(with(good, "10 10 10 10", "10 10 12 10"), "cell 2 is no tetrahedron");
  refused(with(good, "NumberOfPoints=\"5\"", "NumberOfPoints=\"-5\""), "NumberOfPoints is '-5'");
  refused(with(good, "</Piece>", "</Piece><Piece NumberOfPoints=\"5\" NumberOfCells=\"4\">"),
          "more than one piece");
  refused(with(text(VtuFormat::kBinary), "type=\"Int64\"", "type=\"Float64\""),
          "has the type 'Float64' where whole numbers stand");
  refused(with(good, "0 0 0 0 5", "0 1 0 0 5"), "the pressure at point 1, on the surface");
  refused(with(text(VtuFormat::kBinary), "UInt32\"", "UInt32\" compressor=\"vtkLZ4DataCompressor\""),
          "compressed by vtkLZ4DataCompressor");
  for (const VtuFormat format : {VtuFormat::kBinary, VtuFormat::kAppendedBase64, VtuFormat::kAppendedRaw})
    for (const bool compressed : {false, true}) {
      const std::string whole = text(format, compressed);
      for (std::size_t size = 100; size < whole.size() - 60; size += 37) refused(whole.substr(0, size), "");
    }
}

// The reference tetrahedra come through unchanged.
TEST_F(Import, ReferenceTetrahedra) {
  const fs::path tets = test::pressure_field_folder() / "011_banana_300.tet";
  std::ifstream in(tets);
  if (!in) GTEST_SKIP() << "needs " << tets;
  Grid grid;
  std::size_t vertices = 0, tetrahedra = 0;
  in >> vertices >> tetrahedra;
  grid.mesh.vertices.resize(vertices);
  grid.pressures.resize(vertices);
  grid.mesh.tetrahedra.resize(tetrahedra);
  for (std::size_t v = 0; v < vertices; ++v) {
    for (int k = 0; k < 3; ++k) in >> grid.mesh.vertices[v][k];
    in >> grid.pressures[v];
  }
  for (auto& t : grid.mesh.tetrahedra)
    for (std::int32_t& corner : t) in >> corner;
  const asset::Asset made = from(vtk(grid)), direct = test::read_reference_volume("011_banana", 300);
  EXPECT_EQ(made.volumes.front().vertices, direct.volumes.front().vertices);
  EXPECT_EQ(made.volumes.front().tetrahedra, direct.volumes.front().tetrahedra);
  EXPECT_EQ(made.volumes.front().extent, direct.volumes.front().extent);
}

TEST_F(Import, FaultsAreRefusedAndNamed) {
  refused([](Grid& g) { std::swap(g.mesh.tetrahedra[2][0], g.mesh.tetrahedra[2][1]); },
          "tetrahedron 2 has the volume -");
  refused([](Grid& g) { g.mesh.vertices[4] = {0.2, 0.2, 0}; }, "tetrahedron 3 has no volume");
  refused([](Grid& g) { g.pressures[1] = 0.5; }, "the pressure at point 1, on the surface, is 0.5");
  refused([](Grid& g) { g.pressures[4] = -1; }, "the pressure at point 4 is -1");
  refused([](Grid& g) { g.pressures[4] = std::nan(""); }, "the pressure at point 4 is nan");
  refused([](Grid& g) { g.pressures[4] = 0; }, "zero all over");
  refused([](Grid& g) { g.mesh.tetrahedra[1][1] = 7; }, "cell 1 has point 7, and there are 5");
  refused([](Grid& g) { g.mesh.vertices[3].y() = std::nan(""); }, "point 3 (from 0) is not finite");
  refused(
      [](Grid& g) {
        g.mesh.tetrahedra.push_back(g.mesh.tetrahedra[3]);
        g.mesh.tetrahedra.push_back(g.mesh.tetrahedra[3]);
      },
      "shares a face with two others");
  refused(
      [](Grid& g) {
        g.mesh.vertices.emplace_back(2, 2, 2);
        g.pressures.push_back(0);
      },
      "point 5 is in no tetrahedron");
  const std::string good = vtk(star());
  refused(good.substr(0, good.size() / 2), "cut off");
  refused(good.substr(0, good.find("POINT_DATA")), "no scalar `pressure`");
  std::string few = good;
  refused(few.replace(few.find("POINT_DATA 5"), 12, "POINT_DATA 4"),
          "POINT_DATA is of 4 points, POINTS has 5");
  refused("solid nothing", "neither a legacy VTK file nor an XML one");
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = good;
    return text.replace(text.find(what), what.size(), instead);
  };
  refused(with("ASCII", "BINARY"), "not in ASCII");
  refused(with("UNSTRUCTURED_GRID", "POLYDATA"), "not an unstructured grid");
  refused(with("\n10\n", "\n12\n"), "cell 0 is no tetrahedron");
  EXPECT_THROW(preprocess::import_volume("/nowhere/at.vtk"), IoError);
}

TEST_F(Import, BodiesThatAreNoSolidTogetherAreRefused) {
  refused(
      [](Grid& g) {
        add(g, star(), 1, {0.2, 0.1, 0});
      },
      " overlap or touch without a face that both have");
  refused([](Grid& g) { add(g, star(), 1, {0, 0, 0}); }, " overlap or touch without a face that both have");
  refused(
      [](Grid& g) {
        add(g, star(), 0.1, {0.1, 0.1, 0.1});
      },
      "the body of tetrahedron 7 lies within another");
  refused(
      [](Grid& g) {
        join(g, {{-1, 0, 0}, {0, -1, 0}, {0.3, -1, -1}});
      },
      "tetrahedron 7 meets others at point 0 alone");
  refused([](Grid& g) { join(g, {{0.5, -1, 0}, {0.5, 0, -1}}); }, " meet at the edge of points ");
  refused([](Grid& g) { g.mesh.tetrahedra.push_back(g.mesh.tetrahedra[3]); },
          "shares a face with two others");
  refused(
      [](Grid& g) {  // a fin on the face of points 1, 2 and 3, to its inner side
        g.mesh.vertices.emplace_back(0.3, 0.3, 0.3);
        g.pressures.push_back(0);
        g.mesh.tetrahedra.push_back({5, 1, 2, 3});
      },
      "tetrahedra 0 and 4 overlap: they lie on the same side of the face that they share");
  Grid beside = star();
  add(beside, star(), 1, {2, 0, 0});
  EXPECT_TRUE(preprocess::verify(from(vtk(beside))).empty());
}

TEST_F(Import, PointsTooFarForTheirDigitsAreRefused) {
  refused(
      [](Grid& g) {
        for (Eigen::Vector3d& v : g.mesh.vertices) v.array() += 1e9;
      },
      "point 0 is 1.73e+09 m from the origin");
  Grid far = star();
  for (Eigen::Vector3d& v : far.mesh.vertices) v.array() += 1e4;
  EXPECT_TRUE(preprocess::verify(from(vtk(far))).empty());
}

TEST_F(Import, TetrahedraWithoutPressureAtTheSurfaceAreRefused) {
  refused(
      [](Grid& g) {
        add(g, star(), 1, {2, 0, 0});
        g.pressures.back() = 0;
      },
      "tetrahedron 7 is at the surface and has no pressure at any corner");
}

// The counts of a legacy file, each against what is there.
TEST_F(Import, LegacyFilesThatContradictThemselvesAreRefused) {
  const auto with = [&](const std::string& what, const std::string& instead, bool offsets = false) {
    std::string text = vtk(star(), offsets);
    return text.replace(text.find(what), what.size(), instead);
  };
  const std::string more = "SCALARS extent double 1\nLOOKUP_TABLE default\n0\n0\n0\n0\n1\n";
  refused(vtk(star()) + more, ":30: the array `extent` is a second one of `pressure` or `extent`; keep one");
  refused(vtk(star()) + "FIELD FieldData 1\npressure 1 5 double\n0 0 0 0 7\n",
          "the array `pressure` is a second");
  refused(vtk(star()) + "9\n", "'9' after the last number of pressure");
  refused(with("CELL_TYPES 4\n10\n10\n10\n10\n", ""), "it has no CELL_TYPES");
  refused(with("CELL_TYPES 4\n10\n", "CELL_TYPES 3\n"), "CELL_TYPES has 3 types, and CELLS has 4 cells");
  refused(with("CELL_TYPES 4", "CELL_TYPES 3"), "'10' after the last number of CELL_TYPES");
  refused(with("CELLS 4 20", "CELLS 4 0"), ":15: CELLS 4 0: 4 tetrahedra take 20 numbers");
  refused(with("CELLS 4 20", "CELLS 3 15"), "'4' after the last number of CELLS");
  refused(with("CELLS 5 16", "CELLS 5 12", true), "CELLS 5 12: 5 offsets of tetrahedra are for 16 numbers");
  refused(
      with("CELLS 5 16\nOFFSETS vtktypeint64\n0 4 8 12 16", "CELLS 3 16\nOFFSETS vtktypeint64\n0 4 8", true),
      "CELLS 3 16: 3 offsets of tetrahedra are for 8 numbers");
  refused(with("CELLS 4 20", "POINTS 1 double\n0 0 0\nCELLS 4 20"), "a second section POINTS");
  // Names may be anything.
  const asset::Asset named = from(with("SCALARS",
                                       "VECTORS pressure double\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0"
                                       "\nFIELD CELLS 1\nPOINT 1 5 double\n0 0 0 0 1\nSCALARS"));
  EXPECT_EQ(named.provenance.measures.at("import_largest_pressure"), 5);
}

TEST_F(Import, XmlFilesThatContradictThemselvesAreRefused) {
  using test::VtuFormat;
  const auto text = [](const Grid& grid, VtuFormat format, bool compressed = false) {
    test::VtuOptions with;
    with.format = format;
    with.compressed = compressed;
    return test::VtuWriter(with)(grid.mesh, grid.pressures);
  };
  const auto with = [](std::string whole, const std::string& what, const std::string& instead) {
    return whole.replace(whole.find(what), what.size(), instead);
  };
  Grid longer = star();
  longer.pressures.push_back(7);
  for (const VtuFormat format : {VtuFormat::kBinary, VtuFormat::kAppendedBase64, VtuFormat::kAppendedRaw})
    for (const bool compressed : {false, true})
      refused(text(longer, format, compressed), "has 48 bytes, not 40 for 5 numbers of type Float64");
  const std::string good = text(star(), VtuFormat::kAscii), binary = text(star(), VtuFormat::kBinary);
  const std::size_t data = binary.find('>', binary.find("Name=\"pressure\"")), end = binary.find('<', data);
  refused(std::string(binary).insert(end, "AAAA"), "goes on after the bytes that its header counts");
  const std::size_t array = good.rfind('<', good.find("Name=\"pressure\"")), rest = good.find("</PointData>");
  refused(std::string(good).insert(rest, good.substr(array, rest - array)),
          "the array 'pressure' of PointData (line");
  refused(
      with(good, "\"connectivity\" NumberOfComponents=\"1\"", "\"connectivity\" NumberOfComponents=\"3\""),
      "has more than one component (3)");
  for (const char* info : {"info=\"a>b\"", "info='\">'"}) {
    const asset::Asset made = from(with(good, "Name=\"pressure\"", "Name=\"pressure\" " + std::string(info)));
    EXPECT_EQ(made.provenance.measures.at("import_largest_pressure"), 5);
  }
}

// 394 bytes that promise a block of 6 GB: zlib makes 1032 bytes of one at most.
TEST_F(Import, BlocksAreBoundedByTheFilesSize) {
  const auto number = [](std::uint32_t n) { return std::string(reinterpret_cast<const char*>(&n), 4); };
  const std::string head = number(1) + number(0x90000000) + number(0) + number(8);
  const std::string array = "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">" +
                            test::base64(head) + "AAAAAAAAAAA=</DataArray>";
  const auto peak = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  const long before = peak();
  refused(
      "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" "
      "compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid><Piece NumberOfPoints=\"200000000\" "
      "NumberOfCells=\"1\"><Points>" +
          array + "</Points></Piece></UnstructuredGrid></VTKFile>",
      "has a damaged header");
  EXPECT_LT(peak() - before, 100 * 1024);
}

}  // namespace
