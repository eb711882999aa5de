#include "runtime/ssdf/grid_field.h"

#include <gtest/gtest.h>

#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "tests/support/allocations.h"
#include "tests/support/refusal.h"

namespace {

using namespace abut;
using namespace abut::ssdf;

// Bricks in 3 x 2 x 3 places with random coefficients; without those that `absent` names.
asset::DistanceGrid random_grid(const std::vector<std::int32_t>& absent = {}) {
  asset::DistanceGrid grid;
  grid.lattice = {-0.3, 0.1, 0.7, 0.05, 0.1};
  grid.places = {3, 2, 3};
  std::int32_t bricks = 0;
  for (std::int32_t place = 0; place < 18; ++place)
    grid.index.push_back(std::find(absent.begin(), absent.end(), place) == absent.end() ? bricks++ : -1);
  Random random(3, 1);
  for (int i = 0; i < asset::kBrickSize * bricks; ++i)
    grid.coefficients.push_back(static_cast<float>(random.uniform(-0.1, 0.1)));
  asset::add_rows(grid);
  return grid;
}

// (x)_+^3 differences: the centred cubic B-spline, from its definition.
long double beta(long double x) {
  const auto cube = [](long double y) { return y > 0 ? y * y * y : 0; };
  return (cube(x + 2) - 4 * cube(x + 1) + 6 * cube(x) - 4 * cube(x - 1) + cube(x - 2)) / 6;
}

// The sum over all nodes, as asset.h has it.
long double dense_value(const asset::DistanceGrid& grid, const Vec3<long double>& p) {
  long double sum = 0;
  const auto at = [&](int axis, std::int32_t place, int node) {
    const long double q = (p[axis] - grid.lattice[axis]) / grid.lattice[3];
    return beta(q - (4 * place + node));
  };
  for (std::int32_t place = 0; place < 18; ++place) {
    if (grid.index[place] < 0) continue;
    const float* const c = grid.coefficients.data() + std::ptrdiff_t(64) * grid.index[place];
    for (int n = 0; n < 64; ++n)
      sum += c[n] * at(0, place % 3, n % 4) * at(1, place / 3 % 2, n / 4 % 4) * at(2, place / 6, n / 16);
  }
  return sum;
}

// A point that the whole grid answers.
Vec3<double> some_point(Random& random) {
  return {-0.3 + 0.05 * random.uniform(1, 10), 0.1 + 0.05 * random.uniform(1, 6),
          0.7 + 0.05 * random.uniform(1, 10)};
}

TEST(GridField, IsTheSumOfSplines) {
  const asset::DistanceGrid grid = random_grid();
  const GridField field(asset::view(grid));
  Random random(1, 1);
  for (int i = 0; i < 300; ++i) {
    const Vec3<double> p = some_point(random);
    const auto expected = static_cast<double>(dense_value(grid, p.cast<long double>()));
    EXPECT_NEAR(field.distance(p, 0).value, expected, 1e-14);
    EXPECT_NEAR(static_cast<double>(field.distance_scalar<long double>(p.cast<long double>(), 0).value),
                expected, 1e-14);
  }
}

// Each order is the derivative of the one before it, within a cell.
TEST(GridField, DerivativesMatchDifferencesInExtendedPrecision) {
  using T = long double;
  const asset::DistanceGrid grid = random_grid();
  const GridField field(asset::view(grid));
  const double h = grid.lattice[3];
  Random random(2, 1);
  for (int i = 0; i < 100; ++i) {
    const Vec3<double> p = some_point(random);
    const GridDistance<double> d = field.distance(p, 3);
    const double step = 1e-4 * h;
    for (int k = 0; k < 3; ++k) {
      const double q = (p[k] - grid.lattice[k]) / h;
      if (std::floor(q - 1e-3) != std::floor(q + 1e-3)) continue;  // a third derivative jumps there
      const auto at = [&](int steps) {
        return field.distance_scalar<T>(p.cast<T>() + Vec3<T>::Unit(k) * (T(steps) * T(step)), 3);
      };
      const auto difference = [&](auto&& of) {
        return (8 * (of(at(1)) - of(at(-1))) - (of(at(2)) - of(at(-2)))) / (12 * T(step));
      };
      const T gradient = difference([](const auto& x) { return x.value; });
      EXPECT_NEAR(d.gradient[k], static_cast<double>(gradient), 1e-8 * d.gradient.norm());
      for (int a = 0; a < 3; ++a) {
        const T hessian = difference([&](const auto& x) { return x.gradient[a]; });
        EXPECT_NEAR(d.hessian(a, k), static_cast<double>(hessian), 1e-8 * d.hessian.norm());
        for (int b = 0; b < 3; ++b) {
          const T third = difference([&](const auto& x) { return x.hessian(a, b); });
          EXPECT_NEAR(d.third[k](a, b), static_cast<double>(third), 1e-6 * d.third[k].norm());
        }
      }
    }
  }
}

// Value, gradient and Hessian do not jump between cells.
TEST(GridField, IsTwiceContinuouslyDifferentiable) {
  const asset::DistanceGrid grid = random_grid();
  const GridField field(asset::view(grid));
  Random random(4, 1);
  for (int i = 0; i < 200; ++i) {
    Vec3<double> low = some_point(random), high = low;
    const int axis = i % 3;
    const double node = std::round((low[axis] - grid.lattice[axis]) / grid.lattice[3]);
    low[axis] = grid.lattice[axis] + grid.lattice[3] * (node - 1e-9);
    high[axis] = grid.lattice[axis] + grid.lattice[3] * (node + 1e-9);
    const GridDistance<double> a = field.distance(low, 3), b = field.distance(high, 3);
    if (a.status != Status::kOk || b.status != Status::kOk) continue;
    EXPECT_NEAR(a.value, b.value, 1e-9);
    EXPECT_LT((a.gradient - b.gradient).norm(), 1e-7);
    EXPECT_LT((a.hessian - b.hessian).norm(), 1e-6 * a.hessian.norm());
  }
}

TEST(GridField, FourAtATimeIsTheScalarReference) {
  const asset::DistanceGrid grid = random_grid();
  const GridField field(asset::view(grid));
  Random random(5, 1);
  for (int i = 0; i < 200; ++i) {
    const Vec3<double> p = some_point(random);
    const GridDistance<double> reference = field.distance_scalar<double>(p, 3);
    for (int order = 0; order <= 3; ++order) {
      const GridDistance<double> found = field.distance(p, order);
      ASSERT_EQ(found.status, Status::kOk);
      EXPECT_NEAR(found.value, reference.value, 1e-15);
      EXPECT_LE((found.gradient - (order >= 1 ? reference.gradient : Vec3<double>::Zero())).norm(),
                1e-13 * reference.gradient.norm());
      EXPECT_LE((found.hessian - (order >= 2 ? reference.hessian : Mat3<double>::Zero())).norm(),
                1e-13 * reference.hessian.norm());
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_LE((found.third[k] - (order >= 3 ? reference.third[k] : Mat3<double>::Zero())).norm(),
                  1e-13 * reference.third[k].norm());
    }
  }
}

// A point is answered exactly where all 64 nodes about it are there.
TEST(GridField, ElsewhereThereIsNoOverlap) {
  const asset::DistanceGrid grid = random_grid({2, 9});  // at (2, 0, 0) and (0, 1, 1)
  const GridField field(asset::view(grid));
  Random random(6, 1);
  int answered = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3<double> p(-0.3 + 0.05 * random.uniform(-1, 13), 0.1 + 0.05 * random.uniform(-1, 9),
                         0.7 + 0.05 * random.uniform(-1, 13));
    int first[3];
    bool there = true;
    for (int k = 0; k < 3; ++k) {
      first[k] = static_cast<int>(std::floor((p[k] - grid.lattice[k]) / grid.lattice[3])) - 1;
      there = there && first[k] >= 0 && first[k] + 3 < 4 * grid.places[k];
    }
    for (int n = 0; there && n < 64; ++n) {
      const int x = (first[0] + n % 4) / 4, y = (first[1] + n / 4 % 4) / 4, z = (first[2] + n / 16) / 4;
      there = grid.index[(z * 2 + y) * 3 + x] >= 0;
    }
    answered += there;
    for (int order = 0; order <= 3; ++order) {
      const GridDistance<double> d = field.distance(p, order);
      EXPECT_EQ(d.status, there ? Status::kOk : Status::kNoOverlap);
      EXPECT_EQ(std::isfinite(d.value), there);
      EXPECT_EQ(d.gradient.allFinite() && d.hessian.allFinite() && d.third[2].allFinite(), there);
    }
    EXPECT_EQ(field.distance_scalar<long double>(p.cast<long double>(), 1).status == Status::kOk, there);
  }
  EXPECT_GT(answered, 150);
  EXPECT_LT(answered, 1500);
  for (const double far : {1e10, -1e10, 1e300, -1e300}) {
    EXPECT_EQ(field.distance({far, 0.2, 0.9}, 1).status, Status::kNoOverlap);
    EXPECT_EQ(field.distance({-0.1, 0.2, far}, 1).status, Status::kNoOverlap);
  }
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(field.distance({-0.1, bad, 0.9}, 1).status, Status::kInvalidInput);
    EXPECT_TRUE(std::isnan(field.distance({-0.1, bad, 0.9}, 1).value));
    EXPECT_EQ(field.distance_scalar<double>({-0.1, bad, 0.9}, 1).status, Status::kInvalidInput);
  }
}

