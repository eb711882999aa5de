#include "preprocess/pieces/outside.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "preprocess/pieces/best_first.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double exact(const asset::SurfaceView& surface, const Vector3d& p) {
  return distance::signed_distance<double>(surface, p).distance;
}

struct Box {
  double most;  // m: upper bound of the distance of the body's points in the box
  Vector3d middle;
  Vector3d half;
  std::int32_t body;
};

// Functions that the search needs of a body: its bounding box; whether it is `apart` from a box; how far it
// extends along g from the box's centre, within the box, m; points of it far outside; and an upper bound,
// possibly infinite, of how far it reaches outside.

Box box_of(const Polytope& polytope) {
  return {kInfinity, (polytope.low + polytope.high) / 2, (polytope.high - polytope.low) / 2, 0};
}

Box box_of(const Ball& ball) { return {kInfinity, ball.center, Vector3d::Constant(ball.radius), 0}; }

// Whether one plane shows that no point of the box is in the polytope.
bool apart(const Polytope& polytope, const Vector3d& middle, const Vector3d& half) {
  return std::any_of(polytope.planes.begin(), polytope.planes.end(), [&](const Plane& plane) {
    return plane.height(middle) > plane.n.cwiseAbs().dot(half) * (1 + 1e-9);
  });
}

bool apart(const Ball& ball, const Vector3d& middle, const Vector3d& half) {
  const Vector3d away = ((ball.center - middle).cwiseAbs() - half).cwiseMax(0);
  return away.norm() > ball.radius * (1 + 1e-9);
}

double along(const Polytope& polytope, const Box& box, const Vector3d& g) {
  double h = g.cwiseAbs().dot(box.half);
  for (const Plane& plane : polytope.planes) {
    const double part = g.dot(plane.n);
    if (part > 0)
      h = std::min(h, -part * plane.height(box.middle) + (g - part * plane.n).cwiseAbs().dot(box.half));
  }
  return h;
}

double along(const Ball& ball, const Box& box, const Vector3d& g) {
  return std::min(g.cwiseAbs().dot(box.half), g.dot(ball.center - box.middle) + ball.radius);
}

const std::vector<Vector3d>& far_points(const asset::SurfaceView&, const Polytope& polytope) {
  return polytope.vertices;
}

std::vector<Vector3d> far_points(const asset::SurfaceView& surface, const Ball& ball) {
  const auto nearest = distance::signed_distance<double>(surface, ball.center);
  return {ball.center + ball.radius * nearest.gradient};
}

// Whether a triangle of the surface enters the polytope after that is shrunk about `middle` by the fraction
// `shrunk`.
bool entered(const asset::SurfaceView& surface, const Polytope& polytope, const Vector3d& middle,
             double shrunk) {
  std::vector<Vector3d> polygon, clipped;
  for (std::int32_t t = 0; t < surface.triangle_count; ++t) {
    polygon.clear();
    for (int k = 0; k < 3; ++k) polygon.push_back(distance::internal::corner<double>(surface, t, k));
    for (const Plane& plane : polytope.planes) {
      const double d = plane.d + shrunk * plane.height(middle);
      clipped.clear();
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vector3d &p = polygon[i], &q = polygon[i + 1 == polygon.size() ? 0 : i + 1];
        const double a = plane.n.dot(p) - d, b = plane.n.dot(q) - d;
        if (a <= 0) clipped.push_back(p);
        if ((a < 0 && b > 0) || (a > 0 && b < 0)) clipped.push_back(p + a / (a - b) * (q - p));
      }
      polygon.swap(clipped);
      if (polygon.empty()) break;
    }
    if (!polygon.empty()) return true;
  }
  return false;
}

// Upper bound for a polytope that is inside the surface but for rounding: no triangle enters it after it is
// shrunk slightly, and its centre is inside. Infinite for any other.
double bound(const asset::SurfaceView& surface, const Polytope& polytope) {
  Vector3d middle = Vector3d::Zero();
  for (const Vector3d& v : polytope.vertices) middle += v / static_cast<double>(polytope.vertices.size());
  if (!(exact(surface, middle) < 0)) return kInfinity;
  double size = 0;
  for (const Vector3d& v : polytope.vertices) size = std::max(size, (v - middle).norm());
  for (const double shrunk : {1e-7, 1e-6, 1e-5, 1e-4})
    if (!entered(surface, polytope, middle, shrunk)) return shrunk * size;
  return kInfinity;
}

