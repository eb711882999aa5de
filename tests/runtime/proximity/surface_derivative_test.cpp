#include <gtest/gtest.h>

#include "runtime/core/random.h"
#include "runtime/derivative/finite_difference.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/proximity/surface_smoothed.h"
#include "tests/support/real_surfaces.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

// Derivatives of distances of scanned surfaces against differences of fourth order: in extended precision
// where the triangles that carry them are known, else of the query itself.
namespace {

using namespace abut;
using asset::Surface;
using distance::NearPair;
using proximity::SurfaceWitness;
using test::ask;
using Wide = long double;

// Distance, points and normal, with S numbers.
template <class S>
struct Answer {
  S distance = 0;
  Vec3<S> p1 = Vec3<S>::Zero(), p2 = Vec3<S>::Zero(), n = Vec3<S>::Zero();
};

// (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h, off by h^4 / 30 times the fifth derivative.
template <class S>
Answer<double> slope(const std::function<Answer<S>(S)>& f, S h) {
  const Answer<S> a = f(h), b = f(-h), c = f(2 * h), d = f(-2 * h);
  const auto difference = [&](const auto& member) {
    return ((8 * (a.*member - b.*member) - (c.*member - d.*member)) / (12 * h)).eval();
  };
  return {static_cast<double>((8 * (a.distance - b.distance) - (c.distance - d.distance)) / (12 * h)),
          difference(&Answer<S>::p1).template cast<double>(),
          difference(&Answer<S>::p2).template cast<double>(),
          difference(&Answer<S>::n).template cast<double>()};
}

// Largest differences over the six motions, points and normals as shares of 1 plus their slope.
struct Errors {
  double distance = 0, points = 0, normal = 0;
  int poses = 0;

