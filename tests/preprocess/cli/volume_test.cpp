#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "command_runner.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "tests/support/shapes.h"

// Volumes through the command line: every option, and insides that cannot be made.
namespace {

using namespace abut;
using namespace abut::test;
using preprocess::TriangleMesh;

double volume_of(const asset::Volume& volume) {
  const asset::VolumeView v = asset::view(volume);
  double sum = 0;
  for (std::int32_t t = 0; t < v.tetrahedron_count; ++t) {
    const auto corner = [&](int k) {
      return Eigen::Vector3d(Eigen::Vector3d::Map(v.vertices + 3 * v.tetrahedra[4 * t + k]));
    };
    sum += (corner(1) - corner(0)).cross(corner(2) - corner(0)).dot(corner(3) - corner(0)) / 6;
  }
  return sum;
}

// A ball of 10 cm with a concentric cavity of 6 cm.
TriangleMesh hollow_ball() {
  TriangleMesh mesh = sphere(0.05, 3);
  TriangleMesh cavity = sphere(0.03, 3);
  for (auto& triangle : cavity.triangles) std::swap(triangle[0], triangle[1]);
  append(mesh, cavity, {0, 0, 0});
  return mesh;
}

class VolumeOptions : public CommandTest {
 protected:
  // Makes data/thing.obj with these options; exit code 0 and no errors.
  asset::Asset make_thing(const std::vector<std::string>& options) {
    made_ = make(options);
    EXPECT_EQ(made_.code, 0) << made_.out << made_.err;
    EXPECT_EQ(made_.err, "");
    return asset::load(asset("thing"));
  }

  // The object has no volume and the run says why, but it is an asset otherwise.
  void expect_no_volume(const std::vector<std::string>& options, const std::string& reason) {
    const asset::Asset thing = make_thing(options);
    EXPECT_TRUE(thing.volumes.empty());
    EXPECT_FALSE(thing.surfaces.empty());
    EXPECT_TRUE(contains(made_.out, "ok, no volume")) << made_.out;
    ASSERT_FALSE(thing.provenance.warnings.empty());
    EXPECT_TRUE(contains(thing.provenance.warnings.back(), reason)) << thing.provenance.warnings.back();
    EXPECT_TRUE(contains(made_.out, "warning: " + thing.provenance.warnings.back())) << made_.out;
    EXPECT_EQ(command({"verify", asset("thing")}).code, 0);
  }

  CommandResult made_;
};

TEST_F(VolumeOptions, NumbersAreDecimal) {
  write("thing.obj", sphere(0.05, 3));
  for (const auto& [option, number] : {std::pair{"--tets", "0300"},
                                       {"--tets", "0x200"},
                                       {"--memory", "-1GiB"},
                                       {"--memory", "1e9"},
                                       {"--memory", "-18446744073709547520KiB"},
                                       {"--memory", "18446744073709551615GiB"},
                                       {"--piece-vertices", "0200"},
                                       {"--core-fraction", "0x1p-1"}}) {
    const CommandResult refused = command({data_.string(), out_.string(), option, number});
    EXPECT_EQ(refused.code, 2) << option;
    EXPECT_TRUE(contains(refused.err, std::string("'") + number + "' is no")) << refused.err;
  }
  for (const auto& [option, number] : {std::pair{"--tets", "\n01750"},
                                       {"--jobs", "\n010"},
                                       {"--quads", "\r2000"},
                                       {"--timeout", "\v010"},
                                       {"--memory", "\f010GiB"}})
    EXPECT_EQ(command({data_.string(), out_.string(), option, number}).code, 2) << option;
  const CommandResult zeros = command({data_.string(), out_.string(), "--timeout", "010"});
  EXPECT_TRUE(contains(zeros.err, "'010' is not a positive number, written without leading zeros"))
      << zeros.err;
}

TEST_F(VolumeOptions, LevelsOfDetailComeFinestFirst) {
  write("thing.obj", sphere(0.05, 3));
  const asset::Asset thing = make_thing({"--tets", "300,900,300"});
  ASSERT_EQ(thing.volumes.size(), 2U);
  const double targets[] = {900, 300};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(static_cast<double>(thing.volumes[i].tetrahedra.size()) / 4 / targets[i], 1, 0.25);
    EXPECT_NEAR(volume_of(thing.volumes[i]) / thing.mass.volume, 1, 0.1);
  }
  EXPECT_EQ(thing.provenance.stage_seconds.back().first, "volumes");
  EXPECT_TRUE(make_thing({"--tets", "none"}).volumes.empty());
}

