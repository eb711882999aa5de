#include <fcl/narrowphase/distance.h>

#include "benchmarks/gradients/peers.h"
#include "benchmarks/support/fcl_hull.h"

namespace abut::gradients {
namespace {

class Fcl : public Differenced {
 public:
  std::string name() const override { return "FCL 0.7 (libccd)"; }

 private:
  Value value(const Question& question, const Pose<double>& X_AB) override {
    const fcl::DistanceRequestd request(true, true);
    fcl::DistanceResultd result;
    fcl::Transform3d X = fcl::Transform3d::Identity();
    X.linear() = X_AB.R;
    X.translation() = X_AB.p;
    const double distance = fcl::distance(hulls_(question.A), fcl::Transform3d::Identity(),
                                          hulls_(question.B), X, request, result);
    Value value;
    value << distance, result.nearest_points[0];
    return value;
  }

  benchmark_support::FclHulls hulls_;
};

}  // namespace

std::unique_ptr<Library> make_fcl() { return std::make_unique<Fcl>(); }

}  // namespace abut::gradients
