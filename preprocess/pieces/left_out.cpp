#include "preprocess/pieces/left_out.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "preprocess/pieces/part.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Waiting {
  Part part;
  double most = kInfinity;  // m
  double least = 0;
  Vector3d at = Vector3d::Zero();  // of `least`
};

class InwardSearch {
 public:
  InwardSearch(const TriangleMesh& mesh, const asset::SurfaceView& surface,
               const std::vector<Polytope>& polytopes, double enough)
      : surface_(surface), polytopes_(polytopes), enough_(enough) {
    parts_.push_back({whole(mesh)});
    bound(parts_.back());
    order_.push(0);
  }

  InwardError run() {
    std::vector<std::size_t> now;
    while (!order_.empty() && !done(parts_[order_.top()].most) && parts_.size() < kMaxParts) {
      now.clear();
      while (!order_.empty() && !done(parts_[order_.top()].most) && now.size() < kBatch) {
        now.push_back(order_.top());
        order_.pop();
      }
      halve(now);
    }
    result_.most = order_.empty() ? closed_ : std::max(closed_, parts_[order_.top()].most);
    result_.most = std::max(result_.most, result_.least);
    return result_;
  }

 private:
  static constexpr std::size_t kMaxParts = 200'000;
  static constexpr std::size_t kBatch = 64;  // parts at a time; the same for any number of threads
  static constexpr double kGap = 0.03;

  bool done(double most) const { return most <= std::max(enough_, result_.least * (1 + kGap)); }

  void halve(const std::vector<std::size_t>& now) {
    std::vector<std::pair<Waiting, Waiting>> halves(now.size());
    parallel_for(static_cast<std::int64_t>(now.size()), 0, [&](std::int64_t i, int) {
      Part part = std::move(parts_[now[i]].part);
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
      auto [behind, before] = cut(part, plane, [&](const Vector3d& p) {
        return distance::signed_distance<double>(surface_, p).distance < 0;
      });
      halves[i].first.part = std::move(behind);
      halves[i].second.part = std::move(before);
      bound(halves[i].first);
      bound(halves[i].second);
    });
    for (auto& [a, b] : halves) {
      for (Waiting* half : {&a, &b}) {
        if (half->least > enough_) result_.far.push_back(half->at);
        result_.least = std::max(result_.least, half->least);
      }
    }
    for (auto& [a, b] : halves) {
      for (Waiting* half : {&a, &b}) {
        if (done(half->most)) {
          closed_ = std::max(closed_, half->most);
          continue;
        }
        parts_.push_back(std::move(*half));
        order_.push(parts_.size() - 1);
      }
    }
  }

  // Greatest distance of the points from a polytope, as far as it is below `limit`.
  static double farthest_below(const Part& part, const Polytope& polytope, double limit) {
    double result = 0;
    for (const auto* points : {&part.surface.points, &part.corners}) {
      for (const Vector3d& p : *points) {
        const double height = polytope.height(p);
        if (height <= result) continue;
        if (height >= limit) return kInfinity;
        result = std::max(result, polytope.distance(p));
        if (result >= limit) return kInfinity;
      }
    }
    return result;
  }

  void bound(Waiting& waiting) const {
    const Part& part = waiting.part;
    if (part.surface.points.empty() && part.corners.empty()) {
      waiting.most = 0;
      return;
    }
    for (const Polytope& polytope : polytopes_) {
      waiting.most = std::min(waiting.most, farthest_below(part, polytope, waiting.most));
      if (waiting.most == 0) return;
    }
    if (done(waiting.most)) return;
    const Vector3d p = part.surface.points.empty() ? part.corners.front() : part.surface.points.front();
    double away = kInfinity;
    for (const Polytope& polytope : polytopes_) {
      if (polytope.height(p) >= away) continue;
      away = std::min(away, polytope.distance(p));
    }
    waiting.least = away;
    waiting.at = p;
  }

  const asset::SurfaceView& surface_;
  const std::vector<Polytope>& polytopes_;
  double enough_;
  double closed_ = 0;  // greatest bound of a part that is done, m
  std::vector<Waiting> parts_;
  struct Less {
    const std::vector<Waiting>* parts;
    bool operator()(std::size_t a, std::size_t b) const {
      return std::pair((*parts)[a].most, b) < std::pair((*parts)[b].most, a);
    }
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, Less> order_{Less{&parts_}};
  InwardError result_;
};

}  // namespace

InwardError inward_error(const TriangleMesh& mesh, const asset::SurfaceView& surface,
                         const std::vector<Polytope>& polytopes, double enough) {
  return InwardSearch(mesh, surface, polytopes, enough).run();
}

}  // namespace abut::preprocess
