#include "runtime/dynamics/solve/published.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace abut::dynamics {

namespace {

constexpr Setting<PublishedConfig> kPublishedSettings[] = {
    {"friction_directions", "", from_to(0, 1000),
     "directions in which a contact's friction is bounded; 0: the circle",
     setting<PublishedConfig, &PublishedConfig::friction_directions>},
};

// The span of the tangents: the eigenvectors of T T' whose eigenvalues are not zero.
struct TangentSpan {
  Mat6<double> vectors;
  Vec6<double> values;
  int first = 0;  // index of the first eigenvalue that is not zero

  explicit TangentSpan(const Mat6<double>& TT) {
    const Eigen::SelfAdjointEigenSolver<Mat6<double>> solver(TT);
    vectors = solver.eigenvectors();
    values = solver.eigenvalues();
    while (first < 6 && !(values[first] > 1e-12 * values[5])) ++first;
  }
  // Returns the pseudoinverse product (T T')^+ b for power -1, the projection of b onto the span for power 0.
  Vec6<double> apply(const Vec6<double>& b, int power) const {
    Vec6<double> sum = Vec6<double>::Zero();
    for (int i = first; i < 6; ++i) {
      const double along = vectors.col(i).dot(b);
      sum += (power == 0 ? along : along / values[i]) * vectors.col(i);
    }
    return sum;
  }
};

// Adds the constraint a'y >= d.
void constrain(const Vec6<double>& a, double d, std::vector<Vec6<double>>& as, std::vector<double>& ds) {
  const double length = a.norm();
  as.push_back(a / length);
  ds.push_back(d / length);
}

}  // namespace

std::span<const Setting<PublishedConfig>> settings_of(const PublishedConfig&) { return kPublishedSettings; }

PublishedSolver::PublishedSolver(const PublishedConfig& config, int threads)
    : config_(config), threads_(threads) {
  require_valid<PublishedConfig>(kPublishedSettings, config, kName);
}

// Makes a contact's side of one body. Its velocities are all of the contact's against a fixed partner,
// otherwise the share that an inelastic impact of the two effective masses would give it.
PublishedSolver::Side PublishedSolver::side_of(const ContactRow& row, std::int32_t contact, bool is_B) {
  const SpatialRows none = SpatialRows::Zero();
  const SpatialRows& own = is_B ? row.J_B : row.J_A;
  const SpatialRows& other = (is_B ? row.A : row.B) == kFixed ? none : is_B ? row.J_A : row.J_B;
  Side side;
  side.contact = contact;
  side.reports = is_B || row.B == kFixed;
  side.closing = row.bias[0] <= 0;
  side.n << own.col(0).head<3>(), own.col(0).segment<3>(4);
  side.t << own.block<3, 2>(0, 1), own.block<3, 2>(4, 1);
  const double n2 = side.n.squaredNorm(), t2 = side.t.squaredNorm();
  const double share_n = n2 > 0 ? n2 / (n2 + other.col(0).squaredNorm()) : 0;
  const double share_t = t2 > 0 ? t2 / (t2 + other.rightCols<2>().squaredNorm()) : 0;
  side.u_n = share_n * row.bias[0];
  side.u_t = share_t * row.bias.tail<2>();
  side.mu = row.law.mu;
  side.bound = 0;
  return side;
}

// Computes the smallest y with n'y >= -u_n at every contact; returns the largest lowering of a bound, m/s.
double PublishedSolver::stage_1(Workspace& work, Vec6<double>& y) {
  work.a.clear();
  work.d.clear();
  for (const Side& side : work.sides) constrain(side.n, -side.u_n, work.a, work.d);
  double lowered = 0;
  if (work.projection.solve(Vec6<double>::Zero(), work.a, work.d) != Status::kOk) {
    LeastDistance<double>::relax(work.a, work.d);
    work.projection.solve(Vec6<double>::Zero(), work.a, work.d);
    for (std::size_t k = 0; k < work.sides.size(); ++k) {
      const Side& side = work.sides[k];
      lowered = std::max(lowered, -side.u_n - work.d[k] * side.n.norm());
    }
  }
  y = work.projection.point();
  for (std::size_t j = 0; j < work.projection.active().size(); ++j) {
    const Side& side = work.sides[work.projection.active()[j]];
    if (side.reports) problem_.rows[side.contact].r[0] = work.projection.multipliers()[j] / side.n.norm();
  }
  return lowered;
}

void PublishedSolver::stage_2(Workspace& work, const Vec6<double>& y_1, Vec6<double>& y_2) {
  std::erase_if(work.sides, [](const Side& side) { return !side.closing; });
  Mat6<double> TT = Mat6<double>::Zero();
  Vec6<double> Tu = Vec6<double>::Zero();
  for (Side& side : work.sides) {
    side.bound = side.mu * std::max(0.0, side.n.dot(y_1));
    TT += side.t * side.t.transpose();
    Tu += side.t * (side.u_t + side.t.transpose() * y_1);
  }
  const TangentSpan span(TT);
  work.a.clear();
  work.d.clear();
  for (const Side& side : work.sides) {
    const Vec6<double> n = span.apply(side.n, 0);
    if (n.norm() > 1e-9 * side.n.norm()) constrain(n, 0, work.a, work.d);
  }
  const Vec6<double> without_bounds = -span.apply(Tu, -1);
  bound_friction(work, without_bounds, y_2);
  const Vec6<double> share = span.apply(y_2, -1);
  for (const Side& side : work.sides) {
    if (side.reports) problem_.rows[side.contact].r.tail<2>() = side.t.transpose() * share;
  }
}

