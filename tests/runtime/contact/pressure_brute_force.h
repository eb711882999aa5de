#pragma once

#include <numbers>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/math/adjoint.h"

// The model's formulas and nothing else: every two tetrahedra whose boxes are near each other, the plane of
// equal pressure cut by their faces, the traction integrated over triangles. Shares no code with the runtime.
namespace abut::test {

template <class S>
class BruteForce {
 public:
  // Moduli (Pa), and what motion adds: chi_A / E_A + chi_B / E_B (s/Pa), mu of the pair, the stiction speed
  // (m/s), whether pulls fade.
  struct Law {
    S modulus_A = 1, modulus_B = 1, dissipation = 0, friction = 0, stiction_speed = S(1e-3);
    bool fade = false;
  };

  // Pairs are those whose boxes are within `margin` (m) of each other at X_AB: for poses within that.
  BruteForce(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<double>& X_AB, double margin)
      : BruteForce(A, B, X_AB, margin, Law()) {}
  BruteForce(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<double>& X_AB, double margin,
             const Law& law)
      : A_(read(A, law.modulus_A)), B_(read(B, law.modulus_B)), law_(law) {
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

  // On A about Ao, in A's frame, at rest.
  Vec6<S> wrench_on_A(const Pose<S>& X_AB) const {
    Vec6<S> F = Vec6<S>::Zero();
    visit(X_AB, [&](const Facet& facet) { add_at_rest(facet, F); });
    return F;
  }

  // ... at the twist V of B in A, about Ao in A's frame.
  Vec6<S> wrench_on_A(const Pose<S>& X_AB, const Vec6<S>& V) const {
    Vec6<S> F = Vec6<S>::Zero();
    visit(X_AB, [&](const Facet& facet) { add_in_motion(facet, V, F); });
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
  struct Facet {
    std::vector<Vec3<S>> polygon;
    Vec3<S> n, g_a, g_b;
    S offset;  // pressure at x: offset + g_a . x
  };

  static std::vector<Tetrahedron> read(const asset::VolumeView& volume, S modulus) {
    std::vector<Tetrahedron> result(static_cast<std::size_t>(volume.tetrahedron_count));
    for (std::size_t t = 0; t < result.size(); ++t)
      for (std::size_t k = 0; k < 4; ++k) {
        const std::int32_t v = volume.tetrahedra[4 * t + k];
        result[t].corners[k] = Vec3<double>::Map(volume.vertices + 3 * v).cast<S>();
        result[t].pressures[k] = modulus * static_cast<S>(volume.extent[v]);
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

  template <class Visit>
  void visit(const Pose<S>& X_AB, Visit&& visit) const {
    std::vector<Tetrahedron> B = B_;
    for (Tetrahedron& t : B)
      for (Vec3<S>& x : t.corners) x = X_AB * x;
    for (const auto& [a, b] : pairs_)
      if (const Facet facet = make(A_[a], B[b]); facet.polygon.size() > 2) visit(facet);
  }

  // Without corners on the line between their neighbours, as where two faces cut in one line.
  static std::vector<Vec3<S>> tidy(std::vector<Vec3<S>> polygon) {
    for (std::size_t i = 0; i < polygon.size() && polygon.size() > 2;) {
      const std::size_t n = polygon.size();
      const Vec3<S> from = polygon[i] - polygon[(i + n - 1) % n], to = polygon[(i + 1) % n] - polygon[i];
      const bool straight = from.cross(to).norm() <= S(1e-16) * std::max(from.norm(), to.norm());
      straight ? (void)polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(i)) : (void)++i;
    }
    return polygon;
  }

  // A large square in the plane of equal pressure, cut by all eight faces.
  static Facet make(const Tetrahedron& a, const Tetrahedron& b) {
    Facet facet{{}, {}, gradient(a), gradient(b), 0};
    const Vec3<S> g = facet.g_a - facet.g_b, o = a.corners[0];
    const S length = g.norm();
    if (!(length > 0)) return facet;
    facet.n = g / length;
    facet.offset = a.pressures[0] - facet.g_a.dot(o);
    const S difference = a.pressures[0] - (b.pressures[0] + facet.g_b.dot(o - b.corners[0]));
    const Vec3<S> foot = o - difference / length * facet.n;
    const Vec3<S> u = facet.n.unitOrthogonal(), v = facet.n.cross(u);
    const S reach = 1;  // m, beyond all tetrahedra
    facet.polygon = tidy(cut(
        cut({foot + reach * (u + v), foot + reach * (v - u), foot - reach * (u + v), foot + reach * (u - v)},
            a),
        b));
    return facet;
  }

  static void add_at_rest(const Facet& facet, Vec6<S>& F) {
    const std::vector<Vec3<S>>& polygon = facet.polygon;
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      const Vec3<S> corners[3] = {polygon[0], polygon[i - 1], polygon[i]};
      const S area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).norm() / 2;
      for (int k = 0; k < 3; ++k) {  // exact for degree 2
        const Vec3<S> x = (corners[k] + corners[(k + 1) % 3]) / 2;
        const Vec3<S> f = area / 3 * (facet.offset + facet.g_a.dot(x)) * facet.n;
        F.template head<3>() += x.cross(f);
        F.template tail<3>() += f;
      }
    }
  }

  static S smooth_step(S cosine) {
    using std::cos;
    const S s = 1 - cosine / cos(5 * std::numbers::pi_v<S> / 8);
    return s >= 1 ? 1 : s <= 0 ? 0 : s * s * (3 - 2 * s);
  }

  // On triangles around the centroid, with two orbits of three points each that are exact for degree 4: the
  // fraction at the corner of the point, the weight.
  void add_in_motion(const Facet& facet, const Vec6<S>& V, Vec6<S>& F) const {
    using std::sqrt;
    const std::vector<Vec3<S>>& polygon = facet.polygon;
    Vec3<S> center = Vec3<S>::Zero();
    S whole = 0;
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      const S area = (polygon[i - 1] - polygon[0]).cross(polygon[i] - polygon[0]).norm();
      center += area / 3 * (polygon[0] + polygon[i - 1] + polygon[i]);
      whole += area;
    }
    if (!(whole > 0)) return;
    center /= whole;
    const S k_a = facet.n.dot(facet.g_a), k_b = -facet.n.dot(facet.g_b);
    const S damping = k_a > 0 && k_b > 0 ? law_.dissipation * k_a * k_b / (k_a + k_b) : 0;
    const S share = law_.fade ? smooth_step(k_a / facet.g_a.norm()) * smooth_step(k_b / facet.g_b.norm()) : 1;
    const S orbits[2][2] = {{S(0.108103018168070), S(0.223381589678011)},
                            {S(0.816847572980459), S(0.109951743655322)}};
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vec3<S> corners[3] = {polygon[i], polygon[(i + 1) % polygon.size()], center};
      const S area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).norm() / 2;
      for (const auto& [at, weight] : orbits)
        for (int k = 0; k < 3; ++k) {
          const Vec3<S> x = at * corners[k] + (1 - at) / 2 * (corners[(k + 1) % 3] + corners[(k + 2) % 3]);
          const Vec3<S> u = V.template tail<3>() + V.template head<3>().cross(x);
          const S factor = 1 + damping * u.dot(facet.n);
          const S p = factor > 0 ? share * (facet.offset + facet.g_a.dot(x)) * factor : 0;
          const Vec3<S> slip = u - u.dot(facet.n) * facet.n;
          const S speed = sqrt(slip.squaredNorm() + law_.stiction_speed * law_.stiction_speed);
          const Vec3<S> f = weight * area * p * (facet.n + law_.friction / speed * slip);
          F.template head<3>() += x.cross(f);
          F.template tail<3>() += f;
        }
    }
  }

  std::vector<Tetrahedron> A_, B_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  Law law_;
};

}  // namespace abut::test
