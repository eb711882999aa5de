#pragma once

#include <fcl/narrowphase/distance.h>

#include <string>
#include <vector>

#include "benchmarks/support/fcl_hull.h"
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
      rows_.push_back({hulls_(q.A), hulls_(q.B), X});
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

  HullQueries set_;
  FclHulls hulls_;
  std::vector<Row> rows_;
};

}  // namespace abut::benchmark_support
