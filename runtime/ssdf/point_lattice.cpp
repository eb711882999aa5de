#include "runtime/ssdf/point_lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "runtime/core/error.h"
#include "runtime/ssdf/two_stage.h"

namespace abut::ssdf {

namespace {

using internal::Nearby;
using internal::NearScratch;
using simd::Four;

constexpr int kCells = PointLattice::kCells;

// Radius of the ball that contains 4 x 4 x 4 nodes, and distance from a point to the farthest node of its
// splines, in spacings.
const double kBall = std::sqrt(3.0) * (kCells - 1) / (2 * PointLattice::kFineness),
             kSupport = std::sqrt(3.0) * 2.5 / PointLattice::kFineness;

// Ahead of an edge of 29 degrees the nearest point is this many times farther away than the planes of the
// edge's sides.
constexpr double kSharp = 4;

constexpr double kWidest = 4;           // largest clearance that is looked for, in spacings
constexpr double kMaxPlaces = 1 << 22;  // they take 100 MB

// The nearest point of the cloud to a position.
struct Around {
  Nearby<double> nearest;
  double depth;   // its distance, spacings
  double height;  // above its plane, spacings
};

ABUT_CLONES_FUSED
void find_nearest(const asset::PointBlocksView& blocks, const double* c, Nearby<double>& nearest) {
  nearest.distance2 = std::numeric_limits<double>::max();
  internal::descend<Four>(blocks, c, nearest);
  internal::find_nearest<Four>(blocks, c, nearest);
}

Around look_about(const asset::PointsView& points, const double* c) {
  Around around;
  find_nearest(points.blocks, c, around.nearest);
  around.height = 0;
  for (int k = 0; k < 3; ++k) around.height += around.nearest.n[k] * (c[k] - around.nearest.x[k]);
  around.height /= points.spacing;
  around.depth = std::sqrt(around.nearest.distance2) / points.spacing;
  return around;
}

// Gathers the points within `range` (spacings) of c (m), relative to it; returns the number of packs.
ABUT_CLONES_FUSED
int gather(const asset::PointsView& points, const double* c, double range, NearScratch<double>& memory) {
  const double end = range * points.spacing;
  return internal::gather<Four, double>(points.blocks, c, end * end, 1 / points.spacing, memory.packs);
}

// Distance up to which points matter in a ball of `radius` whose centre has its nearest point at `depth`;
// spacings.
double range_about(double depth, double radius) { return internal::sight_range(depth + radius) + radius; }

// The least height of the origin above the planes of gathered points within `range`; spacings.
ABUT_CLONES_FUSED
double least_height(const double* packs, int count, double range) {
  Four least;
  simd::fill<Four>(1e300, least);
  const double origin[3] = {0, 0, 0};
  for (int i = 0; i < count; ++i) {
    const double* const at = packs + internal::kPackNumbers * i;
    Four d[3], n[3], square;
    internal::offset<Four, double>(at, origin, d, square);
    for (int m = 0; m < 3; ++m) internal::take(at + internal::kPack * (3 + m), n[m]);
    const Four g = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
    least = ((square <= Four{} + range * range) & (g < least)) ? g : least;
  }
  return simd::least_lane(least);
}

// Whether the field is surely above the reach in a ball about the origin, relative to which points were
// gathered.
ABUT_CLONES_FUSED
bool above_in_ball(int packs, double radius, double range, NearScratch<double>& memory) {
  const double origin[3] = {0, 0, 0};
  internal::make_room(packs, memory);
  const double* const numbers = memory.packs.data();
  const std::int32_t nearest = internal::nearest_place<Four>(numbers, packs, origin, memory.squares.data());
  return internal::surely_above<Four>(numbers, packs, memory.squares.data(), nearest, origin, radius,
                                      PointLattice::kReach, range * range);
}

// The field at a row of four nodes, h apart, the first one at p (in spacings, relative to where points were
// gathered).
ABUT_CLONES_FUSED
void row_of_nodes(int packs, const double* p, double h, NearScratch<double>& memory, Four& value) {
  const double center[3] = {p[0] + 1.5 * h, p[1], p[2]};
  internal::make_room(packs, memory);
  const std::int32_t nearest =
      internal::nearest_place<Four>(memory.packs.data(), packs, center, memory.squares.data());
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    const std::int32_t place = nearest + internal::kPack * k;
    const double d = center[k] - memory.packs[static_cast<std::size_t>(place)];
    square += d * d;
  }
  const double range = internal::sight_range(std::sqrt(square) + 1.5 * h) + 1.5 * h;
  const int count = internal::select<Four>(memory.squares.data(), packs, range * range, memory.places.data());
  const internal::NearPoints<double> near{memory.packs.data(), memory.places.data(), count};
  const Four places[3] = {Four{p[0], p[0] + h, p[0] + 2 * h, p[0] + 3 * h}, Four{} + p[1], Four{} + p[2]};
  internal::Taylor<Four, 0> phi;
  internal::two_stage<Four, 0, double>(near, places, std::numeric_limits<double>::infinity(),
                                       internal::make_scratch<Four>(count, memory), phi);
  value = phi.value;
}

}  // namespace

