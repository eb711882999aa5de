#pragma once

#include <array>

#include "runtime/contact/pressure_field/facet.h"

// The traction of a facet in motion, and its wrench by quadrature on triangles around the facet's middle.
// Internal to the pressure-field model.
namespace abut::contact {

// One number for each point of a six-point rule on a triangle [Dunavant1985]: of degree 4, so exact for force
// and moment of a dissipative pressure that is nowhere clamped. Points k and 3 + k have the barycentric
// coordinate kOwn for corner k, and kBoth for the other two.
template <class S>
using Lanes = Eigen::Array<S, 6, 1>;
template <class S>
using LaneVector = std::array<Lanes<S>, 3>;

template <class S>
class TriangleRule {
 public:
  // Returns the points for a triangle with these corners (columns).
  static LaneVector<S> points(const Mat3<S>& corners) {
    LaneVector<S> x;
    for (int i = 0; i < 3; ++i) {
      const S sum = corners.row(i).sum();
      for (int k = 0; k < 6; ++k)
        x[i][k] = S(kBoth[k / 3]) * sum + S(kOwn[k / 3] - kBoth[k / 3]) * corners(i, k % 3);
    }
    return x;
  }

  // Integral per area of a function with these values at the points.
  S integral(const Lanes<S>& numbers) const { return (weight_ * numbers).sum(); }
  // The same for its products with the barycentric coordinate of each corner.
  Eigen::Matrix<S, 1, 3> at_corners(const Lanes<S>& numbers) const {
    const Lanes<S> own = more_ * numbers;
    return (own.template head<3>() + own.template tail<3>() + (both_ * numbers).sum()).matrix().transpose();
  }

 private:
  static constexpr double kOwn[] = {0.108103018168070, 0.816847572980459};
  static constexpr double kBoth[] = {0.445948490915965, 0.091576213509771};
  static constexpr double kWeight[] = {0.223381589678011, 0.109951743655322};

  static Lanes<S> lanes(S first, S second) {
    return (Lanes<S>() << first, first, first, second, second, second).finished();
  }

