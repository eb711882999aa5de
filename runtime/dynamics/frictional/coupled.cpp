#include "runtime/dynamics/frictional/coupled.h"

#include <algorithm>
#include <limits>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/dynamics/frictional/contact_sweep.h"

namespace abut::dynamics {

namespace {

// Number of sweeps after which Newton's method is tried: about as many as it costs.
int first_finish(std::span<const ContactRow> rows, int limit) {
  const bool regular =
      std::all_of(rows.begin(), rows.end(), [](const ContactRow& row) { return row.law.W_nn > 0; });
  if (rows.size() > IslandNewton::kMostContacts || !regular) return std::numeric_limits<int>::max();
  if (rows.size() <= IslandNewton::kMostOnPath) return std::min(16, limit);
  const auto m = static_cast<int>(rows.size());
  return m * m / 4;
}

// Makes y of the bodies of an island anew from the impulses.
void restart(std::span<const ContactRow> rows, std::span<Spatial> y) {
  for (const ContactRow& row : rows) {
    if (row.A != kFixed) y[row.A].setZero();
    if (row.B != kFixed) y[row.B].setZero();
  }
  apply_impulses(rows, y);
}

// Writes an impulse back to its contact and adds it, equal and opposite at one point, to its bodies.
void deliver(const ContactRow& row, std::span<const ContactBody> bodies, PairContact& contact,
             std::span<Vec6<double>> impulse) {
  const Vec3<double> J = row.R_WC * row.r;
  contact.J_B_W = J;
  if (row.A != kFixed) {
    impulse[row.A].head<3>() -= Vec3<double>(contact.p_WC - bodies[row.A].p_WBcm).cross(J);
    impulse[row.A].tail<3>() -= J;
  }
  if (row.B != kFixed) {
    impulse[row.B].head<3>() += Vec3<double>(contact.p_WC - bodies[row.B].p_WBcm).cross(J);
    impulse[row.B].tail<3>() += J;
  }
}

[[noreturn]] void refuse(const char* what, std::size_t index, const char* why) {
  throw InvalidInput(std::string(what) + " " + std::to_string(index) + ": " + why);
}

}  // namespace

void check_problem(std::span<const ContactBody> bodies, std::span<const PairContact> contacts) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const ContactBody& b = bodies[i];
    if (!(b.p_WBcm.allFinite() && b.inverse_inertia_W.allFinite() && b.V_WB_W.allFinite() &&
          std::isfinite(b.inverse_mass))) {
      refuse("body", i, "a number is not finite; check its mass, inertia, pose and velocity");
    }
    if (b.inverse_mass < 0 || b.inverse_inertia_W.diagonal().minCoeff() < 0) {
      refuse("body", i, "inverse mass or inertia is negative; give 0 for a body that nothing moves");
    }
  }
  const auto count = static_cast<std::int64_t>(bodies.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const PairContact& c = contacts[k];
    if (c.A < kFixed || c.A >= count || c.B < kFixed || c.B >= count || c.A == c.B) {
      refuse("contact", k, "needs two different bodies: indices of the list, or kFixed for one");
    }
    if (!(c.p_WC.allFinite() && c.n_W.allFinite() && c.J_B_W.allFinite() && std::isfinite(c.mu) &&
          std::isfinite(c.least_speed))) {
      refuse("contact", k, "a number is not finite; check its point, normal, friction and first guess");
    }
    if (c.mu < 0) refuse("contact", k, "mu is negative; Coulomb's coefficient is 0 or more");
    if (!(std::abs(c.n_W.squaredNorm() - 1) < 1e-6)) refuse("contact", k, "the normal is not a unit vector");
  }
}

// Extrapolates sweeps as [Silcowitz2010]: the change that a sweep makes stands for a gradient, its size for
// the gradient's norm, and steps are combined as conjugate gradients are. Where a sweep's change has grown
// the directions so far are dropped. Impulses may leave their cones until the next sweep.
void CoupledSolver::extrapolate(std::span<ContactRow> rows, std::span<const std::int32_t> bodies,
                                double ratio) {
  const bool keep = ratio <= 1;
  for (ContactRow& row : rows) {
    const Vec3<double> dr = row.r - row.r_last;
    if (keep) row.r += ratio * row.r_way;
    row.r_way = keep ? ratio * row.r_way + dr : dr;
  }
  for (const std::int32_t i : bodies) {
    const Spatial dy = y_[i] - y_last_[i];
    if (keep) y_[i] += ratio * y_way_[i];
    y_way_[i] = keep ? ratio * y_way_[i] + dy : dy;
  }
}

