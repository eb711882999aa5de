// Contact gradients of libraries against extended-precision differences, on the same poses of real meshes:
//   gradients_table [PAGE.md]      docs/gradients.md is the page
// The reference: central differences of the fourth order of distance and witness point of the two hulls in
// 80-bit arithmetic. Poses are rows of the reference queries, in turn overlapping and apart, at which it is
// the same with half its step: away from kinks. Each library's difference step is the one of least median
// error.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>

#include "benchmarks/gradients/peers.h"
#include "benchmarks/support/promises.h"
#include "benchmarks/support/reference_hulls.h"
#include "runtime/derivative/estimator.h"
#include "runtime/witness/separation.h"
#include "tests/support/bodies.h"

namespace abut::gradients {
namespace {

constexpr std::size_t kPoses = 1000;
constexpr double kWrong = 1e-2;       // relative error of a gradient that is counted as wrong
constexpr double kSmooth = 1e-9;      // relative change of the reference where its step is halved
constexpr double kPromised = 1e-9;    // our largest relative error
constexpr long double kStep = 1e-5L;  // of the reference, rad and m

class Abut : public Library {
 public:
  std::string name() const override { return "Abut"; }
  std::string how() const override { return "exact (`estimator=\"analytic\"`)"; }
  std::vector<double> steps() const override { return {0}; }
  Gradient gradient(const Question& question, double) override {
    const auto [witness, derivative] = (*estimator_)({&body(question.A), &body(question.B), question.X_AB});
    Gradient result;
    result << derivative.dd_dxi_B, derivative.dp1_A_dxi_B;
    return result;
  }

 private:
  const body::Body& body(const asset::ConvexView& view) {
    const auto at = bodies_.find(view.x);
    if (at != bodies_.end()) return at->second;
    std::vector<Vec3<double>> vertices;
    for (std::int32_t i = 0; i < view.vertex_count; ++i)
      vertices.emplace_back(view.x[i], view.y[i], view.z[i]);
    return bodies_.emplace(view.x, test::hull_body(preprocess::build_convex_piece(vertices))).first->second;
  }

