#pragma once

#include <fcl/geometry/shape/convex.h>

#include <map>
#include <memory>
#include <vector>

#include "runtime/asset/asset.h"

namespace abut::benchmark_support {

// Hulls as FCL has them, each made once.
class FclHulls {
 public:
  const fcl::Convexd* operator()(const asset::ConvexView& view) {
    auto& slot = hulls_[view.x];
    if (!slot) {
      auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
      auto faces = std::make_shared<std::vector<int>>();
      for (std::int32_t i = 0; i < view.vertex_count; ++i)
        vertices->emplace_back(view.x[i], view.y[i], view.z[i]);
      for (std::int32_t t = 0; t < view.triangle_count; ++t) {
        faces->push_back(3);
        faces->insert(faces->end(), view.triangles + 3 * t, view.triangles + 3 * t + 3);
      }
      slot = std::make_unique<fcl::Convexd>(vertices, view.triangle_count, faces);
    }
    return slot.get();
  }

 private:
  std::map<const double*, std::unique_ptr<fcl::Convexd>> hulls_;
};

}  // namespace abut::benchmark_support
