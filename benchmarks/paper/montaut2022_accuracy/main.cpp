// Beyond the tables of [Montaut2022]: error of the estimated witness derivatives of tessellated ellipsoids
// against the true derivative of the smooth ones, over resolution, noise and ring depth. The defaults are
// chosen from it:
//   montaut2022_accuracy [--pairs 150] [--out accuracy]
// Fails where the error of the defaults does not fall with the resolution.
// Icosahedral tessellations, turned at random; pairs from 1 cm deep to 5 cm apart; error of (dp1; dp2; dn
// times the size) in the Frobenius norm, relative to the true one.
#include <CLI/CLI.hpp>
#include <fstream>

#include "benchmarks/paper/montaut2022/provenance.h"
#include "benchmarks/support/promises.h"
#include "runtime/derivative/estimator.h"
#include "runtime/derivative/smooth.h"
#include "runtime/derivative/zeroth_order.h"
#include "runtime/witness/separation.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using Ellipsoid = witness::Ellipsoid<double>;
using Derivative = derivative::WitnessDerivative<double>;

struct Case {
  body::Body A, B;
  Pose<double> X_AB;
  Derivative truth;
};

std::vector<Case> cases(int level, int count, std::uint64_t seed) {
  std::vector<Case> list;
  for (int i = 0; i < count; ++i) {
    Random random(seed, static_cast<std::uint64_t>(1000 * level + i));
    Vec3<double> a, b;
    for (int k = 0; k < 3; ++k) a[k] = random.uniform(0.04, 0.12), b[k] = random.uniform(0.04, 0.12);
    Case c{test::hull_body(test::tessellated_ellipsoid(level, a, test::random_rotation(random))),
           test::hull_body(test::tessellated_ellipsoid(level, b, test::random_rotation(random))),
           {},
           {}};
    c.X_AB.R = test::random_rotation(random);
    for (int k = 0; k < 3; ++k) c.X_AB.p[k] = random.normal();
    c.X_AB.p *= 0.3 / c.X_AB.p.norm();
    const Ellipsoid A{a}, B{b};
    const double distance = random.uniform(-0.01, 0.05);
    for (int k = 0; k < 3; ++k) {
      const auto w = witness::separation<double>(A, B, c.X_AB);
      c.X_AB.p += (distance - w.distance) * w.n;
    }
    c.truth = derivative::smooth_derivative<double>(A, B, c.X_AB, witness::separation<double>(A, B, c.X_AB));
    list.push_back(std::move(c));
  }
  return list;
}

struct Spread {
  double median, high;  // high: 95th percentile
};

Spread error(const std::vector<Case>& list, const char* name, const SettingValues& settings) {
  const auto stacked = [](const Derivative& d) {
    Eigen::Matrix<double, 9, 6> m;
    m << d.dp1_A_dxi_B, d.dp2_A_dxi_B, 0.1 * d.dn_A_dxi_B;
    return m;
  };
  const auto estimator = derivative::make_estimator(name, settings);
  std::vector<double> errors;
  for (const Case& c : list) {
    const Derivative found = (*estimator)({&c.A, &c.B, c.X_AB}).derivative;
    errors.push_back((stacked(found) - stacked(c.truth)).norm() / stacked(c.truth).norm());
  }
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors[errors.size() * 95 / 100]};
}

}  // namespace

int main(int argc, char** argv) {
  int pairs = 150;
  std::uint64_t seed = 1;
  std::string prefix = "accuracy";
  CLI::App app("Accuracy of the derivative estimators over resolution, noise and depth");
  app.add_option("--pairs", pairs, "for each resolution")->capture_default_str();
  app.add_option("--out", prefix, "prefix of the files")->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::ofstream csv(prefix + ".csv");
  benchmarks::write_provenance(csv, "montaut2022_accuracy", seed, 1);
  csv << "method,depth,eps,vertices,median,high\n";
  benchmarks::Promises promises;
  double last[2] = {1, 1};
  constexpr double kFall[2] = {0.8,
                               0.9};  // from level to level; 20 samples of a normal distribution have a floor
  for (int level = 0; level <= 4; ++level) {
    const std::vector<Case> list = cases(level, pairs, seed);
    const int vertices = 10 * (1 << (2 * level)) + 2;
    const auto report = [&](const char* method, int depth, double eps, const SettingValues& settings) {
      const Spread e = error(list, method, settings);
      csv << method << ',' << depth << ',' << eps << ',' << vertices << ',' << e.median << ',' << e.high
          << '\n';
      std::printf("%5d vertices  %-13s %3d  eps %-6g median %5.1f %%  95th percentile %5.1f %%\n", vertices,
                  method, depth, eps, 100 * e.median, 100 * e.high);
    };
    for (const int rings : {1, 2, 3, 5}) {
      for (const double eps : {0.0625, 0.125, 0.25, 0.5, 1.0, 2.0}) {
        report("gumbel", rings, eps, {{"rings", rings}, {"eps", eps}});
      }
    }
    for (const int samples : {10, 20, 50, 100}) {
      for (const double eps : {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0}) {
        report("gaussian", samples, eps, {{"samples", samples}, {"eps", eps}});
      }
    }
    for (const double angle : {0.025, 0.05, 0.1, 0.2, 0.4}) {
      report("zeroth_order", derivative::ZerothOrderConfig{}.samples, angle,
             {{"angle", angle}, {"length", angle / 5}});
    }
    for (const double eps : {3.5, 7.0, 14.0, 28.0}) report("soft_bodies", 0, eps, {{"eps", eps}});
    report("finite_difference", 12, 1e-6, {});
    for (int k = 0; k < 2; ++k) {
      const char* name = k == 0 ? "gumbel" : "gaussian";
      const double median = error(list, name, {}).median;
      promises.at_most(std::to_string(vertices) + " vertices, median error of " + name + ", its defaults",
                       median, kFall[k] * last[k]);
      last[k] = median;
    }
  }
  std::ofstream plot(prefix + ".gp");
  plot
      << "set terminal pngcairo size 1100,500\nset output '" << prefix
      << ".png'\nset datafile separator ','\n"
      << "set logscale xy\nset xlabel 'eps'\nset ylabel 'median relative error'\nset yrange [0.01:2]\n"
      << "set multiplot layout 1,2\n"
      << "set title 'Gumbel, nl = 3'\nplot for [v in '12 42 162 642 2562'] '" << prefix
      << ".csv' using ((strcol(1) eq 'gumbel' && column(2) == 3 && column(4) == int(v)) ? column(3) : NaN):5 "
         "with linespoints title v.' vertices'\n"
      << "set title 'Gaussian, M = 20'\nplot for [v in '12 42 162 642 2562'] '" << prefix
      << ".csv' using ((strcol(1) eq 'gaussian' && column(2) == 20 && column(4) == int(v)) ? column(3) : "
         "NaN):5 "
         "with linespoints title v.' vertices'\nunset multiplot\n";
  std::printf("wrote %s.csv and %s.gp; draw with: gnuplot %s.gp\n", prefix.c_str(), prefix.c_str(),
              prefix.c_str());
  return promises.verdict();
}