TEST(GridField, BatchesGiveTheSameBitsOnAnyNumberOfThreads) {
  const asset::DistanceGrid grid = random_grid({7});
  const GridField field(asset::view(grid));
  Random random(7, 1);
  std::vector<Vec3<double>> p;
  for (int i = 0; i < 1500; ++i) p.push_back(some_point(random));
  for (const int threads : {1, 2, 3}) {
    std::vector<GridDistance<double>> found(p.size());
    field.distances(p, 2, found, threads);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const GridDistance<double> expected = field.distance(p[i], 2);
      ASSERT_EQ(found[i].status, expected.status);
      if (expected.status != Status::kOk) continue;
      ASSERT_EQ(found[i].value, expected.value);
      ASSERT_EQ(found[i].gradient, expected.gradient);
      ASSERT_EQ(found[i].hessian, expected.hessian);
    }
  }
}

TEST(GridField, QueriesAllocateNothing) {
  const asset::DistanceGrid grid = random_grid({7});
  const GridField field(asset::view(grid));
  Random random(8, 1);
  double sum = 0;
  const std::size_t before = test::allocations();
  for (int i = 0; i < 100; ++i) sum += field.distance(some_point(random), i % 4).hessian.sum();
  EXPECT_EQ(test::allocations(), before) << sum;
}

TEST(GridField, RefusesWhatItCannotUse) {
  EXPECT_EQ(test::refusal([] { GridField{asset::DistanceGridView{}}; }),
            "distance grid: it has no coefficients; preprocess the object again with --grid auto");
  const asset::DistanceGrid grid = random_grid();
  std::vector<GridDistance<double>> room(2);
  EXPECT_EQ(
      test::refusal([&] { GridField(asset::view(grid)).distances(std::vector<Vec3<double>>(3), 1, room); }),
      "distance grid: 3 points but room for 2 results");
}

}  // namespace
