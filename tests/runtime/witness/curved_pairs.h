#pragma once

#include <gtest/gtest.h>

#include "runtime/witness/solver.h"
#include "tests/runtime/witness/polytopes.h"
#include "tests/support/runs.h"

// Random pairs with a curved shape, in random poses, against support functions and a search of the whole
// sphere that share nothing with the library.
namespace abut::test {

template <class Shape>
struct Kind {
  static_assert(sizeof(Shape) == 0, "a random shape, its support point and its inside are needed");
};

using Long = long double;

inline double log_uniform(Random& random, double low, double high) {
  return std::exp(random.uniform(std::log(low), std::log(high)));
}

// How far p is outside, at most: zero or negative inside.
template <>
struct Kind<witness::Ellipsoid<double>> {
  using Shape = witness::Ellipsoid<double>;
  static Shape random(Random& r, double thin) {
    return {{log_uniform(r, thin, 1), log_uniform(r, thin, 1), log_uniform(r, thin, 1)}};
  }
  static double size(const Shape& e) { return e.semi_axes.maxCoeff(); }
  static LVec support(const Shape& e, const LVec& n) {
    const LVec D = e.semi_axes.cast<Long>(), Dn = D.cwiseProduct(n);
    return D.cwiseProduct(Dn) / Dn.norm();
  }
  static Long outside(const Shape& e, const LVec& p) {
    const LVec D = e.semi_axes.cast<Long>();
    return (p.cwiseQuotient(D).norm() - 1) * D.minCoeff();
  }
};

template <>
struct Kind<witness::Cylinder<double>> {
  using Shape = witness::Cylinder<double>;
  static Shape random(Random& r, double thin) { return {log_uniform(r, thin, 1), log_uniform(r, thin, 1)}; }
  static double size(const Shape& c) { return std::hypot(c.half_length, c.radius); }
  static LVec support(const Shape& c, const LVec& n) {
    const Long across = std::hypot(n.x(), n.y()), scale = across > 0 ? c.radius / across : 0;
    return {scale * n.x(), scale * n.y(), n.z() < 0 ? -Long(c.half_length) : Long(c.half_length)};
  }
  static Long outside(const Shape& c, const LVec& p) {
    return std::max(std::abs(p.z()) - c.half_length, std::hypot(p.x(), p.y()) - c.radius);
  }
};

template <>
struct Kind<witness::Cone<double>> {
  using Shape = witness::Cone<double>;
  static Shape random(Random& r, double thin) { return {log_uniform(r, thin, 1), log_uniform(r, thin, 1)}; }
  static double size(const Shape& c) { return std::hypot(c.half_length, c.radius); }
  static LVec support(const Shape& c, const LVec& n) {
    const Long across = std::hypot(n.x(), n.y()), scale = across > 0 ? c.radius / across : 0;
    const LVec rim(scale * n.x(), scale * n.y(), -Long(c.half_length)), apex(0, 0, c.half_length);
    return n.dot(apex) > n.dot(rim) ? apex : rim;
  }
  static Long outside(const Shape& c, const LVec& p) {
    const Long r = c.radius, l = 2 * Long(c.half_length);
    const Long slope = (std::hypot(p.x(), p.y()) * l + (p.z() - c.half_length) * r) / std::hypot(l, r);
    return std::max(slope, -c.half_length - p.z());
  }
};

template <>
struct Kind<witness::Box<double>> {
  using Shape = witness::Box<double>;
  static Shape random(Random& r, double thin) {
    return {{log_uniform(r, thin, 1), log_uniform(r, thin, 1), log_uniform(r, thin, 1)}};
  }
  static double size(const Shape& b) { return b.half.norm(); }
  static LVec support(const Shape& b, const LVec& n) {
    const LVec h = b.half.cast<Long>();
    return {n.x() < 0 ? -h.x() : h.x(), n.y() < 0 ? -h.y() : h.y(), n.z() < 0 ? -h.z() : h.z()};
  }
  static Long outside(const Shape& b, const LVec& p) {
    return (p.cwiseAbs() - b.half.cast<Long>()).maxCoeff();
  }
};

template <>
struct Kind<witness::Capsule<double>> {
  using Shape = witness::Capsule<double>;
  static Shape random(Random& r, double thin) { return {log_uniform(r, thin, 1), log_uniform(r, thin, 1)}; }
  static double size(const Shape& c) { return c.half_length + c.radius; }
  static LVec support(const Shape& c, const LVec& n) {
    return LVec(0, 0, n.z() < 0 ? -c.half_length : c.half_length) + c.radius * n.normalized();
  }
  static Long outside(const Shape& c, const LVec& p) {
    const Long l = c.half_length;
    return (p - LVec(0, 0, std::clamp(p.z(), -l, l))).norm() - c.radius;
  }
};

template <>
struct Kind<witness::Sphere<double>> {
  using Shape = witness::Sphere<double>;
  static Shape random(Random& r, double thin) { return {log_uniform(r, thin, 1)}; }
  static double size(const Shape& s) { return s.radius; }
  static LVec support(const Shape& s, const LVec& n) { return s.radius * n.normalized(); }
  static Long outside(const Shape& s, const LVec& p) { return p.norm() - s.radius; }
};

// A cone with a ball summed: rounded edges and apex.
template <>
struct Kind<witness::Swept<double, witness::Cone<double>>> {
  using Core = Kind<witness::Cone<double>>;
  using Shape = witness::Swept<double, witness::Cone<double>>;
  static Shape random(Random& r, double thin) { return {Core::random(r, thin), log_uniform(r, thin, 1)}; }
  static double size(const Shape& s) { return Core::size(s.shape) + s.radius; }
  static LVec support(const Shape& s, const LVec& n) {
    return Core::support(s.shape, n) + s.radius * n.normalized();
  }
  static Long outside(const Shape& s, const LVec& p) { return Core::outside(s.shape, p) - s.radius; }
};

// A hull of few vertices, which the shape keeps: aspect ratios as those of the others.
struct OwnedHull {
  asset::ConvexPiece piece;
  Points points;
};
template <>
struct Kind<OwnedHull> {
  using Shape = OwnedHull;
  static Shape random(Random& r, double thin) {
    const Vec3<double> axes(log_uniform(r, thin, 1), log_uniform(r, thin, 1), log_uniform(r, thin, 1));
    Points points;
    while (points.size() < 16) points.push_back(random_vector(r).normalized().cwiseProduct(axes));
    return {make_hull(points), points};
  }
  static double size(const Shape& hull) {
    double most = 0;
    for (const auto& p : hull.points) most = std::max(most, p.norm());
    return most;
  }
  static LVec support(const Shape& hull, const LVec& n) {
    const auto height = [&](const Vec3<double>& p) { return n.dot(p.cast<Long>()); };
    return std::max_element(hull.points.begin(), hull.points.end(),
                            [&](const auto& p, const auto& q) { return height(p) < height(q); })
        ->cast<Long>();
  }
  static Long outside(const Shape&, const LVec&) { return 0; }  // its support planes alone are looked at
};

template <class Shape>
const Shape& library_shape(const Shape& shape) {
  return shape;
}
inline asset::ConvexView library_shape(const OwnedHull& hull) { return asset::view(hull.piece); }

// The signed distance as the greatest g found by climbing, by ever smaller steps in all directions: from the
// best of directions all over the sphere, and from the direction of an answer.
template <class A, class B>
struct CurvedOracle {
  const A& a;
  const B& b;
  Pose<Long> X_AB;