// Newton's method from the impulses so far, and if that fails the path from contacts alone; impulses are left
// as they are where neither finds an answer. Returns the squared residual, in the units of squared_speed.
double CoupledSolver::finish(std::span<ContactRow> rows, double residual, double squared_speed,
                             IslandNewton& newton) {
  const double tolerance = 0.1 * config_.tolerance;
  newton.load(rows, std::sqrt(squared_speed));
  if (!newton.newton(tolerance) &&
      !(rows.size() <= IslandNewton::kMostOnPath && newton.follow_path(tolerance))) {
    return residual;
  }
  newton.store(rows);
  for (ContactRow& row : rows) row.r = row.law.into_cone(row.r);
  restart(rows, y_);
  return largest_violation(rows, y_);
}

ContactReport CoupledSolver::solve_island(std::int32_t island, std::span<const ContactBody> bodies,
                                          std::span<const PairContact> contacts, IslandNewton& newton) {
  const std::span<const std::int32_t> members = islands_.contacts(island);
  const auto first = static_cast<std::size_t>(members.data() - islands_.contacts(0).data());
  const std::span<ContactRow> rows(rows_.data() + first, members.size());
  double squared_speed = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    make_row(contacts[members[k]], bodies, scales_, rows[k]);
    squared_speed = std::max(squared_speed, rows[k].bias.squaredNorm());
  }
  apply_impulses(rows, y_);
  const double tolerance = config_.tolerance * config_.tolerance * squared_speed;
  const auto m = static_cast<double>(rows.size());
  const int limit = config_.iteration_limit +
                    static_cast<int>(std::min<double>(kMostFurtherSweeps, config_.further_sweeps / (m * m)));
  ContactReport report;
  double residual = std::numeric_limits<double>::infinity();
  int finish_at = first_finish(rows, limit);
  double last_total = 0;
  while (residual > tolerance && report.iterations < limit) {
    for (const std::int32_t i : islands_.bodies(island)) y_last_[i] = y_[i];
    const SweepChange change = sweep(rows, y_);
    ++report.iterations;
    // The largest change of a sweep is a good forecast of the residual, which costs nearly a sweep.
    if (change.largest > tolerance && report.iterations < std::min(finish_at, limit)) {
      extrapolate(rows, islands_.bodies(island), last_total > 0 ? change.total / last_total : 2);
      last_total = change.total;
      continue;
    }
    residual = largest_violation(rows, y_);
    if (residual > tolerance && report.iterations == finish_at) {
      residual = finish(rows, residual, squared_speed, newton);
      finish_at = finish_at < 1 << 20 ? 4 * finish_at : std::numeric_limits<int>::max();
    }
    last_total = 0;
  }
  report.residual = squared_speed > 0 ? std::sqrt(residual / squared_speed) : 0;
  report.status = residual <= tolerance ? Status::kOk : Status::kNotConverged;
  return report;
}

ContactReport CoupledSolver::solve(std::span<ContactBody> bodies, std::span<PairContact> contacts) {
  check_problem(bodies, contacts);
  islands_.build(bodies, contacts);
  scales_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) scales_[i] = body_scale(bodies[i]);
  y_.assign(bodies.size(), Spatial::Zero());
  y_last_.resize(bodies.size());
  y_way_.resize(bodies.size());
  impulse_.assign(bodies.size(), Vec6<double>::Zero());
  rows_.resize(contacts.size());
  reports_.resize(static_cast<std::size_t>(islands_.size()));
  newton_.resize(static_cast<std::size_t>(config_.threads > 0 ? config_.threads : default_threads()));
  parallel_for(islands_.size(), config_.threads, [&](std::int64_t island, int thread) {
    reports_[island] = solve_island(static_cast<std::int32_t>(island), bodies, contacts, newton_[thread]);
  });

  for (PairContact& contact : contacts) {
    if (!is_moved(bodies, contact.A) && !is_moved(bodies, contact.B)) contact.J_B_W.setZero();
  }
  ContactReport report;
  report.residual = 0;
  std::size_t row = 0;
  for (std::int32_t island = 0; island < islands_.size(); ++island) {
    for (const std::int32_t k : islands_.contacts(island)) {
      deliver(rows_[row++], bodies, contacts[k], impulse_);
    }
    const ContactReport& part = reports_[island];
    report.iterations = std::max(report.iterations, part.iterations);
    report.residual = std::max(report.residual, part.residual);
    if (part.status != Status::kOk) report.status = part.status;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].V_WB_W.head<3>() += bodies[i].inverse_inertia_W * impulse_[i].head<3>();
    bodies[i].V_WB_W.tail<3>() += bodies[i].inverse_mass * impulse_[i].tail<3>();
  }
  return report;
}

}  // namespace abut::dynamics
