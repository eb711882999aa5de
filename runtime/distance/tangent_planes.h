#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/math/pose.h"

namespace abut::distance {

// Bounds the minimum of a convex function over a triangle from below by cutting planes [Kelley1960]. A plane
// is given by its heights at the corners (m): at the point with barycentric weights w the function is at
// least plane . w. The maximum of all planes can have its minimum only at a corner, at a point of an edge
// where two planes meet, or at a point of the face where three meet (the candidate places). Every convex
// combination of planes, sum_i share_i plane_i with shares >= 0 that sum to 1, lies below the function, so
// that its lowest corner is a lower bound, even if the shares have rounding errors.
class TangentPlanes {
 public:
  static constexpr std::size_t kMax = 16;

  void clear() {
    planes_.clear();
    places_.clear();
    bound_ = -std::numeric_limits<double>::infinity();
  }

  // Lower bound of the function on the triangle, m.
  double bound() const { return bound_; }
  bool full() const { return planes_.size() == kMax; }

  // Adds a plane. Candidate places at which the planes' maximum is at least `enough` (m) are discarded.
  void add(const Vec3<double>& plane, double enough) {
    std::erase_if(places_, [&](Place& place) {
      place.height = std::max(place.height, plane.dot(place.weight));
      return !(place.height < enough);
    });
    planes_.push_back(plane);
    bound_ = std::max(bound_, plane.minCoeff());
    if (planes_.size() == 1)
      for (int k = 0; k < 3; ++k) meet(Vec3<double>::Unit(k), enough);
    for (std::size_t i = 0; i + 1 < planes_.size(); ++i) {
      for (int k = 0; k < 3; ++k) meet_on_edge(plane, planes_[i], k, enough);
      for (std::size_t j = 0; j < i; ++j) meet_on_face(plane, planes_[i], planes_[j], enough);
    }
  }

  // Barycentric weights of the place at which the planes' maximum is least; null if that maximum is at least
  // `enough` everywhere.
  const Vec3<double>* lowest() const {
    const auto place = std::min_element(places_.begin(), places_.end(),
                                        [](const Place& a, const Place& b) { return a.height < b.height; });
    return place == places_.end() ? nullptr : &place->weight;
  }

 private:
  struct Place {
    Vec3<double> weight;
    double height;  // value of the planes' maximum, m
  };

  void meet(const Vec3<double>& weight, double enough) {
    double height = -std::numeric_limits<double>::infinity();
    for (const Vec3<double>& plane : planes_) height = std::max(height, plane.dot(weight));
    if (height < enough) places_.push_back({weight, height});
  }

  // Adds the place on the edge opposite corner k where two planes meet.
  void meet_on_edge(const Vec3<double>& x, const Vec3<double>& y, int k, double enough) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    const double share = (y[a] - y[b]) / ((x[b] - x[a]) + (y[a] - y[b]));  // of x, for level a and b
    if (share >= 0 && share <= 1) bound_ = std::max(bound_, (share * x + (1 - share) * y).minCoeff());
    const double at_b = (x[a] - y[a]) / ((x[a] - y[a]) - (x[b] - y[b]));
    if (!(at_b >= 0 && at_b <= 1)) return;
    Vec3<double> weight = Vec3<double>::Zero();
    weight[a] = 1 - at_b, weight[b] = at_b;
    meet(weight, enough);
  }

  void meet_on_face(const Vec3<double>& x, const Vec3<double>& y, const Vec3<double>& z, double enough) {
    Mat3<double> rows;
    rows << x.transpose(), y.transpose(), z.transpose();
    const Vec3<double> share = shares((rows.col(0) - rows.col(1)).cross(rows.col(0) - rows.col(2)));
    if ((share.array() >= 0).all()) bound_ = std::max(bound_, (rows.transpose() * share).minCoeff());
    const Vec3<double> weight = shares((x - y).cross(x - z));
    if ((weight.array() >= 0).all()) meet(weight, enough);
  }

  static Vec3<double> shares(const Vec3<double>& v) { return v / v.sum(); }

  std::vector<Vec3<double>> planes_;
  std::vector<Place> places_;
  double bound_ = 0;
};

}  // namespace abut::distance