TEST_F(VolumeOptions, TargetsOutOfRangeAreRefused) {
  write("thing.obj", sphere(0.05, 2));
  for (const std::string target : {"0", "3", "10000000", "-6000", "many", "", "300,,500", "500,2"}) {
    const CommandResult result = make({"--tets", target});
    EXPECT_EQ(result.code, 2) << target;
    EXPECT_TRUE(result.err.starts_with("abut-preprocess: error: --tets " + target + ": ")) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(VolumeOptions, BadOptionsAreRefused) {
  write("thing.obj", sphere(0.05, 2));
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"--core-fraction", "0"}, {"--core-fraction", "1"},  {"--core-fraction", "nan"},
      {"--field", "magnetic"},  {"--tetgen-timeout", "0"}, {"--tetgen-memory", "much"}};
  for (const auto& [option, value] : bad) {
    const CommandResult result = make({option, value});
    EXPECT_EQ(result.code, 2) << option << " " << value;
    EXPECT_TRUE(contains(result.err, option)) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
}

TEST_F(VolumeOptions, FieldAndCoreFractionShapeTheField) {
  write("thing.obj", sphere(0.05, 3));
  const asset::Asset half = make_thing({"--tets", "800"});
  const asset::Asset most = make_thing({"--tets", "800", "--core-fraction", "0.8"});
  const asset::Asset distance = make_thing({"--tets", "800", "--field", "distance"});
  // Where the field is 1: in half a ball's radius, in four fifths, at one point.
  const auto share_in_core = [](const asset::Asset& thing) {
    const std::vector<double>& ranges = thing.volumes.at(0).extent_ranges;
    std::size_t inside = 0;
    for (std::size_t t = 0; t < ranges.size(); t += 2) inside += ranges[t] >= 1;
    return static_cast<double>(2 * inside) / static_cast<double>(ranges.size());
  };
  EXPECT_LT(share_in_core(half), share_in_core(most));
  EXPECT_EQ(share_in_core(distance), 0);
  // The distance field is linear along a radius: 1 - r / R but for the facets.
  const asset::VolumeView v = asset::view(distance.volumes[0]);
  for (std::int32_t i = 0; i < v.vertex_count; ++i)
    EXPECT_NEAR(v.extent[i], 1 - Eigen::Vector3d::Map(v.vertices + 3 * i).norm() / 0.05, 0.08);
}

TEST_F(VolumeOptions, ChangedParametersMakeTheObjectAgain) {
  write("thing.obj", sphere(0.05, 2));
  std::vector<std::string> options = {"--tets", "300"};
  const auto remade = [&](const std::vector<std::string>& more, const std::string& parameter) {
    options.insert(options.end(), more.begin(), more.end());
    (void)make_thing(options);
    EXPECT_TRUE(contains(made_.out, "made again: the parameter volume." + parameter + " changed"))
        << made_.out;
    (void)make_thing(options);
    EXPECT_TRUE(contains(made_.out, "0 made, 1 up to date")) << made_.out;
  };
  (void)make_thing({"--tets", "300,200"});
  remade({}, "tetrahedra");
  remade({"--field", "distance"}, "field");
  remade({"--core-fraction", "0.4"}, "core_fraction");
  remade({"--fill-voids"}, "fill_voids");
  remade({"--tetgen-timeout", "200"}, "tetgen_timeout");
  remade({"--tetgen-memory", "2GiB"}, "tetgen_memory");
}

TEST_F(VolumeOptions, AVoidIsKeptOrFilled) {
  write("thing.obj", hollow_ball());
  const asset::Asset kept = make_thing({"--tets", "1200", "--keep-all-components"});
  const asset::Asset filled = make_thing({"--tets", "1200", "--keep-all-components", "--fill-voids"});
  EXPECT_EQ(kept.mass.volume, filled.mass.volume);  // of the surface, which stays
  const double cavity = std::abs(volume_of(filled.volumes.at(0)) - volume_of(kept.volumes.at(0)));
  EXPECT_NEAR(cavity / (kept.mass.volume / (1 - 0.216) * 0.216), 1, 0.05);  // (3 / 5)^3 of the ball
  EXPECT_NEAR(volume_of(kept.volumes[0]) / kept.mass.volume, 1, 0.03);
}

TEST_F(VolumeOptions, AnObjectThinnerThanTenMicrometresHasNone) {
  write("thing.obj", box(0.05, 0.05, 8e-6));
  expect_no_volume({"--tets", "500"}, "nowhere thicker than 8e-06 m");
}

TEST_F(VolumeOptions, TetGenOutOfTimeOrMemoryLeavesNone) {
  write("thing.obj", sphere(0.05, 3));
  expect_no_volume({"--tets", "1000", "--tetgen-timeout", "1e-6"}, "timed out");
#ifndef ABUT_SANITIZED
  expect_no_volume({"--tets", "1000", "--tetgen-memory", "1MiB"},
                   "out of memory in stage 'TetGen' (limit 1 MiB)");
#endif
  EXPECT_EQ(make_thing({"--tets", "1000"}).volumes.size(), 1U);
}

// One asset with two levels, for what reads assets.
class VolumeAsset : public VolumeOptions {
 protected:
  void SetUp() override {
    write("thing.obj", sphere(0.05, 3));
    json_ = (folder_ / "run.json").string();
    thing_ = make_thing({"--tets", "600,200", "--json", json_});
    ASSERT_EQ(thing_.volumes.size(), 2U);
  }

  std::string json_;
  asset::Asset thing_;
};

TEST_F(VolumeAsset, TheReportHoldsTheMeasuresOfEachLevel) {
  const nlohmann::json object = nlohmann::json::parse(std::ifstream(json_))["objects"][0];
  ASSERT_EQ(object["volumes"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const nlohmann::json& level = object["volumes"][i];
    EXPECT_EQ(4 * level["tetrahedra"].get<std::size_t>(), thing_.volumes[i].tetrahedra.size());
    EXPECT_EQ(level["zero_pressure_percent"], 0);
    EXPECT_GT(level["min_dihedral_degrees"], 1);
    EXPECT_GE(level["p1_dihedral_degrees"], level["min_dihedral_degrees"]);
    for (const char* name : {"surface_triangles", "hausdorff_percent", "seconds"})
      EXPECT_GE(level.at(name), 0) << name;
  }
}

TEST_F(VolumeAsset, InspectPrintsATableOfLevels) {
  const CommandResult result = command({"inspect", asset("thing")});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const std::string word : {"tetrahedra", "angle deg", "pressure"})
    EXPECT_TRUE(contains(result.out, word));
  // The rows' angles are measured anew on what is stored.
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t row = result.out.find("\n  " + std::to_string(i) + "  ");
    ASSERT_NE(row, std::string::npos) << result.out;
    std::istringstream in(result.out.substr(row));
    double level = 0, tetrahedra = 0, vertices = 0, triangles = 0, least = 0, percentile = 0, zero = 1;
    in >> level >> tetrahedra >> vertices >> triangles >> least >> percentile >> zero;
    const auto measure = [&](const std::string& name) {
      return thing_.provenance.measures.at("volume" + std::to_string(i) + "_" + name);
    };
    EXPECT_EQ(tetrahedra, measure("tetrahedra"));
    EXPECT_EQ(triangles, measure("surface_triangles"));
    EXPECT_NEAR(least, measure("min_dihedral_degrees"), 0.006);
    EXPECT_NEAR(percentile, measure("p1_dihedral_degrees"), 0.006);
    EXPECT_EQ(zero, 0);
  }
}

