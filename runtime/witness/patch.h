#pragma once

#include "runtime/witness/core.h"
#include "runtime/witness/simplex.h"

namespace abut::witness {

// The features that carry the witness point of one body posed by X, with their weights; everything in frame
// A. Features are vertices of a polytope, the two rim points at the azimuth u, or the one support point of a
// smooth core.
template <class S>
class Patch {
 public:
  Patch(const Core<S>& shape, const Pose<S>& X, const std::int32_t* index, int count, const S* weight,
        const Vec3<S>& near, const Vec3<S>& outward)
      : shape_(&shape), X_(X) {
    for (int k = 0; k < count; ++k) add(shape.smooth() ? 0 : index[k], weight[k]);
    if (shape.has_rims()) aim(near, outward);
  }

  bool polytope() const { return !curved(*shape_); }
  int size() const { return size_; }
  std::int32_t index(int k) const { return index_[k]; }
  S weight(int k) const { return weight_[k]; }
  Vec3<S> axis() const { return X_.R.col(2); }
  const Vec3<S>& azimuth() const { return u_; }
  Vec3<S> along_rim() const { return axis().cross(u_); }

  // Point of feature k for the body's outward normal `outward`.
  Vec3<S> point(int k, const Vec3<S>& outward) const {
    if (shape_->smooth()) return X_ * core_support(*shape_, Vec3<S>(X_.R.transpose() * outward)).point;
    if (shape_->has_rims()) return centre(index_[k]) + shape_->rim(index_[k]).radius * u_;
    return X_ * core_vertex(*shape_, index_[k]);
  }

  Vec3<S> carried(const Vec3<S>& outward) const {
    Vec3<S> p = Vec3<S>::Zero();
    for (int k = 0; k < size_; ++k) p += weight_[k] * point(k, outward);
    return p;
  }

  // Support Hessian of a smooth core, in frame A; zero for other cores.
  Mat3<S> hessian(const Vec3<S>& outward) const {
    if (!shape_->smooth()) return Mat3<S>::Zero();
    return X_.R * core_hessian(*shape_, Vec3<S>(X_.R.transpose() * outward)) * X_.R.transpose();
  }

  // Radius of the circle on which the carried point moves as u turns, m; zero without rims.
  S radius() const {
    S r = 0;
    if (!shape_->has_rims()) return r;
    for (int k = 0; k < size_; ++k) r += weight_[k] * shape_->rim(index_[k]).radius;
    return r;
  }

  void turn(S angle) { u_ = (u_ + angle * along_rim()).normalized(); }
  void shift_weight(int k, S change) {
    weight_[k] += change;
    weight_[0] -= change;
  }

  bool has(std::int32_t index) const {
    for (int k = 0; k < size_; ++k) {
      if (index_[k] == index) return true;
    }
    return false;
  }

  // Adds weight to a feature, which may be new. Returns false if there is no room.
  bool add(std::int32_t index, S weight) {
    int k = 0;
    while (k < size_ && index_[k] != index) ++k;
    if (k == 3) return false;
    if (k == size_) {
      index_[size_] = index;
      weight_[size_++] = 0;
    }
    weight_[k] += weight;
    return true;
  }

  // Removes the feature of least weight if that is negative; returns false if none is.
  bool drop() {
    int least = 0;
    for (int k = 1; k < size_; ++k) {
      if (weight_[k] < weight_[least]) least = k;
    }
    if (!(weight_[least] < -4 * std::numeric_limits<S>::epsilon()) || size_ == 1) return false;
    --size_;
    S sum = 0;
    for (int k = 0; k < size_; ++k) {
      if (k >= least) {
        index_[k] = index_[k + 1];
        weight_[k] = weight_[k + 1];
      }
      weight_[k] = std::max(S(0), weight_[k]);
      sum += weight_[k];
    }
    for (int k = 0; k < size_; ++k) weight_[k] = sum > 0 ? weight_[k] / sum : S(k == 0);
    return true;
  }

  // Reverses u if it points inwards; returns whether it did.
  bool face_outwards(const Vec3<S>& outward) {
    if (!shape_->has_rims() || !(outward.dot(u_) < 0)) return false;
    u_ = -u_;
    return true;
  }