const PointLattice::Brick PointLattice::kAbove{};

double PointLattice::edge_of(const asset::PointsView& points) {
  return kCells * (points.spacing / kFineness);
}

double PointLattice::margin_of(const asset::PointsView& points) {
  return points.blocks.cover + (1 + kSharp * kReach + kSupport) * points.spacing + 2 * edge_of(points);
}

double PointLattice::lay_out(const asset::PointsView& points, double* origin, double* counts) {
  const double edge = edge_of(points), margin = margin_of(points);
  double total = 1;
  const double* const coordinates[3] = {points.x, points.y, points.z};
  for (int k = 0; k < 3; ++k) {
    const auto [low, high] = std::minmax_element(coordinates[k], coordinates[k] + points.point_count);
    origin[k] = *low - margin;
    counts[k] = std::ceil((*high + margin - origin[k]) / edge);
    total *= counts[k];
  }
  return total;
}

bool PointLattice::fits(const asset::PointsView& points) {
  const double most = std::ceil(2 * (points.blocks.radius + margin_of(points)) / edge_of(points));
  if (most * most * most <= kMaxPlaces) return true;  // for the bounding ball of the points
  double origin[3], counts[3];
  return lay_out(points, origin, counts) <= kMaxPlaces;
}

PointLattice::PointLattice(const asset::PointsView& points) : points_(points) {
  per_node_ = 1 / (points.spacing / kFineness);
  reach_ = kReach * points.spacing;
  double counts[3];
  const double total = lay_out(points, origin_, counts);
  if (!(total <= kMaxPlaces))
    throw InvalidInput("the lattice of " + std::to_string(points.point_count) +
                       " points would have more than 4 million places; take field points or grid");
  for (int k = 0; k < 3; ++k) counts_[k] = static_cast<std::int32_t>(counts[k]);
  places_ = std::make_unique<Place[]>(static_cast<std::size_t>(total));
}

void PointLattice::middle(std::size_t place, double* p) const {
  for (int k = 0; k < 3; ++k) {
    const auto count = static_cast<std::size_t>(counts_[k]);
    p[k] = origin_[k] + (double(kCells * (place % count)) + (kCells - 1) / 2.0) / per_node_;
    place /= count;
  }
}

// Gathers the points that matter about 4 x 4 x 4 nodes, in spacings relative to their centre (m); returns the
// number of packs.
int PointLattice::gather_nodes(const double* center, double* range) const {
  *range = range_about(look_about(points_, center).depth, kBall);
  return gather(points_, center, *range, scratch_);
}

// Whether the field is surely above the reach at 4 x 4 x 4 nodes centred at `center` (m).
bool PointLattice::surely_above(const double* center) const {
  double range;
  const int packs = gather_nodes(center, &range);
  return above_in_ball(packs, kBall, range, scratch_);
}

const PointLattice::Values* PointLattice::values(std::size_t place) const {
  Place& at = places_[place];
  if (at.above == Known::kYes || at.values != nullptr) return at.values;
  double c[3], range;
  middle(place, c);
  at.above = surely_above(c) ? Known::kYes : Known::kNo;
  if (at.above == Known::kYes) return nullptr;
  constexpr double h = 1 / kFineness;
  const int packs = gather_nodes(c, &range);
  Values& values = values_.emplace_back();
  for (int row = 0; row < kCells * kCells; ++row) {
    const int y = row % kCells, z = row / kCells;
    const double p[3] = {-1.5 * h, (y - 1.5) * h, (z - 1.5) * h};
    Four value;
    row_of_nodes(packs, p, h, scratch_, value);
    for (int i = 0; i < kCells; ++i)
      values.at[kCells * row + i] = static_cast<float>(value[i] * points_.spacing);
  }
  return at.values = &values;
}