  std::unique_ptr<derivative::Estimator> estimator_ = derivative::make_estimator("analytic");
  std::map<const double*, body::Body> bodies_;
};

using LongValue = Eigen::Matrix<long double, 4, 1>;

LongValue exact(const Question& question, const Vec6<long double>& xi) {
  const Pose<long double> X = question.X_AB.cast<long double>() * exp(xi);
  const auto found = witness::separation<long double>(question.A, question.B, X);
  LongValue value;
  value << found.distance, found.p1;
  return value;
}

// f'(0) to the fourth order: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h.
Gradient reference(const Question& question, long double step) {
  Gradient result;
  for (int k = 0; k < 6; ++k) {
    const Vec6<long double> xi = step * Vec6<long double>::Unit(k);
    const auto at = [&](long double times) { return exact(question, Vec6<long double>(times * xi)); };
    const LongValue slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
    result.col(k) = slope.cast<double>();
  }
  return result;
}

double distance_error(const Gradient& found, const Gradient& expected) {
  return (found.row(0) - expected.row(0)).norm() / expected.row(0).norm();
}
double point_error(const Gradient& found, const Gradient& expected) {
  return (found.bottomRows<3>() - expected.bottomRows<3>()).norm() /
         std::max(1.0, expected.bottomRows<3>().norm());
}

struct Problems {
  std::vector<benchmark_support::HullQueries> sets;  // own the hulls
  std::vector<Question> questions;
  std::vector<Gradient> expected;
  std::size_t left_out = 0;  // at kinks
};

Problems make_problems() {
  Problems problems;
  for (const char* file : {"ycb_hulls_collide.csv", "ycb_hulls_separate.csv"})
    problems.sets.push_back(benchmark_support::read_hull_queries(file));
  for (std::size_t row = 0; problems.questions.size() < kPoses; ++row) {
    const auto& set = problems.sets[row % 2];
    const auto& query = set.queries.at(row / 2);
    const Question question{query.A, query.B, query.X_AB, query.distance};
    const Gradient found = reference(question, kStep), again = reference(question, kStep / 2);
    if (!(distance_error(found, again) < kSmooth && point_error(found, again) < kSmooth)) {
      ++problems.left_out;
      continue;
    }
    problems.questions.push_back(question);
    problems.expected.push_back(again);
  }
  return problems;
}

// Of one quantity: no answer counts as an infinite error.
struct Errors {
  double median, high, most, wrong;  // 95 % are below `high`; share above kWrong
};
Errors errors(std::vector<double> all) {
  for (double& error : all)
    if (!std::isfinite(error)) error = HUGE_VAL;
  std::sort(all.begin(), all.end());
  const auto wrong = std::count_if(all.begin(), all.end(), [](double error) { return !(error <= kWrong); });
  return {all[all.size() / 2], all[all.size() * 95 / 100], all.back(),
          static_cast<double>(wrong) / static_cast<double>(all.size())};
}

struct Row {
  double step, microseconds;
  Errors distance, point;
};

Row measure(Library& library, const Problems& problems, double step) {
  std::vector<Gradient> found(problems.questions.size());
  const auto ask = [&] {
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = library.gradient(problems.questions[i], step);
  };
  ask();  // its bodies are made
  const std::clock_t start = std::clock();
  ask();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::vector<double> distances, points;
  for (std::size_t i = 0; i < found.size(); ++i) {
    distances.push_back(distance_error(found[i], problems.expected[i]));
    points.push_back(point_error(found[i], problems.expected[i]));
  }
  return {step, seconds / static_cast<double>(found.size()) * 1e6, errors(distances), errors(points)};
}

Row best(Library& library, const Problems& problems) {
  std::vector<Row> rows;
  for (const double step : library.steps()) rows.push_back(measure(library, problems, step));
  return *std::min_element(rows.begin(), rows.end(),
                           [](const Row& a, const Row& b) { return a.distance.median < b.distance.median; });
}

std::string words(const Errors& errors) {
  std::ostringstream out;
  out.precision(1);
  const auto number = [&](double value) {
    if (std::isfinite(value))
      out << std::scientific << value;
    else
      out << "none";
    out << " | ";
  };
  number(errors.median), number(errors.high), number(errors.most);
  out.precision(3);
  out << std::defaultfloat << 100 * errors.wrong << " %";
  return out.str();
}

std::string page(const Problems& problems, const std::vector<std::pair<const Library*, Row>>& rows) {
  std::ostringstream out;
  out << "# Contact gradients compared with other libraries\n\n"
         "This page is made by `build/release/benchmarks/gradients_table docs/gradients.md`; [its first "
         "lines](../benchmarks/gradients/gradients_table.cpp) say what is compared with what.\n\n"
         "- **Poses.** There are "
      << problems.questions.size()
      << " poses of the convex hulls of scanned objects (YCB), half of them overlapping; "
      << problems.left_out
      << " more lie at a kink of the distance and were left out.\n"
         "- **Reference.** The reference is a finite difference of answers in 80-bit arithmetic, which "
         "come from Abut's own solver.\n"
         "- **Errors** are relative: median, 95th percentile and largest. *wrong* is an error above 1 %, "
         "*none* means no answer. Finite differences use the step (rad and m) with the smallest\n"
         "  median error of the distance, in both tables.\n"
         "- **Time** is processor time for one gradient in all 6 directions.\n"
         "- **Settings.** The other libraries have their default settings, except that FCL uses its "
         "signed distance, and MuJoCo a margin of 1.05 times the distance plus two\n"
         "  steps, by which it inflates the bodies. The margin makes its answers worse, but without "
         "it MuJoCo finds no contact between separated bodies.\n";
  for (const bool points : {false, true}) {
    out << (points ? "\n## Of the witness point on A\n" : "\n## Of the signed distance\n")
        << "\n| library | gradient | step | median | 95th percentile | largest | wrong | time relative to "
           "Abut |\n"
           "|---|---|---|---|---|---|---|---|\n";
    for (const auto& [library, row] : rows) {
      if (points && !library->has_points()) continue;
      out << "| " << library->name() << " | " << library->how() << " | ";
      if (row.step > 0) out << row.step;
      std::ostringstream times;
      times.precision(2);
      times << row.microseconds / rows.front().second.microseconds;
      out << " | " << words(points ? row.point : row.distance) << " | " << times.str() << " |\n";
    }
  }
  return out.str();
}

int run(int argc, char** argv) {
  const Problems problems = make_problems();
  std::vector<std::unique_ptr<Library>> libraries;
  libraries.push_back(std::make_unique<Abut>());
#ifdef ABUT_HAVE_FCL
  libraries.push_back(make_fcl());
#endif
#ifdef ABUT_HAVE_BULLET
  libraries.push_back(make_bullet());
#endif
#ifdef ABUT_HAVE_MUJOCO
  libraries.push_back(make_mujoco());
#endif
  std::vector<std::pair<const Library*, Row>> rows;
  for (const auto& library : libraries) rows.emplace_back(library.get(), best(*library, problems));
  const std::string text = page(problems, rows);
  std::printf("%s", text.c_str());
  if (argc > 1) std::ofstream(argv[1]) << text;
  benchmarks::Promises promises;
  promises.at_most("largest error of the gradient of distance", rows.front().second.distance.most, kPromised);
  promises.at_most("largest error of the gradient of a witness point", rows.front().second.point.most,
                   kPromised);
  return promises.verdict();
}

}  // namespace
}  // namespace abut::gradients

int main(int argc, char** argv) {
  return abut::benchmarks::guarded("gradients_table", &abut::gradients::run, argc, argv);
}
