// abut-demo: prints the table at the end of scripts/demo. For a few pairs of the assets, apart and in
// contact: distance, witness points, the derivative checked against differences, and the cost of a query.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/program.h"
#include "runtime/cli/say.h"
#include "runtime/core/error.h"
#include "runtime/core/random.h"
#include "runtime/derivative/estimator.h"
#include "runtime/witness/pair_query.h"

namespace {

using namespace abut;

constexpr int kPairs = 8;
constexpr double kGaps[] = {0.02, 0.001, -0.002, -0.01};  // m: signed distances to show

double signed_distance(const body::Pair& pair, witness::Workspace<double>& workspace) {
  return witness::separation(pair.A->geometry, pair.B->geometry, pair.X_AB, workspace).distance;
}

// A random orientation of B, shifted in a random direction until the signed distance of the hulls is `gap`.
body::Pair pose_at_gap(const body::Body& A, const body::Body& B, double gap, Random& random) {
  Vec3<double> turn, direction;
  for (int k = 0; k < 3; ++k) turn[k] = random.uniform(-2, 2);
  for (int k = 0; k < 3; ++k) direction[k] = random.normal();
  direction.normalize();
  body::Pair pair{&A, &B, {exp_rotation(turn), Vec3<double>::Zero()}};
  witness::Workspace<double> workspace;
  const Vec3<double> concentric = Vec3<double>(A.geometry.mass().center_of_mass) -
                                  pair.X_AB.R * Vec3<double>(B.geometry.mass().center_of_mass);
  double lo = 0, hi = 10;  // m between the centres of mass: the gap increases with it
  for (int step = 0; step < 60; ++step) {
    const double t = (lo + hi) / 2;
    pair.X_AB.p = concentric + t * direction;
    (signed_distance(pair, workspace) < gap ? lo : hi) = t;
  }
  return pair;
}

// Largest difference between d sd / d xi and central differences of the distance, relative to the largest
// entry.
double derivative_error(const body::Pair& pair, const Row6<double>& dd_dxi_B) {
  constexpr double kStep = 1e-6;  // rad, m
  witness::Workspace<double> workspace;
  double worst = 0;
  for (int k = 0; k < 6; ++k) {
    body::Pair plus = pair, minus = pair;
    plus.X_AB = pair.X_AB * abut::exp<double>(kStep * Vec6<double>::Unit(k));
    minus.X_AB = pair.X_AB * abut::exp<double>(-kStep * Vec6<double>::Unit(k));
    const double difference =
        (signed_distance(plus, workspace) - signed_distance(minus, workspace)) / (2 * kStep);
    worst = std::max(worst, std::abs(difference - dd_dxi_B[k]));
  }
  return worst / dd_dxi_B.cwiseAbs().maxCoeff();
}

// Median wall time of one call, microseconds, over repeated calls on the same pair (caches hot).
template <class Call>
double microseconds(Call&& call) {
  std::vector<double> times;
  for (int batch = 0; batch < 31; ++batch) {
    constexpr int kCalls = 20;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / kCalls);
  }
  std::nth_element(times.begin(), times.begin() + 15, times.end());
  return times[15];
}

std::string millimetres(const Vec3<double>& p) {
  return fmt::format("({:7.2f} {:7.2f} {:7.2f})", 1e3 * p.x(), 1e3 * p.y(), 1e3 * p.z());
}

void show_pair(const body::Pair& pair) {
  const auto estimator = derivative::make_estimator("gumbel");
  witness::Workspace<double> workspace;
  const derivative::PairDerivative result = (*estimator)(pair);
  volatile double sink = 0;
  const double query = microseconds([&] { sink = sink + signed_distance(pair, workspace); });
  const double both = microseconds([&] { sink = sink + (*estimator)(pair).derivative.dd_dxi_B[0]; });
  cli::say("{:<22}{:<22}{:>10.4f}  {}  {}  {:>9.1e}  {:>7.2f}  {:>7.2f}\n",
           pair.A->geometry.name().substr(0, 21), pair.B->geometry.name().substr(0, 21),
           1e3 * result.witness.distance, millimetres(result.witness.p1), millimetres(result.witness.p2),
           derivative_error(pair, result.derivative.dd_dxi_B), query, std::max(0.0, both - query));
}

int run(const std::string& folder) {
  cli::AssetFolder assets(folder);
  const std::vector<std::string> names = assets.names();
  if (names.empty())
    throw InvalidInput(folder + ": no assets; make some with abut-preprocess DATASET " + folder);
  cli::say(
      "\nContact of convex hulls: signed distance, witness points on A and B in A's frame, the derivative of "
      "the\n"
      "distance by the pose against central differences, and the time of a query and of its derivative on "
      "top\n"
      "(first-order Gumbel; one thread, caches hot).\n\n");
  cli::say("{:<22}{:<22}{:>10}  {:^25}  {:^25}  {:>9}  {:>7}  {:>7}\n", "A", "B", "dist. mm",
           "witness on A, mm", "witness on B, mm", "rel.error", "query", "deriv.");
  cli::say("{:<44}{:>10}  {:^25}  {:^25}  {:>9}  {:>7}  {:>7}\n", "", "", "", "", "of dd/dxi", "us", "us");
  for (int i = 0; i < kPairs; ++i) {
    Random random(1, static_cast<std::uint64_t>(i));
    const body::Body A{assets[names[static_cast<std::size_t>(i) % names.size()]]};
    const body::Body B{assets[names[(static_cast<std::size_t>(i) * 3 + 1) % names.size()]]};
    show_pair(pose_at_gap(A, B, kGaps[i % 4], random));
  }
  cli::say("\nAsk your own with: abut-query {} POSES.csv --what derivative\n", folder);
  return 0;
}

int demo(int argc, char** argv) {
  CLI::App app{"Shows distances, witness points and derivatives for a few pairs of assets.", "abut-demo"};
  std::string folder;
  app.add_option("ASSETS", folder, "folder of assets made by abut-preprocess")->required();
  return cli::parse(app, argc, argv) ? run(folder) : 0;
}

}  // namespace

int main(int argc, char** argv) { return abut::cli::run_program("abut-demo", demo, argc, argv); }
