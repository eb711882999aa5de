#include "preprocess/pressure/volume.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <filesystem>

#include "preprocess/mesh/close.h"
#include "preprocess/mesh/read.h"
#include "preprocess/mesh/weld.h"
#include "preprocess/pressure/level_search.h"
#include "preprocess/pressure/refine.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/schema.h"
#include "runtime/asset/writer.h"
#include "runtime/core/error.h"
#include "tests/preprocess/tetrahedralize/shapes.h"
#include "tests/support/runs.h"

namespace {

namespace fs = std::filesystem;
using namespace abut::preprocess;
using abut::asset::Volume;
using Eigen::Vector3d;

Vector3d vertex(const Volume& v, std::int32_t i) {
  return Eigen::Map<const Vector3d>(v.vertices.data() + 3 * i);
}

double volume_of(const Volume& v) {
  double sum = 0;
  for (std::size_t t = 0; t < v.tetrahedra.size(); t += 4)
    sum += six_volumes(vertex(v, v.tetrahedra[t]), vertex(v, v.tetrahedra[t + 1]),
                       vertex(v, v.tetrahedra[t + 2]), vertex(v, v.tetrahedra[t + 3])) /
           6;
  return sum;
}

void expect_sound(const Volume& v) {
  const std::size_t tetrahedra = v.tetrahedra.size() / 4;
  for (std::size_t t = 0; t < tetrahedra; ++t) {
    double lo = 2, hi = -1;
    for (std::size_t k = 0; k < 4; ++k) {
      const double* plane = v.face_planes.data() + 16 * t + 4 * k;
      const Vector3d n(plane[0], plane[1], plane[2]);
      EXPECT_NEAR(n.norm(), 1, 1e-12);
      for (std::size_t j = 0; j < 4; ++j) {
        const double height = n.dot(vertex(v, v.tetrahedra[4 * t + j])) + plane[3];
        EXPECT_TRUE(j == k ? height > 0 : std::abs(height) < 1e-9) << height;
      }
      const double e = v.extent[v.tetrahedra[4 * t + k]];
      lo = std::min(lo, e);
      hi = std::max(hi, e);
      const std::int32_t next = v.neighbours[4 * t + k];
      if (next < 0) continue;
      const auto* back = v.neighbours.data() + 4 * static_cast<std::size_t>(next);
      EXPECT_EQ(std::count(back, back + 4, static_cast<std::int32_t>(t)), 1);
    }
    EXPECT_EQ(v.extent_ranges[2 * t], lo);
    EXPECT_EQ(v.extent_ranges[2 * t + 1], hi);
    EXPECT_GT(hi, 0) << "no pressure in tetrahedron " << t;
    const Vector3d g = Eigen::Map<const Vector3d>(v.gradients.data() + 3 * t);
    const std::int32_t a = v.tetrahedra[4 * t], b = v.tetrahedra[4 * t + 1];
    EXPECT_NEAR(v.extent[b] - v.extent[a], g.dot(vertex(v, b) - vertex(v, a)), 1e-9);
  }
}

// Every leaf's range lies within those of all nodes above it.
void expect_ranges_nested(const Volume& v, std::size_t node, double lo, double hi) {
  for (std::size_t child = 0; child < 4; ++child) {
    const std::int32_t count = v.tree.counts[4 * node + child];
    const auto first = static_cast<std::size_t>(v.tree.children[4 * node + child]);
    if (count < 0) continue;
    const double child_lo = v.tree_extent_ranges[8 * node + child],
                 child_hi = v.tree_extent_ranges[8 * node + 4 + child];
    EXPECT_GE(child_lo, lo);
    EXPECT_LE(child_hi, hi);
    if (count == 0) expect_ranges_nested(v, first, child_lo, child_hi);
    for (std::size_t t = first; t < first + static_cast<std::size_t>(std::max(count, 0)); ++t) {
      EXPECT_LE(child_lo, v.extent_ranges[2 * t]);
      EXPECT_GE(child_hi, v.extent_ranges[2 * t + 1]);
    }
  }
}

std::string refusal(const TriangleMesh& mesh, const VolumeParameters& parameters) {
  Report report;
  try {
    (void)make_volumes(mesh, parameters, report);
  } catch (const abut::InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(MakeVolumes, LevelsReachTheirTargetsAndSurviveTheFile) {
  const TriangleMesh torus = shapes::torus(0.1, 0.05, 0.012);
  VolumeParameters parameters;
  parameters.tetrahedra = {600, 3000, 1200};
  Report report;
  abut::asset::Asset asset;
  asset.name = "torus";
  asset.volumes = make_volumes(torus, parameters, report);
  ASSERT_EQ(asset.volumes.size(), 3U);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
  const double targets[] = {3000, 1200, 600};
  for (std::size_t i = 0; i < 3; ++i) {
    const Volume& v = asset.volumes[i];
    EXPECT_NEAR(static_cast<double>(v.tetrahedra.size()) / 4 / targets[i], 1, 0.25);
    EXPECT_NEAR(volume_of(v) / volume(torus), 1, 0.1);
    expect_sound(v);
    expect_ranges_nested(v, 0, 0, 1);
    EXPECT_EQ(report.measures.at("volume" + std::to_string(i) + "_zero_pressure_percent"), 0);
  }
  const fs::path file =
      fs::temp_directory_path() / ("abut_volume_test_" + std::to_string(::getpid()) + ".h5");
  abut::asset::save(asset, file);
  const abut::asset::Asset loaded = abut::asset::load(file);
  fs::remove(file);
  EXPECT_EQ(loaded.volumes[1].extent, asset.volumes[1].extent);
  EXPECT_EQ(abut::asset::view(loaded).volume.tetrahedron_count,
            static_cast<std::int32_t>(asset.volumes[0].tetrahedra.size() / 4));
}

TEST(MakeVolumes, ABoxOfTwelveTrianglesReachesAFineLevelToo) {
  VolumeParameters parameters;
  parameters.tetrahedra = {2000};
  Report report;
  const auto volumes = make_volumes(shapes::box({0.1, 0.06, 0.03}), parameters, report);
  EXPECT_NEAR(static_cast<double>(volumes[0].tetrahedra.size()) / 4, 2000, 500);
  EXPECT_NEAR(volume_of(volumes[0]), 8 * 0.1 * 0.06 * 0.03, 1e-12);
  expect_sound(volumes[0]);
}

TEST(MakeVolumes, TargetsOutOfRangeAreRefused) {
  for (const std::int64_t target : {-1, 0, 3, 10'000'000}) {
    VolumeParameters parameters;
    parameters.tetrahedra = {1000, target};
    EXPECT_NE(refusal(shapes::box({1, 1, 1}), parameters).find(std::to_string(target) + " tetrahedra"),
              std::string::npos);
  }
}

TEST(MakeVolumes, AnObjectThinnerThanTenMicrometresIsRefused) {
  VolumeParameters parameters;
  parameters.tetrahedra = {300};
  EXPECT_NE(refusal(shapes::box({0.05, 0.05, 4e-6}), parameters).find("nowhere thicker"), std::string::npos)
      << refusal(shapes::box({0.05, 0.05, 4e-6}), parameters);
  EXPECT_EQ(refusal(shapes::box({0.05, 0.05, 4e-5}), parameters), "");
}

TEST(MakeVolumes, AVoidIsKeptOrFilled) {
  const TriangleMesh shell = shapes::spherical_shell(0.1, 2, 0.05, 2);
  const double outer = volume(shapes::sphere(0.1, 2)), inner = volume(shapes::sphere(0.05, 2));
  VolumeParameters parameters;
  parameters.tetrahedra = {1500};
  Report report;
  EXPECT_NEAR(volume_of(make_volumes(shell, parameters, report)[0]), outer - inner, 0.03 * outer);
  parameters.fill_voids = true;
  EXPECT_NEAR(volume_of(make_volumes(shell, parameters, report)[0]), outer, 0.03 * outer);
}

// What lies in a void that is filled is filled with it; beside the outermost solid stays what lies beside it.
TEST(MakeVolumes, AVoidIsFilledWithWhatLiesInIt) {
  TriangleMesh rattle = shapes::spherical_shell(0.1, 2, 0.05, 2);
  append_mesh(rattle, shapes::sphere(0.02, 1));
  TriangleMesh beside = shapes::sphere(0.02, 1);
  for (Vector3d& v : beside.vertices) v.x() += 0.2;
  append_mesh(rattle, beside);
  const double outer = volume(shapes::sphere(0.1, 2)), small = volume(beside);
  VolumeParameters parameters;
  parameters.tetrahedra = {1500};
  parameters.fill_voids = true;
  Report report;
  EXPECT_NEAR(volume_of(make_volumes(rattle, parameters, report)[0]), outer + small, 0.03 * outer);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
}

// By memory: a limit of time may pass unseen when the mesher is done before the clock is read.
TEST(MakeVolumes, AFailingMesherIsNamed) {
#ifdef ABUT_SANITIZED
  GTEST_SKIP() << "no limits of memory under sanitizers";
#endif
  VolumeParameters parameters;
  parameters.tetrahedra = {300};
  parameters.limits.memory_bytes = 1;
  ::malloc_trim(0);  // what the tests before have freed would serve TetGen
  EXPECT_NE(refusal(shapes::sphere(0.1, 2), parameters).find("out of memory"), std::string::npos)
      << refusal(shapes::sphere(0.1, 2), parameters);
}

// The first attempt misses its target by more than is close enough, the second reaches a limit.
TEST(MakeVolumes, ALevelInHandIsKeptWhenALimitIsReached) {
  const TriangleMesh ball = shapes::sphere(0.1, 3);
  int attempts = 0;
  std::size_t made = 0;
  const auto second_fails = [&](const TriangleMesh& surface) {
    if (++attempts == 2) throw LimitReached("TetGen took longer than 300 s");
    TetrahedralMesh mesh = make_tetrahedra(surface, {});
    made = mesh.tetrahedra.size();
    return mesh;
  };
  const std::int64_t far = 600;  // the guess of 3.2 tetrahedra a triangle is made for thousands
  const VolumeLevel level = find_level(ball, far, second_fails);
  ASSERT_EQ(attempts, 2) << made;
  EXPECT_EQ(level.mesh.tetrahedra.size(), made);
  ASSERT_FALSE(level.report.warnings.empty());
  EXPECT_EQ(level.report.warnings.back(),
            "no level nearer to the target was tried: TetGen took longer than 300 s");

  const auto always_fails = [](const TriangleMesh&) -> TetrahedralMesh {
    throw LimitReached("out of memory");
  };
  EXPECT_THROW(find_level(ball, far, always_fails), LimitReached);
}

// A cup, 0.2 m wide with a wall of 4 mm, cannot be as coarse as that. Every target has a volume
// all the same, and one warning says which are alike and why.
TEST(MakeVolumes, LevelsOutOfReachAreAlikeAndOneWarningSaysSo) {
  const TriangleMesh cup = shapes::cup(0.1, 0.1, 0.004, 0.015);
  VolumeParameters parameters;
  parameters.tetrahedra = {60, 100, 30};
  Report report;
  const auto volumes = make_volumes(cup, parameters, report);
  ASSERT_EQ(volumes.size(), 3U);
  EXPECT_EQ(volumes[0].tetrahedra, volumes[1].tetrahedra);
  EXPECT_EQ(volumes[0].tetrahedra, volumes[2].tetrahedra);
  const std::string told = "volumes 0, 1, 2: " + std::to_string(volumes[0].tetrahedra.size() / 4) +
                           " tetrahedra instead of 100, 60, 30: ";
  EXPECT_EQ(std::count_if(report.warnings.begin(), report.warnings.end(),
                          [&](const std::string& w) { return w.starts_with(told); }),
            1)
      << told << " but " << report.warnings.front();
}

class YcbVolume : public testing::TestWithParam<const char*> {};

TEST_P(YcbVolume, NoSurfaceWithoutPressure) {
  const fs::path file =
      fs::path(ABUT_SHARED_DIR) / "data" / "ycb" / GetParam() / "google_16k" / "textured.obj";
  if (!fs::exists(file)) GTEST_SKIP() << "no " << file << ": it needs the reference data beside the project";
  Report report;
  const ClosedSurface closed = close_surface(read_mesh(file, 1, report), {}, report);
  VolumeParameters parameters;
  parameters.tetrahedra = {3000};
  const auto volumes = make_volumes(closed.surface, parameters, report);
  ASSERT_EQ(volumes.size(), 1U);
  expect_sound(volumes[0]);
  EXPECT_EQ(report.measures.at("volume0_zero_pressure_percent"), 0);
  // A mug's wall is thin for its triangles.
  const bool thin = std::string(GetParam()) == "025_mug";
  EXPECT_GT(report.measures.at("volume0_min_dihedral_degrees"), thin ? 1 : 5);
  EXPECT_GT(report.measures.at("volume0_p1_dihedral_degrees"), thin ? 1 : 12);
}

INSTANTIATE_TEST_SUITE_P(Objects, YcbVolume,
                         testing::ValuesIn(abut::test::fewer_if_fast<const char*>(
                             {"011_banana", "003_cracker_box", "025_mug", "035_power_drill"})));

// A bar that widens to a knob, narrow for the triangles of a coarse mesh.
TriangleMesh bar_with_knob() {
  TriangleMesh bar = abut::test::box(0.2, 0.01, 0.01);
  for (Eigen::Vector3d& v : bar.vertices)
    if (v.x() > 0) v.y() *= 6, v.z() *= 6;
  return bar;
}

// The tetrahedra alone, whose core has vertices in the knob only, and with those that are put in.
TEST(Volume, NarrowPartsHaveVerticesInTheirCore) {
  constexpr std::size_t kTriangles = 150;
  const TriangleMesh bar = refine(bar_with_knob(), kTriangles);
  const TetrahedralMesh bare = make_tetrahedra(bar, {});
  const LocalInradius inradius(bar);
  Report report;
  const ExtentField before = extent_field(bare, inradius, {}, report);
  const MadeVolume after = make_field(bare, bar, {}, report);
  const double core_fraction = ExtentParameters{}.core_fraction;
  const double missed_before = missed_core(bare, before, inradius, core_fraction),
               missed_after = missed_core(after.mesh, after.field, inradius, core_fraction);
  EXPECT_GT(missed_before, 0.15);
  EXPECT_LT(missed_after, missed_before / 2);
  EXPECT_EQ(after.mesh.surface_vertices, bare.surface_vertices);
  EXPECT_GE(measure(after.mesh).min_dihedral, std::min(3.0, measure(bare).min_dihedral));
}

// What has its core already stays as it is.
TEST(Volume, ABulkyPartHasNoMoreVertices) {
  const TriangleMesh ball = shapes::sphere(0.1, 3);
  const TetrahedralMesh bare = make_tetrahedra(ball, {});
  Report report;
  EXPECT_EQ(make_field(bare, ball, {}, report).mesh.vertices.size(), bare.vertices.size());
}

// One triangle of a ball lies, by way of a vertex on its middle, back to back with the one beside it:
// tetrahedra between the two have no height.
TEST(MakeVolumes, AFineLevelHasNoTrianglesBackToBack) {
  TriangleMesh ball = shapes::sphere(0.1, 3);
  const auto [a, b, c] = ball.triangles[0];
  const auto beside =
      std::find_if(ball.triangles.begin() + 1, ball.triangles.end(), [&, a = a, b = b](const auto& t) {
        return std::count(t.begin(), t.end(), a) == 1 && std::count(t.begin(), t.end(), b) == 1;
      });
  ASSERT_NE(beside, ball.triangles.end());
  const Vector3d &p = ball.vertices[(*beside)[0]], &q = ball.vertices[(*beside)[1]],
                 &r = ball.vertices[(*beside)[2]];
  const auto middle = static_cast<std::int32_t>(ball.vertices.size());
  const Vector3d outward = (q - p).cross(r - p).normalized();
  ball.vertices.push_back((p + q + r) / 3 - 1e-15 * outward);
  ball.triangles[0] = {a, b, middle};
  ball.triangles.push_back({b, c, middle});
  ball.triangles.push_back({c, a, middle});
  EXPECT_LT(measure(make_tetrahedra(ball, {})).min_dihedral, 1e-6);

  VolumeParameters parameters;
  parameters.tetrahedra = {8000};
  Report report;
  const auto volumes = make_volumes(ball, parameters, report);
  expect_sound(volumes.front());
  EXPECT_GT(report.measures.at("volume0_min_dihedral_degrees"), kLeastDihedral);
}

TEST(Volume, TellsHowMuchOfTheCoreItMisses) {
  const TriangleMesh bar = bar_with_knob();
  Report report;
  VolumeParameters parameters;
  parameters.tetrahedra = {6000, 300};
  make_volumes(bar, parameters, report);
  for (const char* measure : {"volume0_missed_core_percent", "volume1_missed_core_percent"}) {
    EXPECT_GE(report.measures.at(measure), 0);
    EXPECT_LT(report.measures.at(measure), 2);
  }
}

// A wall with one layer of vertices.
TEST(Volume, WarnsWhereWallsAreTooThin) {
  Report report;
  VolumeParameters parameters;
  parameters.tetrahedra = {300};
  make_volumes(abut::test::box(0.1, 0.1, 0.002), parameters, report);
  const double missed = report.measures.at("volume0_missed_core_percent");
  const bool warned = std::any_of(report.warnings.begin(), report.warnings.end(), [](const std::string& w) {
    return w.find("of its core, where the pressure is less than half") != std::string::npos;
  });
  EXPECT_EQ(warned, missed > 10) << missed;
  Report of_distance;  // a field without a core
  parameters.extent.field = FieldKind::kDistance;
  make_volumes(abut::test::box(0.1, 0.1, 0.002), parameters, of_distance);
  EXPECT_FALSE(of_distance.measures.contains("volume0_missed_core_percent"));
}

}  // namespace