double bound(const asset::SurfaceView& surface, const Ball& ball) {
  return (exact(surface, ball.center) + ball.radius) * (1 + 1e-12);
}

template <class Body>
class OutwardSearch {
 public:
  OutwardSearch(const asset::SurfaceView& surface, const std::vector<Body>& bodies, double enough)
      : surface_(surface), bodies_(bodies), search_(enough) {}

  OutwardError run() {
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      for (const Vector3d& p : far_points(surface_, bodies_[i])) take(exact(surface_, p), p);
      Box box = box_of(bodies_[i]);
      box.most = bound(surface_, bodies_[i]);
      box.body = static_cast<std::int32_t>(i);
      boxes.push_back(box);
    }
    for (Box& box : boxes) search_.add(box);
    search_.run(kMaxDivisions, [&](const std::vector<Box>& now) { divide(now); });
    result_.least = search_.least();
    result_.most = search_.most();
    return result_;
  }

 private:
  static constexpr std::size_t kMaxDivisions = 190'000;

  void take(double d, const Vector3d& p) {
    if (d > search_.least()) result_.at = p;
    search_.find(d);
  }

  // Let g be the outward direction at the centre m of a box, and h the extent of the body beyond m along g.
  // Then the ball of radius R in the solid about c = m - t g is no farther from x = m + u than
  //   |x - c| - R <= sqrt(r^2 + 2 t h + t^2) - R,   r half the box's diagonal,
  // which near a flat surface exceeds the distance by r^2 / 2 t only.
  double by_ball(const Box& box, const Vector3d& g, double d) const {
    constexpr double kDepth = 8;  // in half diagonals below the surface
    const double r = box.half.norm(), t = std::max(0.0, d) + kDepth * r;
    const double h = along(bodies_[box.body], box, g);
    const double R = -exact(surface_, box.middle - t * g);
    return R > 0 ? std::sqrt(std::max(0.0, r * r + 2 * t * h + t * t)) - R : kInfinity;
  }

  // Divides boxes into eight each, and bounds them.
  void divide(const std::vector<Box>& now) {
    std::vector<Box> boxes(8 * now.size());
    std::vector<double> inside(boxes.size(), -kInfinity);
    parallel_for(
        static_cast<std::int64_t>(boxes.size()), 0,
        [&](std::int64_t i, int) {
          Box& box = boxes[i] = now[i / 8];
          box.half /= 2;
          for (int axis = 0; axis < 3; ++axis)
            box.middle[axis] += (i >> axis & 1) != 0 ? box.half[axis] : -box.half[axis];
          const Body& body = bodies_[box.body];
          if (apart(body, box.middle, box.half)) {
            box.most = -kInfinity;
            return;
          }
          const auto nearest = distance::signed_distance<double>(surface_, box.middle);
          const double d = nearest.distance;
          box.most = std::min(box.most, d + box.half.norm());
          if (!search_.done(box.most)) box.most = std::min(box.most, by_ball(box, nearest.gradient, d));
          if (body.height(box.middle) <= 0) inside[i] = d;
        },
        32);
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (inside[i] > -kInfinity) take(inside[i], boxes[i].middle);
    for (const Box& box : boxes) search_.add(box);
  }

  const asset::SurfaceView& surface_;
  const std::vector<Body>& bodies_;
  BestFirst<Box> search_;
  OutwardError result_;
};

}  // namespace

template <class Body>
OutwardError outward_error(const asset::SurfaceView& surface, const std::vector<Body>& bodies,
                           double enough) {
  return OutwardSearch<Body>(surface, bodies, enough).run();
}

template OutwardError outward_error(const asset::SurfaceView&, const std::vector<Polytope>&, double);
template OutwardError outward_error(const asset::SurfaceView&, const std::vector<Ball>&, double);

}  // namespace abut::preprocess
