#include <array>
#include <cmath>
#include <limits>

#include "runtime/contact/model.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/derivative/estimator.h"
#include "runtime/distance/surface_distance.h"
#include "runtime/ssdf/soft_distances.h"
#include "runtime/witness/pair_query.h"
#include "runtime/witness/shapes.h"
#include "runtime/witness/solver.h"
#include "tests/contract/extremes/query.h"
#include "tests/support/bodies.h"

// Batches, which give the bits of single queries, and input that everything refuses.
namespace abut::test {

namespace {

using Vector = Vec3<double>;

constexpr int kThreads = 2;

// The same bits, where NaN is NaN.
bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }
bool same(const auto& x, const auto& y) {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (!same(x(i), y(i))) return false;
  return true;
}

class Batches final : public Asker {
 public:
  void ask(const Query& query, Judge& judge) override {
    const Ways ways(query);
    const std::array<body::Pair, 3> pairs = {ways.direct, ways.exchanged, ways.moved};
    std::array<witness::Witness<double>, 3> witnesses;
    separation_(pairs, witnesses);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto w = witness::separation(pairs[i]);
      judge.holds("witnesses of a batch", same(w.p1, witnesses[i].p1) && same(w.p2, witnesses[i].p2) &&
                                              same(w.n, witnesses[i].n) && w.status == witnesses[i].status &&
                                              same(w.distance, witnesses[i].distance));
      judge.meets(w.distance <= 0);
    }
    std::array<derivative::PairDerivative, 3> derivatives;
    derivative_(pairs, derivatives);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto single = (*gumbel_)(pairs[i]).derivative, &of_batch = derivatives[i].derivative;
      judge.holds("derivatives of a batch", same(single.dp1_A_dxi_B, of_batch.dp1_A_dxi_B) &&
                                                same(single.dp2_A_dxi_B, of_batch.dp2_A_dxi_B) &&
                                                same(single.dn_A_dxi_B, of_batch.dn_A_dxi_B) &&
                                                same(single.dd_dxi_B, of_batch.dd_dxi_B));
    }
    wrenches(point_, *single_point_, pairs, judge);
    wrenches(field_, *single_field_, pairs, judge);
    points(query, judge);
  }

 private:
  static void wrenches(contact::BatchModel& batch, contact::Model& single, std::span<const body::Pair> pairs,
                       Judge& judge) {
    std::array<contact::PairWrench, 3> found;
    batch.wrenches(pairs, found);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const contact::PairWrench w = single.wrench(pairs[i]);
      judge.holds("wrenches of a batch", same(w.F_BBo_B, found[i].F_BBo_B) &&
                                             same(w.dF_dxi_B, found[i].dF_dxi_B) &&
                                             w.status == found[i].status);
    }
  }

  static void points(const Query& query, Judge& judge) {
    const std::array<Vector, 3> at = {query.X_AB.p, Vector(0.5 * query.X_AB.p),
                                      Vector(query.X_AB.R.col(0) * query.A->reach)};
    if (query.A->has_surface()) {
      std::array<distance::SurfaceDistance<double>, 3> found;
      distance::signed_distances(query.A->own.geometry.surface(), at, found, kThreads);
      for (std::size_t i = 0; i < at.size(); ++i) {
        const auto single = distance::signed_distance<double>(query.A->own.geometry.surface(), at[i]);
        judge.holds("distances of a batch",
                    same(single.distance, found[i].distance) && same(single.gradient, found[i].gradient));
      }
    }
    const ssdf::SoftDistances soft(query.A->own.geometry);
    std::array<ssdf::SoftDistance<double>, 3> found;
    soft(at, ssdf::Order::kHessian, found, kThreads);
    const double eps1 = ssdf::default_eps1(query.A->own.geometry.points());
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto single = ssdf::soft_distance(query.A->own.geometry.points(), at[i], eps1);
      judge.at_most("soft distances of a batch", std::abs(single.value - found[i].value),
                    kShare * query.length);
    }
  }

  witness::BatchSeparation separation_{kThreads};
  derivative::BatchEstimator derivative_{"gumbel", {}, kThreads};
  std::unique_ptr<derivative::Estimator> gumbel_ = derivative::make_estimator("gumbel");
  contact::BatchModel point_{"point", {}, kThreads}, field_{"pressure_field", {}, kThreads};
  std::unique_ptr<contact::Model> single_point_ = contact::make_model("point"),
                                  single_field_ = contact::make_model("pressure_field");
};

