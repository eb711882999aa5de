#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/bvh/overlap.h"
#include "runtime/contact/equal_pressure.h"

// Quick tests that throw out pairs of tetrahedra without a common polygon, in single precision. They err to
// one side: every test has a margin above the rounding of its few operations, so that no pair with a polygon
// is lost; what passes is cut in full precision.
namespace abut::contact {

using FourLanes = bvh::FourBoxes::Lanes;
using bvh::negative_lanes;

// A tetrahedron in the frame of the query; lanes are corners, or the faces opposite them.
struct FilterTetrahedron {
  FourLanes x, y, z, pressures;
  FourLanes nx, ny, nz, d;  // faces: inside is where n . x + d >= 0
  float gradient[3], offset;
  float reach;       // no coordinate is larger
  float slope;       // sum of the gradient's components' sizes
  float strength;    // largest pressure
  float face_error;  // of d, m
};

// More than six roundings of relative size 2^-24.
inline constexpr float kFilterRounding = 1e-6f;

// Lanes x, y, z and pressure: the least and the largest, grown by the rounding.
struct FilterBox {
  FourLanes low, high;

  bool meets(const FilterBox& other) const {
    return negative_lanes((high - other.low).min(other.high - low)) == 0;
  }
};

template <class S>
FilterBox filter_box(const PlacedTetrahedron<S>& t) {
  Eigen::Matrix<float, 4, 4> rows;
  rows.topRows<3>() = t.corners.template cast<float>();
  rows.row(3) = t.pressures.template cast<float>();
  const FourLanes a = rows.col(0).array(), b = rows.col(1).array(), c = rows.col(2).array(),
                  d = rows.col(3).array();
  FilterBox box{a.min(b).min(c.min(d)), a.max(b).max(c.max(d))};
  const auto reach = static_cast<float>(t.reach);
  const FourLanes room = kFilterRounding * FourLanes(reach, reach, reach, box.high[3]);
  box.low -= room;
  box.high += room;
  return box;
}

// Planes are in the frame of the body, whose pose is X_QC; null: the query's own.
template <class S>
FilterTetrahedron filter_tetrahedron(const PlacedTetrahedron<S>& exact, const double* face_planes,
                                     const Pose<float>* X_QC) {
  FilterTetrahedron t;
  const Eigen::Matrix<float, 3, 4> corners = exact.corners.template cast<float>();
  t.x = corners.row(0).transpose();
  t.y = corners.row(1).transpose();
  t.z = corners.row(2).transpose();
  t.pressures = exact.pressures.template cast<float>().transpose();
  const Eigen::Matrix<float, 4, 4> planes = Eigen::Map<const Eigen::Matrix4d>(face_planes).cast<float>();
  Eigen::Matrix<float, 3, 4> n = planes.topRows<3>();
  if (X_QC != nullptr) n = X_QC->R * n;
  t.nx = n.row(0).transpose();
  t.ny = n.row(1).transpose();
  t.nz = n.row(2).transpose();
  t.d = planes.row(3).transpose();
  if (X_QC != nullptr) t.d -= (X_QC->p.transpose() * n).transpose().array();
  t.reach = static_cast<float>(exact.reach);
  for (int k = 0; k < 3; ++k) t.gradient[k] = static_cast<float>(exact.pressure.gradient[k]);
  t.offset = static_cast<float>(exact.pressure.offset);
  t.slope = std::abs(t.gradient[0]) + std::abs(t.gradient[1]) + std::abs(t.gradient[2]);
  t.strength = t.pressures.maxCoeff();
  t.face_error = kFilterRounding * planes.row(3).lpNorm<Eigen::Infinity>();
  if (X_QC != nullptr) t.face_error += kFilterRounding * X_QC->p.lpNorm<1>();
  return t;
}

// The pressure of one is nowhere that of the other, within the first.
inline bool pressures_differ(const FilterTetrahedron& t, const FilterTetrahedron& other) {
  const FourLanes difference = t.pressures - other.gradient[0] * t.x - other.gradient[1] * t.y -
                               other.gradient[2] * t.z - other.offset;
  const float margin = kFilterRounding * (other.slope * t.reach + std::abs(other.offset) + t.strength);
  return negative_lanes(difference - margin) == 0 || negative_lanes(-margin - difference) == 0;
}

// One lies outside a face of the other; if not, `cut` gets the faces that it may cross.
inline bool outside_a_face(const FilterTetrahedron& t, const FilterTetrahedron& other, unsigned& cut) {
  const FourLanes h0 = other.nx * t.x[0] + other.ny * t.y[0] + other.nz * t.z[0] + other.d;
  const FourLanes h1 = other.nx * t.x[1] + other.ny * t.y[1] + other.nz * t.z[1] + other.d;
  const FourLanes h2 = other.nx * t.x[2] + other.ny * t.y[2] + other.nz * t.z[2] + other.d;
  const FourLanes h3 = other.nx * t.x[3] + other.ny * t.y[3] + other.nz * t.z[3] + other.d;
  const float margin = 2 * kFilterRounding * (t.reach + other.reach) + other.face_error;
  const FourLanes high = h0.max(h1).max(h2.max(h3)) + margin;
  if (negative_lanes(high) != 0) return true;
  cut = negative_lanes(h0.min(h1).min(h2.min(h3)) - margin);
  return false;
}

// A tetrahedron as a query needs it.
template <class S>
struct PreparedTetrahedron {
  PlacedTetrahedron<S> exact;
  FilterTetrahedron filter;
  FilterBox box;
  std::int32_t index;  // in the body
  bool complete;       // if not, only the corners, their pressures and the box are there
};

// The tetrahedra of one body's leaves that a query has come upon, made ready once. Keeps its memory.
template <class S>
class PreparedLeaves {
 public:
  struct Leaf {
    std::int32_t first = 0;     // of its tetrahedra, for operator[]
    FilterBox box;              // of all
    FourLanes low[4], high[4];  // rows x, y, z, pressure; lanes are tetrahedra
  };

