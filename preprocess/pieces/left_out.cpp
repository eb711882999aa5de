#include "preprocess/pieces/left_out.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "preprocess/pieces/best_first.h"
#include "preprocess/pieces/part.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Bounded {
  Part part;
  double most = kInfinity;  // m
  double least = 0;
  Vector3d at = Vector3d::Zero();  // where `least` is attained
};

template <class Body>
class InwardSearch {
 public:
  InwardSearch(std::vector<Part> parts, const asset::SurfaceView& surface, const std::vector<Body>& bodies,
               double enough)
      : surface_(surface), bodies_(bodies), enough_(enough), search_(enough) {
    for (Part& part : parts) {
      Bounded bounded{std::move(part)};
      bound(bounded);
      search_.add(std::move(bounded));
    }
  }

  InwardError run() {
    search_.run(kMaxDivisions, [&](std::vector<Bounded>& now) { halve(now); });
    result_.least = search_.least();
    result_.most = search_.most();
    return result_;
  }

 private:
  static constexpr std::size_t kMaxDivisions = 100'000;

  void halve(std::vector<Bounded>& now) {
    std::vector<Bounded> halves(2 * now.size());
    parallel_for(static_cast<std::int64_t>(now.size()), 0, [&](std::int64_t i, int) {
      const Part& part = now[i].part;
      Vector3d low = Vector3d::Constant(kInfinity), high = -low;
      for (const auto* points : {&part.surface.points, &part.corners}) {
        for (const Vector3d& p : *points) {
          low = low.cwiseMin(p);
          high = high.cwiseMax(p);
        }
      }
      int axis = 0;
      (high - low).maxCoeff(&axis);
      const Plane plane{Vector3d::Unit(axis), (low[axis] + high[axis]) / 2};
      std::tie(halves[2 * i].part, halves[2 * i + 1].part) = cut(part, plane, [&](const Vector3d& p) {
        return distance::signed_distance<double>(surface_, p).distance < 0;
      });
      now[i].part = {};
      bound(halves[2 * i]);
      bound(halves[2 * i + 1]);
    });
    for (const Bounded& half : halves) {
      if (half.least > enough_) result_.far.push_back(half.at);
      search_.find(half.least);
    }
    for (Bounded& half : halves) search_.add(std::move(half));
  }

  // Largest distance of the part's points from a body, if that is below `limit`.
  static double farthest_below(const Part& part, const Body& body, double limit) {
    double result = 0;
    for (const auto* points : {&part.surface.points, &part.corners}) {
      for (const Vector3d& p : *points) {
        const double height = body.height(p);
        if (height <= result) continue;
        if (height >= limit) return kInfinity;
        result = std::max(result, body.distance(p));
        if (result >= limit) return kInfinity;
      }
    }
    return result;
  }

  void bound(Bounded& bounded) const {
    const Part& part = bounded.part;
    if (part.surface.points.empty() && part.corners.empty()) {
      bounded.most = 0;
      return;
    }
    for (const Body& body : bodies_) {
      bounded.most = std::min(bounded.most, farthest_below(part, body, bounded.most));
      if (bounded.most == 0) return;
    }
    if (search_.done(bounded.most)) return;
    const Vector3d p = part.surface.points.empty() ? part.corners.front() : part.surface.points.front();
    double away = kInfinity;
    for (const Body& body : bodies_) {
      if (body.height(p) >= away) continue;
      away = std::min(away, body.distance(p));
    }
    bounded.least = away;
    bounded.at = p;
  }

  const asset::SurfaceView& surface_;
  const std::vector<Body>& bodies_;
  double enough_;
  BestFirst<Bounded> search_;
  InwardError result_;
};

}  // namespace

template <class Body>
InwardError inward_error(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                         const std::vector<Body>& bodies, double enough) {
  return InwardSearch<Body>({whole(mesh)}, surface, bodies, enough).run();
}

InwardError inward_error(std::vector<Part> parts, const asset::SurfaceView& surface,
                         const std::vector<Polytope>& bodies, double enough) {
  return InwardSearch<Polytope>(std::move(parts), surface, bodies, enough).run();
}

template InwardError inward_error(const TriangleMesh&, const asset::SurfaceView&,
                                  const std::vector<Polytope>&, double);
template InwardError inward_error(const TriangleMesh&, const asset::SurfaceView&, const std::vector<Ball>&,
                                  double);

}  // namespace abut::preprocess
