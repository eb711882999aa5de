#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>

#include "runtime/asset/container.h"
#include "runtime/asset/hdf5_image.h"
#include "runtime/asset/hdf5_parser.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/schema.h"
#include "runtime/asset/writer.h"
#include "runtime/bvh/overlap.h"
#include "runtime/bvh/traversal.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/ssdf/grid_field.h"
#include "runtime/witness/support.h"
#include "tests/support/tetrahedron_asset.h"

// Assets that somebody has changed and given a digest that fits: refused, or loaded and safe to query.
namespace {

using namespace abut;
using Body = std::vector<std::byte>;

class Forged : public testing::Test {
 protected:
  Forged() {
    const std::filesystem::path memory = "/dev/shm";  // where syncing costs nothing
    file_ = (std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path()) /
            ("abut_forged_" + std::to_string(::getpid()) + ".h5");
    asset::save(test::tetrahedron_asset(), file_);
    body_ = read_file(file_);
    body_.erase(body_.begin(), body_.begin() + asset::kHeaderBytes);
  }
  ~Forged() override { std::filesystem::remove(file_); }

  // What load() says to a body; nothing where it takes it.
  std::string answer(const Body& body) const {
    asset::write_container(file_, asset::kSchemaVersion, body);
    const auto start = std::chrono::steady_clock::now();
    std::string message;
    try {
      query(asset::load(file_));
    } catch (const BadAsset& error) {
      message = error.what();
      EXPECT_TRUE(message.starts_with(file_.string())) << message;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << message;
    return message;
  }

  // Walks that trust indices.
  static void query(const asset::Asset& asset) {
    const asset::AssetView view = asset::view(asset);
    if (asset.surfaces.empty() || asset.convex.empty()) return;
    int met = 0;
    const auto all = [](std::int32_t, std::int32_t) { return Eigen::Array4f::Zero().eval(); };
    const auto count = [&](std::int32_t, std::int32_t, std::int32_t, std::int32_t) { ++met; };
    bvh::visit_overlaps(view.surface.tree, view.surface.tree, Pose<double>{}, all, count);
    double bound = std::numeric_limits<double>::infinity();
    bvh::visit_nearest<double>(view.surface.tree, {0.1, 0.2, 0.3}, bound,
                               [&](std::int32_t first, std::int32_t n, double&) {
                                 for (std::int32_t i = first; i < first + n; ++i)
                                   met += view.surface.vertices[3 * view.surface.triangles[3 * i]] > 0;
                               });
    if (view.grid.brick_count > 0)
      for (int i = 0; i < 4000; ++i)
        (void)ssdf::GridField(view.grid).distance(
            Vec3<double>(i % 20 - 6, i / 20 % 20 - 6, i / 400 % 10 - 3) * view.grid.spacing +
                Vec3<double>::Map(view.grid.origin),
            3);
    for (int k = 0; k < 6; ++k)
      (void)witness::support<double>(view.convex, Vec3<double>::Unit(k % 3) * (k < 3 ? 1 : -1), -1);
  }

  // The body after HDF5's own library has changed it.
  Body changed(const std::function<void(hid_t)>& change) const {
    const asset::Session session;
    const asset::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access, 1 << 20, false);
    H5Pset_file_image(access, const_cast<std::byte*>(body_.data()), body_.size());
    const asset::Handle open(H5Fopen("forged", H5F_ACC_RDWR, access), H5Fclose);
    EXPECT_GE(hid_t(open), 0);
    change(open);
    return asset::image_bytes(open);
  }

  void expect_refused(const char* words, const std::function<void(hid_t)>& change) const {
    const std::string message = answer(changed(change));
    EXPECT_NE(message.find(words), std::string::npos) << "got '" << message << "'";
  }

  std::filesystem::path file_;
  Body body_;
};

// An array in the place of another, without data.
void replace(hid_t file, const char* path, hid_t type, const std::vector<hsize_t>& extents,
             hid_t create = H5P_DEFAULT) {
  H5Ldelete(file, path, H5P_DEFAULT);
  const asset::Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                            H5Sclose);
  const asset::Handle set(H5Dcreate2(file, path, type, space, H5P_DEFAULT, create, H5P_DEFAULT), H5Dclose);
  EXPECT_GE(hid_t(set), 0) << path;
}

void replace_attribute(hid_t file, const char* owner, const char* name, hid_t type, hsize_t count,
                       double value = 99) {
  H5Adelete_by_name(file, owner, name, H5P_DEFAULT);
  const asset::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const asset::Handle attribute(
      H5Acreate_by_name(file, owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const std::vector<double> values(count, value);
  EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()), 0) << name;
}

