#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "runtime/asset/asset.h"
#include "runtime/ssdf/two_stage_points.h"

// The field of an oriented point cloud (two_stage.h) on a lattice, whose values cost an eighth: quartic
// B-splines with the field at the nodes x_i, h apart, as coefficients, and at most the reach,
//   Phi(p) = sum over i of min(Phi_2(x_i), reach) B((p - x_i) / h),   B(q) = b(q_x) b(q_y) b(q_z).
// A mean of Phi_2 over places about p, with a standard deviation of 0.65 h along each axis, three times
// continuously differentiable. It lies between the least and the largest of its 125 coefficients, which bound
// it, and two nodes' spacings below the reach it knows nothing of that. Bricks of 4 x 4 x 4 cells are made
// where they are first asked for: time and memory go with where contact was. What a brick holds does not
// depend on which others there are.
namespace abut::ssdf {

// Any number of threads may use it.
class PointLattice {
 public:
  static constexpr int kCells = 4;           // along an edge of a place
  static constexpr int kNodes = kCells + 4;  // that its cells' splines reach
  static constexpr double kFineness = 4;     // nodes on a spacing of the cloud
  // The largest coefficient, spacings. Whoever looks at the field looks no farther.
  static constexpr double kReach = 0.75;

  // The coefficients that the cells of one place take.
  struct Brick {
    float low[8];                                      // least coefficient of each octant's cells, m
    float coefficients[kNodes * kNodes * kNodes + 8];  // (z, y, x) m, and room to read beyond the last
  };

  // Views the points, which must outlive it. Throws InvalidInput where they do not fit: for their spacing
  // they extend too far.
  explicit PointLattice(const asset::PointsView& points);

  // Whether there is room for the lattice of these points.
  static bool fits(const asset::PointsView& points);

  double reach() const { return reach_; }                 // m
  const double* origin() const { return origin_; }        // of node (0, 0, 0), m
  double per_node() const { return per_node_; }           // 1/m
  const std::int32_t* counts() const { return counts_; }  // of places along x, y, z

  // Of a place within the counts, made where it is asked for first; null where the field is nowhere below the
  // reach.
  const Brick* brick(std::size_t place) const {
    const Brick* const made = places_[place].brick.load(std::memory_order_acquire);
    return made == nullptr ? make_brick(place) : made == &kAbove ? nullptr : made;
  }

  // No place is made between them: they stand about a fork of the process.
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
    std::atomic<float> clearance{0};  // radius of a ball about its middle that is clear, m; 0: not yet known
    Known above = Known::kNotYet;     // whether its own nodes surely are; and
    const Values* values = nullptr;   // of these
  };

  static double edge_of(const asset::PointsView& points);    // of a place, m
  static double margin_of(const asset::PointsView& points);  // of the lattice about the points, m
  // How many places there are along each axis, and where the first node is, m; returns how many in all.
  static double lay_out(const asset::PointsView& points, double* origin, double* counts);

  // The mutex is held.
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
