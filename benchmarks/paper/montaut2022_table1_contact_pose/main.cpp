// Table I of [Montaut2022]: contact-pose generation on random pairs of 12-vertex polyhedral ellipsoids, under
// three laws of the targets, and on pairs of scanned hulls:
//   montaut2022_table1_contact_pose [--pairs 100] [--problems 100] [--ycb 1000] [--csv FILE]
// Fails where the smoothed bodies solve fewer problems on ellipsoids than promised.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <fstream>

#include "benchmarks/paper/montaut2022/hulls.h"
#include "benchmarks/paper/montaut2022/paper_estimators.h"
#include "benchmarks/paper/montaut2022/pose_problems.h"
#include "benchmarks/paper/montaut2022/provenance.h"
#include "benchmarks/support/promises.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using namespace abut::benchmarks;

using derivative::gauss_newton_contact_pose;

constexpr int kIterations = derivative::ContactPoseConfig{}.iterations;

struct Method {
  const char* name;
  const char* settings;
  std::function<Solution(const Problem&)> solve;
  const char* paper;  // D1, Q1, median, Q3, D9 of the paper's table
};

std::vector<Method> methods(std::uint64_t seed) {
  const auto with = [](Differentiator differentiator) {
    return [differentiator](const Problem& p) {
      return gauss_newton_contact_pose(p, differentiator, kIterations);
    };
  };
  return {
      {"finite differences", "M=12 eps=1e-6", with(paper_finite_difference(1e-6)),
       "2e-33 4e-32 3e-03 4e-02 8e-02"},
      {"zeroth order", "M=12 eps=1e-3", with(paper_zeroth_order(12, 1e-3, seed)),
       "8e-33 7e-23 4e-14 1e-02 5e-02"},
      {"zeroth order", "M=50 eps=1e-2", with(paper_zeroth_order(50, 1e-2, seed)),
       "4e-23 5e-20 2e-13 2e-03 5e-03"},
      {"zeroth order, plain", "M=12 eps=1e-3", with(paper_zeroth_order(12, 1e-3, seed, false)),
       "8e-33 7e-23 4e-14 1e-02 5e-02"},
      {"zeroth order, plain", "M=50 eps=1e-2", with(paper_zeroth_order(50, 1e-2, seed, false)),
       "4e-23 5e-20 2e-13 2e-03 5e-03"},
      {"first-order Gaussian", "M=20 eps=1e-3", with(paper_gaussian(20, 1e-3, seed)),
       "4e-16 1e-10 4e-08 3e-07 2e-06"},
      {"first-order Gumbel", "nl=1 eps=1e-4", with(paper_gumbel(1, 1e-4)), "6e-16 3e-10 1e-08 7e-08 2e-05"},
      {"gumbel", "table, defaults", with(table_estimator("gumbel")), ""},
      {"gaussian", "table, defaults", with(table_estimator("gaussian")), ""},
      {"zeroth_order", "table, defaults", with(table_estimator("zeroth_order")), ""},
      {"analytic", "table, defaults", with(table_estimator("analytic")), ""},
      {"soft_bodies", "table, defaults", with(table_estimator("soft_bodies")), ""},
      {"soft bodies", "annealed, defaults",
       [](const Problem& p) { return derivative::solve_contact_pose(p); }, ""},
  };
}

struct Quantiles {
  std::array<double, 5> at;  // D1, Q1, median, Q3, D9
  double solved;             // share with a value below 1e-7
};

Quantiles quantiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Quantiles q;
  constexpr double kLevels[5] = {0.1, 0.25, 0.5, 0.75, 0.9};
  for (int k = 0; k < 5; ++k) {
    q.at[static_cast<std::size_t>(k)] =
        values[static_cast<std::size_t>(kLevels[k] * double(values.size() - 1) + 0.5)];
  }
  q.solved =
      double(std::lower_bound(values.begin(), values.end(), 1e-7) - values.begin()) / double(values.size());
  return q;
}

class Table {
 public:
  Table(const std::string& csv, std::uint64_t seed) {
    if (csv.empty()) return;
    csv_.open(csv);
    write_provenance(csv_, "montaut2022_table1_contact_pose", seed, 0);
    csv_ << "objects,law,method,settings,problems,D1,Q1,median,Q3,D9,solved,paper\n";
  }

  void title(const std::string& objects, Law law, std::size_t problems) {
    objects_ = objects;
    law_ = static_cast<char>(law);
    problems_ = problems;
    std::printf("\n%s, law %c, %zu problems, %d iterations\n%-22s %-16s %-38s solved     paper\n",
                objects.c_str(), law_, problems, kIterations, "method", "settings",
                "    D1      Q1  median      Q3      D9");
  }

  Quantiles row(const char* method, const char* settings, const std::vector<double>& values,
                const char* paper) {
    const Quantiles q = quantiles(values);
    std::printf("%-22s %-16s", method, settings);
    for (const double x : q.at) std::printf(" %7.0e", x);
    std::printf("  %6.2f %%   %s\n", 100 * q.solved, paper);
    std::fflush(stdout);
    if (!csv_.is_open()) return q;
    csv_ << objects_ << ',' << law_ << ',' << method << ',' << settings << ',' << problems_;
    for (const double x : q.at) csv_ << ',' << x;
    csv_ << ',' << q.solved << ',' << paper << '\n';
    return q;
  }

