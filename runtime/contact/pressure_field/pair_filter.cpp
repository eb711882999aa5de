#include "runtime/contact/pressure_field/pair_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/bvh/overlap.h"

namespace abut::contact {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Room, relative to the bodies' size: how far A may move before the pairs are searched anew. It is a few
// percent of an edge, so that it admits few pairs without a polygon. The first query of two bodies, which may
// be the only one, has no room.
constexpr double kRoom = 1.5e-3;

using Eight = float __attribute__((vector_size(32), may_alias));

using contact::negative;
ABUT_INLINE unsigned negative(const Eight& lanes) {
  const Quad low = __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3);
  const Quad high = __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7);
  return negative(low) | negative(high) << 4;
}

// Rows of A's tetrahedra, and of B's, whose four lanes are repeated to eight.
struct RowsOfA {
  const Quad (*rows)[2];
  ABUT_INLINE void get(int row, Eight& to) const { to = *reinterpret_cast<const Eight*>(rows[row]); }
};
struct RowsOfB {
  const Quad* rows;
  ABUT_INLINE void get(int row, Eight& to) const {
    to = __builtin_shufflevector(rows[row], rows[row], 0, 1, 2, 3, 0, 1, 2, 3);
  }
};

// Differences between the pressures at one body's corners and the other body's pressure there.
template <class Corners, class Field>
ABUT_INLINE void differences(const Corners& corners_of, const Field& pressure_of, Eight* difference) {
  Eight g[4], c[4];
  for (int i = 0; i < 4; ++i) pressure_of.get(kGradient + i, g[i]);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 4; ++i) corners_of.get(kCorner + 4 * k + i, c[i]);
    difference[k] = c[3] - (g[0] * c[0] + g[1] * c[1] + g[2] * c[2] + g[3]);
  }
}

// Sets the sign of `result` where all differences exceed `rounding` on the same side.
ABUT_INLINE void one_sided(const Eight* difference, const Eight& rounding, Eight& result) {
  Eight low = difference[0], high = low;
  for (int k = 1; k < 4; ++k) {
    lower(difference[k], low);
    raise(difference[k], high);
  }
  const Eight below = high + rounding;
  result = rounding - low;
  lower(below, result);
}

// Tests eight pairs by boxes and pressures, given that no point is farther than `room` from its assumed
// position; returns one bit per pair that passes.
ABUT_INLINE unsigned near(const RowsOfA& A, const RowsOfB& B, float room) {
  Eight gap = Eight{} + kInfinity, low_A, high_A, low_B, high_B;
  for (int i = 0; i < 4; ++i) {
    A.get(kLow + i, low_A);
    A.get(kHigh + i, high_A);
    B.get(kLow + i, low_B);
    B.get(kHigh + i, high_B);
    Eight one = high_A - low_B, other = high_B - low_A;
    lower(other, one);
    if (i < 3) one += room;
    lower(one, gap);
  }
  unsigned meet = ~negative(gap) & 255u;
  if (meet == 0) return 0;
  Eight slope_A, slope_B, size_A, size_B, strength_A, strength_B, steep_A, steep_B;
  A.get(kSlope, slope_A);
  B.get(kSlope, slope_B);
  A.get(kSize, size_A);
  B.get(kSize, size_B);
  A.get(kStrength, strength_A);
  B.get(kStrength, strength_B);
  A.get(kSteepness, steep_A);
  B.get(kSteepness, steep_B);
  const Eight rounding =
      (4 * kFilterRounding) * ((slope_A + slope_B) * (size_A + size_B) + (strength_A + strength_B)) +
      (steep_A + steep_B) * room;
  Eight difference[4], apart;
  differences(A, B, difference);
  one_sided(difference, rounding, apart);
  meet &= ~negative(apart);
  if (meet == 0) return 0;
  differences(B, A, difference);
  one_sided(difference, rounding, apart);
  return meet & ~negative(apart);
}

ABUT_INLINE void rotate(const Quad& v, Quad& by_one, Quad& by_two) {
  by_one = __builtin_shufflevector(v, v, 1, 2, 3, 0);
  by_two = __builtin_shufflevector(v, v, 2, 3, 0, 1);
}

// Computes the heights of a tetrahedron's corners above the other's faces. Returns false if all corners are
// outside one face. `crosses`: bit f is set if a corner is outside face f.
ABUT_INLINE bool faces_meet(const FilterTetrahedron& t, const FilterTetrahedron& other, float rounding,
                            Quad* heights, unsigned& crosses) {
  crosses = 0;
  for (int f = 0; f < 4; ++f) {
    heights[f] = other.nx[f] * t.x + other.ny[f] * t.y + other.nz[f] * t.z + other.d[f];
    const Quad raised = heights[f] + rounding, lowered = heights[f] - rounding;
    if (negative(raised) == 15u) return false;
    crosses |= (negative(lowered) != 0 ? 1u : 0u) << f;
  }
  return true;
}