const PointLattice::Brick* PointLattice::make_brick(std::size_t place) const {
  const std::lock_guard lock(making_);
  const Brick* const made = places_[place].brick.load(std::memory_order_relaxed);
  if (made != nullptr) return made == &kAbove ? nullptr : made;
  const auto neighbour = [&](int i) {
    const std::ptrdiff_t row = counts_[0], layer = row * counts_[1];
    return std::size_t(std::ptrdiff_t(place) + (i % 3 - 1) + row * (i / 3 % 3 - 1) + layer * (i / 9 - 1));
  };
  bool above = true;
  for (int i = 0; i < 8 && above; ++i) {
    double c[3];
    middle(place, c);
    for (int k = 0; k < 3; ++k) c[k] += ((i >> k & 1) != 0 ? 2 : -2) / per_node_;
    above = surely_above(c);
  }
  const Brick* result = &kAbove;
  if (!above) {
    const Values* parts[27];  // null: surely above the reach
    for (int i = 0; i < 27; ++i) parts[i] = values(neighbour(i));
    result = assemble(parts);
  }
  places_[place].brick.store(result, std::memory_order_release);
  return result == &kAbove ? nullptr : result;
}

// Makes a brick from the nodes of a place and of its 26 neighbours.
const PointLattice::Brick* PointLattice::assemble(const Values* const* parts) const {
  Brick& brick = bricks_.emplace_back();
  std::fill(std::begin(brick.low), std::end(brick.low), std::numeric_limits<float>::max());
  const auto reach = static_cast<float>(reach_);
  bool above = true;
  for (int z = 0; z < kNodes; ++z)
    for (int y = 0; y < kNodes; ++y)
      for (int x = 0; x < kNodes; ++x) {
        const int part = (x + 2) / kCells + 3 * ((y + 2) / kCells) + 9 * ((z + 2) / kCells);
        const int node = (x + 2) % kCells + kCells * ((y + 2) % kCells + kCells * ((z + 2) % kCells));
        const float value = parts[part] == nullptr ? reach : std::min(parts[part]->at[node], reach);
        brick.coefficients[x + kNodes * (y + kNodes * z)] = value;
        above = above && value == reach;
        for (int o = 0; o < 8; ++o) {  // its octant's first node; six nodes follow along each axis
          const int i = x - 2 * (o & 1), j = y - 2 * (o >> 1 & 1), k = z - 2 * (o >> 2);
          if (i >= 0 && i < 6 && j >= 0 && j < 6 && k >= 0 && k < 6)
            brick.low[o] = std::min(brick.low[o], value);
        }
      }
  if (!above) return &brick;
  bricks_.pop_back();
  return &kAbove;
}

float PointLattice::find_clearance(std::size_t place) const {
  const std::lock_guard lock(making_);
  const float known = places_[place].clearance.load(std::memory_order_relaxed);
  if (known != 0) return known;
  double c[3];
  middle(place, c);
  const Around around = look_about(points_, c);
  double clear = -1;
  if (around.height > around.depth / 2)
    clear = around.depth - (points_.blocks.cover / points_.spacing + 1 + kSharp * kReach);
  const double widest = std::min(around.height - kReach, kWidest + kSupport);
  if (widest > clear) {
    const double range = range_about(around.depth, widest);
    const int packs = gather(points_, c, range, scratch_);
    clear = std::max(clear, std::min(widest, least_height(scratch_.packs.data(), packs, range) - kReach));
  }
  const auto found = static_cast<float>(std::max(clear - kSupport, -1.0) * points_.spacing * (1 - 1e-6));
  const float result = found > 0 ? found : -1;
  places_[place].clearance.store(result, std::memory_order_relaxed);
  return result;
}

bool PointLattice::clear(const double* center, double radius) const {
  std::size_t place = 0;
  double off2 = 0;
  bool within = true;
  for (int k = 2; k >= 0; --k) {
    const double q = (center[k] - origin_[k]) * per_node_, reach = radius * per_node_;
    const double end = kCells * (counts_[k] - 1);
    if (!(q + reach >= kCells) || !(q - reach <= end)) return true;  // outside all places that have bricks
    within = within && q >= 0 && q < end;
    const double at = within ? std::floor(q / kCells) : 0, d = q - kCells * at - (kCells - 1) / 2.0;
    off2 += d * d;
    place = place * static_cast<std::size_t>(counts_[k]) + static_cast<std::size_t>(at);
  }
  if (!within) return false;
  float clearance = places_[place].clearance.load(std::memory_order_relaxed);
  if (clearance == 0) clearance = find_clearance(place);
  return clearance > 0 && std::sqrt(off2) / per_node_ + radius <= clearance;
}

}  // namespace abut::ssdf
