// Pressure-field contact along paths of pose: forces do not jump, closed paths do no work.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "runtime/contact/contact_mesh.h"
#include "runtime/contact/pressure_energy.h"
#include "runtime/core/random.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/pressure_field_data.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;

contact::PressureFieldConfig unit(bool fade_pulls = false) {
  contact::PressureFieldConfig config;
  config.A.modulus = config.B.modulus = 1;
  config.fade_pulls = fade_pulls;
  return config;
}

Vec6<double> wrench(const asset::AssetView& A, const asset::AssetView& B, const Pose<double>& X_AB,
                    const contact::PressureFieldConfig& config = unit()) {
  static contact::PressureFieldWorkspace<double> workspace;
  return contact::contact_surface<double>(A.volume, B.volume, X_AB, Vec6<double>::Zero(), config,
                                          contact::Want::kValue, workspace)
      .F_BBo_B;
}

class PressureFieldPaths : public testing::Test {
 protected:
  void SetUp() override {
    queries_ = test::read_pressure_field_queries();
    if (queries_.empty()) GTEST_SKIP() << "needs the reference data in " << test::pressure_field_folder();
  }
  std::vector<test::PressureFieldQuery> queries_;
};

// Largest change of a force over its peak in the steps of a walk from `low` on, and in the last steps where
// the walk's largest change has been cut into ten again and again: a jump stays, what is continuous falls
// with the step.
struct Changes {
  double coarse = 0, last = 0;
};

template <class Force>
Changes pursue(const Force& force, double low, double width) {
  Changes changes;
  double peak = 0, change = 0;
  const double least = 5e-8 * width;
  for (int zoom = 0; width > least; ++zoom) {
    const int steps = zoom == 0 ? 40 : 10;
    double worst = -1, at = low;
    Vec3<double> last = force(low);
    for (int i = 1; i <= steps; ++i) {
      const Vec3<double> next = force(low + width * i / steps);
      peak = std::max(peak, next.norm());
      if ((next - last).norm() > worst) {
        worst = (next - last).norm();
        at = low + width * (i - 1) / steps;
      }
      last = next;
    }
    low = at;
    width /= steps;
    change = worst;
    if (zoom == 0) changes.coarse = change / peak;
  }
  changes.last = change / peak;
  return changes;
}

// What Drake does: a face whose normal is more than 5 pi / 8 from a gradient does not count.
Vec3<double> hard_filtered_force(const body::Pair& pair) {
  const double least = std::cos(5 * std::numbers::pi / 8);
  Vec3<double> sum = Vec3<double>::Zero();
  for (const contact::ContactFace& face : contact::contact_mesh(pair).faces)
    if (face.n.dot(face.gradient_A) > least * face.gradient_A.norm() &&
        -face.n.dot(face.gradient_B) > least * face.gradient_B.norm())
      sum -= face.area * face.pressure * face.n;
  return sum;
}

// 40 walks of small rotations (in the fast tier 4), of the plain model and with pulls faded.
TEST_F(PressureFieldPaths, NoForceJumpsAlongRotations) {
  test::ReferenceVolumes volumes(1000);
  Random random(21);
  const auto walks = static_cast<std::size_t>(test::runs(4, 10));
  Changes plain, faded;
  const auto largest = [](Changes& all, const Changes& one) {
    all = {std::max(all.coarse, one.coarse), std::max(all.last, one.last)};
  };
  for (std::size_t walk = 0; walk < walks; ++walk) {
    const test::PressureFieldQuery& q = queries_[walk * queries_.size() / walks];
    const asset::AssetView &A = volumes[q.object_A], &B = volumes[q.object_B];
    Vec6<double> axis = Vec6<double>::Zero();
    for (int k = 0; k < 3; ++k) axis[k] = random.uniform(-1, 1);
    axis.normalize();
    const auto pose = [&](double angle) { return q.X_AB * exp<double>(angle * axis); };
    largest(plain,
            pursue([&](double a) -> Vec3<double> { return wrench(A, B, pose(a)).tail<3>(); }, 0, 0.02));
    largest(faded,
            pursue([&](double a) -> Vec3<double> { return wrench(A, B, pose(a), unit(true)).tail<3>(); }, 0,
                   0.02));
  }
  std::printf("%zu walks: largest change of the force over its peak, at steps of 5e-4 rad and of 1e-9 rad\n",
              walks);
  for (const auto& [name, changes] : {std::pair{"plain", plain}, {"pulls faded", faded}})
    std::printf("  %-12s %.1e %.1e\n", name, changes.coarse, changes.last);
  EXPECT_LT(plain.last, 1e-6);
  EXPECT_LT(faded.last, 1e-6);
}

asset::Asset box(const Vec3<double>& half) {
  asset::Asset made;
  made.volumes.push_back(test::star_volume(asset::view(test::box_hull(half))));
  return made;
}