  void add(const derivative::WitnessDerivative<double>& d, int k, const Answer<double>& slope) {
    const auto share = [&](const Mat36<double>& found, const Vec3<double>& expected) {
      return (found.col(k) - expected).norm() / (1 + expected.norm());
    };
    distance = test::worst_of(distance, std::abs(d.dd_dxi_B[k] - slope.distance));
    points = test::worst_of({points, share(d.dp1_A_dxi_B, slope.p1), share(d.dp2_A_dxi_B, slope.p2)});
    normal = test::worst_of(normal, share(d.dn_A_dxi_B, slope.n));
  }
  void merge(const Errors& other) {
    distance = test::worst_of(distance, other.distance);
    points = test::worst_of(points, other.points);
    normal = test::worst_of(normal, other.normal);
  }
  void report() const {
    std::printf("%d poses: off by at most %.1e (distance), %.1e (points), %.1e (normal)\n", poses, distance,
                points, normal);
  }
};

struct Posed {
  const Surface *A = nullptr, *B = nullptr;
  Pose<double> X;
};

// Two scanned objects about `gap` (m) apart; none without the data.
Posed draw(Random& random, double gap) {
  const auto vector = [&] { return Vec3<double>(random.normal(), random.normal(), random.normal()); };
  Posed posed{test::scanned_surface(test::kScanned[random.below(4)]),
              test::scanned_surface(test::kScanned[random.below(4)]),
              {exp_rotation<double>(vector()), 0.5 * vector().normalized()}};
  if (posed.A == nullptr || posed.B == nullptr) return {};
  const auto far = ask(*posed.A, *posed.B, posed.X).witness;
  posed.X.p += (gap - far.distance) * far.n;
  return posed;
}

Pose<Wide> moved(const Pose<double>& X, int k, Wide step) {
  return X.cast<Wide>() * exp<Wide>(step * Vec6<Wide>::Unit(k));
}

distance::TrianglePair<Wide> pair_at(const Posed& posed, std::int32_t a, std::int32_t b,
                                     const Pose<Wide>& X) {
  distance::Triangle<Wide> of_B = distance::internal::triangle_of<Wide>(view(*posed.B), b);
  for (Vec3<Wide>& v : of_B) v = X * v;
  return distance::closest_of_triangles<Wide>(distance::internal::triangle_of<Wide>(view(*posed.A), a), of_B);
}

template <class S>
int carriers(const Vec3<S>& weight_A, const Vec3<S>& weight_B) {
  int bits = 0;
  for (int k = 0; k < 3; ++k) bits = 4 * bits + 2 * (weight_A[k] != 0) + (weight_B[k] != 0);
  return bits;
}

TEST(SurfaceDerivatives, ApartThoseOfExtendedPrecision) {
  Errors errors;
  for (int i = 0; i < test::runs(40); ++i) {
    Random random(92, i);
    const Posed posed = draw(random, std::pow(10, random.uniform(-4, -1.5)));
    if (posed.A == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const SurfaceWitness at = ask(*posed.A, *posed.B, posed.X);
    if (!(at.witness.distance > 0)) continue;
    const auto d = proximity::surface_derivative(view(*posed.A), view(*posed.B), posed.X, at);
    if (d.status != Status::kOk) continue;
    const int features = carriers(at.weight_A, at.weight_B);
    bool same = true;
    Answer<double> slopes[6];
    for (int k = 0; k < 6; ++k)
      slopes[k] = slope<Wide>(
          [&](Wide step) -> Answer<Wide> {
            const auto pair = pair_at(posed, at.triangle_A, at.triangle_B, moved(posed.X, k, step));
            same = same && carriers(pair.weight_A, pair.weight_B) == features;
            const Wide length = (pair.on_B - pair.on_A).norm();
            return {length, pair.on_A, pair.on_B, (pair.on_B - pair.on_A) / length};
          },
          Wide(1e-4) * at.witness.distance);
    if (!same) continue;
    ++errors.poses;
    for (int k = 0; k < 6; ++k) errors.add(d, k, slopes[k]);
  }
  errors.report();
  EXPECT_GT(errors.poses, test::runs(25));
  EXPECT_LT(errors.distance, 1e-11);
  EXPECT_LT(errors.points, 1e-9);
  EXPECT_LT(errors.normal, 1e-9);
}

// The blend over the pairs within reach, anew.
Answer<Wide> blended(const Posed& posed, const std::vector<NearPair>& pairs, const Pose<Wide>& X,
                     Wide temperature, bool& same) {
  std::vector<distance::TrianglePair<Wide>> at;
  Wide least = std::numeric_limits<Wide>::infinity();
  for (const NearPair& pair : pairs) {
    at.push_back(pair_at(posed, pair.triangle_A, pair.triangle_B, X));
    least = std::min(least, std::sqrt(at.back().distance2));
  }
  Answer<Wide> mean;
  Wide Z = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Wide d = std::sqrt(at[i].distance2), weight = std::exp((least - d) / temperature);
    same = same && (weight < 1e-9 || carriers(at[i].weight_A, at[i].weight_B) ==
                                         carriers(pairs[i].pair.weight_A, pairs[i].pair.weight_B));
    Z += weight;
    mean.p1 += weight * at[i].on_A, mean.p2 += weight * at[i].on_B;
    mean.n += weight * (at[i].on_B - at[i].on_A) / d;
  }
  return {least - temperature * std::log(Z), mean.p1 / Z, mean.p2 / Z, mean.n.normalized()};
}

TEST(SurfaceDerivatives, SmoothedThoseOfExtendedPrecision) {
  constexpr double kTemperature = 2e-4;
  proximity::SurfaceSmoother smooth;
  Errors errors;
  std::vector<NearPair> pairs;
  for (int i = 0; i < test::runs(12, 5); ++i) {
    Random random(93, i);
    const Posed posed = draw(random, std::pow(10, random.uniform(-3, -2)));
    if (posed.A == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const auto at = smooth(view(*posed.A), view(*posed.B), posed.X, kTemperature);
    const double d = at.pair.exact.distance;
    if (!(d > 0) || at.pair.derivative.status != Status::kOk) continue;
    const double reach = d + 20 * kTemperature;
    ASSERT_EQ(distance::near_triangles(view(*posed.A), view(*posed.B), posed.X, reach, 1 << 16, pairs),
              reach);
    bool same = true;
    Answer<double> slopes[6];
    for (int k = 0; k < 6; ++k)
      slopes[k] = slope<Wide>(
          [&](Wide step) { return blended(posed, pairs, moved(posed.X, k, step), Wide(kTemperature), same); },
          Wide(1e-7));
    if (!same) continue;
    ++errors.poses;
    for (int k = 0; k < 6; ++k) errors.add(at.pair.derivative, k, slopes[k]);
  }
  errors.report();
  EXPECT_GT(errors.poses, test::runs(3, 5));
  EXPECT_LT(errors.distance, 1e-7);
  EXPECT_LT(errors.points, 1e-7);
  EXPECT_LT(errors.normal, 1e-7);
}

// Where differences at two steps are the same: nothing that is as near or as deep comes or goes between.
TEST(SurfaceDerivatives, OverlappingThoseOfTheQuery) {
  constexpr double kStep = 1e-6;
  Errors errors;
  for (int i = 0; i < test::runs(16, 10); ++i) {
    Random random(94, i);
    const Posed posed = draw(random, -0.01);
    if (posed.A == nullptr) GTEST_SKIP() << "no reference data at " << ABUT_SHARED_DIR;
    const SurfaceWitness at = ask(*posed.A, *posed.B, posed.X);
    if (!(at.witness.distance < 0)) continue;
    const auto d = proximity::surface_derivative(view(*posed.A), view(*posed.B), posed.X, at);
    if (d.status != Status::kOk) continue;
    Errors steps, of_pose;
    for (int k = 0; k < 6; ++k) {
      const std::function<Answer<double>(double)> query = [&](double step) -> Answer<double> {
        const auto w = ask(*posed.A, *posed.B, posed.X * exp<double>(step * Vec6<double>::Unit(k))).witness;
        return {w.distance, w.p1, w.p2, w.n};
      };
      const Answer<double> whole = slope(query, kStep), half = slope(query, kStep / 2);
      derivative::WitnessDerivative<double> as_derivative = d;
      as_derivative.dd_dxi_B[k] = half.distance;
      as_derivative.dp1_A_dxi_B.col(k) = half.p1, as_derivative.dp2_A_dxi_B.col(k) = half.p2;
      as_derivative.dn_A_dxi_B.col(k) = half.n;
      steps.add(as_derivative, k, whole);
      of_pose.add(d, k, whole);
    }
    if (!(steps.distance < 1e-8 && steps.points < 1e-6 && steps.normal < 1e-5)) continue;
    ++errors.poses;
    errors.merge(of_pose);
  }
  errors.report();
  EXPECT_GT(errors.poses, test::runs(6, 10));
  EXPECT_LT(errors.distance, 1e-9);
  EXPECT_LT(errors.points, 1e-8);
  EXPECT_LT(errors.normal, 1e-7);
}

// The mesh in another frame, in double or rounded to single precision.
Surface turned(preprocess::TriangleMesh mesh, const Mat3<double>& R, bool single) {
  for (auto& v : mesh.vertices) {
    v = R * v;
    if (single) v = v.cast<float>().cast<double>();
  }
  return preprocess::build_surface(mesh);
}

preprocess::TriangleMesh octahedron(double r) {
  return {{{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}},
          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

// The derivative in either order of the bodies, beside differences with this step (m, and rad times 0.1 m).
void expect_differences(const Surface& A, const Surface& B, const Pose<double>& X_AB, double step,
                        double most) {
  for (const auto& [a, b, X] : {std::tuple(&A, &B, X_AB), std::tuple(&B, &A, X_AB.inverse())}) {
    const auto query = [&, a = a, b = b](const Pose<double>& at) { return ask(*a, *b, at).witness; };
    const SurfaceWitness found = ask(*a, *b, X);
    const auto d = proximity::surface_derivative(view(*a), view(*b), X, found);
    const auto e = derivative::central_differences<double>(found.witness, X, 10 * step, step, query);
    EXPECT_EQ(d.status, Status::kOk);
    EXPECT_LT((d.dd_dxi_B - e.dd_dxi_B).norm(), most);
    EXPECT_LT((d.dp1_A_dxi_B - e.dp1_A_dxi_B).norm(), most);
    EXPECT_LT((d.dp2_A_dxi_B - e.dp2_A_dxi_B).norm(), most);
    EXPECT_LT((d.dn_A_dxi_B - e.dn_A_dxi_B).norm(), 100 * most);
  }
}

// Where the surface goes straight on, the triangles that it is made of do not matter: a tip over a diagonal
// of a face, over a vertex within a face and over one on a straight edge, apart and overlapping.
TEST(SurfaceDerivatives, TrianglesOfAFlatFaceDoNotMatter) {
  for (int i = 0; i < 6; ++i) {
    Random random(97, i);
    const bool single = i % 2 == 1;
    const Mat3<double> R =
        i < 2 ? Mat3<double>(Mat3<double>::Identity()) : exp_rotation<double>(test::normal_vector(random));
    const Surface cube = turned(test::subdivided(test::box(0.1, 0.1, 0.1), i / 2 % 3), R, single),
                  tip = preprocess::build_surface(octahedron(0.04));
    const double step = single ? 1e-4 : 1e-5, most = single ? 1e-3 : 1e-6;
    const auto expect = [&](const Vec3<double>& p, const Vec3<double>& n, double gap) {
      SCOPED_TRACE(testing::Message() << i << " p " << p.transpose() << " gap " << gap);
      const Mat3<double> up = shortest_rotation<double>(Vec3<double>::UnitZ(), n);
      expect_differences(cube, tip, {R * up, R * (p + (0.04 + gap) * n)}, step, most);
    };
    for (const double gap : {0.02, -0.005})
      for (const Vec3<double>& p : {Vec3<double>(0, 0, 0.05), {0.025, 0.025, 0.05}, {0.0125, -0.0125, 0.05}})
        expect(p, Vec3<double>::UnitZ(), gap);
    expect({0.05, 0, 0.05}, Vec3<double>(1, 0, 1).normalized(), 0.02);
  }
}

// Faces that are not coplanar meet in an edge, and a vertex that stands out is a corner, however little.
TEST(SurfaceDerivatives, LowRidgesAndTipsAreSharp) {
  const Surface tip = preprocess::build_surface(octahedron(0.04));
  for (const double height : {1e-6, 1e-4}) {
    preprocess::TriangleMesh mesh = test::subdivided(test::box(0.1, 0.1, 0.1), 1);
    for (auto& v : mesh.vertices)
      if (v.head<2>().norm() < 1e-9 && v.z() > 0) v.z() += height;
    const Surface cube = preprocess::build_surface(mesh);
    const Pose<double> X{Mat3<double>::Identity(), {0, 0, 0.05 + height + 0.04 + 0.02}};
    const auto d = proximity::surface_derivative(view(cube), view(tip), X, ask(cube, tip, X));
    EXPECT_EQ(d.status, Status::kOk);
    EXPECT_NEAR(d.dn_A_dxi_B.rightCols<3>().norm(), std::sqrt(2) / 0.02, 1e-6);
    EXPECT_LT(d.dp1_A_dxi_B.norm(), 1e-9);
  }
}

// A primitive and an asset have a distance, but no smoothed one.
TEST(SurfaceDerivatives, BatchesOfSmoothedOnesRefuseBeforeAnyWork) {
  asset::Asset box;
  box.name = "box";
  box.surfaces.push_back(preprocess::build_surface(test::box(0.2, 0.2, 0.2)));
  const body::Body S{body::Geometry(std::move(box))}, ball{body::Geometry(body::Sphere<double>{0.02})};
  const Pose<double> X{Mat3<double>::Identity(), {0.5, 0, 0}};
  const std::vector<body::Pair> pairs = {{&S, &S, X}, {&S, &ball, X}};
  const std::span<const body::Pair> all(pairs);
  std::vector<derivative::SmoothedPair> results(2);
  results[0].smoothed.distance = -77;
  proximity::BatchDistanceModel batch("surface", {}, {}, 1);
  try {
    batch.smoothed(all, results);
    ADD_FAILURE() << "a primitive was taken";
  } catch (const InvalidInput& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find("pair 1: smoothed separation: sphere is a primitive"), 0u) << what;
    EXPECT_EQ(what.find("two primitives"), std::string::npos) << what;
  }
  EXPECT_EQ(results[0].smoothed.distance, -77);
  const std::span<derivative::SmoothedPair> first(results.data(), 1);
  batch.smoothed(all.first(1), first);
  EXPECT_GT(results[0].smoothed.distance, 0);
  EXPECT_THROW(proximity::BatchDistanceModel("hull").smoothed(all.first(1), first), std::logic_error);
}

}  // namespace
