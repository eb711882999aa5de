#include "runtime/proximity/overlap_volume.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/bvh/overlap.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/proximity/surface_query.h"

namespace abut::proximity {
namespace {

using asset::SurfaceView;
using bvh::kWidth;

constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();  // relative to the coordinates
constexpr double kFlat =
    1e-12;  // of the size: equal heights; of the smaller radius squared: negligible ground

using Triangle = std::array<Vec3<double>, 3>;  // in a frame whose z axis points up, m

double turn(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& p) {
  return (b.x() - a.x()) * (p.y() - a.y()) - (b.y() - a.y()) * (p.x() - a.x());
}

// A corner of a polygon on the ground: x and y, the height z of triangle a above it, and the height of a
// above b.
struct Corner {
  double x, y, z, gap;
};
Corner between(const Corner& p, const Corner& q, double share) {
  const auto mix = [share](double from, double to) { return from + share * (to - from); };
  return {mix(p.x, q.x), mix(p.y, q.y), mix(p.z, q.z), mix(p.gap, q.gap)};
}

struct Polygon {
  static constexpr int kMax = 16;  // three corners; each of four cuts adds at most half as many
  std::array<Corner, kMax> corner;
  int count = 0;

  // Keeps the part where value(corner) >= 0.
  template <class Value>
  void cut(Value&& value) {
    const Polygon old = *this;
    count = 0;
    if (old.count == 0) return;
    double last = value(old.corner[old.count - 1]);
    for (int k = 0; k < old.count; ++k) {
      const Corner &from = old.corner[k > 0 ? k - 1 : old.count - 1], &to = old.corner[k];
      const double here = value(to);
      if ((last < 0) != (here < 0)) corner[count++] = between(from, to, last / (last - here));
      if (!(here < 0)) corner[count++] = to;
      last = here;
    }
  }
};

// Integrals over a ground polygon: of 1 (area), of (x, y, height of b) (first), and of the gap (volume).
struct Moments {
  double area = 0, volume = 0;
  Vec3<double> first = Vec3<double>::Zero();
};

class Overlap {
 public:
  Overlap(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB) : A_(A), B_(B) {
    const bvh::Ball a = bvh::ball_of(A.tree), b = bvh::ball_of(B.tree);
    const Vec3<double> way = X_AB * b.center - a.center;
    size_ = a.radius + b.radius;
    rounding_ = kRounding * (a.center.norm() + b.center.norm() + size_ + way.norm());
    // Slivers along flush edges are as long as the smaller body and as wide as rounding.
    const double lesser = std::min(a.radius, b.radius);
    no_ground_ = (kFlat * lesser + rounding_) * lesser;
    const Vec3<double> tilt(0.0577, 0.0911, 0.0731);  // not a direction that meshes have
    Vec3<double> up = way.norm() > kFlat * size_ ? way.normalized() : Vec3<double>::UnitZ();
    up = (up + tilt).normalized();
    Mat3<double> R_NA;
    R_NA.row(0) = (up.unitOrthogonal() + tilt.cross(up)).normalized();
    R_NA.row(1) = up.cross(R_NA.row(0).transpose());
    R_NA.row(2) = up;
    X_NA_ = {R_NA, -(R_NA * a.center)};
    X_NB_ = {R_NA * X_AB.R, R_NA * way - R_NA * (X_AB.R * b.center)};
  }

  OverlapVolume run() {
    visit();
    OverlapVolume result;
    result.volume = std::max(volume_, 0.0);
    result.error = error_;
    result.status = !(volume_ > error_)         ? Status::kNoOverlap
                    : flat_ground_ > no_ground_ ? Status::kClamped
                                                : Status::kOk;
    if (result.status == Status::kNoOverlap) return result;  // the slope would be that of rounding
    const Vec3<double> force = X_NB_.R.transpose() * force_;
    const Vec3<double> torque = X_NB_.R.transpose() * (torque_ - X_NB_.p.cross(force_));
    result.dvolume_dxi_B << torque.transpose(), force.transpose();
    return result;
  }

