#pragma once

#include <fcl/narrowphase/distance.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/support/reference_hulls.h"

// The reference queries of one file as FCL asks them (its default solver, libccd).
namespace abut::benchmark_support {

class FclQueries {
 public:
  explicit FclQueries(const std::string& file) : set_(read_hull_queries(file)) {
    for (const auto& q : set_.queries) {
      fcl::Transform3d X = fcl::Transform3d::Identity();
      X.linear() = q.X_AB.R;
      X.translation() = q.X_AB.p;
      rows_.push_back({hull(q.A), hull(q.B), X});
    }
  }

  const HullQueries& set() const { return set_; }
  std::size_t size() const { return rows_.size(); }

  // Signed distance of row i with its nearest points, m.
  double distance(std::size_t i) const {
    const fcl::DistanceRequestd request(true, true);
    fcl::DistanceResultd result;
    return fcl::distance(rows_[i].A, fcl::Transform3d::Identity(), rows_[i].B, rows_[i].X_AB, request,
                         result);
  }

 private:
  struct Row {
    const fcl::Convexd *A, *B;
    fcl::Transform3d X_AB;
  };

  const fcl::Convexd* hull(const asset::ConvexView& view) {
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
      slot = std::make_shared<fcl::Convexd>(vertices, view.triangle_count, faces);
    }
    return slot.get();
  }

  HullQueries set_;
  std::map<const double*, std::shared_ptr<fcl::Convexd>> hulls_;
  std::vector<Row> rows_;
};

}  // namespace abut::benchmark_support
