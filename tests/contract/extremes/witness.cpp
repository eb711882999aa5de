#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "runtime/derivative/estimator.h"
#include "runtime/math/adjoint.h"
#include "runtime/witness/solver.h"
#include "tests/contract/extremes/witness_answer.h"

// Witness points of hulls, and their derivatives.
namespace abut::test {

namespace {

using Vector = Vec3<double>;
using witness::Witness;

// How far a point is outside a hull, m.
double outside(const asset::ConvexView& hull, const Vector& x) {
  double most = -std::numeric_limits<double>::infinity();
  const auto corner = [&](int i) { return Vector(hull.x[i], hull.y[i], hull.z[i]); };
  for (int t = 0; t < hull.triangle_count; ++t) {
    const Vector a = corner(hull.triangles[3 * t]), b = corner(hull.triangles[3 * t + 1]),
                 c = corner(hull.triangles[3 * t + 2]), n = (b - a).cross(c - a).stableNormalized();
    if (n.squaredNorm() > 0.5) most = std::max(most, n.dot(x - a));
  }
  return most;
}

// The same answer, or one as good: witness points need not be the only ones.
void judge_same(const Query& query, const Witness<double>& w, const Witness<double>& other, Again again,
                Judge& judge) {
  const double length = query.length;
  judge.same(again, "distance", std::abs(w.distance - other.distance), length);
  if ((w.p1 - other.p1).stableNorm() <= kShare * length && (w.p2 - other.p2).stableNorm() <= kShare * length)
    return;
  const Pose<double> X_BA = query.X_AB.inverse();
  judge.at_most("p1 outside A", outside(query.A->hull(), other.p1), kShare * length);
  judge.at_most("p2 outside B", outside(query.B->hull(), X_BA * other.p2), kShare * length);
}

// As seen from A: `w` of the pair (B, A) with the pose X_BA, or of the pair in the frames M and N.
Witness<double> exchanged(Witness<double> w, const Pose<double>& X_AB) {
  const Vector p1 = X_AB * w.p2;
  w.p2 = X_AB * w.p1;
  w.p1 = p1;
  w.n = -(X_AB.R * w.n);
  return w;
}
Witness<double> from_frame(Witness<double> w, const Pose<double>& X_MA) {
  const Pose<double> X_AM = X_MA.inverse();
  w.p1 = X_AM * w.p1;
  w.p2 = X_AM * w.p2;
  w.n = X_AM.R * w.n;
  return w;
}

class Hulls final : public Asker {
 public:
  void ask(const Query& query, Judge& judge) override {
    const asset::ConvexView &A = query.A->hull(), &B = query.B->hull();
    const auto w =
        judge.timed([&] { return witness::separation(A, B, query.X_AB, work_, Vector::Zero().eval()); });
    if (!judge_witness(w, query.length, judge)) return;
    const auto swapped = judge.timed(
        [&] { return witness::separation(B, A, query.X_AB.inverse(), work_, Vector::Zero().eval()); });
    if (judge_witness(swapped, query.length, judge))
      judge_same(query, w, exchanged(swapped, query.X_AB), Again::kExchanged, judge);
    const auto moved = judge.timed([&] {
      return witness::separation(query.A->moved_hull(), query.B->moved_hull(), query.moved(), work_,
                                 Vector::Zero().eval());
    });
    if (judge_witness(moved, query.length, judge))
      judge_same(query, w, from_frame(moved, query.A->X_MO), Again::kMoved, judge);
  }

