// Work for callgrind to count: instructions.sh runs it once for every row.
//   instructions ASSETS        names of the rows
//   instructions ASSETS ROW    prepares a row's queries on the assets of the folder (with points and
//   volumes),
//                              answers them once, then again within abut_measured(); prints their number
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/support/pile.h"
#include "runtime/contact/model.h"
#include "runtime/core/random.h"
#include "runtime/derivative/estimator.h"
#include "runtime/ssdf/field.h"
#include "runtime/witness/pair_query.h"

namespace {

using namespace abut;

constexpr double kDepth = 0.05;  // of the smaller body's half diagonal

double half_diagonal(const body::Geometry& body) {
  const asset::SurfaceView& surface = body.surface();
  const Eigen::Map<const Eigen::Matrix3Xd> corners(surface.vertices, 3, surface.vertex_count);
  return (corners.rowwise().maxCoeff() - corners.rowwise().minCoeff()).norm() / 2;
}

// B in a random direction and orientation, moved until the hulls' signed distance is `distance`.
body::Pair pair_at(const body::Body& A, const body::Body& B, double distance, Random& random) {
  const auto draw = [&] { return Vec3<double>(random.normal(), random.normal(), random.normal()); };
  const Mat3<double> R = exp_rotation<double>(draw());
  const Vec3<double> direction = draw().normalized();
  witness::Workspace<double> workspace;
  double near = 0, far = 4 * (half_diagonal(A.geometry) + half_diagonal(B.geometry));
  for (int i = 0; i < 50; ++i) {
    const double middle = (near + far) / 2;
    const auto answer = witness::separation(A.geometry, B.geometry, {R, middle * direction}, workspace);
    (answer.distance > distance ? far : near) = middle;
  }
  return {&A, &B, {R, near * direction}};
}

// Some work, answered once by every call, and the number of queries in it.
struct Row {
  std::function<void()> work;
  std::size_t queries;
};

class Rows {
 public:
  explicit Rows(const std::string& folder) {
    Random random(1);
    cli::AssetFolder assets(folder);
    for (const std::string& name : assets.names()) bodies_.push_back({assets[name]});
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      for (std::size_t j = i + 1; j < bodies_.size(); ++j) {
        const body::Body &A = bodies_[i], &B = bodies_[j];
        const double size = std::min(half_diagonal(A.geometry), half_diagonal(B.geometry));
        overlapping_.push_back(pair_at(A, B, -kDepth * size, random));
        apart_.push_back(pair_at(A, B, size, random));
      }
    }
  }

  // Made when they are asked for.
  std::map<std::string, std::function<Row()>> all() {
    std::map<std::string, std::function<Row()>> rows;
    rows["witness/overlapping"] = [this] { return witness(overlapping_); };
    rows["witness/apart"] = [this] { return witness(apart_); };
    for (const derivative::EstimatorRow& row : derivative::estimators())
      rows["derivative/" + std::string(row.name)] = [this, name = row.name] { return derivative(name); };
    for (const contact::ModelRow& row : contact::models())
      if (row.has_wrench)
        for (const bool jacobian : {false, true})
          rows["wrench/" + std::string(row.name) + (jacobian ? "/jacobian" : "/value")] =
              [this, name = row.name, jacobian] { return wrench(name, jacobian); };
    rows["soft_distance/gradient"] = [this] { return soft_distance(); };
    rows["pile/step"] = pile_step;
    return rows;
  }

 private:
  static Row witness(const std::vector<body::Pair>& pairs) {
    const auto workspace = std::make_shared<witness::Workspace<double>>();
    return {[&pairs, workspace] {
              for (const body::Pair& pair : pairs)
                (void)witness::separation(pair.A->geometry, pair.B->geometry, pair.X_AB, *workspace);
            },
            pairs.size()};
  }

  Row derivative(std::string_view name) {
    const std::shared_ptr<derivative::Estimator> estimator = derivative::make_estimator(name);
    return {[this, estimator] {
              for (const body::Pair& pair : overlapping_) (void)(*estimator)(pair);
            },
            overlapping_.size()};
  }

  Row wrench(std::string_view name, bool jacobian) {
    const std::shared_ptr<contact::Model> model = contact::make_model(name);
    const contact::Want want = jacobian ? contact::Want::kJacobian : contact::Want::kValue;
    const std::vector<body::Pair> pairs(overlapping_.begin(),
                                        overlapping_.begin() + std::min<long>(kFew, overlapping_.size()));
    return {[model, want, pairs] {
              for (const body::Pair& pair : pairs) (void)model->wrench(pair, want);
            },
            pairs.size()};
  }

  // Of the centre of B's frame and points about it in the field of A.
  Row soft_distance() {
    Random random(2);
    const auto points = std::make_shared<std::vector<std::pair<const body::Geometry*, Vec3<double>>>>();
    for (const body::Pair& pair : overlapping_)
      for (int i = 0; i < 100; ++i)
        points->emplace_back(&pair.A->geometry,
                             half_diagonal(pair.A->geometry) *
                                 Vec3<double>(random.normal(), random.normal(), random.normal()));
    return {[points] {
              for (const auto& [body, p_Q] : *points)
                (void)ssdf::soft_distance(body->points(), p_Q, std::pow(body->points().spacing, 2),
                                          ssdf::Order::kGradient);
            },
            points->size()};
  }

  static Row pile_step() {
    constexpr int kBodies = 63, kPoured = 600, kSteps = 20;
    const auto simulation = std::make_shared<dynamics::Simulation>(
        benchmark_support::pile(kBodies, benchmark_support::bin_side(kBodies)));
    for (int k = 0; k < kPoured; ++k) simulation->step();
    return {[simulation] {
              for (int k = 0; k < kSteps; ++k) simulation->step();
            },
            kSteps};
  }

  static constexpr long kFew = 10;  // of queries of milliseconds

  std::vector<body::Body> bodies_;
  std::vector<body::Pair> overlapping_, apart_;
};

}  // namespace

extern "C" [[gnu::noinline]] void abut_measured(const std::function<void()>& work) { work(); }

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: instructions ASSETS [ROW]\n");
    return 2;
  }
  Rows rows(argv[1]);
  const auto all = rows.all();
  if (argc == 2) {
    for (const auto& [name, make] : all) std::printf("%s\n", name.c_str());
    return 0;
  }
  const auto found = all.find(argv[2]);
  if (found == all.end()) throw InvalidInput("no row '" + std::string(argv[2]) + "'");
  const Row row = found->second();
  row.work();
  abut_measured(row.work);
  std::printf("%zu\n", row.queries);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "instructions: %s\n", error.what());
  return 1;
}
