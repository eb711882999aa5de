#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/witness/core.h"

namespace abut::witness {

// Largest absolute coordinate, m: the magnitude that rounding errors are relative to.
template <class S>
S largest_coordinate(const Vec3<S>& v) {
  const S x = std::abs(v.x()), y = std::abs(v.y()), z = std::abs(v.z()), xy = x > y ? x : y;
  return xy > z ? xy : z;
}

// A boundary point w = x2 - x1 of the Minkowski difference, with the points that it comes from. All in frame
// A, m.
template <class S>
struct DifferenceVertex {
  Vec3<S> w;       // x2 - x1
  Vec3<S> x1;      // on the core of A
  Vec3<S> x2;      // on the core of B
  std::int32_t a;  // vertex of a polytope A, rim of a hull of rims, else -1
  std::int32_t b;  // the same of B

  // Whether both are the same point. Different points usually differ in x, which is compared first.
  bool same_point(const DifferenceVertex& other) const {
    return w.x() == other.w.x() && w.y() == other.w.y() && w.z() == other.w.z();
  }
};

// The Minkowski difference D = { x2 - x1 : x1 in A, x2 in B } of two cores, B posed by X_AB, accessed
// through its support function. With g(n) = min over D of <n, w>, the signed distance of the cores is the
// maximum of g over unit n. `Shape_`: Core<S>, or asset::ConvexView if both are hulls.
template <class S, class Shape_>
class Difference {
 public:
  using Shape = Shape_;  // type of A and B

  // A, B and X_AB must outlive the object.
  Difference(const Shape& A, const Shape& B, const Pose<S>& X_AB) : A_(A), B_(B), X_AB_(X_AB) {}

  // Vertex of D that minimises <n, w>. The search on a hull starts from its direction lookup: on the hulls
  // of 15 YCB objects this takes 40 % fewer instructions per query than starting from the previous vertex.
  DifferenceVertex<S> minimise(const Vec3<S>& n) {
    const Vec3<S> m = -(X_AB_.R.transpose() * n);
    SupportPoint<S> s1, s2;
    core_supports<S>(A_, n, B_, m, s1, s2);
    const Vec3<S> x2 = X_AB_ * s2.point;
    return point(s1.point, x2, s1.index, s2.index);
  }

  // Vertex of D formed by vertex `a` of A and vertex `b` of B; polytopes only.
  DifferenceVertex<S> vertex(std::int32_t a, std::int32_t b) {
    return point(core_vertex<S>(A_, a), X_AB_ * core_vertex<S>(B_, b), a, b);
  }

  // Point of D formed by the point x1 of A and the point x2 of B.
  DifferenceVertex<S> point(const Vec3<S>& x1, const Vec3<S>& x2, std::int32_t a, std::int32_t b) {
    const S m1 = largest_coordinate(x1), m2 = largest_coordinate(x2), m = m1 > m2 ? m1 : m2;
    magnitude_ = magnitude_ > m ? magnitude_ : m;
    return {x2 - x1, x1, x2, a, b};
  }

  // Bound on the rounding error of a height <n, w> for unit n, m: a small multiple of epsilon times the
  // largest coordinate met so far. Whatever is called zero in this folder is zero within this length.
  S rounding() const { return 16 * std::numeric_limits<S>::epsilon() * magnitude_; }

  // Largest coordinate met so far, m.
  S magnitude() const { return magnitude_; }

  const Shape& shape_a() const { return A_; }    // A in its own frame
  const Shape& shape_b() const { return B_; }    // B in its own frame
  const Pose<S>& pose() const { return X_AB_; }  // X_AB

 private:
  const Shape& A_;
  const Shape& B_;
  const Pose<S>& X_AB_;
  S magnitude_ = 0;
};

}  // namespace abut::witness
