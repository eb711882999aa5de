#include <cmath>
#include <filesystem>

#include "tests/contract/contract.h"

#ifdef ABUT_TEST_PREPROCESS
#include "preprocess/index/index.h"
#include "preprocess/mesh/read.h"
#endif

namespace abut::test {

namespace {

NamedAsset named(std::string name, asset::ConvexPiece piece) {
  NamedAsset result{std::move(name), convex_asset(std::move(piece)), 0};
  const asset::ConvexView hull = asset::view(result.asset.convex.front());
  Vec3<double> low = Vec3<double>::Constant(1e300), high = -low;
  for (int i = 0; i < hull.vertex_count; ++i) {
    const Vec3<double> v(hull.x[i], hull.y[i], hull.z[i]);
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  result.size = (high - low).norm() / 2;
  return result;
}

}  // namespace

// Hulls of real objects, where the preprocess library is built and the data is there; else nothing.
std::vector<NamedAsset> real_assets(const std::vector<std::string>& names) {
  std::vector<NamedAsset> list;
#ifdef ABUT_TEST_PREPROCESS
  for (const std::string& name : names) {
    const std::filesystem::path file =
        std::filesystem::path(ABUT_SHARED_DIR) / "data/ycb" / name / "google_16k/textured.obj";
    if (!std::filesystem::exists(file)) continue;
    preprocess::Report report;
    const preprocess::TriangleMesh mesh = preprocess::read_mesh(file, 1.0, report);
    list.push_back(named(name, preprocess::build_convex_piece(mesh.vertices)));
  }
#else
  (void)names;
#endif
  return list;
}

const std::vector<NamedAsset>& contract_assets() {
  static const std::vector<NamedAsset> assets = [] {
    Random random(1);
    std::vector<NamedAsset> list;
    list.push_back(named("ellipsoid", tessellated_ellipsoid(3, {0.10, 0.07, 0.04}, random_rotation(random))));
    list.push_back(named("pill", tessellated_ellipsoid(2, {0.02, 0.02, 0.09}, random_rotation(random))));
    list.push_back(
        named("rough ball", tessellated_ellipsoid(1, {0.05, 0.05, 0.05}, random_rotation(random))));
    list.push_back(named("box", box_hull({0.08, 0.05, 0.03})));
    for (NamedAsset& real : real_assets({"011_banana", "035_power_drill"})) list.push_back(std::move(real));
    return list;
  }();
  return assets;
}

std::vector<NamedBody> contract_hulls(const body::Material& material) {
  std::vector<NamedBody> list;
  for (const NamedAsset& named : contract_assets())
    list.push_back({named.name, body_of(named.asset, material), named.size});
  return list;
}

std::vector<NamedBody> contract_primitives(const body::Material& material) {
  // Few triangles: circles of 16 and of 12 sides, which a quarter of a turn maps to themselves.
  constexpr double kCoarse = 0.04;
  const auto round = [&](const body::Primitive& primitive) -> body::Body {
    return {body::Geometry(primitive, kCoarse), material};
  };
  return {{"box primitive", body_of(body::Box<double>{{0.07, 0.05, 0.03}}, material), std::sqrt(0.0083)},
          {"sphere", round(body::Sphere<double>{0.05}), 0.05 * std::sqrt(3.0)},
          {"cylinder", round(body::Cylinder<double>{0.06, 0.04}), std::sqrt(0.0068)},
          {"half-space", body_of(body::HalfSpace<double>{0.05}, material), 0}};
}

std::vector<NamedPair> hull_pairs(const std::vector<NamedBody>& hulls) {
  std::vector<NamedPair> pairs;
  for (const NamedBody& A : hulls)
    for (const NamedBody& B : hulls) pairs.emplace_back(A, B);
  return pairs;
}

std::vector<NamedPair> mixed_pairs(const std::vector<NamedBody>& hulls,
                                   const std::vector<NamedBody>& primitives) {
  std::vector<NamedPair> pairs;
  for (const NamedBody& hull : hulls)
    for (const NamedBody& primitive : primitives) {
      pairs.emplace_back(hull, primitive);
      pairs.emplace_back(primitive, hull);
    }
  return pairs;
}

std::vector<NamedPair> primitive_pairs(const std::vector<NamedBody>& primitives) {
  std::vector<NamedPair> pairs;
  for (const NamedBody& A : primitives)
    for (const NamedBody& B : primitives)
      if (A.size > 0 || B.size > 0) pairs.emplace_back(A, B);
  return pairs;
}

const std::vector<SmoothAsset>& smooth_assets() {
  static const std::vector<SmoothAsset> assets = [] {
    Random random(2);
    std::vector<SmoothAsset> list;
    for (const Vec3<double>& axes : {Vec3<double>(0.10, 0.08, 0.06), Vec3<double>(0.07, 0.09, 0.12)}) {
      list.push_back({axes, convex_asset(tessellated_ellipsoid(4, axes, random_rotation(random)))});
    }
    return list;
  }();
  return assets;
}

}  // namespace abut::test
