#include "runtime/distance/surface_pair.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/distance/near_boxes.h"
#include "runtime/distance/surface_distance.h"

namespace abut::distance {
namespace {

using internal::kNoBound;
using internal::Lanes3;
using internal::NearBoxes;
using internal::TriangleLanes;
using simd::Four;
using simd::FourBits;

// The corners of four triangles, one triangle per lane.
struct FourTriangles {
  Lanes3<Four> corner[3];
};
ABUT_INLINE FourTriangles gather(const asset::SurfaceView& surface, const std::int32_t (&triangles)[4]) {
  FourTriangles result;
  for (int k = 0; k < 3; ++k) {
    const double* v[4];
    for (int lane = 0; lane < 4; ++lane)
      v[lane] =
          surface.vertices + std::ptrdiff_t(3) * surface.triangles[std::ptrdiff_t(3) * triangles[lane] + k];
    result.corner[k] = {Four{v[0][0], v[1][0], v[2][0], v[3][0]}, Four{v[0][1], v[1][1], v[2][1], v[3][1]},
                        Four{v[0][2], v[1][2], v[2][2], v[3][2]}};
  }
  return result;
}
ABUT_INLINE void move(FourTriangles& triangles, const Pose<double>& X) {
  for (Lanes3<Four>& p : triangles.corner) {
    const Four x = p.x, y = p.y, z = p.z;
    p.x = (X.R(0, 0) * x + X.R(0, 1) * y) + (X.R(0, 2) * z + X.p[0]);
    p.y = (X.R(1, 0) * x + X.R(1, 1) * y) + (X.R(1, 2) * z + X.p[1]);
    p.z = (X.R(2, 0) * x + X.R(2, 1) * y) + (X.R(2, 2) * z + X.p[2]);
  }
}
ABUT_INLINE TriangleLanes<Four> lanes_of(const FourTriangles& t) {
  return internal::triangle_lanes<Four>(t.corner[0], t.corner[1], t.corner[2]);
}

template <class T>
ABUT_INLINE T least3(const T& a, const T& b, const T& c) {
  const T d = a < b ? a : b;
  return d < c ? d : c;
}
template <class T>
ABUT_INLINE T greatest3(const T& a, const T& b, const T& c) {
  const T d = a > b ? a : b;
  return d > c ? d : c;
}

// Squared distances of four pairs of triangles, assuming that none cross. `straddle`: each triangle of the
// pair has corners on both sides of the other's plane or on it, so that the two may cross.
ABUT_INLINE void distances2(const TriangleLanes<Four>& a, const TriangleLanes<Four>& b, Four& best,
                            FourBits& straddle) {
  best = Four{} + std::numeric_limits<double>::infinity();
  Four height_A[3], height_B[3];
  internal::visit_features<Four>(
      a, b,
      [&](int, int, const internal::EdgeEdge<Four>& e) { best = e.distance2 < best ? e.distance2 : best; },
      [&](int k, bool of_A, const internal::CornerFace<Four>& c) {
        best = c.distance2 < best ? c.distance2 : best;
        (of_A ? height_A : height_B)[k] = c.height;
      });
  straddle = (least3<Four>(height_A[0], height_A[1], height_A[2]) <= 0.0) &
             (greatest3<Four>(height_A[0], height_A[1], height_A[2]) >= 0.0) &
             (least3<Four>(height_B[0], height_B[1], height_B[2]) <= 0.0) &
             (greatest3<Four>(height_B[0], height_B[1], height_B[2]) >= 0.0);
}

// Bounding balls of four triangles, and their greatest coordinates along the direction n, or against it
// (sign -1).
struct FourBalls {
  Lanes3<Four> center;
  Four radius, along;
};
ABUT_INLINE FourBalls balls_of(const FourTriangles& t, const Lanes3<Four>& n, double sign) {
  FourBalls result;
  result.center = (Four{} + 1.0 / 3) * (t.corner[0] + t.corner[1] + t.corner[2]);
  Four square[3];
  for (int k = 0; k < 3; ++k) square[k] = dot(t.corner[k] - result.center, t.corner[k] - result.center);
  simd::square_root(greatest3<Four>(square[0], square[1], square[2]), result.radius);
  result.along =
      greatest3<Four>(sign * dot(n, t.corner[0]), sign * dot(n, t.corner[1]), sign * dot(n, t.corner[2]));
  return result;
}

class NearestSearch {
 public:
  NearestSearch(const asset::SurfaceView& A, const asset::SurfaceView& B, const Pose<double>& X_AB)
      : A_(A), B_(B), X_AB_(X_AB), bounds_(A, B, X_AB) {}

  ABUT_INLINE NearestTriangles run(std::int32_t first_A, std::int32_t first_B) {
    if (first_A >= 0 && first_B >= 0)
      take(first_A, first_B);
    else
      project_in_turns();
    float left = kNoBound;
    if (best_.pair.distance2 > 0) left = visit([&] { return best_.pair.distance2 > 0; });
    best_.bound = best_.complete() ? distance_ : std::clamp(bounds_.distance(left), 0.0, distance_);
    return best_;
  }