 private:
  std::ofstream csv_;
  std::string objects_;
  char law_ = ' ';
  std::size_t problems_ = 0;
};

template <class Value>
std::vector<double> each(const std::vector<Problem>& problems, Value&& value) {
  std::vector<double> result(problems.size());
  parallel_for(static_cast<std::int64_t>(problems.size()), 0, [&](std::int64_t i, int) {
    result[static_cast<std::size_t>(i)] = value(problems[static_cast<std::size_t>(i)]);
  });
  return result;
}

void run(Table& table, const std::string& objects, Law law, const std::vector<Problem>& problems,
         std::uint64_t seed, const std::string& only, Promises& promises) {
  table.title(objects, law, problems.size());
  for (const Method& method : methods(seed)) {
    if (std::string_view(method.name).find(only) == std::string_view::npos) continue;
    const char* paper = law == Law::kVertices && objects == "polyhedral ellipsoids" ? method.paper : "";
    const Quantiles q =
        table.row(method.name, method.settings,
                  each(problems, [&](const Problem& p) { return method.solve(p).cost; }), paper);
    if (method.name != std::string_view("soft bodies") || objects != "polyhedral ellipsoids") continue;
    if (law == Law::kUniform) continue;
    const std::string title = std::string("soft bodies, law ") + static_cast<char>(law);
    promises.at_least(title + ", solved, %", 100 * q.solved, law == Law::kVertices ? 99.95 : 97);
    promises.at_most(title + ", D9", q.at[4], 1e-24);
  }
  if (law != Law::kUniform) return;
  table.row("floor", "not flat", each(problems, cost_floor_away_from_flat_contact), "");
  const SettingValues sets = {{"score", "sets"}, {"last_temperature", 1e-8}};
  table.row("soft bodies", "set-valued",
            each(problems, [&](const Problem& p) { return derivative::solve_contact_pose(p, sets).cost; }),
            "");
}

}  // namespace

int main(int argc, char** argv) try {
  int pairs = 100, per_pair = 100, ycb = 1000;
  std::uint64_t seed = 1;
  std::string csv, only, objects, laws = "VCU";
  CLI::App app("Table I of Montaut et al. 2022: contact-pose generation");
  app.add_option("--pairs", pairs, "pairs of polyhedral ellipsoids")->capture_default_str();
  app.add_option("--problems", per_pair, "target pairs for each")->capture_default_str();
  app.add_option("--ycb", ycb, "problems on scanned hulls")->capture_default_str();
  app.add_option("--objects", objects, kObjectsHelp);
  app.add_option("--laws", laws, "of the targets, of V, C and U")->capture_default_str();
  app.add_option("--only", only, "only the methods whose name contains this");
  app.add_option("--seed", seed)->capture_default_str();
  app.add_option("--csv", csv, "file for the table");
  CLI11_PARSE(app, argc, argv);
  objects = objects_folder(objects).string();

  Table table(csv, seed);
  Promises promises;
  std::vector<body::Body> A, B;
  for (int i = 0; i < pairs; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    for (auto* list : {&A, &B}) {
      Vec3<double> axes;
      for (int k = 0; k < 3; ++k) axes[k] = random.uniform(0.1, 0.3);
      list->push_back(test::hull_body(test::tessellated_ellipsoid(0, axes, test::random_rotation(random))));
    }
  }
  for (const char law : laws) {
    std::vector<Problem> problems;
    for (std::size_t i = 0; i < A.size(); ++i) {
      for (int j = 0; j < per_pair; ++j) {
        problems.push_back(draw_problem(A[i], B[i], static_cast<Law>(law), seed + 1,
                                        i * 1'000'000 + static_cast<std::uint64_t>(j)));
      }
    }
    if (problems.empty()) continue;
    run(table, "polyhedral ellipsoids", static_cast<Law>(law), problems, seed, only, promises);
  }

  std::vector<body::Body> hulls;
  for (const NamedHull& hull : read_ycb_hulls(objects)) hulls.push_back(test::hull_body(hull.piece));
  if (hulls.empty()) std::printf("\nno objects in %s: the scanned hulls are left out\n", objects.c_str());
  for (const char law : laws) {
    if (hulls.empty() || law == 'U' || ycb < 1) continue;
    std::vector<Problem> problems;
    for (int j = 0; j < ycb; ++j) {
      Random random(seed + 2, static_cast<std::uint64_t>(j));
      const body::Body &a = hulls[random.below(hulls.size())], &b = hulls[random.below(hulls.size())];
      problems.push_back(draw_problem(a, b, static_cast<Law>(law), seed + 3, static_cast<std::uint64_t>(j)));
    }
    run(table, "scanned hulls", static_cast<Law>(law), problems, seed, only, promises);
  }
  return promises.verdict();
} catch (const std::exception& error) {
  std::fprintf(stderr, "montaut2022_table1_contact_pose: error: %s\n", error.what());
  return 1;
}
