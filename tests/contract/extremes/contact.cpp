#include <cmath>
#include <optional>

#include "runtime/contact/contact_points.h"
#include "runtime/contact/model.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/contact/soft_minimum.h"
#include "runtime/math/adjoint.h"
#include "runtime/witness/separation.h"
#include "tests/contract/extremes/query.h"
#include "tests/support/bodies.h"

// Wrenches and constraints of every contact model.
namespace abut::test {

namespace {

using Vector = Vec3<double>;
using contact::PairWrench;
using contact::Want;

// Bodies that stand still, or move slowly or fast.
Vec6<double> draw_twist(Random& random, double reach) {
  Vec6<double> V = Vec6<double>::Zero();
  if (random.below(2) == 0) return V;
  const double speed = std::pow(10.0, random.uniform(-6, 3));
  for (int i = 0; i < 6; ++i) V[i] = speed * random.normal() * (i < 3 ? 1 : reach);
  return V;
}

bool judge_numbers(const PairWrench& w, Judge& judge) {
  const bool numbers = w.F_BBo_B.allFinite() && w.dF_dxi_B.allFinite() && w.dF_dV_AB_B.allFinite();
  judge.holds("finite numbers", numbers);
  judge.holds("an answer", w.status != Status::kInvalidInput);
  if (w.status == Status::kNotConverged) judge.open();
  return numbers;
}

// Two wrenches on B about Bo of one pair. Points are known to a share of the largest length only, velocities
// to one of their own: F changes by its derivatives along those, and by all of it where the share is as long
// as the smaller body. Where they only touch, rounding of the points alone may change what overlaps: F then
// changes by `stiffness` (N/m) times that; and by `jump` where the points are within rounding of one.
void judge_same(const Query& query, const PairWrench& w, const Vec6<double>& other,
                const Vec6<double>& V_AB_B, double stiffness, Again again, Judge& judge,
                const Vec6<double>& jump = Vec6<double>::Zero()) {
  judge.meets(w.F_BBo_B.squaredNorm() > 0);
  if (w.F_BBo_B == other) return;  // also where the scales below have no room for products
  const double length = query.length, ratio = 1 + length / std::min(query.A->reach, query.B->reach);
  const auto slope = [&](int row) {
    return length * w.dF_dxi_B.block<3, 3>(row, 3).norm() + w.dF_dxi_B.block<3, 3>(row, 0).norm() +
           (w.dF_dV_AB_B.middleRows<3>(row).cwiseAbs() * V_AB_B.cwiseAbs()).norm();
  };
  const auto size = [&](int row) {
    return std::max(w.F_BBo_B.segment<3>(row).norm(), other.segment<3>(row).norm());
  };
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * length;
  const double force = ratio * size(3) + slope(3) + stiffness * rounding / kShare;
  const Vec6<double> gap = w.F_BBo_B - other;
  judge.same(again, "force", gap.tail<3>().norm(), force + jump.tail<3>().norm() / kShare);
  judge.same(again, "torque", gap.head<3>().norm(),
             ratio * size(0) + slope(0) + query.B->reach * force +
                 (jump.head<3>().norm() + query.A->reach * jump.tail<3>().norm()) / kShare);
}

// Most that the force of pressure fields may change for a shift, N/m: over a section of the smaller body,
// with walls of a hundredth of it.
double stiffest(const Query& query, const body::Material& of_A, const body::Material& of_B,
                const Vec6<double>& V_AB_B) {
  const double modulus = std::min(of_A.modulus, of_B.modulus);
  const double speed = V_AB_B.tail<3>().stableNorm() + query.B->reach * V_AB_B.head<3>().stableNorm();
  return 100 * modulus * std::min(query.A->reach, query.B->reach) *
         (1 + (of_A.dissipation + of_B.dissipation) * speed);
}

// The same of soft-minimum contact as it comes.
double spring_stiffness(const Query& query) {
  return contact::parameters_of(contact::SoftMinimumConfig{}, query.A->own.geometry.points(),
                                query.B->own.geometry.points())
      .stiffness;
}

// A wrench on A about Ao, of the pair (B, A), as one on B about Bo.
Vec6<double> exchanged(const Vec6<double>& F_AAo_A, const Pose<double>& X_AB) {
  return -shift_wrench<double>(X_AB.inverse(), F_AAo_A);
}

// Wrenches of one query asked in three ways.
struct Wrenches {
  PairWrench direct, exchanged, moved;
};

// Nothing where a number is none, or a query says that its answer is not certified.
std::optional<Wrenches> ask(contact::Model& model, const Ways& ways, Judge& judge) {
  Wrenches w;
  w.direct = judge.timed([&] { return model.wrench(ways.direct); });
  if (!judge_numbers(w.direct, judge)) return {};
  w.exchanged = judge.timed([&] { return model.wrench(ways.exchanged); });
  w.moved = judge.timed([&] { return model.wrench(ways.moved); });
  if (!judge_numbers(w.exchanged, judge) || !judge_numbers(w.moved, judge) || judge.is_open()) return {};
  return w;
}

void judge_same(const Query& query, const Wrenches& w, const Vec6<double>& V_AB_B, double stiffness,
                Judge& judge) {
  judge_same(query, w.direct, exchanged(w.exchanged.F_BBo_B, query.X_AB), V_AB_B, stiffness,
             Again::kExchanged, judge);
  judge_same(query, w.direct, adjoint(query.B->X_MO).transpose() * w.moved.F_BBo_B, V_AB_B, stiffness,
             Again::kMoved, judge);
}

// A row of the table. Pressure fields have materials and settings drawn.
class Wrench final : public Asker {
 public:
  explicit Wrench(std::string_view row)
      : field_(row == "pressure_field"),
        soft_minimum_(row == "soft_minimum"),
        jumps_(contact::find_model(row).smoothness < 0),
        model_(contact::make_model(row)) {}