  // Lists all pairs within the distance that is returned, at most `most`.
  ABUT_INLINE double list(double reach, std::size_t most, std::vector<NearPair>& found) {
    found.clear();
    list_ = &found;
    set_reach(reach);
    const auto few = [&] {
      if (found.size() > most) set_reach(reach = shrink(found));
      return found.size() <= most;
    };
    bool all = true;
    const float left = visit([&] { return all = few(); });
    // few(): the last pairs are measured after the last visit.
    if (!all || !few()) return found.clear(), 0.0;
    if (best_.complete()) return reach;
    reach = std::clamp(bounds_.distance(left), 0.0, reach);
    std::erase_if(found, [&](const NearPair& p) { return p.pair.distance2 > reach * reach; });
    return reach;
  }

 private:
  template <class GoOn>
  ABUT_INLINE float visit(GoOn&& go_on) {
    const float left = internal::visit_near_pairs(
        A_.tree, B_.tree, bounds_, limit_,
        [&](std::int32_t a, std::int32_t count_a, std::int32_t b, std::int32_t count_b) {
          compare(a, count_a, b, count_b);
          return go_on() && ++best_.visits < kMaxVisits;
        });
    if (pending_count_ > 0) measure_pending();
    return left;
  }

  void set_reach(double reach) {
    distance2_above_ = best_.pair.distance2 =
        std::max(reach * reach * (1 + kRounding), std::numeric_limits<double>::min());
    limit_ = bounds_.limit(reach);
  }

  // Keeps the nearer half of the pairs found and returns the distance up to which they are complete.
  static double shrink(std::vector<NearPair>& found) {
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
    const auto nearer = [](const NearPair& p, const NearPair& q) {
      return p.pair.distance2 < q.pair.distance2;
    };
    std::nth_element(found.begin(), middle, found.end(), nearer);
    const double reach2 = middle->pair.distance2;
    std::erase_if(found, [&](const NearPair& p) { return p.pair.distance2 > reach2; });
    return std::sqrt(reach2);
  }

  // Finds a first pair: from B's centre to the nearest triangle of A, from there to the nearest of B, and so
  // on as long as the distance decreases enough.
  void project_in_turns() {
    constexpr int kMaxTurns = 6;
    constexpr double kWorthwhile = 0.99;  // relative to the previous distance
    const Pose<double> X_BA = X_AB_.inverse();
    Vec3<double> p = X_AB_ * bvh::ball_of(B_.tree).center;
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < kMaxTurns; ++turn) {
      TrianglePoint<double> on_A, on_B;
      const std::int32_t a = nearest_triangle<double>(A_, p, kInfinite, on_A);
      if (a < 0) return;
      const std::int32_t b = nearest_triangle<double>(B_, X_BA * on_A.closest, kInfinite, on_B);
      if (b < 0) return;
      const double before = distance_;
      take(a, b);
      if (!(distance_ < kWorthwhile * before) || distance_ == 0) return;
      p = best_.pair.on_B;
    }
  }

  // Selects, among all pairs of triangles of two leaves, those that may be nearer than the best one, by
  // their extents along n and the distance of their centres across it.
  ABUT_INLINE void compare(std::int32_t a, std::int32_t count_a, std::int32_t b, std::int32_t count_b) {
    const Lanes3<Four> n{Four{} + n_.x(), Four{} + n_.y(), Four{} + n_.z()};
    for (std::int32_t i0 = 0; i0 < count_a; i0 += 4) {
      const std::int32_t lanes_a = std::min(count_a - i0, 4);
      const FourBalls& balls_A = balls_in_A(a + i0, lanes_a, n);
      for (std::int32_t j0 = 0; j0 < count_b; j0 += 4) {
        const std::int32_t lanes_b = std::min(count_b - j0, 4);
        const FourBalls& balls_B = balls_in_B(b + j0, lanes_b, n);
        for (std::int32_t i = 0; i < lanes_a; ++i) {
          const Lanes3<Four> c{balls_B.center.x - balls_A.center.x[i], balls_B.center.y - balls_A.center.y[i],
                               balls_B.center.z - balls_A.center.z[i]};
          const Four zero{}, c_n = dot(c, n);
          const Four across2 = dot(c, c) - c_n * c_n;
          Four across;
          simd::square_root<Four>(across2 > zero ? across2 : zero, across);
          const Four gap = -(balls_B.along + balls_A.along[i]);
          const Four beside = across - (balls_B.radius + balls_A.radius[i]);
          const Four gap0 = gap > zero ? gap : zero, beside0 = beside > zero ? beside : zero;
          const FourBits near = gap0 * gap0 + beside0 * beside0 < distance2_above_;
          const FourBits touch = (gap <= zero) & (beside <= zero);
          for (std::int32_t j = 0; j < lanes_b; ++j)
            if (near[j] != 0) add(a + i0 + i, b + j0 + j, touch[j] != 0);
        }
      }
    }
  }