// A stiff plate, 4 mm thick, pushed flat through a soft cube. The plain model keeps no more than its buoyancy
// once it is inside: what lies above it pulls it in. With pulls faded it is pushed out ever harder up to the
// middle, and neither jumps anywhere.
TEST(PressurePunchThrough, AThinPlateInASoftCube) {
  const double half = 0.05, thickness = 0.004, area = 4 * 0.03 * 0.03;
  const asset::Asset cube = box({half, half, half}), plate = box({0.03, 0.03, thickness / 2});
  const asset::AssetView A = asset::view(cube), B = asset::view(plate);
  const Mat3<double> tilt = exp_rotation<double>({0.01, 0.02, 0.3});
  for (const bool fade : {false, true}) {
    contact::PressureFieldConfig config;
    config.A.modulus = 1e6;
    config.B.modulus = 1e9;
    config.fade_pulls = fade;
    const auto force = [&](double depth) -> Vec3<double> {
      const Pose<double> X_AB{tilt, {0.001, 0.002, half - depth}};
      return tilt * wrench(A, B, X_AB, config).tail<3>();
    };
    const Changes changes = pursue(force, 0, 2 * half);
    EXPECT_LT(changes.last, 1e-6) << fade;
    const double rise = config.A.modulus / half;
    double last = 0;
    for (const double depth : {0.006, 0.012, 0.018}) {
      const double lift = force(depth).z();
      const double expected = rise * area * (fade ? depth + thickness / 2 : thickness);
      EXPECT_NEAR(lift, expected, 0.1 * expected) << fade << ", " << depth;
      EXPECT_GT(lift, fade ? 1.3 * last : 0.0);
      last = lift;
    }
    // Beyond the middle it leaves on the other side.
    EXPECT_LT(force(2 * half - 0.012).z(), 0);
  }
}

// The plate turned over inside: its faces come to look the wrong way one after the other. The hard filter
// jumps there, which shows that the pursuit finds jumps.
TEST(PressurePunchThrough, APlateTurningOverInASoftCube) {
  const asset::Asset cube = box({0.05, 0.05, 0.05}), plate = box({0.02, 0.02, 0.002});
  const asset::AssetView A = asset::view(cube), B = asset::view(plate);
  contact::PressureFieldConfig config;
  config.A.modulus = 1e6;
  config.B.modulus = 1e9;
  const auto pose = [](double angle) {
    return Pose<double>{exp_rotation<double>({angle, 0.01, 0.02}), {0.001, 0.002, 0.02}};
  };
  const auto force = [&](double angle) -> Vec3<double> {
    return pose(angle).R * wrench(A, B, pose(angle), config).tail<3>();
  };
  EXPECT_LT(pursue(force, 0.1, 1.4).last, 1e-6);
  config.fade_pulls = true;
  EXPECT_LT(pursue(force, 0.1, 1.4).last, 1e-6);
  const body::Body soft = test::body_of(cube, config.A), stiff = test::body_of(plate, config.B);
  const auto filtered = [&](double angle) -> Vec3<double> {
    return pose(angle).R * hard_filtered_force({&soft, &stiff, pose(angle)});
  };
  EXPECT_GT(pursue(filtered, 0.1, 1.4).last, 1e-2);
}

// The integral of f over [a, b] to a tolerance, by eight Gauss points against twice eight.
template <class F>
double integrate(const F& f, double a, double b, double tolerance, int depth = 0) {
  constexpr double kNodes[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                               0.9602898564975363};
  constexpr double kWeights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                 0.1012285362903763};
  const auto gauss = [&](double from, double to) {
    const double middle = (from + to) / 2, half = (to - from) / 2;
    double sum = 0;
    for (int k = 0; k < 4; ++k)
      sum += kWeights[k] * (f(middle - half * kNodes[k]) + f(middle + half * kNodes[k]));
    return half * sum;
  };
  const double middle = (a + b) / 2, whole = gauss(a, b), halves = gauss(a, middle) + gauss(middle, b);
  if (std::abs(whole - halves) <= tolerance || depth > 24) return halves;
  return integrate(f, a, middle, tolerance / 2, depth + 1) +
         integrate(f, middle, b, tolerance / 2, depth + 1);
}

// X(t) = X_AB exp(sin t a) exp((1 - cos t) b) comes back at t = 2 pi.
TEST_F(PressureFieldPaths, ClosedPathsDoNoWork) {
  test::ReferenceVolumes volumes(300);
  Random random(22);
  const int paths = test::runs(1);
  double worst = 0;
  for (int path = 0; path < paths; ++path) {
    const test::PressureFieldQuery& q = queries_[static_cast<std::size_t>(10 * path + 1)];
    const asset::AssetView &A = volumes[q.object_A], &B = volumes[q.object_B];
    Vec6<double> a, b;
    for (int k = 0; k < 6; ++k) {
      a[k] = random.uniform(-1, 1) * (k < 3 ? 2e-3 : 2e-4);
      b[k] = random.uniform(-1, 1) * (k < 3 ? 2e-3 : 2e-4);
    }
    const auto pose = [&](double t) {
      return q.X_AB * exp<double>(std::sin(t) * a) * exp<double>((1 - std::cos(t)) * b);
    };
    const auto power = [&](double t) {
      const Vec6<double> V =
          std::cos(t) * (adjoint(exp<double>(-(1 - std::cos(t)) * b)) * a) + std::sin(t) * b;
      return wrench(A, B, pose(t)).dot(V);
    };
    double peak = 0;
    for (int i = 0; i < 8; ++i)
      peak = std::max(peak, contact::pressure_energy<double>(A.volume, B.volume, pose(0.785 * i), unit()));
    const double work = integrate(power, 0, 2 * 3.141592653589793, 1e-11 * peak);
    worst = std::max(worst, std::abs(work) / peak);
  }
  std::printf("%d closed paths: largest work over the peak energy %.1e\n", paths, worst);
  EXPECT_LT(worst, 1e-10);
}

}  // namespace