  Lanes<S> weight_ = lanes(S(kWeight[0]), S(kWeight[1]));
  Lanes<S> both_ = weight_ * lanes(S(kBoth[0]), S(kBoth[1]));
  Lanes<S> more_ = weight_ * lanes(S(kOwn[0] - kBoth[0]), S(kOwn[1] - kBoth[1]));
};

template <class S>
LaneVector<S> cross(const LaneVector<S>& a, const LaneVector<S>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Traction on B at points x of a facet, for a share of 1: pressure with dissipation, clamped at zero, and
// friction [Elandt2019, Eq. 3, 7],
//   -p f e,   f = 1 + damping s,   e = n + mu t,
// with the approach speed s = u . n and t = slip / sqrt(slip^2 + stiction_speed^2), for the velocity u at the
// points.
template <class S>
struct Traction {
  LaneVector<S> x, u, t, e;
  Lanes<S> approach, factor, pressure;  // s, m/s; f, 0 where clamped; p at rest, Pa
  Lanes<S> turn;                        // d t / d slip = turn (I - t t'), s/m

  // V: twist of B in A. `corners`: of a triangle, columns.
  Traction(const Vec3<S>& n, const S& damping, const LinearPressure<S>& at_rest, const Vec6<S>& V,
           const RateLaw& law, const Mat3<S>& corners)
      : x(TriangleRule<S>::points(corners)) {
    approach.setZero();
    pressure.setConstant(at_rest.offset);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      u[i] = V[3 + i] + V[j] * x[k] - V[k] * x[j];
      approach += n[i] * u[i];
      pressure += at_rest.gradient[i] * x[i];
    }
    factor = S(1) + damping * approach;
    factor = (factor > S(0)).select(factor, S(0));
    for (int i = 0; i < 3; ++i) t[i] = u[i] - n[i] * approach;
    // Squares of fast slips may overflow; scaling them keeps the direction, which is all that matters then.
    const Lanes<S> size = t[0].abs().max(t[1].abs()).max(t[2].abs());
    const Lanes<S> unit = (size < S(0x1p499)).select(Lanes<S>::Ones(), S(0x1p-600));
    Lanes<S> speed = (unit * S(law.stiction_speed)).square();
    for (Lanes<S>& slip : t) {
      slip *= unit;
      speed += slip.square();
    }
    turn = speed.sqrt().inverse();
    for (int i = 0; i < 3; ++i) {
      t[i] *= turn;
      e[i] = n[i] + S(law.friction) * t[i];
    }
    turn *= unit;
  }
};

// Into how many parts per side the triangles of a facet around `middle` are divided: into law.divisions, but
// left whole where the slip hardly turns within the facet: there the rule is exact to 1e-10 of the friction.
template <class S>
int divisions(const Polygon<S>& polygon, const Vec3<S>& middle, const Vec3<S>& n, const RateLaw& law,
              const Vec6<S>& V) {
  if (law.divisions == 1 || law.friction == 0) return 1;
  S reach = 0;  // squared, m^2
  for (int i = 0; i < polygon.size; ++i) {
    const S square = (polygon.corners[i] - middle).squaredNorm();
    if (square > reach) reach = square;
  }
  const Vec3<S> u = V.template tail<3>() + V.template head<3>().cross(middle);
  const S approach = n.dot(u), spin = n.dot(V.template head<3>());
  const S slip = (u - approach * n).squaredNorm() + S(law.stiction_speed) * S(law.stiction_speed);
  return spin * spin * reach > S(1e-4) * slip ? law.divisions : 1;
}

// Calls visit(W) for each of divisions^2 equal parts of a triangle; column k of W has the barycentric
// coordinates of the part's corner k.
template <class S, class Visit>
void for_each_part(int divisions, Visit&& visit) {
  const auto node = [&](int i, int j) -> Vec3<S> {
    return Vec3<S>(S(divisions - i - j), S(i), S(j)) / S(divisions);
  };
  Mat3<S> W;
  for (int i = 0; i < divisions; ++i) {
    for (int j = 0; i + j < divisions; ++j) {
      W << node(i, j), node(i + 1, j), node(i, j + 1);
      visit(W);
      if (i + j + 1 == divisions) continue;
      W << node(i + 1, j + 1), node(i, j + 1), node(i + 1, j);
      visit(W);
    }
  }
}

// Wrench on B of the traction over a facet with moments `m`. The triangles have signed areas, so that corners
// that coincide up to rounding contribute nothing, also to derivatives.
template <class S>
Vec6<S> wrench_in_motion(const Facet<S>& facet, const PolygonMoments<S>& m, const RateLaw& law,
                         const Vec6<S>& V) {
  const TriangleRule<S> rule;
  Vec6<S> F = Vec6<S>::Zero();
  Mat3<S> corners;
  corners.col(2) = middle(facet.polygon, m);
  const Vec3<S> center = corners.col(2);
  const int parts = divisions<S>(facet.polygon, center, facet.n, law, V);
  const S half = S(m.turn * facet.polygon.weight() / 2) / S(parts * parts);
  for (int i = 0; i < facet.polygon.size; ++i) {
    corners.col(0) = facet.polygon.corners[i];
    corners.col(1) = facet.polygon.corners[i + 1 < facet.polygon.size ? i + 1 : 0];
    const S area =
        half * facet.n.dot((corners.col(0) - corners.col(2)).cross(corners.col(1) - corners.col(2)));
    for_each_part<S>(parts, [&](const Mat3<S>& W) {
      const Traction<S> at(facet.n, facet.damping, facet.pressure, V, law, corners * W);
      const Lanes<S> push = -(area * facet.share) * at.pressure * at.factor;
      const LaneVector<S> f = {push * at.e[0], push * at.e[1], push * at.e[2]}, moment = cross(at.x, f);
      for (int k = 0; k < 3; ++k) {
        F[k] += rule.integral(moment[k]);
        F[3 + k] += rule.integral(f[k]);
      }
    });
  }
  return F;
}

}  // namespace abut::contact