  // Nearest point to q of the face whose outward normal is `outward`, within `rounding` (m). Of a polytope's
  // face only the part spanned by the current features is considered.
  Vec3<S> on_face(const Vec3<S>& q, const Vec3<S>& outward, S rounding) {
    if (shape_->smooth()) return point(0, outward);
    return shape_->has_rims() ? on_disc_or_side(q, outward, rounding) : on_facet(q, outward, rounding);
  }

  // Whether the body has a disc whose outward normal is within 0.1 rad of `outward`; if so, `normal` is its
  // exact normal.
  bool disc(const Vec3<S>& outward, Vec3<S>& normal) const {
    if (!shape_->has_rims()) return false;
    const S along = axis().dot(outward);
    normal = along < 0 ? Vec3<S>(-axis()) : axis();
    return std::abs(along) > S(0.995) && shape_->rim(along < 0 ? 1 : 0).radius > 0;
  }

 private:
  Vec3<S> centre(std::int32_t i) const { return X_ * Vec3<S>(0, 0, shape_->rim(i).z); }

  // Sets u to the azimuth of the witness point, or of the normal if the point is near the axis.
  void aim(const Vec3<S>& near, const Vec3<S>& outward) {
    const auto across = [&](const Vec3<S>& e) { return Vec3<S>(e - axis().dot(e) * axis()); };
    const Vec3<S> by_point = across(near - X_.p), by_normal = across(outward);
    const S least = S(0.1) * std::max(shape_->rim(0).radius, shape_->rim(1).radius);
    u_ = by_point.norm() > least ? by_point.normalized()
         : by_normal.norm() > 0  ? by_normal.normalized()
                                 : Vec3<S>(X_.R.col(0));
  }

  Vec3<S> on_disc_or_side(const Vec3<S>& q, const Vec3<S>& outward, S rounding) const {
    const Vec3<S> e = X_.R.transpose() * outward;
    const S across = std::hypot(e.x(), e.y());
    if (across <= 8 * std::numeric_limits<S>::epsilon()) {
      const Rim<S> disc = shape_->rim(e.z() > 0 ? 0 : 1);
      Vec3<S> p = X_.R.transpose() * (q - X_.p);
      const S r = std::hypot(p.x(), p.y());
      if (r > disc.radius) p *= disc.radius / r;
      p.z() = disc.z;
      return X_ * p;
    }
    Vec3<S> p[2];
    for (int i = 0; i < 2; ++i) {
      const Rim<S> at = shape_->rim(i);
      p[i] = {at.radius * e.x() / across, at.radius * e.y() / across, at.z};
    }
    const S step = e.dot(p[0] - p[1]);
    if (std::abs(step) > rounding) return X_ * p[step > 0 ? 0 : 1];
    return q + closest_on_segment<S>(X_ * p[0] - q, X_ * p[1] - q).v;
  }

  Vec3<S> on_facet(const Vec3<S>& q, const Vec3<S>& outward, S rounding) {
    const SupportPoint<S> top = core_support(*shape_, Vec3<S>(X_.R.transpose() * outward));
    const S height = outward.dot(X_ * top.point);
    int kept = 0;
    for (int k = 0; k < size_; ++k) {
      if (outward.dot(point(k, outward)) >= height - rounding) index_[kept++] = index_[k];
    }
    size_ = kept;
    if (size_ == 0) add(top.index, 0);
    const auto at = [&](int k) { return Vec3<S>(point(k, outward) - q); };
    ClosestPoint<S> on{at(0), {1, 0, 0, 0}, 1};
    if (size_ == 2) on = closest_on_segment<S>(at(0), at(1));
    if (size_ == 3) on = closest_on_triangle<S>(at(0), at(1), at(2));
    for (int k = 0; k < size_; ++k) weight_[k] = on.weight[k];
    return q + on.v;
  }

  const Core<S>* shape_;
  Pose<S> X_;
  int size_ = 0;
  std::int32_t index_[3] = {-1, -1, -1};
  S weight_[3] = {0, 0, 0};
  Vec3<S> u_ = Vec3<S>::Zero();  // azimuth of the rim points, unit, orthogonal to the axis
};

}  // namespace abut::witness
