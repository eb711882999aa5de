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
  float low[3], high[3];  // grown by the rounding
  float reach;            // no coordinate is larger
  float slope;            // sum of the gradient's components' sizes
  float strength;         // largest pressure
  float face_error;       // of d, m
};

// More than six roundings of relative size 2^-24.
inline constexpr float kFilterRounding = 1e-6f;

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
  t.reach = std::max({t.x.abs().maxCoeff(), t.y.abs().maxCoeff(), t.z.abs().maxCoeff()});
  for (int k = 0; k < 3; ++k) {
    t.gradient[k] = static_cast<float>(exact.pressure.gradient[k]);
    t.low[k] = corners.row(k).minCoeff() - kFilterRounding * t.reach;
    t.high[k] = corners.row(k).maxCoeff() + kFilterRounding * t.reach;
  }
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
};

// Which of four boxes meet a tetrahedron's.
inline unsigned meeting_boxes(const FilterTetrahedron& t, const FourLanes* low, const FourLanes* high) {
  FourLanes room = (high[0] - t.low[0]).min(t.high[0] - low[0]);
  for (int k = 1; k < 3; ++k) room = room.min((high[k] - t.low[k]).min(t.high[k] - low[k]));
  return ~negative_lanes(room) & 15u;
}

// The tetrahedra of one body's leaves that a query has come upon, made ready once. Keeps its memory.
template <class S>
class PreparedLeaves {
 public:
  struct Leaf {
    std::int32_t first = 0;  // in prepared()
    FourLanes low[3], high[3];
  };

  // Forgets all; for a body of so many tetrahedra.
  void begin(std::int32_t tetrahedra) {
    leaves_.clear();
    prepared_.clear();
    if (place_.size() < static_cast<std::size_t>(tetrahedra))
      place_.resize(static_cast<std::size_t>(tetrahedra), {0, 0});
    if (++query_ == 0) {
      std::fill(place_.begin(), place_.end(), Place{0, 0});
      query_ = 1;
    }
  }

  // At most four tetrahedra. Valid until the next call.
  const Leaf& leaf(const asset::VolumeView& volume, std::int32_t first, std::int32_t count, const S& modulus,
                   const Pose<S>* X_QC) {
    Place& place = place_[static_cast<std::size_t>(first)];
    if (place.query != query_) {
      place = {query_, static_cast<std::int32_t>(leaves_.size())};
      prepare(volume, first, count, modulus, X_QC);
    }
    return leaves_[static_cast<std::size_t>(place.leaf)];
  }

  const PreparedTetrahedron<S>& operator[](std::int32_t i) const {
    return prepared_[static_cast<std::size_t>(i)];
  }

 private:
  struct Place {
    std::uint32_t query;
    std::int32_t leaf;
  };

  void prepare(const asset::VolumeView& volume, std::int32_t first, std::int32_t count, const S& modulus,
               const Pose<S>* X_QC) {
    Leaf leaf;
    leaf.first = static_cast<std::int32_t>(prepared_.size());
    for (int k = 0; k < 3; ++k) {
      leaf.low[k].setConstant(std::numeric_limits<float>::infinity());
      leaf.high[k].setConstant(-std::numeric_limits<float>::infinity());
    }
    Pose<float> X;
    if (X_QC != nullptr) X = X_QC->template cast<float>();
    for (int i = 0; i < count; ++i) {
      PreparedTetrahedron<S>& t = prepared_.emplace_back();
      t.exact = placed<S>(volume, first + i, modulus, X_QC);
      t.filter = filter_tetrahedron(t.exact, volume.face_planes + 16 * std::ptrdiff_t(first + i),
                                    X_QC != nullptr ? &X : nullptr);
      for (int k = 0; k < 3; ++k) {
        leaf.low[k][i] = t.filter.low[k];
        leaf.high[k][i] = t.filter.high[k];
      }
    }
    leaves_.push_back(leaf);
  }

  std::vector<Leaf> leaves_;
  std::vector<PreparedTetrahedron<S>> prepared_;
  std::vector<Place> place_;  // per tetrahedron, of the leaf that begins there
  std::uint32_t query_ = 0;
};

}  // namespace abut::contact
