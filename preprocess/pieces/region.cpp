#include "preprocess/pieces/region.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr int kDirections = 48;  // number of slabs around the held targets

// Directions spread evenly over the half sphere, on a spiral.
const std::array<Vector3d, kDirections>& directions() {
  static const auto all = [] {
    std::array<Vector3d, kDirections> result;
    for (int i = 0; i < kDirections; ++i) {
      const double z = (i + 0.5) / kDirections, r = std::sqrt(1 - z * z),
                   turn = i * std::numbers::pi * (3 - std::sqrt(5.0));
      result[i] = {r * std::cos(turn), r * std::sin(turn), z};
    }
    return result;
  }();
  return all;
}

class Growth {
 public:
  Growth(const Ground& ground, const std::vector<char>& wanted, const Vector3d& seed,
         const Eigen::Matrix3d& metric)
      : ground_(ground), seed_(seed), metric_(metric), filtered_(ground.targets.size()) {
    held_.reserve(ground.targets.size());
    for (std::size_t i = 0; i < ground.targets.size(); ++i)
      held_.push_back({ground.targets[i].cast<float>(), ground.outer[i].cast<float>(),
                       static_cast<std::int32_t>(i), wanted[i]});
    active_.reserve(ground.obstacles.size());
    const Eigen::Matrix3f m = metric.cast<float>();
    for (std::size_t i = 0; i < ground.obstacles.size(); ++i) {
      const Vector3f p = ground.obstacles[i].p.cast<float>(), d = p - seed.cast<float>();
      active_.push_back({p, d.dot(m * d), static_cast<std::int32_t>(i)});
    }
  }

  Region run() {
    std::make_heap(active_.begin(), active_.end());
    while (!active_.empty()) {
      std::pop_heap(active_.begin(), active_.end());
      const LevelPoint& q = ground_.obstacles[active_.back().number];
      active_.pop_back();
      if (outside_hull(q)) continue;
      put(choose(q));
      if (2 * held_.size() < filtered_) keep_those_in_slabs();
      std::make_heap(active_.begin(), active_.end());
    }
    return finish();
  }

 private:
  using Vector3f = Eigen::Vector3f;
  struct Held {
    Vector3f target, outer;
    std::int32_t number;
    std::int32_t wanted;
  };
  struct Active {
    Vector3f p;
    float far;
    std::int32_t number;
    bool operator<(const Active& other) const { return far > other.far; }  // min-heap by distance
  };

  // Whether all held targets lie behind the obstacle in its direction. If so, removes all other obstacles
  // beyond them in that direction, too.
  bool outside_hull(const LevelPoint& q) {
    const Vector3f n = q.n.cast<float>();
    const float height = n.dot(q.p.cast<float>());
    float support = -std::numeric_limits<float>::infinity();
    for (const Held& held : held_) {
      support = std::max(support, n.dot(held.outer));
      if (support >= height) return false;
    }
    if (std::erase_if(active_, [&](const Active& a) { return n.dot(a.p) > support; }) > 0)
      std::make_heap(active_.begin(), active_.end());
    return true;
  }

  Plane choose(const LevelPoint& q) const {
    const Vector3d away = (q.p - seed_).normalized();
    Plane best{away, away.dot(q.p)};
    std::pair<std::int64_t, std::int64_t> most{-1, -1};
    for (const Vector3d& n :
         {away, Vector3d((metric_ * away).normalized()), q.n, Vector3d((q.n + away).normalized())}) {
      if (!(n.dot(away) > 1e-3)) continue;
      const Plane plane{n, n.dot(q.p)};
      const Vector3f nf = n.cast<float>();
      const auto df = static_cast<float>(plane.d);
      std::pair<std::int64_t, std::int64_t> kept{0, 0};
      for (const Held& held : held_) {
        const std::int32_t in = nf.dot(held.target) <= df ? 1 : 0;
        kept.second += in;
        kept.first += in & held.wanted;
      }
      if (kept <= most) continue;
      most = kept;
      best = plane;
    }
    return best;
  }

  void put(const Plane& plane) {
    planes_.push_back(plane);
    const Vector3f n = plane.n.cast<float>();
    const auto d = static_cast<float>(plane.d);
    std::erase_if(held_, [&](const Held& held) { return n.dot(held.target) > d; });
    const float slack = 1e-6F * std::abs(d);
    std::erase_if(active_, [&](const Active& a) { return n.dot(a.p) >= d - slack; });
  }

  void keep_those_in_slabs() {
    filtered_ = held_.size();
    struct Slab {
      Vector3f n;
      float low, high;
    };
    std::array<Slab, kDirections> slabs;
    for (int k = 0; k < kDirections; ++k) {
      Slab& slab = slabs[k];
      slab = {directions()[k].cast<float>(), std::numeric_limits<float>::infinity(),
              -std::numeric_limits<float>::infinity()};
      for (const Held& held : held_) {
        const float at = slab.n.dot(held.outer);
        slab.low = std::min(slab.low, at);
        slab.high = std::max(slab.high, at);
      }
    }
    std::erase_if(active_, [&](const Active& a) {
      return std::any_of(slabs.begin(), slabs.end(), [&](const Slab& slab) {
        const float at = slab.n.dot(a.p);
        return at < slab.low || at > slab.high;
      });
    });
  }

  Region finish() {
    Region result;
    result.planes = std::move(planes_);
    for (const Held& held : held_) {
      result.held.push_back(held.number);
      if (held.wanted == 0) continue;
      ++result.gain;
      result.middle += ground_.targets[held.number];
    }
    if (result.gain == 0) return result;
    result.middle /= static_cast<double>(result.gain);
    Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
    for (const Held& held : held_) {
      if (held.wanted == 0) continue;
      const Vector3d d = ground_.targets[held.number] - result.middle;
      moments += d * d.transpose();
    }
    moments /= moments.trace() > 0 ? moments.trace() : 1;
    result.metric = (moments + 1e-3 * Eigen::Matrix3d::Identity()).inverse();
    return result;
  }

  const Ground& ground_;
  Vector3d seed_;
  Eigen::Matrix3d metric_;
  std::vector<Held> held_;
  std::vector<Active> active_;
  std::vector<Plane> planes_;
  std::size_t filtered_;
};

}  // namespace

Region grow(const Ground& ground, const std::vector<char>& wanted, const Vector3d& seed,
            const Eigen::Matrix3d& metric) {
  return Growth(ground, wanted, seed, metric).run();
}

}  // namespace abut::preprocess