// Computes the y nearest to the goal that satisfies the constraints so far and the bounds of friction. y = 0
// always satisfies them.
void PublishedSolver::bound_friction(Workspace& work, const Vec6<double>& goal, Vec6<double>& y) const {
  const auto bound_along = [&](const Side& side, double c, double s) {
    constrain(-(side.t * Eigen::Vector2d(c, s)), -side.bound, work.a, work.d);
  };
  const auto negligible = [&](const Side& side) { return 1e-12 * goal.norm() * side.t.norm(); };
  for (const Side& side : work.sides) {
    // no friction at all: bounds of zero in four directions
    const int directions = side.bound <= negligible(side) ? 4 : config_.friction_directions;
    for (int k = 0; k < directions; ++k) {
      const double angle = 2 * std::numbers::pi * k / directions;
      bound_along(side, std::cos(angle), std::sin(angle));
    }
  }
  // A circle is bounded along each direction in which it is exceeded, until it is not exceeded anywhere.
  for (int round = 0; round < 60; ++round) {
    work.projection.solve(goal, work.a, work.d);
    y = work.projection.point();
    bool exceeded = false;
    for (const Side& side : work.sides) {
      if (config_.friction_directions > 0) break;
      const Eigen::Vector2d change = side.t.transpose() * y;
      const double size = change.norm();
      if (size <= side.bound + negligible(side)) continue;
      bound_along(side, change[0] / size, change[1] / size);
      exceeded = true;
    }
    if (!exceeded) return;
  }
}

double PublishedSolver::solve_body(std::int32_t body, Workspace& work) {
  y_[body].setZero();
  work.sides.clear();
  for (std::int32_t i = begin_[body]; i < begin_[body + 1]; ++i) {
    const ContactRow& row = problem_.rows[of_body_[i]];
    // a contact that cannot move the body is left out
    if (row.law.W_nn > 0) work.sides.push_back(side_of(row, of_body_[i], row.B == body));
  }
  std::erase_if(work.sides, [](const Side& side) { return side.n.isZero(0); });
  if (work.sides.empty()) return 0;
  Vec6<double> y_1, y_2;
  const double lowered = stage_1(work, y_1);
  stage_2(work, y_1, y_2);
  y_[body] = y_1 + y_2;
  return lowered;
}

// Fills begin_ and of_body_: the contacts of every moved body, in their order.
void PublishedSolver::list_contacts(std::size_t bodies) {
  begin_.assign(bodies + 1, 0);
  const auto for_each_side = [&](auto&& visit) {
    for (std::size_t k = 0; k < problem_.rows.size(); ++k) {
      if (problem_.rows[k].A != kFixed) visit(problem_.rows[k].A, static_cast<std::int32_t>(k));
      if (problem_.rows[k].B != kFixed) visit(problem_.rows[k].B, static_cast<std::int32_t>(k));
    }
  };
  for_each_side([&](std::int32_t body, std::int32_t) { ++begin_[body + 1]; });
  for (std::size_t i = 0; i < bodies; ++i) begin_[i + 1] += begin_[i];
  of_body_.resize(static_cast<std::size_t>(begin_[bodies]));
  for_each_side([&](std::int32_t body, std::int32_t contact) { of_body_[begin_[body]++] = contact; });
  for (std::size_t i = bodies; i > 0; --i) begin_[i] = begin_[i - 1];
  begin_[0] = 0;
}

ContactReport PublishedSolver::solve(std::span<ContactBody> bodies, std::span<PairContact> contacts,
                                     const ContactJoints& joints) {
  if (!joints.trees.empty()) throw InvalidInput("contact solver 'published': takes no joints");
  problem_.begin(bodies, contacts);
  Islands& islands = problem_.islands;
  problem_.rows.resize(islands.order().size());
  for (std::size_t place = 0; place < problem_.rows.size(); ++place) {
    ContactRow& row = problem_.rows[place];
    make_row(contacts[islands.order()[place]], bodies, problem_.scales, row);
    row.A = islands.place_of_body(row.A);
    row.B = islands.place_of_body(row.B);
    row.r.setZero();
  }
  const std::span<const std::int32_t> order = islands.body_order();
  list_contacts(order.size());
  y_.resize(order.size());
  lowered_.resize(order.size());
  work_.resize(static_cast<std::size_t>(threads_ > 0 ? threads_ : default_threads()));
  parallel_for(static_cast<std::int64_t>(order.size()), threads_, [&](std::int64_t body, int thread) {
    lowered_[body] = solve_body(static_cast<std::int32_t>(body), work_[thread]);
  });
  for (PairContact& contact : contacts) contact.J_B_W.setZero();
  for (std::size_t place = 0; place < problem_.rows.size(); ++place)
    contacts[islands.order()[place]].J_B_W = problem_.rows[place].R_WC * problem_.rows[place].r;
  ContactReport report;
  report.iterations = 1;
  report.residual = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    ContactBody& body = bodies[order[place]];
    const BodyScale& scale = problem_.scales[order[place]];
    body.V_WB_W.head<3>() += scale.L * y_[place].head<3>();
    body.V_WB_W.tail<3>() += scale.inverse_root_mass * y_[place].tail<3>();
    report.residual = std::max(report.residual, lowered_[place]);
  }
  if (report.residual > 0) report.status = Status::kNotConverged;
  return report;
}

}  // namespace abut::dynamics
