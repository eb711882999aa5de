// Pressure-field contact along paths of pose: forces do not jump, closed paths do no work.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "runtime/contact/contact_mesh.h"
#include "runtime/contact/pressure_energy.h"
#include "runtime/core/random.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/pressure_field_queries.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

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

using PressureFieldPaths = test::PressureFieldQueries;

// A jump is what stays of a change, over the force's peak, in ever smaller steps.
constexpr double kJump = 1e-6;

struct Jump {
  double at, size;  // size over the peak
};

constexpr int kSteps = 200;  // of a walk, at first

template <class Force>
double peak_force(const Force& force, double low, double width) {
  double peak = 0;
  for (int i = 0; i <= kSteps; ++i) peak = std::max(peak, force(low + width * i / kSteps).norm());
  return peak;
}

// All jumps of a force above kJump along a walk from `low` on. In steps of a width h a smooth force's change
// is the mean of those of the two steps beside it but for O(h^2), and a kink's but for O(h): each step that
// is off by more is walked again in ten, down to a width of 5e-8 of the walk.
template <class Force>
class JumpSearch {
 public:
  JumpSearch(const Force& force, double low, double width)
      : force_(force), least_(5e-8 * width), peak_(peak_force(force, low, width)) {
    walk(low, width / kSteps, kSteps);
  }

  const std::vector<Jump>& jumps() const { return jumps_; }

 private:
  // The steps from `low` on, and one more at either end, for the comparison.
  void walk(double low, double step, int steps) {
    std::vector<Vec3<double>> change;
    Vec3<double> last = force_(low - step);
    for (int i = 0; i <= steps + 1; ++i) {
      const Vec3<double> next = force_(low + i * step);
      change.push_back(next - last);
      last = next;
    }
    for (int i = 1; i <= steps; ++i) {
      const double off = (change[i] - (change[i - 1] + change[i + 1]) / 2).norm() / peak_;
      if (off <= kJump) continue;
      const double at = low + (i - 1) * step;
      if (step > least_)
        walk(at, step / 10, 10);
      else if (jumps_.empty() || std::abs(jumps_.back().at - at) > 3 * step)
        jumps_.push_back({at, change[i].norm() / peak_});
      else  // steps beside a jump are off by half of it
        jumps_.back().size = std::max(jumps_.back().size, change[i].norm() / peak_);
    }
  }

  const Force& force_;
  double least_, peak_;
  std::vector<Jump> jumps_;
};

template <class Force>
std::vector<Jump> jumps(const Force& force, double low, double width) {
  return JumpSearch<Force>(force, low, width).jumps();
}

double largest(const std::vector<Jump>& jumps) {
  double size = 0;
  for (const Jump& jump : jumps) size = std::max(size, jump.size);
  return size;
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

// 40 walks of small rotations (in the fast tier 4), of the plain model and with pulls faded. The hard
// filter's forces along the same walks, and the plain ones with a step twice as high as what counts put into
// them, show that jumps are found.
TEST_F(PressureFieldPaths, NoForceJumpsAlongRotations) {
  test::ReferenceVolumes volumes(1000);
  Random random(21);
  const auto walks = static_cast<std::size_t>(test::runs(4, 10));
  std::size_t filter_jumps = 0, walks_with_jumps = 0;
  double filter_largest = 0;
  for (std::size_t walk = 0; walk < walks; ++walk) {
    const test::PressureFieldQuery& q = queries_[walk * queries_.size() / walks];
    const asset::AssetView &A = volumes[q.object_A], &B = volumes[q.object_B];
    Vec6<double> axis = Vec6<double>::Zero();
    for (int k = 0; k < 3; ++k) axis[k] = random.uniform(-1, 1);
    axis.normalize();
    const auto pose = [&](double angle) { return q.X_AB * exp<double>(angle * axis); };
    const auto plain = [&](double a) -> Vec3<double> { return wrench(A, B, pose(a)).tail<3>(); };
    const auto faded = [&](double a) -> Vec3<double> { return wrench(A, B, pose(a), unit(true)).tail<3>(); };
    for (const Jump& jump : jumps(plain, 0, 0.02))
      ADD_FAILURE() << "walk " << walk << ": " << jump.size << " at " << jump.at;
    for (const Jump& jump : jumps(faded, 0, 0.02))
      ADD_FAILURE() << "walk " << walk << ", pulls faded: " << jump.size << " at " << jump.at;
    const body::Body body_A = volumes.body(q.object_A, unit().A), body_B = volumes.body(q.object_B, unit().B);
    const auto filtered = [&](double a) { return hard_filtered_force({&body_A, &body_B, pose(a)}); };
    const std::vector<Jump> found = jumps(filtered, 0, 0.02);
    filter_jumps += found.size();
    walks_with_jumps += !found.empty();
    filter_largest = test::worst_of(filter_largest, largest(found));

    const double place = random.uniform(0.001, 0.019);
    const Vec3<double> step(2 * kJump * peak_force(plain, 0, 0.02), 0, 0);
    const std::vector<Jump> own =
        jumps([&](double a) -> Vec3<double> { return plain(a) + (a > place ? 1 : 0) * step; }, 0, 0.02);
    ASSERT_EQ(own.size(), 1) << walk;
    EXPECT_NEAR(own[0].at, place, 3e-9);
  }
  std::printf("%zu walks: the hard filter jumps %zu times, on %zu of them, by up to %.1e of the peak\n",
              walks, filter_jumps, walks_with_jumps, filter_largest);
  if (walks == 40) {
    EXPECT_GT(filter_largest, 1e-3);
  }
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
    EXPECT_EQ(largest(jumps(force, 0, 2 * half)), 0) << fade;
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
// jumps there, which shows that jumps are found.
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
  EXPECT_EQ(largest(jumps(force, 0.1, 1.4)), 0);
  config.fade_pulls = true;
  EXPECT_EQ(largest(jumps(force, 0.1, 1.4)), 0);
  const body::Body soft = test::body_of(cube, config.A), stiff = test::body_of(plate, config.B);
  const auto filtered = [&](double angle) -> Vec3<double> {
    return pose(angle).R * hard_filtered_force({&soft, &stiff, pose(angle)});
  };
  EXPECT_GT(largest(jumps(filtered, 0.1, 1.4)), 1e-2);
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
    worst = test::worst_of(worst, std::abs(work) / peak);
  }
  std::printf("%d closed paths: largest work over the peak energy %.1e\n", paths, worst);
  EXPECT_LT(worst, 1e-10);
}

}  // namespace