// Tests whether a polygon of equal pressure may meet the other tetrahedron. The plane of equal pressure cuts
// a tetrahedron in a polygon with a corner on each edge at whose ends D, the difference of the pressures, has
// different signs. Two convex polygons in a plane are disjoint only if one is outside a side of the other,
// which means that all its corners are outside a face of the other tetrahedron. The height of such a corner
// above a face is
//   (h_a |D_b| + h_b |D_a|) / (|D_a| + |D_b|)
// for heights h at the edge's ends. Its sign needs no division; errors of D and h change the numerator by
// `rounding` times |h_a| + |h_b| and by `height_rounding` times the denominator. Returns false if the
// polygons are disjoint. Edges are (k, k + 1) and (k, k + 2); only faces that the tetrahedron crosses matter.
ABUT_INLINE bool polygon_meets(const Quad* heights, unsigned crosses, const Quad& D, float rounding,
                               float height_rounding) {
  Quad D1, D2, size, size1, size2;
  size_of(D, size);
  rotate(D, D1, D2);
  rotate(size, size1, size2);
  // Negative where both ends are on the same side.
  const auto straddles = [&](const Quad& end, Quad& result) ABUT_INLINE_LAMBDA {
    Quad low = D, high = D;
    lower(end, low);
    raise(end, high);
    result = rounding - low;
    const Quad above = high + rounding;
    lower(above, result);
  };
  Quad straddles1, straddles2;
  straddles(D1, straddles1);
  straddles(D2, straddles2);
  const Quad slack = height_rounding * (size + rounding);
  for (; crosses != 0; crosses &= crosses - 1) {
    const Quad h = heights[std::countr_zero(crosses)];
    Quad h1, h2, error, error1, error2;
    rotate(h, h1, h2);
    size_of(h, error);
    error = rounding * error + slack;
    rotate(error, error1, error2);
    Quad at1 = h * size1 + h1 * size + (error + error1), at2 = h * size2 + h2 * size + (error + error2);
    lower(straddles1, at1);
    lower(straddles2, at2);
    if ((negative(at1) & negative(at2)) == 15u) return false;
  }
  return true;
}

// Tests the polygons of a pair. `cut`: set to the faces of B's tetrahedron that A's may cross.
ABUT_INLINE bool polygons_meet(const FilterTetrahedron& A, const FilterTetrahedron& B, float room,
                               unsigned& cut) {
  const float size = A.size + B.size;
  const float height_rounding = 4 * kFilterRounding * (size + A.face_size + B.face_size) + room;
  Quad heights_A[4], heights_B[4], D;
  unsigned cut_A = 0;
  if (!faces_meet(A, B, height_rounding, heights_A, cut)) return false;
  if (!faces_meet(B, A, height_rounding, heights_B, cut_A)) return false;
  const float rounding = 4 * kFilterRounding * ((A.slope + B.slope) * size + A.strength + B.strength) +
                         (A.steepness + B.steepness) * room;
  const auto difference = [](const FilterTetrahedron& t, const float* g, Quad& result) ABUT_INLINE_LAMBDA {
    result = t.pressures - (g[0] * t.x + g[1] * t.y + g[2] * t.z + g[3]);
  };
  difference(A, B.gradient, D);
  if (!polygon_meets(heights_A, cut, D, rounding, height_rounding)) return false;
  difference(B, A.gradient, D);
  return polygon_meets(heights_B, cut_A, D, rounding, height_rounding);
}

// Writes the pairs of two leaves that may share a polygon to `found`, numbered within the leaves; returns
// their number.
ABUT_CLONES
int meet(const FilterTetrahedron* A, const EightTetrahedra* lanes_A, int count_A, const FilterLeaf& B,
         float room, TetrahedronPair* found) {
  int size = 0;
  for (int half = 0; 2 * half < count_A; ++half)
    for (unsigned meet = near({lanes_A[half].rows}, {B.rows}, room); meet != 0; meet &= meet - 1) {
      const int lane = std::countr_zero(meet), a = 2 * half + lane / 4, b = lane % 4;
      unsigned cut = 0;
      if (polygons_meet(A[a], B.tetrahedra[b], room, cut)) found[size++] = {a, b, cut};
    }
  return size;
}