// A pose that is none: NaN, infinite, zero, stretched or mirrored.
Pose<double> spoilt(Pose<double> X, Random& random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double bad[] = {std::nan(""), kInfinity, -kInfinity};
  const auto row = static_cast<Eigen::Index>(random.below(3)),
             column = static_cast<Eigen::Index>(random.below(3));
  switch (random.below(5)) {
    case 0:
      X.R(row, column) = bad[random.below(3)];
      break;
    case 1:
      X.p[row] = bad[random.below(3)];
      break;
    case 2:
      X.R.setZero();
      break;
    case 3:
      X.R *= random.below(2) ? 1 + random.uniform(1e-4, 1) : 1 - random.uniform(1e-4, 1);
      break;
    default:
      X.R.col(column) *= -1;
  }
  return X;
}

class Refusals final : public Asker {
 public:
  Refusals() {
    for (const auto& row : derivative::estimators())
      estimators_.push_back(derivative::make_estimator(row.name));
    for (const auto& row : contact::models()) models_.push_back(contact::make_model(row.name));
  }

  void ask(const Query& query, Judge& judge) override {
    Random random = query.random();
    const body::Body &A = query.A->own, &B = query.B->own;
    const body::Pair bad{&A, &B, spoilt(query.X_AB, random)};
    const body::Pair good{&A, &B, query.X_AB};
    body::Pair wild = good;
    wild.V_AB_B[static_cast<Eigen::Index>(random.below(6))] =
        random.below(2) ? std::nan("") : std::numeric_limits<double>::infinity();
    const auto refused = [&](const char* what, auto&& call) {
      judge.holds(what, judge.timed([&] {
        try {
          call();
        } catch (const InvalidInput&) {
          return true;
        }
        return false;
      }));
    };
    refused("separation refuses", [&] { witness::separation(bad); });
    witness::Witness<double> w;
    refused("a batch refuses", [&] { separation_(std::span(&bad, 1), std::span(&w, 1)); });
    for (auto& estimator : estimators_) {
      refused("an estimator refuses", [&] { (*estimator)(bad); });
      refused("an estimator refuses a twist", [&] { (*estimator)(wild); });
    }
    for (auto& model : models_) {
      refused("a model refuses the pose", [&] { model->wrench(bad); });
      refused("a model refuses the pose for constraints", [&] { model->constraints(bad, 0); });
      refused("a model refuses a twist", [&] { model->wrench(wild); });
      const double margins[] = {-1, std::nan(""), std::numeric_limits<double>::infinity()};
      refused("a model refuses a margin", [&] { model->constraints(good, margins[random.below(3)]); });
    }
    const body::Body ground = body_of(body::HalfSpace<double>{query.A->reach});
    for (auto& model : models_) {
      refused("a half-space refuses", [&] { model->wrench({&A, &ground, bad.X_AB}); });
      refused("a half-space as A refuses", [&] { model->wrench({&ground, &A, bad.X_AB}); });
      refused("two half-spaces are refused", [&] { model->wrench({&ground, &ground, query.X_AB}); });
    }
    kernels(query, bad.X_AB, judge);
  }

 private:
  // Kernels do not throw: they say so, and every number is NaN.
  void kernels(const Query& query, const Pose<double>& X, Judge& judge) {
    const asset::ConvexView& A = query.A->hull();
    const auto none = [&](const witness::Witness<double>& w) {
      judge.holds("a kernel refuses", w.status == Status::kInvalidInput && std::isnan(w.distance));
    };
    if (!X.finite()) {
      none(witness::separation<double>(A, query.B->hull(), X));
      none(witness::separation<double>(A, witness::HalfSpace<double>{}, X));
      none(witness::separation<double>(witness::Sphere<double>{1}, A, X));
    }
    none(witness::separation<double>(A, witness::Sphere<double>{std::nan("")}, query.X_AB));
    if (X.p.allFinite()) return;
    const asset::PointsView& points = query.A->own.geometry.points();
    const auto soft = ssdf::soft_distance(points, X.p, ssdf::default_eps1(points));
    judge.holds("a soft distance refuses", soft.status == Status::kInvalidInput && std::isnan(soft.value));
    const auto exact = distance::signed_distance<double>(query.A->own.geometry.surface(), X.p);
    judge.holds("a distance refuses", exact.status == Status::kInvalidInput && std::isnan(exact.distance));
  }

  witness::BatchSeparation separation_{1};
  std::vector<std::unique_ptr<derivative::Estimator>> estimators_;
  std::vector<std::unique_ptr<contact::Model>> models_;
};

}  // namespace

void add_batch_properties(std::vector<Property>& list) {
  list.push_back({"batches", 10,
                  [](std::string_view) -> std::unique_ptr<Asker> { return std::make_unique<Batches>(); }});
  list.push_back({"refusals", 10,
                  [](std::string_view) -> std::unique_ptr<Asker> { return std::make_unique<Refusals>(); }});
}

}  // namespace abut::test