 private:
  // Visits all pairs of leaves that share ground and in which A's triangles may be above B's.
  void visit() {
    struct Entry {
      std::int32_t slot_A, slot_B;
    };
    std::array<Entry, 2 * bvh::kMaxDepth * kWidth * kWidth> stack;
    int size = 0;
    const Pose<float> X_NA = X_NA_.cast<float>(), X_NB = X_NB_.cast<float>();
    const auto pair_up = [&](std::int32_t node_A, int only_A, std::int32_t node_B, int only_B) {
      const bvh::FourBoxes a = bvh::turned_boxes(A_.tree, node_A, X_NA),
                           b = bvh::turned_boxes(B_.tree, node_B, X_NB);
      for (int i = 0; i < kWidth; ++i) {
        const std::int32_t slot_A = node_A * kWidth + i;
        if ((only_A >= 0 && only_A != i) || A_.tree.counts[slot_A] < 0) continue;
        bvh::FourBoxes::Lanes room = (a.center[2][i] + a.half[2][i]) - (b.center[2] - b.half[2]);
        for (int k = 0; k < 2; ++k)
          room = room.min((a.half[k][i] + b.half[k]) - (b.center[k] - a.center[k][i]).abs());
        for (int j = 0; j < kWidth; ++j)
          if (room[j] >= 0 && (only_B < 0 || only_B == j) && B_.tree.counts[node_B * kWidth + j] >= 0)
            stack[size++] = {slot_A, node_B * kWidth + j};
      }
    };
    pair_up(0, -1, 0, -1);
    while (size > 0) {
      const Entry e = stack[--size];
      const std::int32_t count_A = A_.tree.counts[e.slot_A], count_B = B_.tree.counts[e.slot_B];
      if (count_A > 0 && count_B > 0)
        compare(A_.tree.children[e.slot_A], count_A, B_.tree.children[e.slot_B], count_B);
      else
        bvh::descend(A_.tree, e.slot_A, B_.tree, e.slot_B, pair_up);
    }
  }

  void compare(std::int32_t first_A, std::int32_t count_A, std::int32_t first_B, std::int32_t count_B) {
    for (std::int32_t j = first_B; j < first_B + count_B; ++j) {
      Triangle b = distance::internal::triangle_of<double>(B_, j);
      for (Vec3<double>& v : b) v = X_NB_ * v;
      const double area2_b = turn(b[0], b[1], b[2]);
      if (area2_b == 0) continue;
      Moments covered;
      for (std::int32_t i = first_A; i < first_A + count_A; ++i) {
        Triangle a = distance::internal::triangle_of<double>(A_, i);
        for (Vec3<double>& v : a) v = X_NA_ * v;
        add(a, b, area2_b, covered);
      }
      // Outward normal of b, scaled by the ratio of b's area to the ground's.
      const Vec3<double> n = (b[1] - b[0]).cross(b[2] - b[0]) / std::abs(area2_b);
      volume_ += area2_b > 0 ? -covered.volume : covered.volume;
      force_ += covered.area * n;
      torque_ += covered.first.cross(n);
    }
  }

  static bool apart(const Triangle& a, const Triangle& b) {
    for (int k = 0; k < 3; ++k) {
      const double top_a = std::max({a[0][k], a[1][k], a[2][k]}),
                   low_b = std::min({b[0][k], b[1][k], b[2][k]});
      if (top_a < low_b) return true;
      if (k < 2 && std::max({b[0][k], b[1][k], b[2][k]}) < std::min({a[0][k], a[1][k], a[2][k]})) return true;
    }
    return false;
  }