// Bounding box and range of pressures of four tetrahedra: lanes x, y, z, pressure.
void box_of(const FourTetrahedra& four, Quad& low, Quad& high) {
  for (int i = 0; i < 4; ++i) {
    const Quad &l = four.low[i], &h = four.high[i];
    low[i] = std::min(std::min(l[0], l[1]), std::min(l[2], l[3]));
    high[i] = std::max(std::max(h[0], h[1]), std::max(h[2], h[3]));
  }
}

// Returns the children of a node of B's tree that a box in B's frame meets, as bits; the box's pressures are
// in units of B's extent.
ABUT_INLINE unsigned meeting(const asset::VolumeView& B, std::int32_t node, const Quad& low,
                             const Quad& high) {
  using Rows = Eigen::Map<const Eigen::Array<float, 4, 1>>;
  const float *bounds = B.tree.bounds + std::ptrdiff_t(node) * 24,
              *ranges = B.tree_extent_ranges + std::ptrdiff_t(node) * 8;
  Eigen::Array<float, 4, 1> gap = (high[3] - Rows(ranges)).min(Rows(ranges + 4) - low[3]);
  for (int i = 0; i < 3; ++i)
    gap = gap.min((high[i] - Rows(bounds + 4 * i)).min(Rows(bounds + 12 + 4 * i) - low[i]));
  return ~bvh::negative_lanes(gap) & 15u;
}

constexpr std::size_t kMaxOpen = 3 * bvh::kMaxDepth + 4;

// Calls visit(slot) for the leaves of B's tree that a box meets (as in `meeting`) until a call returns true;
// returns whether one did.
template <class Visit>
ABUT_INLINE bool any_meeting_leaf(const asset::VolumeView& B, const Quad& low, const Quad& high,
                                  Visit&& visit) {
  std::array<std::int32_t, kMaxOpen> open;
  std::size_t size = 0;
  open[size++] = 0;
  while (size > 0) {
    const std::int32_t node = open[--size];
    for (unsigned meet = meeting(B, node, low, high); meet != 0; meet &= meet - 1) {
      const std::int32_t slot = node * bvh::kWidth + std::countr_zero(meet);
      if (B.tree.counts[slot] > 0 && visit(slot)) return true;
      if (B.tree.counts[slot] == 0) open[size++] = B.tree.children[slot];
    }
  }
  return false;
}

}  // namespace

bool PairFinder::still_near(const Pose<double>& X_BA) const {
  const double moved = (X_BA.p - X_BA_.p).norm() + (X_BA.R - X_BA_.R).norm() * reach_A_;
  return moved <= room_;
}

