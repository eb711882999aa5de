#pragma once

#include <memory>

#include "preprocess/index/index.h"
#include "preprocess/mesh/close.h"
#include "runtime/proximity/surface_query.h"
#include "tests/support/shapes.h"

// Surfaces of scanned objects, as the pipeline closes and stores them.
namespace abut::test {

// Names of some in tests/support/shapes.h's folder: a mug with its handle, a thin curved one, two with many
// details.
inline constexpr const char* kScanned[] = {"025_mug", "011_banana", "035_power_drill", "051_large_clamp"};

// Null where the reference data are absent; made once.
inline const asset::Surface* scanned_surface(const std::string& object) {
  static std::map<std::string, std::unique_ptr<asset::Surface>> made;
  auto [place, added] = made.try_emplace(object);
  if (added)
    if (const auto mesh = welded_ycb(object)) {
      preprocess::Report report;
      place->second = std::make_unique<asset::Surface>(
          preprocess::build_surface(preprocess::close_surface(*mesh, {}, report).surface));
    }
  return place->second.get();
}

// Every triangle in four, `times` over.
inline TriangleMesh subdivided(TriangleMesh mesh, int times) {
  for (; times > 0; --times) {
    std::vector<Triangle> fine;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
    const auto middle = [&](std::int32_t a, std::int32_t b) {
      const auto [place, added] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(mesh.vertices.size()));
      if (added) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]) / 2);
      return place->second;
    };
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::int32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const Triangle& t : {Triangle{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}})
        fine.push_back(t);
    }
    mesh.triangles = std::move(fine);
  }
  return mesh;
}

inline proximity::SurfaceWitness ask(const asset::Surface& A, const asset::Surface& B,
                                     const Pose<double>& X_AB) {
  static proximity::SurfaceScratch scratch;
  return proximity::surface_separation(view(A), view(B), X_AB, scratch);
}

}  // namespace abut::test