  // Adds the part of the ground of b that lies under a where a is above b, with the sign of a.
  void add(const Triangle& a, const Triangle& b, double area2_b, Moments& covered) {
    if (apart(a, b)) return;
    Polygon ground;
    ground.count = 3;
    for (int k = 0; k < 3; ++k) ground.corner[k] = {a[k].x(), a[k].y(), a[k].z(), 0};
    const double side = area2_b > 0 ? 1 : -1;
    const auto inside = [&](int k, const Corner& c) {
      return side * turn(b[k], b[(k + 1) % 3], {c.x, c.y, 0});
    };
    for (int k = 0; k < 3 && ground.count > 0; ++k) ground.cut([&](const Corner& c) { return inside(k, c); });
    if (ground.count < 3) return;
    double highest = 0, lowest = 0, around = 0;
    for (int k = 0; k < ground.count; ++k) {
      Corner& c = ground.corner[k];
      double weight[3], sum = 0;
      for (int j = 0; j < 3; ++j) sum += weight[j] = std::max(inside((j + 1) % 3, c), 0.0);
      c.gap = c.z - (sum > 0 ? (weight[0] * b[0].z() + weight[1] * b[1].z() + weight[2] * b[2].z()) / sum
                             : b[0].z());
      highest = std::max(highest, c.gap), lowest = std::min(lowest, c.gap);
      const Corner& last = ground.corner[k > 0 ? k - 1 : ground.count - 1];
      around += std::abs(c.x - last.x) + std::abs(c.y - last.y);
    }
    const bool flat = highest <= kFlat * size_ + rounding_ && lowest >= -kFlat * size_ - rounding_;
    if (highest == 0 && !flat) return;
    if (lowest < 0 && !flat) ground.cut([](const Corner& c) { return c.gap; });
    const double steep_a =
        std::max({a[0].z(), a[1].z(), a[2].z()}) - std::min({a[0].z(), a[1].z(), a[2].z()});
    const double steep_b =
        std::max({b[0].z(), b[1].z(), b[2].z()}) - std::min({b[0].z(), b[1].z(), b[2].z()});
    error_ += rounding_ * around * (highest + steep_a + steep_b);
    double area = 0;
    for (int k = 2; k < ground.count; ++k) {
      const Corner &p = ground.corner[0], &q = ground.corner[k - 1], &r = ground.corner[k];
      const double part = ((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)) / 2;
      area += part;
      covered.volume += part * (p.gap + q.gap + r.gap) / 3;
      covered.first +=
          part / 3 *
          Vec3<double>(p.x + q.x + r.x, p.y + q.y + r.y, (p.z - p.gap) + (q.z - q.gap) + (r.z - r.gap));
    }
    covered.area += area;
    error_ += rounding_ * std::abs(area);
    if (flat) flat_ground_ += std::abs(area);
  }

  const SurfaceView &A_, &B_;
  Pose<double> X_NA_, X_NB_;       // relative to A's centre
  double size_ = 0;                // m
  double rounding_ = 0;            // m
  double volume_ = 0, error_ = 0;  // m^3
  double flat_ground_ = 0;         // m^2: where faces coincide
  double no_ground_ = 0;           // m^2: area that counts as zero
  // dvolume/dxi as force and torque about A's centre, in N.
  Vec3<double> force_ = Vec3<double>::Zero(), torque_ = Vec3<double>::Zero();
};

}  // namespace

OverlapVolume overlap_volume(const SurfaceView& A, const SurfaceView& B, const Pose<double>& X_AB) {
  if (!X_AB.finite() || A.triangle_count <= 0 || B.triangle_count <= 0) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, Row6<double>::Constant(nan), Status::kInvalidInput};
  }
  if (bvh::far_apart(A.tree, B.tree, X_AB.inverse())) return {};
  return Overlap(A, B, X_AB).run();
}

void overlap_volumes(std::span<const body::Pair> pairs, std::span<OverlapVolume> results, int threads,
                     const char* who) {
  body::require_valid_batch(pairs, results.size(), who,
                            [&](const body::Pair& pair) { require_surfaces(pair, who); });
  parallel_for(
      static_cast<std::int64_t>(pairs.size()), threads > 0 ? threads : default_threads(),
      [&](std::int64_t i, int) {
        results[i] =
            overlap_volume(pairs[i].A->geometry.surface(), pairs[i].B->geometry.surface(), pairs[i].X_AB);
      },
      8);
}

}  // namespace abut::proximity