const std::vector<TetrahedronPair>& PairFinder::find(const asset::VolumeView& A, double modulus_A,
                                                     const asset::VolumeView& B, double modulus_B,
                                                     const Pose<double>& X_BA) {
  // Which pairs meet depends only on the ratio of the moduli; with moduli near 1, squares of gradients do not
  // overflow.
  const double unit = std::sqrt(modulus_A) * std::sqrt(modulus_B);
  const Side of_A{A, modulus_A / unit}, of_B{B, modulus_B / unit};
  const auto known = [](const Side& side, const Side& last) {
    return side.view.id != 0 && side.view.id == last.view.id && side.modulus == last.modulus;
  };
  const bool same = known(of_A, A_) && known(of_B, B_);
  if (same && still_near(X_BA)) return pairs_;
  room_ = -1;
  A_ = of_A;
  B_ = of_B;
  X_BA_ = X_BA;
  single_X_BA_ = X_BA.cast<float>();
  pairs_.clear();
  try {
    if (A.tree.nodes > 0 && B.tree.nodes > 0 && !bvh::far_apart(A.tree, B.tree, X_BA))
      search(same ? kRoom : 0);
  } catch (...) {
    room_ = -1;  // out of memory: the pairs are incomplete
    throw;
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

void PairFinder::search(double room_over_size) {
  const auto size = [](const bvh::TreeView& tree, double* diagonal) {
    double reach2 = 0, diagonal2 = 0;
    for (int i = 0; i < 3; ++i) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (int c = 0; c < bvh::kWidth; ++c) {
        low = std::min(low, double(tree.bounds[4 * i + c]));
        high = std::max(high, double(tree.bounds[12 + 4 * i + c]));
      }
      reach2 += std::max(low * low, high * high);
      diagonal2 += (high - low) * (high - low);
    }
    *diagonal = std::sqrt(diagonal2);
    return std::sqrt(reach2);
  };
  double diagonal_A = 0, diagonal_B = 0;
  reach_A_ = size(A_.view.tree, &diagonal_A);
  size(B_.view.tree, &diagonal_B);
  reach_A_ += diagonal_B;  // pressures are also compared at corners of B
  room_ = room_over_size * std::min(diagonal_A, diagonal_B);
  used_leaves_ = 0;
  const auto count = static_cast<std::size_t>(B_.view.tetrahedron_count);
  if (place_.size() < count) place_.resize(count, {0, 0});
  if (++query_ == 0) {
    std::fill(place_.begin(), place_.end(), Place{0, 0});
    query_ = 1;
  }

  const bvh::TreeView& tree = A_.view.tree;
  const auto to_B = static_cast<float>(A_.modulus / B_.modulus), room = static_cast<float>(room_);
  std::array<std::int32_t, kMaxOpen> open;
  std::size_t size_open = 0;
  open[size_open++] = 0;
  while (size_open > 0) {
    const std::int32_t node = open[--size_open];
    const bvh::FourBoxes boxes = bvh::turned_boxes(tree, node, single_X_BA_);
    const float* ranges = A_.view.tree_extent_ranges + std::ptrdiff_t(node) * 8;
    for (int c = 0; c < bvh::kWidth; ++c) {
      const std::int32_t slot = node * bvh::kWidth + c;
      if (tree.counts[slot] < 0) continue;
      Quad low, high;
      for (int i = 0; i < 3; ++i) {
        low[i] = boxes.center[i][c] - boxes.half[i][c] - room;
        high[i] = boxes.center[i][c] + boxes.half[i][c] + room;
      }
      low[3] = to_B * ranges[c] * (1 - kFilterRounding);
      high[3] = to_B * ranges[4 + c] * (1 + kFilterRounding);
      if (!any_leaf_meets(low, high)) continue;
      if (tree.counts[slot] == 0) open[size_open++] = tree.children[slot];
      for (std::int32_t i = 0; i < tree.counts[slot]; i += 4)
        visit_leaf(tree.children[slot] + i, std::min(tree.counts[slot] - i, 4));
    }
  }
}

bool PairFinder::any_leaf_meets(const Quad& low, const Quad& high) const {
  return any_meeting_leaf(B_.view, low, high, [](std::int32_t) { return true; });
}

// Tests up to four tetrahedra of A against B's tree.
void PairFinder::visit_leaf(std::int32_t first, int count) {
  FourTetrahedra four;
  load(A_.view, A_.modulus, first, count, &single_X_BA_, four);
  Quad low, high;
  box_of(four, low, high);
  const auto to_B = static_cast<float>(1 / B_.modulus), room = static_cast<float>(room_);
  for (int i = 0; i < 3; ++i) {
    low[i] -= room;
    high[i] += room;
  }
  low[3] *= to_B * (1 - kFilterRounding);
  high[3] *= to_B * (1 + kFilterRounding);
  EightTetrahedra lanes[2];
  FilterTetrahedron tetrahedra[4];
  bool ready = false;
  any_meeting_leaf(B_.view, low, high, [&](std::int32_t slot) {
    if (!ready) {
      spread_rows(four, lanes);
      split(four, tetrahedra);
      ready = true;
    }
    const bvh::TreeView& tree = B_.view.tree;
    for (std::int32_t i = 0; i < tree.counts[slot]; i += 4)
      meet_leaves(tetrahedra, lanes, first, count, tree.children[slot] + i,
                  std::min(tree.counts[slot] - i, 4));
    return false;
  });
}

void PairFinder::meet_leaves(const FilterTetrahedron* A, const EightTetrahedra* lanes_A, std::int32_t first_A,
                             int count_A, std::int32_t first_B, int count_B) {
  const FilterLeaf& B = leaf_of_B(first_B, count_B);
  TetrahedronPair found[16];
  const int size = meet(A, lanes_A, count_A, B, static_cast<float>(room_), found);
  for (int i = 0; i < size; ++i) pairs_.push_back({first_A + found[i].a, first_B + found[i].b, found[i].cut});
}

// Returns a leaf of B, prepared on first use in a search. Valid until the next call.
const FilterLeaf& PairFinder::leaf_of_B(std::int32_t first, int count) {
  Place& known = place_[static_cast<std::size_t>(first)];
  if (known.query != query_) {
    known = {query_, static_cast<std::int32_t>(used_leaves_)};
    FourTetrahedra four;
    load(B_.view, B_.modulus, first, count, nullptr, four);
    if (used_leaves_ == leaves_.size()) leaves_.emplace_back();
    FilterLeaf& leaf = leaves_[used_leaves_++];
    copy_rows(four, leaf.rows);
    split(four, leaf.tetrahedra);
  }
  return leaves_[static_cast<std::size_t>(known.leaf)];
}

}  // namespace abut::contact
