// Pressure-field contact along paths of pose: forces do not jump, closed paths do no work.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/contact/pressure_energy.h"
#include "runtime/core/random.h"
#include "tests/support/pressure_field_data.h"
#include "tests/support/runs.h"

namespace {

using namespace abut;

contact::PressureFieldConfig unit() {
  contact::PressureFieldConfig config;
  config.A.modulus = config.B.modulus = 1;
  return config;
}

Vec6<double> wrench(const asset::AssetView& A, const asset::AssetView& B, const Pose<double>& X_AB) {
  static contact::PressureFieldWorkspace<double> workspace;
  return contact::contact_surface<double>(A.volume, B.volume, X_AB, Vec6<double>::Zero(), unit(),
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

// 40 walks of small rotations (in the fast tier 4). The step with the largest change of the force is cut into
// ten again and again: a jump would stay, what is continuous falls with the step.
TEST_F(PressureFieldPaths, NoForceJumpsAlongRotations) {
  test::ReferenceVolumes volumes(1000);
  Random random(21);
  std::vector<double> coarse_steps, last_steps;
  const auto walks = static_cast<std::size_t>(test::runs(4, 10));
  for (std::size_t walk = 0; walk < walks; ++walk) {
    const test::PressureFieldQuery& q = queries_[walk * queries_.size() / walks];
    const asset::AssetView &A = volumes[q.object_A], &B = volumes[q.object_B];
    Vec6<double> axis = Vec6<double>::Zero();
    for (int k = 0; k < 3; ++k) axis[k] = random.uniform(-1, 1);
    axis.normalize();
    const auto force = [&](double angle) -> Vec3<double> {
      return wrench(A, B, q.X_AB * exp<double>(angle * axis)).tail<3>();
    };
    double low = 0, width = 0.02, peak = 0, change = 0;
    for (int zoom = 0; width > 1e-9; ++zoom) {
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
      if (zoom == 0) coarse_steps.push_back(change / peak);
    }
    last_steps.push_back(change / peak);
  }
  const double coarse = *std::max_element(coarse_steps.begin(), coarse_steps.end());
  const double last = *std::max_element(last_steps.begin(), last_steps.end());
  std::printf(
      "%zu walks: largest change of the force over its peak: %.1e at steps of 5e-4 rad, %.1e at 1e-9 rad\n",
      walks, coarse, last);
  EXPECT_LT(last, 1e-6);
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