  void ask(const Query& query, Judge& judge) override {
    Random random = query.random();
    body::Material of_A{.friction = kFriction}, of_B = of_A;
    if (field_) draw_materials(random, of_A, of_B);
    const Vec6<double> V_A = draw_twist(random, query.A->reach), V_B = draw_twist(random, query.B->reach);
    const Ways ways(query, V_A, V_B, of_A, of_B);
    const auto w = test::ask(*model_, ways, judge);
    if (!w) return;
    // A model that may jump does so where its witness is not the only one.
    if (jumps_) return judge_sizes(query, *w, judge);
    const Vec6<double>& V_AB_B = ways.direct.V_AB_B;
    const double stiffness = field_          ? stiffest(query, of_A, of_B, V_AB_B)
                             : soft_minimum_ ? spring_stiffness(query)
                                             : 0;
    judge_same(query, *w, V_AB_B, stiffness, judge);
  }

 private:
  static constexpr double kFriction = 0.5;

  void draw_materials(Random& random, body::Material& of_A, body::Material& of_B) {
    of_A = of_B = {};
    contact::PressureFieldSettings settings;
    of_A.modulus = std::pow(10.0, random.uniform(3, 12));
    of_B.modulus = of_A.modulus * std::pow(10.0, random.uniform(0.2, 2) * (random.below(2) ? 1 : -1));
    if (random.below(2) == 0) {
      of_A.friction = random.uniform(0, 2), of_B.friction = random.uniform(0, 2);
      of_A.dissipation = random.uniform(0, 1), of_B.dissipation = random.uniform(0, 1);
      settings.fade_pulls = random.below(2) == 0;
    }
    model_ = contact::make_pressure_field_model(settings);
  }

  static void judge_sizes(const Query& query, const Wrenches& w, Judge& judge) {
    const double force = w.direct.F_BBo_B.tail<3>().norm(), stiffness = 1e4;  // of the point model, N/m
    for (const auto& [other, again] : {std::pair{&w.exchanged, Again::kExchanged}, {&w.moved, Again::kMoved}})
      judge.same(again, "force", std::abs(force - other->F_BBo_B.tail<3>().norm()),
                 stiffness * query.length + force);
    judge.meets(force > 0);
  }

  bool field_, soft_minimum_, jumps_;
  std::unique_ptr<contact::Model> model_;
};

class Constraints final : public Asker {
 public:
  explicit Constraints(std::string_view row)
      : model_(contact::make_model(row)), facets_(row == "pressure_field") {}

  void ask(const Query& query, Judge& judge) override {
    Random random = query.random();
    const double size = std::min(query.A->reach, query.B->reach);
    const double margin = random.below(2) ? 0 : size * std::pow(10.0, random.uniform(-9, 1));
    const Ways ways(query);
    const contact::Constraints found = judge.timed([&] { return model_->constraints(ways.direct, margin); });
    judge.holds("an answer", found.status != Status::kInvalidInput);
    if (found.status == Status::kNotConverged) judge.open();
    for (const contact::ContactPoint& c : found.points) {
      judge.holds("finite numbers",
                  c.p_AC.allFinite() && c.n_A.allFinite() && std::isfinite(c.gap) && std::isfinite(c.area));
      judge.at_most("|n| - 1", std::abs(c.n_A.norm() - 1), 1e-9);
      judge.at_most("gap", c.gap, margin);
    }
    judge.meets(!found.points.empty());
    if (facets_) return;  // their depths are quotients by slopes that may vanish: see wrench_pressure_field
    if (judge.is_open()) return;
    const double direct = deepest(found.points, margin);
    judge_same(query, direct, ways.exchanged, margin, Again::kExchanged, judge);
    judge_same(query, direct, ways.moved, margin, Again::kMoved, judge);
  }

