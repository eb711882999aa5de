// [Elandt2019, Fig. 6]: a rigid sinusoid of wavelength 2 pi / 3 pressed into a layer of unit thickness: mean
// pressure over modulus against depth from first touch, beside the finite elements of data/fem/sinusoid.csv.
//   elandt2019_figure6_fem > figure6.csv && gnuplot -c plot.gp figure6.csv figure6.png
// Two laws: linear in depth with the stiffness of a layer that cannot widen, (1 - nu) / ((1 + nu) (1 - 2 nu))
// times Young's modulus, nu = 0.3; and the one through the finite elements' flat case.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>
#include <vector>

#include "benchmarks/paper/elandt2019/bodies.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "runtime/contact/pressure_field.h"

namespace {

using namespace abut;

constexpr double kAmplitudes[] = {0, 0.166, 0.333};
constexpr double kConfined = 0.7 / (1.3 * 0.4);
constexpr double kHalfWave = std::numbers::pi / 3;

struct Row {
  double depth = 0, fem[3] = {};
};

std::vector<Row> read_fem() {
  std::ifstream in(benchmarks::require_reference("fem/sinusoid.csv"));
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream fields(line);
    Row row;
    fields >> row.depth >> row.fem[0] >> row.fem[1] >> row.fem[2];
    if (fields) rows.push_back(row);
  }
  return rows;
}

double mean_pressure(const body::Body& layer, double amplitude, double depth) {
  const body::Body wave{
      body::Geometry(elandt2019::rigid(elandt2019::block(
          kHalfWave, 0.5, 1, 600, [&](double x) { return amplitude * (1 - std::cos(3 * x)) - depth; }))),
      {.modulus = body::kRigid}};
  return contact::contact_wrench("pressure_field", {&layer, &wave, {}}, {}, contact::Want::kValue)
             .F_BBo_B[5] /
         (2 * kHalfWave);
}

}  // namespace

int main() try {
  const std::vector<Row> fem = read_fem();
  const body::Body linear{body::Geometry(elandt2019::layer(1.2, 0.6, {0, 1}, {0, 1})),
                          {.modulus = kConfined}};
  std::vector<double> depths = {0}, law = {0};
  for (const Row& row : fem) {
    depths.push_back(row.depth);
    law.push_back(row.fem[0]);
  }
  const double largest = law.back();
  for (double& p : law) p /= largest;
  depths.push_back(1);
  law.push_back(1);
  const body::Body fitted{body::Geometry(elandt2019::layer(1.2, 0.6, depths, law)), {.modulus = largest}};
  fmt::print("{}", elandt2019::csv_header("depth,amplitude,fem,linear,fitted,linear_percent,fitted_percent"));
  double far = std::nan("");  // the fitted law, the highest wave at depth 0.4
  for (std::size_t k = 0; k < 3; ++k)
    for (const Row& row : fem) {
      const double p = mean_pressure(linear, kAmplitudes[k], row.depth);
      const double q = mean_pressure(fitted, kAmplitudes[k], row.depth);
      fmt::print("{},{},{},{:.5f},{:.5f},{:.1f},{:.1f}\n", row.depth, kAmplitudes[k], row.fem[k], p, q,
                 100 * (p / row.fem[k] - 1), 100 * (q / row.fem[k] - 1));
      if (k == 2 && std::abs(row.depth - 0.4) < 1e-9) far = 100 * (q / row.fem[k] - 1);
    }
  benchmarks::Promises promises;
  promises.at_most("fitted law at amplitude 0.333, depth 0.4: off by, % (the paper's: 23)", std::abs(far),
                   23);
  return promises.verdict();
} catch (const std::exception& error) {
  fmt::print(stderr, "elandt2019_figure6_fem: error: {}\n", error.what());
  return 1;
}
