#pragma once

#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/math/adjoint.h"

// The model's formulas and nothing else: every two tetrahedra whose boxes are near each other, the plane of
// equal pressure cut by their faces, the pressure integrated over triangles. Shares no code with the runtime.
namespace abut::test {

template <class S>
class BruteForce {
 public:
  // Pairs are those whose boxes are within `margin` (m) of each other at X_AB: for poses within that.
  BruteForce(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<double>& X_AB, double margin)
      : A_(read(A)), B_(read(B)) {
    std::vector<Box> boxes;
    for (const Tetrahedron& t : B_) boxes.push_back(box(t, X_AB));
    for (std::size_t a = 0; a < A_.size(); ++a) {
      const Box of_A = box(A_[a], {});
      for (std::size_t b = 0; b < B_.size(); ++b)
        if (((of_A.low - boxes[b].high).array() < margin).all() &&
            ((boxes[b].low - of_A.high).array() < margin).all())
          pairs_.emplace_back(a, b);
    }
  }

  // On A about Ao, in A's frame, at moduli of 1 Pa.
  Vec6<S> wrench_on_A(const Pose<S>& X_AB) const {
    Vec6<S> F = Vec6<S>::Zero();
    std::vector<Tetrahedron> B = B_;
    for (Tetrahedron& t : B)
      for (Vec3<S>& x : t.corners) x = X_AB * x;
    for (const auto& [a, b] : pairs_) add(A_[a], B[b], F);
    return F;
  }

  // d[torque; force]/d[w; p], w a rotation of B about Bo and p its translation, both in A's axes: central
  // differences of fourth order.
  Mat6<double> derivative(const Pose<double>& X_AB, S step) const {
    Mat6<double> result;
    for (int k = 0; k < 6; ++k) {
      const auto at = [&](S h) {
        Pose<S> X = X_AB.cast<S>();
        if (k < 3)
          X.R = exp_rotation<S>(h * Vec3<S>::Unit(k)) * X.R;
        else
          X.p[k - 3] += h;
        return wrench_on_A(X);
      };
      const Vec6<S> slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
      result.col(k) = slope.template cast<double>();
    }
    return result;
  }

 private:
  struct Tetrahedron {
    std::array<Vec3<S>, 4> corners;
    std::array<S, 4> pressures;
  };
  struct Box {
    Vec3<double> low, high;
  };

  static std::vector<Tetrahedron> read(const asset::VolumeView& volume) {
    std::vector<Tetrahedron> result(static_cast<std::size_t>(volume.tetrahedron_count));
    for (std::size_t t = 0; t < result.size(); ++t)
      for (std::size_t k = 0; k < 4; ++k) {
        const std::int32_t v = volume.tetrahedra[4 * t + k];
        result[t].corners[k] = Vec3<double>::Map(volume.vertices + 3 * v).cast<S>();
        result[t].pressures[k] = static_cast<S>(volume.extent[v]);
      }
    return result;
  }

  static Box box(const Tetrahedron& t, const Pose<double>& X) {
    Box result{Vec3<double>::Constant(1e9), Vec3<double>::Constant(-1e9)};
    for (const Vec3<S>& corner : t.corners) {
      const Vec3<double> x = X * Vec3<double>(corner.template cast<double>());
      result.low = result.low.cwiseMin(x);
      result.high = result.high.cwiseMax(x);
    }
    return result;
  }

  static Vec3<S> gradient(const Tetrahedron& t) {
    Mat3<S> edges;
    Vec3<S> rise;
    for (int k = 0; k < 3; ++k) {
      edges.row(k) = (t.corners[static_cast<std::size_t>(k) + 1] - t.corners[0]).transpose();
      rise[k] = t.pressures[static_cast<std::size_t>(k) + 1] - t.pressures[0];
    }
    return edges.inverse() * rise;
  }

  static std::vector<Vec3<S>> cut(const std::vector<Vec3<S>>& polygon, const Vec3<S>& n, const Vec3<S>& o) {
    std::vector<Vec3<S>> kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vec3<S>&x = polygon[i], &y = polygon[(i + 1) % polygon.size()];
      const S h = n.dot(x - o), g = n.dot(y - o);
      if (h >= 0) kept.push_back(x);
      if ((h >= 0) != (g >= 0)) kept.push_back(x + h / (h - g) * (y - x));
    }
    return kept;
  }

  static std::vector<Vec3<S>> cut(std::vector<Vec3<S>> polygon, const Tetrahedron& t) {
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3<S>&a = t.corners[(k + 1) % 4], &b = t.corners[(k + 2) % 4], &c = t.corners[(k + 3) % 4];
      Vec3<S> inward = (b - a).cross(c - a);
      if (inward.dot(t.corners[k] - a) < 0) inward = -inward;
      polygon = cut(polygon, inward, a);
    }
    return polygon;
  }

  // A large square in the plane of equal pressure, cut by all eight faces.
  static void add(const Tetrahedron& a, const Tetrahedron& b, Vec6<S>& F) {
    const Vec3<S> g_a = gradient(a), g_b = gradient(b), g = g_a - g_b;
    const S length = g.norm();
    if (!(length > 0)) return;
    const Vec3<S> n = g / length, o = a.corners[0];
    const S difference = a.pressures[0] - (b.pressures[0] + g_b.dot(o - b.corners[0]));
    const Vec3<S> foot = o - difference / length * n;
    const Vec3<S> u = n.unitOrthogonal(), v = n.cross(u);
    const S reach = 1;  // m, beyond all tetrahedra
    const std::vector<Vec3<S>> polygon = cut(
        cut({foot + reach * (u + v), foot + reach * (v - u), foot - reach * (u + v), foot + reach * (u - v)},
            a),
        b);
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      const Vec3<S> corners[3] = {polygon[0], polygon[i - 1], polygon[i]};
      const S area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).norm() / 2;
      for (int k = 0; k < 3; ++k) {  // exact for degree 2
        const Vec3<S> x = (corners[k] + corners[(k + 1) % 3]) / 2;
        const Vec3<S> f = area / 3 * (a.pressures[0] + g_a.dot(x - o)) * n;
        F.template head<3>() += x.cross(f);
        F.template tail<3>() += f;
      }
    }
  }

  std::vector<Tetrahedron> A_, B_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

}  // namespace abut::test