 private:
  static double deepest(std::span<const contact::ContactPoint> points, double margin) {
    double gap = margin;
    for (const contact::ContactPoint& c : points) gap = std::min(gap, c.gap);
    return gap;
  }
  // As deep asked in another way, unless that answer is not certified.
  void judge_same(const Query& query, double direct, const body::Pair& pair, double margin, Again again,
                  Judge& judge) {
    const contact::Constraints other = judge.timed([&] { return model_->constraints(pair, margin); });
    if (other.status == Status::kNotConverged) return judge.open();
    judge.same(again, "deepest gap", std::abs(direct - deepest(other.points, margin)), query.length);
  }

  std::unique_ptr<contact::Model> model_;
  bool facets_;
};

// The kernel of soft-minimum contact with all derivatives, and its contact points.
class SoftHessian final : public Asker {
 public:
  void ask(const Query& query, Judge& judge) override {
    const asset::PointsView &A = query.A->own.geometry.points(), &B = query.B->own.geometry.points();
    Random random = query.random();
    contact::SoftMinimumConfig config;
    if (random.below(2) == 0) {
      const auto scaled = [&](double& setting) { setting *= std::pow(10.0, random.uniform(-2, 2)); };
      for (double* setting : {&config.eps1, &config.eps2, &config.eps3, &config.load, &config.penetration})
        scaled(*setting);
      if (random.below(2) == 0) config.kernel = ssdf::KernelKind::kWall;
    }
    const auto parameters = contact::parameters_of(config, A, B);
    const Vec6<double> V = draw_twist(random, query.B->reach);
    const auto& w = judge.timed([&]() -> const auto& {
      contact::soft_minimum(A, B, query.X_AB, V, parameters, ssdf::Order::kHessian, contact_);
      return contact_;
    });
    bool numbers = w.F_BBo_B.allFinite() && w.jacobian.allFinite() && std::isfinite(w.distance) &&
                   w.distance_gradient.allFinite() && w.distance_hessian.allFinite();
    for (const auto& H : w.hessian) numbers = numbers && H.allFinite();
    judge.holds("finite numbers", numbers);
    judge.holds("an answer", w.status == Status::kOk || w.status == Status::kNoOverlap);
    judge.meets(w.distance <= 0);
    ssdf::TopKConfig top;
    const auto& points = judge.timed([&]() -> const auto& {
      contact::contact_points(A, B, query.X_AB, parameters, top, work_, points_);
      return points_;
    });
    judge.holds("contact points", points.status != Status::kInvalidInput);
    for (int k = 0; k < points.count && points.status == Status::kOk; ++k)
      judge.holds("finite contact points", points.points[static_cast<std::size_t>(k)].allFinite() &&
                                               points.derivative[static_cast<std::size_t>(k)].allFinite());
  }

 private:
  contact::SoftMinimum<double> contact_;
  contact::ContactPointsWorkspace<double> work_;
  contact::ContactPoints<double> points_;
};

// Friction and dissipation, or neither.
void draw_losses(Random& random, body::Material& of_A, body::Material& of_B) {
  if (random.below(2) == 0) of_A.friction = of_B.friction = 0.5, of_A.dissipation = 0.3;
}

// Pressure field against a rigid body.
class Rigid final : public Asker {
 public:
  void ask(const Query& query, Judge& judge) override {
    if (!query.A->has_surface()) return;
    Random random = query.random();
    body::Material of_A{.modulus = std::pow(10.0, random.uniform(3, 12))}, of_B{.modulus = contact::kRigid};
    draw_losses(random, of_A, of_B);
    const Vec6<double> V_A = draw_twist(random, query.A->reach), V_B = draw_twist(random, query.B->reach);
    const Ways ways(query, V_A, V_B, of_A, of_B);
    const Vec6<double>& V_AB_B = ways.direct.V_AB_B;
    if (const auto w = test::ask(*model_, ways, judge))
      judge_same(query, *w, V_AB_B, stiffest(query, of_A, of_B, V_AB_B), judge);
  }

