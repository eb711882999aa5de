#include "runtime/dynamics/collide/point_slopes.h"

#include <algorithm>
#include <array>

#include "runtime/dynamics/collide/narrow_phase.h"

namespace abut::dynamics {
namespace {

using Point = Eigen::Matrix<double, 7, 1>;  // p, n, gap

// Steps of the differences, rad and relative to the size of the smaller shape. The second one is used where
// features change within the first.
constexpr double kSizes[] = {1e-4, kPointKink / 2};
constexpr double kSmooth = 1e-5;  // largest difference between slopes of a smooth point, relative to 1
constexpr std::array<int, 5> kPlaces{-2, -1, 0, 1, 2};

PlacedShape moved(PlacedShape shape, int axis, double by, double length) {
  if (axis < 3)
    shape.X_WS.R = exp_rotation<double>(by * Vec3<double>::Unit(axis)) * shape.X_WS.R;
  else
    shape.X_WS.p[axis - 3] += by * length;
  return shape;
}

double size_of(const PlacedShape& shape) {
  return shape.kind == ShapeKind::kPlane ? std::numeric_limits<double>::infinity() : shape.half.norm();
}

}  // namespace

// Finds the contacts' points at the current poses of the shapes, by their features; `seen` marks those that
// exist.
void NarrowPhase::points_of(const PlacedShape& A, const PlacedShape& B, std::span<const PairContact> contacts,
                            double margin, Scratch& scratch, std::span<Point> points,
                            std::span<std::uint8_t> seen) const {
  const bool of_assets = (is_asset(A) || is_asset(B)) && !takes_model(A, B, scratch);
  const double patch = body::pair_patch(A.body.material, B.body.material);
  const auto on_ring = [](const PairContact& c) { return c.area > 0 && (c.key.feature & kOnRing) != 0; };
  std::vector<SurfacePoint>& found = scratch.points;
  found.clear();
  if (!of_assets) {
    find_points(A, B, margin, nullptr, scratch);
    // Widens the points if the contacts were, however many there are now within this larger margin.
    if (on_ring(contacts.front())) widen(patch, 0, found);
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const std::uint64_t feature = contacts[k].key.feature;
    if (of_assets) {
      found = {asset_point(A, B, on_ring(contacts[k]) ? (feature & ~kOnRing) / kRing : feature)};
      if (on_ring(contacts[k])) widen(patch, 0, found);
    }
    const auto point =
        std::find_if(found.begin(), found.end(), [&](const SurfacePoint& p) { return p.feature == feature; });
    seen[k] = point != found.end();
    if (seen[k] != 0) points[k] << point->p_W, point->n_W, point->gap;
  }
}

// Uses central differences of fourth order, or one-sided ones of second order where the point exists only on
// one side. The points are smooth where slopes over one and over two steps agree, on both sides.
void NarrowPhase::pair_slopes(const PlacedShape& placed_A, const PlacedShape& placed_B,
                              std::span<const PairContact> contacts, Scratch& scratch,
                              std::span<PointSlopes> slopes) const {
  PlacedShape A = placed_A, B = placed_B;
  const double length = std::min(size_of(A), size_of(B));
  const Vec3<double> pivot = B.X_WS.p;
  A.X_WS.p -= pivot;
  B.X_WS.p.setZero();
  double margin = 0;
  for (const PairContact& c : contacts) margin = std::max(margin, c.gap);
  Point unit;
  unit << Vec3<double>::Constant(length), Vec3<double>::Ones(), length;
  const std::size_t count = contacts.size();
  std::vector<Point> points(kPlaces.size() * count);
  std::vector<std::uint8_t> seen(points.size());
  const auto at = [&](int place, std::size_t k) -> const Point& {
    return points[static_cast<std::size_t>(place + 2) * count + k];
  };
  const auto seen_at = [&](int place, std::size_t k) {
    return seen[static_cast<std::size_t>(place + 2) * count + k] != 0;
  };
  for (std::size_t k = 0; k < count; ++k) slopes[k] = {.pivot_W = pivot, .smooth = false};
  for (const double size : kSizes) {
    std::vector<std::uint8_t> smooth(count, 1);
    std::vector<PointSlopes::Matrix> found(count, PointSlopes::Matrix::Zero());
    for (int axis = 0; axis < 6; ++axis) {
      for (const int place : kPlaces) {
        const std::size_t first = static_cast<std::size_t>(place + 2) * count;
        points_of(A, moved(B, axis, place * size, length), contacts, margin + 10 * size * length, scratch,
                  std::span(points).subspan(first, count), std::span(seen).subspan(first, count));
      }
      for (std::size_t k = 0; k < count; ++k) {
        const double step = size * (axis < 3 ? 1 : length);
        if (!seen_at(1, k) || !seen_at(2, k) || !seen_at(-1, k) || !seen_at(-2, k)) {
          smooth[k] = 0;
          for (const int side : {1, -1})
            if (seen_at(side, k) && seen_at(2 * side, k))
              found[k].col(axis) = side * (4 * at(side, k) - at(2 * side, k) - 3 * at(0, k)) / (2 * step);
          continue;
        }
        const Point one = at(1, k) - at(-1, k), two = at(2, k) - at(-2, k);
        const Point bent = at(1, k) + at(-1, k) - 2 * at(0, k),
                    bent_two = at(2, k) + at(-2, k) - 2 * at(0, k);
        const double off = std::max((two - 2 * one).cwiseQuotient(unit).cwiseAbs().maxCoeff(),
                                    (bent_two - 4 * bent).cwiseQuotient(unit).cwiseAbs().maxCoeff());
        if (!(off < kSmooth * size)) smooth[k] = 0;
        found[k].col(axis) = (8 * one - two) / (12 * step);
      }
    }
    bool all = true;
    for (std::size_t k = 0; k < count; ++k) {
      if (!slopes[k].smooth) slopes[k] = {found[k], pivot, smooth[k] != 0};
      all &= slopes[k].smooth;
    }
    if (all) return;
  }
}

void NarrowPhase::slopes(const PlacedSystem& placed, std::span<const PairContact> contacts,
                         std::vector<PointSlopes>& slopes) {
  slopes.resize(contacts.size());
  for (std::size_t first = 0, end; first < contacts.size(); first = end) {
    const ContactKey& key = contacts[first].key;
    for (end = first + 1; end < contacts.size() && contacts[end].key.same_shapes(key);) ++end;
    pair_slopes(placed.shapes()[key.shape_A], placed.shapes()[key.shape_B],
                contacts.subspan(first, end - first), scratch_.front(),
                std::span(slopes).subspan(first, end - first));
  }
}

}  // namespace abut::dynamics