// Read back, what is exported is the same bits.
TEST_F(VolumeAsset, ExportKeepsEveryBit) {
  const std::string file = (folder_ / "thing.vtk").string();
  for (const auto& [part, level] :
       {std::pair("volume", 0), std::pair("volume:0", 0), std::pair("volume:1", 1)}) {
    ASSERT_EQ(command({"export", asset("thing"), "--part", part, "--out", file}).code, 0);
    const asset::VolumeView v = asset::view(thing_.volumes[static_cast<std::size_t>(level)]);
    std::ifstream in(file);
    std::string line, word, type;
    for (const char* expected :
         {"# vtk DataFile Version 3.0", "Abut volume, metres", "ASCII", "DATASET UNSTRUCTURED_GRID"}) {
      std::getline(in, line);
      EXPECT_EQ(line, expected);
    }
    std::int64_t count = 0, numbers = 0, index = 0;
    in >> word >> count >> type;
    ASSERT_EQ(word + " " + type, "POINTS double");
    ASSERT_EQ(count, v.vertex_count);
    double number = 0;
    for (std::int32_t i = 0; i < 3 * v.vertex_count; ++i)
      ASSERT_TRUE(in >> number && number == v.vertices[i]);
    in >> word >> count >> numbers;
    ASSERT_EQ(word, "CELLS");
    ASSERT_EQ(count, v.tetrahedron_count);
    ASSERT_EQ(numbers, 5 * count);
    for (std::int32_t i = 0; i < 5 * v.tetrahedron_count; ++i)
      ASSERT_TRUE(in >> index && index == (i % 5 == 0 ? 4 : v.tetrahedra[i / 5 * 4 + i % 5 - 1]));
    in >> word >> count;
    ASSERT_EQ(word, "CELL_TYPES");
    for (std::int32_t t = 0; t < v.tetrahedron_count; ++t) ASSERT_TRUE(in >> index && index == 10);
    in >> word >> count;
    ASSERT_EQ(word, "POINT_DATA");
    ASSERT_EQ(count, v.vertex_count);
    std::getline(in, line);
    std::getline(in, line);
    EXPECT_EQ(line, "SCALARS extent double 1");
    std::getline(in, line);
    EXPECT_EQ(line, "LOOKUP_TABLE default");
    for (std::int32_t i = 0; i < v.vertex_count; ++i) ASSERT_TRUE(in >> number && number == v.extent[i]);
    EXPECT_FALSE(in >> word) << word;
  }
}