 private:
  std::unique_ptr<contact::Model> model_ = contact::make_pressure_field_model();
};

// And against a half-space, which stays in its frame. With losses the force jumps where the plane goes from
// one tetrahedron to the next through the face between them, as the slope of the pressure does: a plane
// within rounding of such a face may have the force of either side.
class HalfSpace final : public Asker {
 public:
  void ask(const Query& query, Judge& judge) override {
    Random random = query.random();
    body::Material of_A{.modulus = std::pow(10.0, random.uniform(3, 12))};
    body::Material of_ground{.modulus = random.below(2) ? contact::kRigid : of_A.modulus * 3};
    draw_losses(random, of_A, of_ground);
    const body::Body ground =
        body_of(body::HalfSpace<double>{query.A->reach * std::pow(10.0, random.uniform(-3, 1))}, of_ground);
    const body::Body A{query.A->own.geometry, of_A}, M{query.A->moved.geometry, of_A};
    const Vec6<double> V_A = draw_twist(random, query.A->reach), V_B = draw_twist(random, query.A->reach);
    const Pose<double>& X_AB = query.X_AB;
    const Pose<double> X_BA = X_AB.inverse(), X_MB = query.A->X_MO * X_AB;
    const Vec6<double> V_AB_B = relative_twist(X_AB, V_A, V_B), V_M = adjoint(query.A->X_MO) * V_A;
    constexpr double kFar = 1e75;  // m, m/s: products of four have no room
    if (!(X_AB.p.stableNorm() < kFar && V_AB_B.stableNorm() < kFar)) {
      const PairWrench w = judge.timed([&] { return model_->wrench({&A, &ground, X_AB, V_AB_B}); });
      return judge.holds("an answer or a refusal",
                         w.F_BBo_B.allFinite() || w.status == Status::kInvalidInput);
    }
    const PairWrench w = judge.timed([&] { return model_->wrench({&A, &ground, X_AB, V_AB_B}); });
    const PairWrench swapped = judge.timed([&] {
      return model_->wrench({&ground, &A, X_BA, relative_twist(X_BA, V_B, V_A)});
    });
    const PairWrench moved = judge.timed([&] {
      return model_->wrench({&M, &ground, X_MB, relative_twist(X_MB, V_M, V_B)});
    });
    if (!judge_numbers(w, judge) || !judge_numbers(swapped, judge) || !judge_numbers(moved, judge)) return;
    const double shift = 64 * std::numeric_limits<double>::epsilon() * query.length;
    const auto beside = [&](double height) -> Vec6<double> {
      const Pose<double> X = X_AB * Pose<double>{Mat3<double>::Identity(), {0, 0, height}};
      return model_->wrench({&A, &ground, X, V_AB_B}).F_BBo_B;
    };
    const Vec6<double> jump = 8 * (beside(shift) - beside(-shift));
    const double stiffness = stiffest(query, of_A, of_ground, V_AB_B);
    judge_same(query, w, exchanged(swapped.F_BBo_B, X_AB), V_AB_B, stiffness, Again::kExchanged, judge, jump);
    judge_same(query, w, moved.F_BBo_B, V_AB_B, stiffness, Again::kMoved, judge, jump);
  }

 private:
  std::unique_ptr<contact::Model> model_ = contact::make_pressure_field_model();
};

template <class T>
std::unique_ptr<Asker> make_named(std::string_view row) {
  return std::make_unique<T>(row);
}
template <class T>
std::unique_ptr<Asker> make_plain(std::string_view) {
  return std::make_unique<T>();
}

}  // namespace

void add_contact_properties(std::vector<Property>& list) {
  for (const contact::ModelRow& row : contact::models()) {
    const std::string name(row.name);
    const int cost = name == "point" ? 1 : name == "pressure_field" ? 10 : 100;
    if (row.has_wrench) list.push_back({"wrench_" + name, cost, make_named<Wrench>, name});
    if (row.has_constraints) list.push_back({"constraints_" + name, cost, make_named<Constraints>, name});
  }
  // Its smoothing may be as wide as the bodies: then all points of one count for each point of the other.
  list.push_back({"soft_minimum_hessian", 100, make_plain<SoftHessian>, {}, 10});
  list.push_back({"pressure_field_rigid", 10, make_plain<Rigid>});
  list.push_back({"pressure_field_half_space", 10, make_plain<HalfSpace>});
}

}  // namespace abut::test
