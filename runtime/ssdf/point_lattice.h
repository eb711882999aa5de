#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "runtime/asset/asset.h"
#include "runtime/ssdf/two_stage_points.h"

// The field of an oriented point cloud (two_stage.h) on a lattice, where a value costs an eighth as much:
// quartic B-splines whose coefficients are the field Phi_2 at the nodes x_i, h apart, capped at the reach,
//   Phi(p) = sum over i of min(Phi_2(x_i), reach) B((p - x_i) / h),   B(q) = b(q_x) b(q_y) b(q_z).
// This is a mean of Phi_2 over positions about p, with a standard deviation of 0.65 h along each axis, and
// three times continuously differentiable. It is bounded by the least and the largest of its 125
// coefficients; where it is two node spacings below the reach, the cap has no effect. Bricks of 4 x 4 x 4
// cells are made when they are first requested, so that time and memory scale with the region where contact
// occurred. The contents of a brick do not depend on which other bricks exist.
namespace abut::ssdf {

// A lattice over a point cloud. Thread-safe.
class PointLattice {
 public:
  static constexpr int kCells = 4;           // cells along an edge of a brick
  static constexpr int kNodes = kCells + 4;  // nodes along an edge that a brick's splines reach
  static constexpr double kFineness = 4;     // node spacings per spacing of the cloud
  // The largest coefficient, in spacings. Users of the field do not evaluate it farther away.
  static constexpr double kReach = 0.75;

  // The coefficients that the cells of one brick use.
  struct Brick {
    float low[8];                                      // least coefficient of each octant's cells, m
    float coefficients[kNodes * kNodes * kNodes + 8];  // (z, y, x) m, with room to read beyond the last
  };

  // Views the points, which must outlive it. Throws InvalidInput if the lattice would be too large: the cloud
  // extends too far for its spacing.
  explicit PointLattice(const asset::PointsView& points);

  // Whether the lattice of these points is small enough.
  static bool fits(const asset::PointsView& points);

  double reach() const { return reach_; }                 // m
  const double* origin() const { return origin_; }        // of node (0, 0, 0), m
  double per_node() const { return per_node_; }           // 1/m
  const std::int32_t* counts() const { return counts_; }  // of bricks along x, y, z

  // The brick at an index (place) within the counts, made on first request; null where the field is nowhere
  // below the reach.
  const Brick* brick(std::size_t place) const {
    const Brick* const made = places_[place].brick.load(std::memory_order_acquire);
    return made == nullptr ? make_brick(place) : made == &kAbove ? nullptr : made;
  }

  // `pause` blocks the making of bricks until `resume`; they enclose a fork of the process.
  void pause() const { making_.lock(); }
  void resume() const { making_.unlock(); }

  // Whether the field is surely nowhere below the reach in a ball (m).
  bool clear(const double* center, double radius) const;

 private:
  struct Values {
    float at[kCells * kCells * kCells];  // (z, y, x) m
  };
  enum class Known : std::uint8_t { kNotYet, kNo, kYes };
  struct Place {
    std::atomic<const Brick*> brick{nullptr};
    std::atomic<float> clearance{0};  // radius of a clear ball about its middle, m; 0: not yet known
    Known above = Known::kNotYet;     // whether its own nodes surely are; if not,
    const Values* values = nullptr;   // the field at them
  };

  static double edge_of(const asset::PointsView& points);    // of a brick, m
  static double margin_of(const asset::PointsView& points);  // of the lattice about the points, m
  // Computes the number of bricks along each axis and the position of the first node, m; returns the total
  // number.
  static double lay_out(const asset::PointsView& points, double* origin, double* counts);

  // These need the mutex to be held, except `find_clearance` and `make_brick`, which lock it.
  const Values* values(std::size_t place) const;
  int gather_nodes(const double* center, double* range) const;
  bool surely_above(const double* center) const;
  const Brick* assemble(const Values* const* parts) const;

  const Brick* make_brick(std::size_t place) const;
  float find_clearance(std::size_t place) const;
  void middle(std::size_t place, double* p) const;  // of its own nodes, m

  static const Brick kAbove;

  asset::PointsView points_;
  double origin_[3], per_node_, reach_;
  std::int32_t counts_[3];
  std::unique_ptr<Place[]> places_;  // (z, y, x)
  mutable std::mutex making_;
  mutable std::deque<Brick> bricks_;
  mutable std::deque<Values> values_;
  mutable internal::NearScratch<double> scratch_;
};

}  // namespace abut::ssdf