  // Cache of computed balls, at index first / 4 modulo kKnown.
  static constexpr int kKnown = 64;
  struct Known {
    std::int32_t first = -1, takes = 0;
    FourBalls balls;
  };
  ABUT_INLINE const FourBalls& balls_in_A(std::int32_t first, std::int32_t count, const Lanes3<Four>& n) {
    Known& k = known_A_[first / 4 % kKnown];
    if (k.first != first || k.takes != takes_) {
      k.first = first, k.takes = takes_;
      k.balls = balls_of(gather_range(A_, first, count), n, 1);
    }
    return k.balls;
  }
  ABUT_INLINE const FourBalls& balls_in_B(std::int32_t first, std::int32_t count, const Lanes3<Four>& n) {
    Known& k = known_B_[first / 4 % kKnown];
    if (k.first != first || k.takes != takes_) {
      k.first = first, k.takes = takes_;
      FourTriangles four = gather_range(B_, first, count);
      move(four, X_AB_);
      k.balls = balls_of(four, n, -1);
    }
    return k.balls;
  }

  ABUT_INLINE static FourTriangles gather_range(const asset::SurfaceView& surface, std::int32_t first,
                                                std::int32_t count) {
    const std::int32_t last = first + count - 1;
    return gather(surface, {first, std::min(first + 1, last), std::min(first + 2, last), last});
  }

  ABUT_INLINE void add(std::int32_t a, std::int32_t b, bool touch) {
    pending_A_[pending_count_] = a;
    pending_B_[pending_count_] = b;
    pending_touch_[pending_count_] = touch;
    if (++pending_count_ == 4) measure_pending();
  }

  ABUT_INLINE void measure_pending() {
    const int count = std::exchange(pending_count_, 0);
    for (int k = count; k < 4; ++k) pending_A_[k] = pending_A_[0], pending_B_[k] = pending_B_[0];
    FourTriangles four_B = gather(B_, pending_B_);
    move(four_B, X_AB_);
    FourBits straddle;
    Four found;
    distances2(lanes_of(gather(A_, pending_A_)), lanes_of(four_B), found, straddle);
    for (int k = 0; k < count; ++k)
      if (found[k] < best_.pair.distance2 || (straddle[k] != 0 && pending_touch_[k]))
        take(pending_A_[k], pending_B_[k]);
  }

  __attribute__((noinline)) void take(std::int32_t a, std::int32_t b) {
    Triangle<double> of_B = internal::triangle_of<double>(B_, b);
    for (Vec3<double>& v : of_B) v = X_AB_ * v;
    const TrianglePair<double> pair =
        closest_of_triangles<double>(internal::triangle_of<double>(A_, a), of_B);
    if (!(pair.distance2 < best_.pair.distance2)) return;
    if (list_ != nullptr) return list_->push_back({a, b, pair});
    best_.pair = pair;
    best_.triangle_A = a;
    best_.triangle_B = b;
    distance_ = std::sqrt(pair.distance2);
    distance2_above_ = pair.distance2 * (1 + kRounding);
    limit_ = bounds_.limit(distance_);
    ++takes_;
    if (distance_ > 0) bounds_.aim(n_ = (pair.on_B - pair.on_A) / distance_);
  }

  static constexpr double kRounding = 1e-9;  // relative, of a pair's bound; more than enough

  asset::SurfaceView A_, B_;
  Pose<double> X_AB_;
  NearBoxes bounds_;
  NearestTriangles best_;
  Vec3<double> n_ = Vec3<double>::Zero();  // unit, from A to B between the points of the best pair
  double distance_ = std::numeric_limits<double>::infinity(),
         distance2_above_ = distance_;  // of the best pair, m; and an upper bound of its square, m^2
  float limit_ = kNoBound;
  std::int32_t takes_ = 0;  // number of times that a best pair was taken
  std::array<Known, kKnown> known_A_, known_B_;
  std::int32_t pending_A_[4] = {}, pending_B_[4] = {};
  bool pending_touch_[4] = {};
  int pending_count_ = 0;
  std::vector<NearPair>* list_ = nullptr;  // if not null, receives all pairs within distance2_above_
};

}  // namespace

ABUT_CLONES [[gnu::flatten]] NearestTriangles nearest_triangles(const asset::SurfaceView& A,
                                                                const asset::SurfaceView& B,
                                                                const Pose<double>& X_AB,
                                                                std::int32_t first_A, std::int32_t first_B) {
  NearestSearch search(A, B, X_AB);
  return search.run(first_A, first_B);
}

ABUT_CLONES [[gnu::flatten]] double near_triangles(const asset::SurfaceView& A, const asset::SurfaceView& B,
                                                   const Pose<double>& X_AB, double reach, std::size_t most,
                                                   std::vector<NearPair>& found) {
  NearestSearch search(A, B, X_AB);
  return search.list(reach, most, found);
}

}  // namespace abut::distance