  Long g(const LVec& n) const {
    const LVec x2 = X_AB * Kind<B>::support(b, -(X_AB.R.transpose() * n));
    return n.dot(x2 - Kind<A>::support(a, n));
  }

  // Steps from 0.1 to `finest`, rad; no more than a few of each.
  Long climb(LVec n, Long finest) const {
    Long best = g(n);
    for (Long step = 0.1L; step > finest; step /= 2) {
      bool better = true;
      for (int round = 0; round < 4 && better; ++round) {
        better = false;
        const LVec t = n.unitOrthogonal(), u = n.cross(t);
        for (int k = 0; k < 8; ++k) {
          const Long angle = (k + 0.3L) * 0.785398163397448L;
          const LVec next = (n + step * (std::cos(angle) * t + std::sin(angle) * u)).normalized();
          const Long value = g(next);
          if (!(value > best)) continue;
          best = value;
          n = next;
          better = true;
        }
      }
    }
    return best;
  }

  Long distance() const {
    constexpr int kDirections = 200, kClimbs = 3;
    std::array<std::pair<Long, LVec>, kDirections> found;
    for (int i = 0; i < kDirections; ++i) {  // a Fibonacci lattice
      const Long z = 1 - (2 * i + 1) / Long(kDirections), turn = 2.39996322972865332L * i;
      const Long r = std::sqrt(1 - z * z);
      const LVec n(r * std::cos(turn), r * std::sin(turn), z);
      found[static_cast<std::size_t>(i)] = {g(n), n};
    }
    std::partial_sort(found.begin(), found.begin() + kClimbs, found.end(),
                      [](const auto& x, const auto& y) { return x.first > y.first; });
    Long best = -INFINITY;
    for (std::size_t i = 0; i < kClimbs; ++i) best = std::max(best, climb(found[i].second, 1e-4L));
    return best;
  }
};

// What came of many queries. Lengths in units of the pair's size, the sum of the radii of balls about the
// bodies' frames.
struct CurvedTally {
  int queries = 0, overlapping = 0, not_ok = 0;
  int about_one_centre = 0;  // of those that are not ok: there all directions of a round pair are as good
  double widest = 0, cold_warm = 0;
};

constexpr double kCertified = 1e-12;

// Judges an answer: ok, or not an answer. `sure`: what the oracle found.
template <class A, class B>
void expect_certified(const CurvedOracle<A, B>& oracle, const witness::Witness<double>& w, Long sure,
                      double size, CurvedTally& tally) {
  ++tally.queries;
  ASSERT_LE(w.lower_bound, w.distance);
  ASSERT_GE(w.upper_bound, w.distance);
  ASSERT_GE(w.upper_bound, sure - 1e-15L * size) << "the search found more";
  if (w.status != Status::kOk && w.status != Status::kTouching) {
    ASSERT_EQ(w.status, Status::kNotConverged);
    ++tally.not_ok;
    tally.about_one_centre += oracle.X_AB.p.norm() < 0.05L * size;
    return;
  }
  const LVec n = w.n.cast<Long>().normalized();
  ASSERT_GE(w.upper_bound, oracle.climb(n, 1e-8L) - 1e-15L * size) << "there is more nearby";
  const LVec p1 = w.p1.cast<Long>(), p2 = w.p2.cast<Long>();
  ASSERT_NEAR(w.n.norm(), 1, 1e-14);
  ASSERT_GE(oracle.g(n), w.lower_bound - 1e-15L * size) << "the lower bound is none";
  ASSERT_LE(w.upper_bound - w.lower_bound, kCertified * size);
  ASSERT_LE((p2 - p1 - Long(w.distance) * n).norm(), kCertified * size);
  ASSERT_LE(std::abs(n.dot(p1 - Kind<A>::support(oracle.a, n))), kCertified * size);
  ASSERT_LE(Kind<A>::outside(oracle.a, p1), kCertified * size);
  const LVec p2_B = oracle.X_AB.R.transpose() * (p2 - oracle.X_AB.p);
  ASSERT_LE(Kind<B>::outside(oracle.b, p2_B), kCertified * size);
  tally.widest = std::max(tally.widest, (w.upper_bound - w.lower_bound) / size);
  tally.overlapping += w.distance < 0;
}

// A pose of every kind: deep, by an overlap of 1e-1 to 1e-14 of the size, touching, with parallel axes, about
// one centre.
template <class A, class B>
Pose<double> curved_pose(const A& a, const B& b, double size, int kind, Random& random) {
  Pose<double> X_AB{random_rotation<double>(random),
                    log_uniform(random, 0.01, 0.5) * size * random_vector(random).normalized()};
  if (kind % 4 == 1) {
    X_AB.p *= 3 * size / X_AB.p.norm();
    const auto w = witness::separation(library_shape(a), library_shape(b), X_AB);
    X_AB.p -= (w.distance + (kind % 8 == 5 ? 0 : size * log_uniform(random, 1e-14, 1e-1))) * w.n;
  }
  if (kind % 4 == 2) {
    const double quarter = std::acos(-1.0) / 2;
    X_AB.R = exp_rotation<double>({quarter * static_cast<double>(random.below(4)), 0, 0});
  }
  if (kind % 8 == 3) X_AB.p.setZero();
  return X_AB;
}

template <class A, class B>
void expect_certified_in_random_poses(const char* name, int count, std::uint64_t seed) {
  SCOPED_TRACE(name);
  Random random(seed);
  CurvedTally tally;
  for (int i = 0; i < count; ++i) {
    const double thin = i % 3 ? 0.01 : 0.3;
    const A a = Kind<A>::random(random, thin);
    const B b = Kind<B>::random(random, thin);
    const auto& shape_a = library_shape(a);
    const auto& shape_b = library_shape(b);
    const double size = Kind<A>::size(a) + Kind<B>::size(b);
    Pose<double> X_AB = curved_pose(a, b, size, i, random);
    witness::WitnessSolver<double, std::remove_cvref_t<decltype(shape_a)>,
                           std::remove_cvref_t<decltype(shape_b)>>
        solver(shape_a, shape_b);
    const double stride = std::array{1e-6, 1e-4, 1e-3, 1e-2}[random.below(4)];
    for (int step = 0; step < 3; ++step) {
      SCOPED_TRACE("pair " + std::to_string(i) + ", step " + std::to_string(step));
      const CurvedOracle<A, B> oracle{a, b, X_AB.cast<Long>()};
      const Long sure = oracle.distance();
      const auto cold = witness::separation(shape_a, shape_b, X_AB), warm = solver(X_AB);
      expect_certified(oracle, cold, sure, size, tally);
      expect_certified(oracle, warm, sure, size, tally);
      if (testing::Test::HasFatalFailure()) return;
      if (cold.status != Status::kNotConverged && warm.status != Status::kNotConverged) {
        ASSERT_LE(std::abs(cold.distance - warm.distance), kCertified * size);
        tally.cold_warm = std::max(tally.cold_warm, std::abs(cold.distance - warm.distance) / size);
      }
      Vec6<double> xi;
      xi << stride * random_vector(random), stride * size * random_vector(random);
      X_AB = X_AB * exp(xi);
    }
  }
  std::printf(
      "%-22s %5d queries, %5d overlapping; widest bounds %.1e, cold to warm %.1e of the size; %d not "
      "converged, %d of these about one centre\n",
      name, tally.queries, tally.overlapping, tally.widest, tally.cold_warm, tally.not_ok,
      tally.about_one_centre);
  EXPECT_LE(tally.not_ok - tally.about_one_centre, tally.queries / 100);
}

// Shape A with each of the shapes B.
template <class A, class... B>
void expect_certified_with(std::initializer_list<const char*> names, std::uint64_t seed) {
  auto name = names.begin();
  (expect_certified_in_random_poses<A, B>(*name++, runs(60), seed++), ...);
}

}  // namespace abut::test