TEST_F(VolumeAsset, ExportRefusesWhatThereIsNot) {
  const auto refusal = [&](const std::string& part, const std::string& file) {
    const CommandResult result =
        command({"export", asset("thing"), "--part", part, "--out", (folder_ / file).string()});
    EXPECT_EQ(result.code, 2) << part;
    EXPECT_FALSE(std::filesystem::exists(folder_ / file));
    return result.err;
  };
  EXPECT_TRUE(contains(refusal("volume:2", "x.vtk"), "has no volume:2: its levels are 0 to 1"));
  EXPECT_TRUE(contains(refusal("volume:one", "x.vtk"), "unknown part 'volume:one'"));
  EXPECT_TRUE(contains(refusal("volume:", "x.vtk"), "unknown part 'volume:'"));
  EXPECT_TRUE(contains(refusal("volume", "x.obj"), "known: .vtk"));
  (void)make_thing({"--tets", "none"});
  EXPECT_TRUE(contains(refusal("volume", "x.vtk"), "the asset has no volume"));
}

TEST_F(VolumeAsset, ACorruptedVolumeIsRefused) {
  EXPECT_EQ(command({"verify", asset("thing")}).code, 0);
  const auto problem_of = [&](const std::function<void(asset::Volume&)>& corrupt) {
    asset::Asset broken = thing_;
    corrupt(broken.volumes[1]);
    asset::save(broken, asset("thing"));
    const CommandResult result = command({"verify", asset("thing")});
    EXPECT_EQ(result.code, 1);
    return result.err;
  };
  EXPECT_TRUE(contains(problem_of([](asset::Volume& v) { v.gradients[4] += 0.1; }),
                       asset("thing") + ": volume/1: gradients: tetrahedron 1 has the wrong one"));
  EXPECT_TRUE(contains(problem_of([](asset::Volume& v) { v.face_planes[3] += 0.1; }), "volume/1"));
  EXPECT_TRUE(contains(problem_of([](asset::Volume& v) { v.extent.back() *= 0.9; }), "volume/1: gradients"));
}

}  // namespace
