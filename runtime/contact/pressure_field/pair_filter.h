#pragma once

#include <cstdint>
#include <vector>

#include "runtime/contact/pressure_field/filter_leaf.h"

// Finds the pairs of tetrahedra that may share a polygon of equal pressure. Tests in single precision and
// conservatively: every test has a margin above the rounding of its few operations, so that no pair with a
// polygon is lost; the remaining pairs are cut in full precision. Internal to the pressure-field model.
namespace abut::contact {

// A pair of tetrahedra that may share a polygon of equal pressure.
struct TetrahedronPair {
  std::int32_t a, b;  // indices in A's and B's volume
  unsigned cut;       // bit k: A's tetrahedron may cross the face opposite corner k of B's

  // Orders by A's tetrahedron, then by B's.
  bool operator<(const TetrahedronPair& other) const { return a != other.a ? a < other.a : b < other.b; }
};

// Finds pairs and keeps them, since they remain valid for slightly different poses. Use one per thread; it
// keeps its memory from call to call.
class PairFinder {
 public:
  // Returns the pairs of two bodies, in order, for pressures modulus times extent; A has the pose X_BA.
  // Complete, but may include pairs without a polygon. Bodies are recognised by the ids of their views. Valid
  // until the next call.
  const std::vector<TetrahedronPair>& find(const asset::VolumeView& A, double modulus_A,
                                           const asset::VolumeView& B, double modulus_B,
                                           const Pose<double>& X_BA);

 private:
  struct Side {
    asset::VolumeView view;
    double modulus = 0;
  };
  struct Place {
    std::uint32_t query;
    std::int32_t leaf;
  };

  bool still_near(const Pose<double>& X_BA) const;
  void search(double room_over_size);
  void visit_leaf(std::int32_t first, int count);
  void meet_leaves(const FilterTetrahedron* A, const EightTetrahedra* lanes_A, std::int32_t first_A,
                   int count_A, std::int32_t first_B, int count_B);
  const FilterLeaf& leaf_of_B(std::int32_t first, int count);
  bool any_leaf_meets(const Quad& low, const Quad& high) const;

  Side A_, B_;
  Pose<double> X_BA_;
  Pose<float> single_X_BA_;
  // The pairs are valid for poses in which no point of A is farther than this (m) from its place in X_BA_.
  double room_ = -1;
  double reach_A_ = 0;  // upper bound of the distance of points near A from its origin, m
  std::vector<TetrahedronPair> pairs_;
  std::vector<FilterLeaf> leaves_;  // of B, prepared once per search; the first used_leaves_ are in use
  std::size_t used_leaves_ = 0;
  std::vector<Place> place_;  // per tetrahedron of B: place of the leaf that begins there
  std::uint32_t query_ = 0;
};

}  // namespace abut::contact
