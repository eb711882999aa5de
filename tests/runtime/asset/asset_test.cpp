#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/asset/container.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/schema.h"
#include "runtime/asset/writer.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"
#include "tests/support/tetrahedron_asset.h"

namespace {

namespace fs = std::filesystem;
using abut::asset::Asset;
using abut::test::tetrahedron_asset;

class AssetFile : public testing::Test {
 protected:
  AssetFile() : folder(fs::temp_directory_path() / ("abut_asset_test_" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
    file = folder / "object.h5";
  }
  ~AssetFile() override { fs::remove_all(folder); }

  void overwrite(const std::vector<std::byte>& bytes) const {
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  std::string error_of_load() const {
    try {
      (void)abut::asset::load(file);
    } catch (const abut::Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder, file;
};

TEST_F(AssetFile, RoundTripKeepsEveryBit) {
  const Asset a = tetrahedron_asset();
  abut::asset::save(a, file);
  const Asset b = abut::asset::load(file);
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(b.surfaces.size(), 1U);
  ASSERT_EQ(b.convex.size(), 1U);
  ASSERT_EQ(b.volumes.size(), 1U);
  ASSERT_EQ(b.points.size(), 1U);
  ASSERT_EQ(b.grids.size(), 1U);
  std::vector<std::string> names;
  const auto remember = [&](auto& into) {
    return [&](const char* name, const auto& data, const abut::asset::Shape&, const char*, const char*) {
      names.emplace_back(name);
      into.emplace_back(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(data[0]));
    };
  };
  std::vector<std::string> bytes_a, bytes_b;
  abut::asset::visit_surface(a.surfaces[0], remember(bytes_a));
  abut::asset::visit_convex(a.convex[0], remember(bytes_a));
  abut::asset::visit_volume(a.volumes[0], remember(bytes_a));
  abut::asset::visit_points(a.points[0], remember(bytes_a));
  abut::asset::visit_grid(a.grids[0], remember(bytes_a));
  abut::asset::visit_surface(b.surfaces[0], remember(bytes_b));
  abut::asset::visit_convex(b.convex[0], remember(bytes_b));
  abut::asset::visit_volume(b.volumes[0], remember(bytes_b));
  abut::asset::visit_points(b.points[0], remember(bytes_b));
  abut::asset::visit_grid(b.grids[0], remember(bytes_b));
  EXPECT_EQ(bytes_a, bytes_b);
  EXPECT_EQ(names.size(), 2 * (7U + 7U + 11U + 10U + 4U));
  EXPECT_EQ(a.mass.volume, b.mass.volume);
  EXPECT_TRUE(std::equal(a.mass.inertia, a.mass.inertia + 9, b.mass.inertia));
  EXPECT_EQ(a.provenance.source_file, b.provenance.source_file);
  EXPECT_EQ(a.provenance.parameters, b.provenance.parameters);
  EXPECT_EQ(a.provenance.versions, b.provenance.versions);
  EXPECT_EQ(a.provenance.warnings, b.provenance.warnings);
  EXPECT_EQ(a.provenance.stage_seconds, b.provenance.stage_seconds);
  EXPECT_EQ(a.provenance.measures, b.provenance.measures);
}

// Whoever walks over a surface from triangle to triangle comes to each of them, and to no end of them.
TEST_F(AssetFile, NeighboursThatShareNoEdgeAreRefused) {
  const auto refusal = [&](auto&& change) {
    Asset a = tetrahedron_asset();
    change(a.surfaces[0].neighbours);
    abut::asset::save(a, file);
    return error_of_load();
  };
  using Neighbours = std::vector<std::int32_t>;
  EXPECT_EQ(refusal([](Neighbours&) {}), "");
  EXPECT_EQ(refusal([](Neighbours& n) { n.assign(n.size(), 0); }),
            file.string() +
                ": surface/0/neighbours: triangles 0 and 0 do not share edge 0 of the first; make "
                "the asset again");
  EXPECT_NE(refusal([](Neighbours& n) { std::swap(n[0], n[1]); }).find("triangles 0 and 2"),
            std::string::npos);
}

// The layout of attributes in the file changes with their number, twice.
TEST_F(AssetFile, ProvenanceOfAnyLengthIsKept) {
  for (const int count : {1, 7, 8, 9, 40, 600, 5000}) {
    Asset a = tetrahedron_asset();
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      a.provenance.parameters["parameter." + number] =
          std::string(static_cast<std::size_t>(7 * i % 300), 'x');
      a.provenance.measures["measure_" + number] = i;
      a.provenance.stage_seconds.emplace_back("stage " + std::to_string(7919 * i % count), i);
      a.provenance.warnings.push_back("warning " + number);
    }
    a.provenance.stage_seconds.resize(static_cast<std::size_t>(std::min(count, 100)));
    abut::asset::save(a, file);
    const abut::asset::Provenance b = abut::asset::load_provenance(file);
    EXPECT_EQ(a.provenance.parameters, b.parameters) << count;
    EXPECT_EQ(a.provenance.measures, b.measures) << count;
    EXPECT_EQ(a.provenance.stage_seconds, b.stage_seconds) << count;
    EXPECT_EQ(a.provenance.warnings, b.warnings) << count;
  }
}

TEST_F(AssetFile, AbsentPartsStayAbsent) {
  Asset a;
  a.name = "nothing";
  abut::asset::save(a, file);
  const Asset b = abut::asset::load(file);
  EXPECT_TRUE(b.surfaces.empty());
  EXPECT_TRUE(b.convex.empty());
  EXPECT_TRUE(b.grids.empty());
  EXPECT_EQ(abut::asset::view(b).grid.brick_count, 0);
  EXPECT_EQ(abut::asset::view(b).convex.vertex_count, 0);
}

// Each row of a grid in memory goes on into the next brick along x; beyond the last there is no number.
TEST_F(AssetFile, AGridIsLoadedWithItsRows) {
  abut::asset::save(tetrahedron_asset(), file);
  const Asset b = abut::asset::load(file);
  const auto& c = b.grids[0].coefficients;
  const auto& rows = b.grids[0].rows;
  ASSERT_EQ(rows.size(), 2 * c.size());
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t i = 0; i < 4; ++i) {  // brick 1 is the first along x, 0 the one after it
      EXPECT_EQ(rows[8 * (16 + row) + i], c[4 * (16 + row) + i]);
      EXPECT_EQ(rows[8 * (16 + row) + 4 + i], c[4 * row + i]);
      EXPECT_EQ(rows[8 * row + i], c[4 * row + i]);
      EXPECT_TRUE(std::isnan(rows[8 * row + 4 + i]));
    }
}

TEST_F(AssetFile, TheSameAssetGivesTheSameBytes) {
  abut::asset::save(tetrahedron_asset(), file);
  const auto first = abut::read_file(file);
  abut::asset::save(tetrahedron_asset(), file);
  EXPECT_EQ(first, abut::read_file(file));
}

TEST_F(AssetFile, EveryFlippedByteIsFound) {
  abut::asset::save(tetrahedron_asset(), file);
  const auto good = abut::read_file(file);
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t i, std::byte byte) {
    bytes.seekp(static_cast<std::streamoff>(i)).put(static_cast<char>(byte)).flush();
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    put(i, good[i] ^ std::byte{static_cast<unsigned char>(1U << (i % 8))});
    EXPECT_THROW((void)abut::asset::read_container(file, abut::asset::kSchemaVersion), abut::BadAsset)
        << "byte " << i;
    put(i, good[i]);
  }
}

TEST_F(AssetFile, EveryTruncationIsFound) {
  abut::asset::save(tetrahedron_asset(), file);
  const auto good = abut::read_file(file);
  for (std::size_t size = 0; size < good.size(); size += 7) {
    overwrite({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
    EXPECT_THROW((void)abut::asset::load(file), abut::BadAsset) << size << " bytes";
  }
}

// Of a TiB each, which no memory holds: the header tells.
TEST_F(AssetFile, LargeFilesThatAreNoAssetsAreRefusedUnread) {
  overwrite({});
  fs::resize_file(file, std::uintmax_t{1} << 40);
  EXPECT_EQ(error_of_load(), file.string() + ": not an Abut asset (its first line is not 'ABUT asset')");
  abut::asset::save(tetrahedron_asset(), file);
  const auto size = fs::file_size(file);
  fs::resize_file(file, std::uintmax_t{1} << 40);
  EXPECT_EQ(error_of_load(), file.string() + ": damaged: 1099511627776 bytes where the header says " +
                                 std::to_string(size) + "; make the asset again");
}

TEST_F(AssetFile, ANewerSchemaIsRefusedByName) {
  abut::asset::save(tetrahedron_asset(), file);
  const auto bytes = abut::read_file(file);
  abut::asset::write_container(file, abut::asset::kSchemaVersion + 1,
                               std::span(bytes).subspan(abut::asset::kHeaderBytes));
  EXPECT_NE(error_of_load().find("made by a newer version"), std::string::npos) << error_of_load();
  EXPECT_NE(error_of_load().find(file.string()), std::string::npos);
}

TEST_F(AssetFile, ABodyThatIsNoAssetIsRefused) {
  const std::vector<std::byte> body(5000, std::byte{42});
  abut::asset::write_container(file, abut::asset::kSchemaVersion, body);
  EXPECT_NE(error_of_load().find("not an HDF5 file"), std::string::npos) << error_of_load();
}

TEST_F(AssetFile, InconsistentArraysAreRefusedWithTheirName) {
  Asset a = tetrahedron_asset();
  a.convex[0].adjacency[5] = 4;
  try {
    abut::asset::save(a, file);
    FAIL() << "saved";
  } catch (const abut::BadAsset& error) {
    EXPECT_NE(std::string(error.what()).find("object 'tetrahedron': convex/0/adjacency entry 5 is 4"),
              std::string::npos)
        << error.what();
  }
  Asset b = tetrahedron_asset();
  b.surfaces[0].tree.counts[0] = 0;  // a node that is its own child: a traversal would never end
  EXPECT_THROW(abut::asset::save(b, file), abut::BadAsset);
  Asset deep = tetrahedron_asset();  // a chain of nodes, each the first child of the one before
  auto& tree = deep.surfaces[0].tree;
  const int nodes = abut::bvh::kMaxDepth + 1;
  tree.bounds.assign(static_cast<std::size_t>(nodes) * 24, 0.5F);
  tree.children.assign(static_cast<std::size_t>(nodes) * 4, 0);
  tree.counts.assign(static_cast<std::size_t>(nodes) * 4, -1);
  for (int i = 0; i + 1 < nodes; ++i) {
    tree.children[static_cast<std::size_t>(i) * 4] = i + 1;
    tree.counts[static_cast<std::size_t>(i) * 4] = 0;
  }
  EXPECT_THROW(abut::asset::save(deep, file), abut::BadAsset);
  Asset shared = tetrahedron_asset();  // two parents of one node: depths could not be trusted
  shared.surfaces[0].tree.bounds.assign(2 * 24, 0.5F);
  shared.surfaces[0].tree.children = {1, 1, 0, 0, 0, 0, 0, 0};
  shared.surfaces[0].tree.counts = {0, 0, -1, -1, 4, -1, -1, -1};
  EXPECT_THROW(abut::asset::save(shared, file), abut::BadAsset);
  Asset bare = tetrahedron_asset();
  bare.surfaces[0].tree = {};
  EXPECT_THROW(abut::asset::save(bare, file), abut::BadAsset);
  Asset c = tetrahedron_asset();
  c.surfaces[0].vertices[2] = std::nan("");
  EXPECT_THROW(abut::asset::save(c, file), abut::BadAsset);
}

TEST_F(AssetFile, AVolumeWithoutAnInsideOrWithPressureOnItsSurfaceIsRefused) {
  const auto refused = [&](auto&& change) {
    Asset a = tetrahedron_asset();
    change(a.volumes[0]);
    try {
      abut::asset::save(a, file);
    } catch (const abut::BadAsset& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using abut::asset::Volume;
  EXPECT_EQ(refused([](Volume&) {}), "");
  EXPECT_NE(
      refused([](Volume& v) { std::swap(v.tetrahedra[0], v.tetrahedra[1]); }).find("no positive volume"),
      std::string::npos);
  EXPECT_NE(refused([](Volume& v) { v.vertices[11] = 0; }).find("no positive volume"), std::string::npos);
  EXPECT_NE(refused([](Volume& v) { v.extent[2] = 0.5; }).find("extent entry 2 is on the surface"),
            std::string::npos);
  EXPECT_NE(refused([](Volume& v) { v.neighbours[1] = 1; }).find("neighbours"), std::string::npos);
  EXPECT_NE(refused([](Volume& v) { v.tree_extent_ranges.pop_back(); }).find("extent_ranges"),
            std::string::npos);
}

TEST_F(AssetFile, MissingFilesAndFoldersAreNamed) {
  EXPECT_THROW((void)abut::asset::load(folder / "absent.h5"), abut::IoError);
  EXPECT_THROW((void)abut::asset::load(folder), abut::IoError);
  EXPECT_THROW(abut::asset::save(tetrahedron_asset(), folder / "no" / "such" / "folder.h5"), abut::IoError);
}

TEST_F(AssetFile, TemporariesOfTheDeadGoAndThoseOfTheLivingStay) {
  std::ofstream(folder / ".dead.h5.1.0.partial") << "half";
  const pid_t writer = fork();
  if (writer == 0) {  // a writer killed in the middle holds its lock until it is gone
    const std::vector<std::byte> body(1 << 20);
    for (;;) abut::asset::write_container(folder / "busy.h5", 1, body);
  }
  ::usleep(50'000);
  for (int i = 0; i < 50; ++i) abut::remove_stale_temporaries(folder);
  int status = 0;
  EXPECT_EQ(::waitpid(writer, &status, WNOHANG), 0) << "the writer lost its temporary and failed";
  ::kill(writer, SIGKILL);
  ::waitpid(writer, &status, 0);
  abut::remove_stale_temporaries(folder);
  for (const auto& entry : fs::directory_iterator(folder)) EXPECT_EQ(entry.path().filename(), "busy.h5");
}

// Another machine's process may have this one's number.
TEST_F(AssetFile, AWriterLeavesTheTemporariesOfOthersAlone) {
  const fs::path others =
      folder / ("." + file.filename().string() + "." + std::to_string(::getpid()) + ".0.partial");
  std::ofstream(others) << "half";
  abut::asset::save(tetrahedron_asset(), file);
  EXPECT_NO_THROW((void)abut::asset::load(file));
  std::ifstream in(others);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "half");
}

TEST_F(AssetFile, LoadsFromManyThreadsAtOnce) {
  abut::asset::save(tetrahedron_asset(), file);
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) good += abut::asset::load(file).surfaces[0].triangles.size() == 12;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 160);
}

}  // namespace
