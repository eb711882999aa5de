#include "preprocess/spheres/centers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "runtime/core/parallel.h"
#include "runtime/core/random.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {

using Eigen::Vector3d;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSettling = 12;         // largest number of rounds after an insertion or exchange
constexpr double kGrowth = 1.25;      // growth of the number of centres after which all are settled
constexpr double kWorthwhile = 1e-3;  // least relative decrease of the cost for another round or exchange
constexpr int kMaxExchanges = 200;
constexpr std::size_t kMaxFailures = 12;

Vector3d random_direction(Random& random) {
  const double z = random.uniform(-1, 1), turn = random.uniform(0, 2 * std::numbers::pi),
               r = std::sqrt(1 - z * z);
  return {r * std::cos(turn), r * std::sin(turn), z};
}

}  // namespace

Centers::Centers(const TriangleMesh& mesh, const asset::SurfaceView& surface, std::vector<Vector3d> points)
    : surface_(surface), inradius_(mesh), points_(std::move(points)) {
  assign();
}

Centers::Center Centers::at(const Vector3d& c) const {
  return {c, distance::signed_distance<double>(surface_, c).distance, {}};
}

// The centre of the ball in the solid that touches the surface at the point closest to p.
Centers::Center Centers::inscribed(const Vector3d& p) const {
  const auto touch = distance::signed_distance<double>(surface_, p);
  return at(inradius_.shrinking_ball(touch.closest, -touch.gradient).center);
}

std::size_t Centers::worst() const {
  return static_cast<std::size_t>(
      std::max_element(best_.begin(), best_.end(),
                       [](const Best& a, const Best& b) { return a.cost < b.cost; }) -
      best_.begin());
}

double Centers::cost() const { return best_[worst()].cost; }

void Centers::assign() {
  best_.assign(points_.size(), {-1, kInfinity, kInfinity});
  offer(0);
}

// Offers the centres from `first` on to all points.
void Centers::offer(std::size_t first) {
  parallel_for(
      static_cast<std::int64_t>(points_.size()), 0,
      [&](std::int64_t i, int) {
        Best& best = best_[i];
        for (std::size_t k = first; k < centers_.size(); ++k) {
          const double cost = (points_[i] - centers_[k].c).norm() + centers_[k].s;
          if (cost >= best.second) continue;
          if (cost < best.cost)
            best = {static_cast<std::int32_t>(k), cost, best.cost};
          else
            best.second = cost;
        }
      },
      256);
}

std::vector<std::vector<std::int32_t>> Centers::members() const {
  std::vector<std::vector<std::int32_t>> result(centers_.size());
  for (std::size_t i = 0; i < points_.size(); ++i)
    result[best_[i].center].push_back(static_cast<std::int32_t>(i));
  return result;
}

// Moves a centre to lower the largest cost of its points: towards the farthest of them, into the solid, or in
// random directions, with decreasing steps.
void Centers::descend(Center& center, const std::vector<std::int32_t>& points, std::uint64_t stream) const {
  if (points.empty()) return;
  constexpr int kDirections = 8, kHalvings = 8;
  const auto radius = [&](const Vector3d& c, Vector3d* farthest) {
    double most = -1;
    for (const std::int32_t i : points) {
      const double d = (points_[i] - c).squaredNorm();
      if (d <= most) continue;
      most = d;
      if (farthest != nullptr) *farthest = points_[i];
    }
    return std::sqrt(most);
  };
  Random random(17, stream);
  Vector3d farthest = center.c;
  double best = radius(center.c, &farthest) + center.s;
  const double first = 0.3 * (best - center.s);
  double step = first;
  for (int halving = 0; halving < kHalvings && first > 0; ++halving, step /= 2) {
    for (bool moved = true; moved;) {
      moved = false;
      for (int k = 0; k < kDirections && !moved; ++k) {
        const Vector3d way = k == 0 ? Vector3d((farthest - center.c).normalized())
                             : k == 1
                                 ? Vector3d(-distance::signed_distance<double>(surface_, center.c).gradient)
                                 : random_direction(random);
        const Vector3d c = center.c + step * way;
        const double r = radius(c, nullptr);
        if (r + center.s - step >= best) continue;  // the signed distance changes no faster than c moves
        Center next = at(c);
        if (!(r + next.s < best - 1e-3 * step)) continue;
        best = radius(c, &farthest) + next.s;
        center = std::move(next);
        moved = true;
      }
    }
  }
}

// Alternates descent and assignment as long as that lowers the measure. A centre whose points have not
// changed since its last descent stays.
void Centers::settle(int rounds) {
  double before = measure();
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::vector<std::int32_t>> points = members();
    parallel_for(static_cast<std::int64_t>(centers_.size()), 0, [&](std::int64_t k, int) {
      Center& center = centers_[k];
      if (center.descended_for == points[k]) return;
      descend(center, points[k], static_cast<std::uint64_t>(k));
      center.descended_for = std::move(points[k]);
    });
    assign();
    const double now = measure();
    if (now > (1 - kWorthwhile) * before) return;
    before = now;
  }
}

// The 24-norm of the centres' largest costs: slightly above the largest, and lower the fewer centres reach
// it.
double Centers::measure() const {
  constexpr double kPower = 24;
  std::vector<double> costs(centers_.size(), 0);
  for (const Best& best : best_) costs[best.center] = std::max(costs[best.center], best.cost);
  const double most = *std::max_element(costs.begin(), costs.end());
  double sum = 0;
  for (const double cost : costs) sum += std::pow(cost / most, kPower);
  return most * std::pow(sum, 1 / kPower);
}

void Centers::grow(std::size_t count, const std::function<void(std::size_t)>& progress) {
  double settled = 1;
  while (centers_.size() < count) {
    if (centers_.size() == points_.size()) break;
    centers_.push_back(inscribed(points_[worst()]));
    offer(centers_.size() - 1);
    if (static_cast<double>(centers_.size()) < kGrowth * settled && centers_.size() < count) continue;
    settle(kSettling);
    settled = static_cast<double>(centers_.size());
    progress(centers_.size());
  }
}

void Centers::exchange() {
  std::size_t failures = 0;
  for (int i = 0; i < kMaxExchanges && failures < kMaxFailures && centers_.size() > failures + 1; ++i) {
    const double before = measure();
    // Cost of each centre's points without that centre.
    std::vector<double> without(centers_.size(), 0);
    for (const Best& best : best_) without[best.center] = std::max(without[best.center], best.second);
    std::vector<std::size_t> order(without.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return without[a] < without[b]; });
    const std::vector<Center> kept = centers_;
    centers_[order[failures]] = inscribed(points_[worst()]);
    assign();
    settle(kSettling);
    if (measure() < (1 - kWorthwhile) * before) {
      failures = 0;
      continue;
    }
    ++failures;
    centers_ = kept;
    assign();
  }
}

void Centers::add(const std::vector<Vector3d>& points) {
  points_.insert(points_.end(), points.begin(), points.end());
  assign();
  settle(1);
}

std::vector<Ball> Centers::balls() const {
  std::vector<Ball> result;
  const std::vector<std::vector<std::int32_t>> points = members();
  for (std::size_t k = 0; k < centers_.size(); ++k) {
    double radius = 0;
    for (const std::int32_t i : points[k]) radius = std::max(radius, (points_[i] - centers_[k].c).norm());
    if (radius > 0) result.push_back({centers_[k].c, radius});
  }
  return result;
}

}  // namespace abut::preprocess