void write_unit(hid_t file, const char* owner, const std::string& unit) {
  if (H5Aexists_by_name(file, owner, "unit", H5P_DEFAULT) > 0)
    H5Adelete_by_name(file, owner, "unit", H5P_DEFAULT);
  const asset::Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type, unit.size() + 1);
  const asset::Handle attribute(
      H5Acreate_by_name(file, owner, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  EXPECT_GE(H5Awrite(attribute, type, unit.c_str()), 0) << owner;
}

TEST_F(Forged, AttributesOfAnotherShapeOrTypeAreRefused) {
  EXPECT_EQ(answer(body_), "");
  for (const char* name : {"volume", "area", "center_of_mass", "inertia"}) {
    expect_refused("has the wrong length",
                   [&](hid_t f) { replace_attribute(f, "mass", name, H5T_IEEE_F64LE, 1000); });
    expect_refused("wrong type", [&](hid_t f) { replace_attribute(f, "mass", name, H5T_IEEE_F32LE, 1); });
    expect_refused("missing", [&](hid_t f) { H5Adelete_by_name(f, "mass", name, H5P_DEFAULT); });
  }
  expect_refused("wrong length",
                 [](hid_t f) { replace_attribute(f, "provenance/measures", "x", H5T_IEEE_F64LE, 999); });
  expect_refused("is not a text", [](hid_t f) { replace_attribute(f, ".", "name", H5T_IEEE_F64LE, 1000); });
  expect_refused("is not a text",
                 [](hid_t f) { replace_attribute(f, "provenance", "source_file", H5T_IEEE_F64LE, 2); });
}

// A number means what its unit says: an array that says another one, or none, is refused.
TEST_F(Forged, ArraysOfAnotherUnitAreRefused) {
  const Body body = body_;
  asset::Hdf5File good(body, "good");
  int arrays = 0;
  for (const std::string& path : good.paths()) {
    const std::vector<asset::Hdf5Attribute> attributes = good.attributes(path);
    if (std::none_of(attributes.begin(), attributes.end(), [](const auto& a) { return a.name == "unit"; }))
      continue;
    SCOPED_TRACE(path);
    ++arrays;
    expect_refused((path + ": is in the unit 'mm', not '").c_str(),
                   [&](hid_t f) { write_unit(f, path.c_str(), "mm"); });
    expect_refused((path + ": has no unit").c_str(),
                   [&](hid_t f) { H5Adelete_by_name(f, path.c_str(), "unit", H5P_DEFAULT); });
  }
  EXPECT_GT(arrays, 10);
}

TEST_F(Forged, ANewerSchemaInsideIsRefusedByName) {
  expect_refused("made by a newer version of Abut: its schema is 99, this build reads up to 2",
                 [](hid_t f) { replace_attribute(f, ".", "schema", H5T_IEEE_F64LE, 1); });
}

TEST_F(Forged, AnOlderSchemaIsRefusedByName) {
  expect_refused("is of an older version of Abut, this build reads 2; make the asset again",
                 [](hid_t f) { replace_attribute(f, ".", "schema", H5T_IEEE_F64LE, 1, 1); });
}

TEST_F(Forged, ArraysOfAnotherShapeOrTypeAreRefused) {
  const Body body = body_;
  asset::Hdf5File good(body, "good");
  for (const std::string& path : good.paths()) {
    if (path.find('/') == std::string::npos || path.find("provenance") == 0 || path.ends_with("/0") ||
        path.ends_with("/tree"))
      continue;
    const char* name = path.c_str();
    EXPECT_NE(answer(changed([&](hid_t f) { H5Ldelete(f, name, H5P_DEFAULT); })), "") << path;
    EXPECT_NE(answer(changed([&](hid_t f) { replace(f, name, H5T_STD_I16LE, {4, 3}); })), "") << path;
    EXPECT_NE(answer(changed([&](hid_t f) {
                replace(f, name, H5T_IEEE_F64LE, {1, 2, 3, 4, 5});
              })),
              "")
        << path;
    EXPECT_NE(answer(changed([&](hid_t f) { replace(f, name, H5T_STD_I32LE, {0}); })), "") << path;
    EXPECT_NE(answer(changed([&](hid_t f) {
                replace(f, name, H5T_IEEE_F64LE, {1ULL << 50, 3});
              })),
              "")
        << path;
  }
  expect_refused("is empty", [](hid_t f) {  // a hull without a vertex
    const auto empty = [&](const char* name, hid_t type, const std::vector<hsize_t>& extents,
                           const char* unit = "1") {
      replace(f, name, type, extents);
      write_unit(f, name, unit);
    };
    empty("convex/0/vertices", H5T_IEEE_F64LE, {3, 0}, "m");
    empty("convex/0/triangles", H5T_STD_I32LE, {0, 3});
    for (const char* name : {"convex/0/adjacency_offsets", "convex/0/adjacency", "convex/0/candidate_offsets",
                             "convex/0/candidates"})
      empty(name, H5T_STD_I32LE, {0});
    empty("convex/0/support_lookup", H5T_STD_I32LE, {6, 0, 0});
  });
}

TEST_F(Forged, NothingButPlainArraysInTheFileIsRead) {
  expect_refused("is a soft link", [](hid_t f) {
    H5Ldelete(f, "surface/0/vertices", H5P_DEFAULT);
    H5Lcreate_soft("/volume/0/vertices", f, "surface/0/vertices", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("links other than hard ones", [](hid_t f) {
    H5Ldelete(f, "surface/0/vertices", H5P_DEFAULT);
    H5Lcreate_external("/etc/passwd", "/", f, "surface/0/vertices", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("has its data in another file", [](hid_t f) {
    const asset::Handle create(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_external(create, "/etc/passwd", 0, 96);
    replace(f, "surface/0/vertices", H5T_IEEE_F64LE, {4, 3}, create);
  });
  expect_refused("surface/0/vertices", [](hid_t f) {  // 8 TB in a few kilobytes
    const asset::Handle create(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t chunk[] = {1 << 10, 3};
    H5Pset_chunk(create, 2, chunk);
    H5Pset_shuffle(create);
    replace(f, "surface/0/vertices", H5T_IEEE_F64LE, {1ULL << 38, 3}, create);
  });
  expect_refused("is unknown", [](hid_t f) {
    H5Lcreate_hard(f, "volume/0/vertices", f, "surface/0/extra", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("groups nested too deeply", [](hid_t f) {  // a group within itself
    H5Lcreate_hard(f, "surface", f, "surface/0/again", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("has more than 16384 groups and arrays", [](hid_t f) {
    for (int i = 0; i < 30'000; ++i)
      H5Lcreate_hard(f, "volume/0/vertices", f, ("surface/" + std::to_string(i + 1)).c_str(), H5P_DEFAULT,
                     H5P_DEFAULT);
  });
}

template <class T>
std::vector<T> extremes() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_integral_v<T>) return {-1, 0, 1, 3, 4, 5, -2, Limits::max(), Limits::min()};
  return {T(0),
          T(-1),
          T(0.5),
          T(2),
          T(1e30),
          T(-1e30),
          Limits::max(),
          Limits::denorm_min(),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN()};
}

TEST_F(Forged, ExtremeNumbersAnywhereAreRefusedOrHarmless) {
  asset::Hdf5File good(body_, "good");
  std::mt19937 random(1);
  for (const std::string& path : good.paths()) {
    asset::Hdf5Array array;
    try {
      array = good.array(path);
    } catch (const BadAsset&) {
      continue;  // a group
    }
    const auto offset = static_cast<std::size_t>(array.data.data() - body_.data());
    const auto put = [&](auto number) {
      Body body = body_;
      const std::size_t i = random() % array.count();
      std::memcpy(body.data() + offset + i * array.element_bytes, &number, sizeof number);
      const std::string message = answer(body);
      if constexpr (std::is_floating_point_v<decltype(number)>) {
        if (std::isnan(number)) {
          EXPECT_NE(message, "") << path;
        }
      }
    };
    if (array.count() == 0) continue;
    if (array.type == asset::Hdf5Type::kFloat64) std::ranges::for_each(extremes<double>(), put);
    if (array.type == asset::Hdf5Type::kFloat32) std::ranges::for_each(extremes<float>(), put);
    if (array.type == asset::Hdf5Type::kInt32) std::ranges::for_each(extremes<std::int32_t>(), put);
  }
}

TEST_F(Forged, ChangedBytesAnywhereAreRefusedOrHarmless) {
  std::mt19937 random(2);
  for (int run = 0; run < 400; ++run) {
    Body body = body_;
    for (int k = run % 3; k >= 0; --k)
      body[random() % body.size()] = static_cast<std::byte>(random() % 2 == 0 ? random() % 256 : 255);
    (void)answer(body);
  }
}

}  // namespace