  // Forgets all; for queries in which the body has the pose X_QC (null: the query's frame is its own).
  void begin(const asset::VolumeView& volume, const S& modulus, const Pose<S>* X_QC) {
    volume_ = volume;
    modulus_ = modulus;
    moved_ = X_QC != nullptr;
    if (moved_) {
      X_QC_ = *X_QC;
      single_X_QC_ = X_QC->template cast<float>();
    }
    leaves_.clear();
    prepared_.clear();
    if (place_.size() < static_cast<std::size_t>(volume.tetrahedron_count))
      place_.resize(static_cast<std::size_t>(volume.tetrahedron_count), {0, 0});
    if (++query_ == 0) {
      std::fill(place_.begin(), place_.end(), Place{0, 0});
      query_ = 1;
    }
  }

  // At most four tetrahedra. Valid until the next call.
  const Leaf& leaf(std::int32_t first, std::int32_t count) {
    Place& place = place_[static_cast<std::size_t>(first)];
    if (place.query != query_) {
      place = {query_, static_cast<std::int32_t>(leaves_.size())};
      prepare(first, count);
    }
    return leaves_[static_cast<std::size_t>(place.leaf)];
  }

  const PreparedTetrahedron<S>& operator[](std::int32_t i) const {
    return prepared_[static_cast<std::size_t>(i)];
  }

  // The same with all of it.
  const PreparedTetrahedron<S>& complete(std::int32_t i) {
    PreparedTetrahedron<S>& t = prepared_[static_cast<std::size_t>(i)];
    if (!t.complete) {
      place_pressure<S>(volume_, t.index, modulus_, pose(), t.exact);
      t.filter = filter_tetrahedron(t.exact, volume_.face_planes + 16 * std::ptrdiff_t(t.index),
                                    moved_ ? &single_X_QC_ : nullptr);
      t.complete = true;
    }
    return t;
  }

 private:
  struct Place {
    std::uint32_t query;
    std::int32_t leaf;
  };

  const Pose<S>* pose() const { return moved_ ? &X_QC_ : nullptr; }

  void prepare(std::int32_t first, int count) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Leaf leaf;
    leaf.first = static_cast<std::int32_t>(prepared_.size());
    leaf.box.low.setConstant(kInfinity);
    leaf.box.high.setConstant(-kInfinity);
    for (int k = 0; k < 4; ++k) {
      leaf.low[k].setConstant(kInfinity);
      leaf.high[k].setConstant(-kInfinity);
    }
    for (int i = 0; i < count; ++i) {
      PreparedTetrahedron<S>& t = prepared_.emplace_back();
      t.index = first + i;
      t.complete = false;
      place_corners<S>(volume_, t.index, modulus_, pose(), t.exact);
      t.box = filter_box(t.exact);
      leaf.box.low = leaf.box.low.min(t.box.low);
      leaf.box.high = leaf.box.high.max(t.box.high);
      for (int k = 0; k < 4; ++k) {
        leaf.low[k][i] = t.box.low[k];
        leaf.high[k][i] = t.box.high[k];
      }
    }
    leaves_.push_back(leaf);
  }

  asset::VolumeView volume_;
  S modulus_ = 0;
  bool moved_ = false;
  Pose<S> X_QC_;
  Pose<float> single_X_QC_;
  std::vector<Leaf> leaves_;
  std::vector<PreparedTetrahedron<S>> prepared_;
  std::vector<Place> place_;  // per tetrahedron, of the leaf that begins there
  std::uint32_t query_ = 0;
};

// Which of a leaf's tetrahedra one meets, by boxes and ranges of pressure.
template <class Leaf>
unsigned meeting(const FilterBox& box, const Leaf& leaf) {
  FourLanes room = (leaf.high[0] - box.low[0]).min(box.high[0] - leaf.low[0]);
  for (int k = 1; k < 4; ++k) room = room.min((leaf.high[k] - box.low[k]).min(box.high[k] - leaf.low[k]));
  return ~negative_lanes(room) & 15u;
}

}  // namespace abut::contact