 private:
  witness::Workspace<double> work_;
};

// Solvers that go from the query's pose to others: the same answers as a cold query, exchanged and in other
// frames.
class WarmHulls final : public Asker {
 public:
  void ask(const Query& query, Judge& judge) override {
    const asset::ConvexView &A = query.A->hull(), &B = query.B->hull();
    Solver direct(A, B), swapped(B, A), moved(query.A->moved_hull(), query.B->moved_hull());
    Random random = query.random();
    Query at = query;
    for (int step = 0; step < 4; ++step) {
      at.length = std::max(query.length, at.X_AB.p.stableNorm());
      const auto warm = judge.timed([&] { return direct(at.X_AB); });
      const auto back = judge.timed([&] { return swapped(at.X_AB.inverse()); });
      const auto other = judge.timed([&] { return moved(at.moved()); });
      const auto cold = witness::separation<double>(A, B, at.X_AB);
      if (!judge_witness(warm, at.length, judge) || !judge_witness(back, at.length, judge) ||
          !judge_witness(other, at.length, judge))
        return;
      judge.at_most("warm distance below the cold's bounds", cold.lower_bound - warm.distance,
                    kShare * at.length);
      judge.at_most("warm distance above the cold's bounds", warm.distance - cold.upper_bound,
                    kShare * at.length);
      judge_same(at, warm, exchanged(back, at.X_AB), Again::kExchanged, judge);
      judge_same(at, warm, from_frame(other, query.A->X_MO), Again::kMoved, judge);
      Vec6<double> xi;
      const double step_size = std::pow(10.0, random.uniform(-16, 0));
      for (int i = 0; i < 6; ++i) xi[i] = step_size * random.normal() * (i < 3 ? 1 : query.B->reach);
      at.X_AB = at.X_AB * exp<double>(xi);
    }
  }

 private:
  using Solver = witness::WitnessSolver<double, asset::ConvexView, asset::ConvexView>;
};

// A derivative of the pair (B, A) by xi_A of X_BA exp(xi_A) as one of (A, B): xi_A = -Ad(X_AB) xi_B, and what
// was fixed in B turns with it.
derivative::WitnessDerivative<double> exchanged(const derivative::WitnessDerivative<double>& d,
                                                const Witness<double>& of_BA, const Pose<double>& X_AB) {
  const Mat6<double> Ad = adjoint(X_AB);
  const auto carried = [&](const Mat36<double>& of_other, const Vector& p_B) -> Mat36<double> {
    Mat36<double> ride;
    ride << -skew(p_B), Mat3<double>::Identity();
    return X_AB.R * (ride - of_other * Ad);
  };
  derivative::WitnessDerivative<double> result = d;
  result.dp1_A_dxi_B = carried(d.dp2_A_dxi_B, of_BA.p2);
  result.dp2_A_dxi_B = carried(d.dp1_A_dxi_B, of_BA.p1);
  Mat36<double> turn;
  turn << skew(of_BA.n), Mat3<double>::Zero();
  result.dn_A_dxi_B = X_AB.R * (d.dn_A_dxi_B * Ad + turn);
  result.dd_dxi_B = -d.dd_dxi_B * Ad;
  return result;
}
// From the frames M of A and N of B.
derivative::WitnessDerivative<double> from_frames(derivative::WitnessDerivative<double> d,
                                                  const Query& query) {
  const Mat6<double> Ad = adjoint(query.B->X_MO);
  const Mat3<double> R_AM = query.A->X_MO.R.transpose();
  for (Mat36<double>* of_point : {&d.dp1_A_dxi_B, &d.dp2_A_dxi_B, &d.dn_A_dxi_B})
    *of_point = R_AM * *of_point * Ad;
  d.dd_dxi_B = d.dd_dxi_B * Ad;
  return d;
}

// Of a row of the table of estimators.
class Derivative final : public Asker {
 public:
  explicit Derivative(std::string_view row)
      : estimator_(derivative::make_estimator(row)),
        closed_form_(row == "gumbel" || row == "analytic"),
        differences_(row == "finite_difference") {}

  void ask(const Query& query, Judge& judge) override {
    const Ways ways(query);
    const auto found = judge.timed([&] { return (*estimator_)(ways.direct); });
    const auto swapped = judge.timed([&] { return (*estimator_)(ways.exchanged); });
    const auto moved = judge.timed([&] { return (*estimator_)(ways.moved); });
    for (const auto* answer : {&found, &swapped, &moved})
      if (!judge_numbers(*answer, judge)) return;
    judge.meets(found.witness.distance <= 0);
    judge_same(
        query, found,
        {exchanged(swapped.witness, query.X_AB), exchanged(swapped.derivative, swapped.witness, query.X_AB)},
        Again::kExchanged, judge);
    judge_same(query, found, {from_frame(moved.witness, query.A->X_MO), from_frames(moved.derivative, query)},
               Again::kMoved, judge);
  }

 private:
  static bool judge_numbers(const derivative::PairDerivative& found, Judge& judge) {
    const auto& d = found.derivative;
    const bool numbers = d.dp1_A_dxi_B.allFinite() && d.dp2_A_dxi_B.allFinite() && d.dn_A_dxi_B.allFinite() &&
                         d.dd_dxi_B.allFinite();
    judge.holds("finite derivatives", numbers);
    judge.holds("an answer", d.status != Status::kInvalidInput);
    if (d.status == Status::kNotConverged) judge.open();
    return numbers;
  }

  // Where witness points and normal are the same, and the curvatures are taken at the same vertices, so is
  // every derivative.
  void judge_same(const Query& query, const derivative::PairDerivative& found,
                  const derivative::PairDerivative& other, Again again, Judge& judge) const {
    const Witness<double>& w = found.witness;
    const double length = query.length;
    const double turned = (w.n - other.witness.n).norm(), shifted = (w.p2 - other.witness.p2).stableNorm();
    if (!(turned <= kShare) || !(shifted <= kShare * length)) return;
    if (differences_) return;  // of answers as far apart as the steps: rounding over the step, and kinks
    const auto &d = found.derivative, &e = other.derivative;
    const Row6<double> gap = d.dd_dxi_B - e.dd_dxi_B;
    judge.same(again, "dd by translation", gap.tail<3>().norm(), 4);
    judge.same(again, "dd by rotation", gap.head<3>().stableNorm(), 8 * length);
    if (!closed_form_ || !same_vertices(w, other.witness, again)) return;
    // A singular direction is clamped by the size of the hulls' boxes, which are along the axes.
    if (d.status == Status::kClamped || e.status == Status::kClamped) return;
    // A length changed by its share changes what is divided by it by as much as that is larger. Curvatures
    // change with the normal that they are taken at, up to 100 times as much for those found (nearly parallel
    // edges, the soft maximum over vertices), and with rounding: of the pose, which the smaller body feels
    // more, and of the products of two edges, which lose the square of the angle between them.
    const double larger = length / std::min(query.A->reach, query.B->reach),
                 crossed = d.dn_A_dxi_B.leftCols<3>().norm();
    const double rounding = std::numeric_limits<double>::epsilon() * (larger + crossed * crossed);
    const double bend =
        (1 + length * d.dn_A_dxi_B.rightCols<3>().stableNorm()) * (1 + 100 * (turned + rounding) / kShare);
    const auto both = [&](const char* what, const Mat36<double>& x, const Mat36<double>& y, double unit) {
      const Mat36<double> difference = x - y;
      judge.same(again, what, difference.rightCols<3>().stableNorm(),
                 bend * (unit / length + x.rightCols<3>().stableNorm()));
      judge.same(again, what, difference.leftCols<3>().stableNorm(),
                 bend * (unit + x.leftCols<3>().stableNorm() + length * x.rightCols<3>().stableNorm()));
    };
    both("dp1", d.dp1_A_dxi_B, e.dp1_A_dxi_B, length);
    both("dp2", d.dp2_A_dxi_B, e.dp2_A_dxi_B, length);
    both("dn", d.dn_A_dxi_B, e.dn_A_dxi_B, 1);
  }

  static bool same_vertices(const Witness<double>& w, const Witness<double>& other, Again again) {
    const auto sorted = [&](const std::int32_t* v) {
      std::vector<std::int32_t> set(v, v + 3);
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
      return set;
    };
    const bool swap = again == Again::kExchanged;
    return w.simplex_size == other.simplex_size &&
           sorted(w.vertex_A) == sorted(swap ? other.vertex_B : other.vertex_A) &&
           sorted(w.vertex_B) == sorted(swap ? other.vertex_A : other.vertex_B);
  }

  std::unique_ptr<derivative::Estimator> estimator_;
  bool closed_form_;  // depends on pose and vertices alone, not on the axes that samples are drawn in
  bool differences_;
};

}  // namespace

void add_witness_properties(std::vector<Property>& list) {
  list.push_back({"separation_hulls", 1,
                  [](std::string_view) -> std::unique_ptr<Asker> { return std::make_unique<Hulls>(); }});
  list.push_back({"separation_warm", 1,
                  [](std::string_view) -> std::unique_ptr<Asker> { return std::make_unique<WarmHulls>(); }});
}

void add_derivative_properties(std::vector<Property>& list) {
  for (const auto& row : derivative::estimators())
    list.push_back(
        {"derivative_" + std::string(row.name), 1,
         [](std::string_view name) -> std::unique_ptr<Asker> { return std::make_unique<Derivative>(name); },
         std::string(row.name)});
}

}  // namespace abut::test
