#include "runtime/dynamics/solve/coupled.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "runtime/core/error.h"

namespace abut::dynamics {

namespace {

constexpr double kNoRatio = 2;  // for extrapolate and sweep: directions so far are dropped

// Number of sweeps after which Newton's method is tried: about as many as it costs.
int first_finish(std::span<const ContactRow> rows, int limit) {
  const auto regular = [](const ContactRow& row) { return row.law.W_nn > 0; };
  if (rows.size() > IslandNewton::kMaxContacts || !std::all_of(rows.begin(), rows.end(), regular))
    return std::numeric_limits<int>::max();
  if (rows.size() <= IslandNewton::kMaxOnPath) return std::min(16, limit);
  const auto m = static_cast<int>(rows.size());
  return m * m / 4;
}

// Makes y of the bodies of an island anew from the impulses.
void restart(std::span<const ContactRow> rows, std::span<BodyChange> bodies) {
  for (const ContactRow& row : rows) {
    if (row.A != kFixed) bodies[row.A].y.setZero();
    if (row.B != kFixed) bodies[row.B].y.setZero();
  }
  apply_impulses(rows, bodies);
}

// Writes an impulse back to its contact and adds it, equal and opposite at one point, to its bodies.
void deliver_row(const ContactRow& row, std::span<const ContactBody> bodies, PairContact& contact,
                 std::span<BodyWrench> wrenches) {
  const Vec3<double> J = row.R_WC * row.r;
  contact.J_B_W = J;
  if (row.A != kFixed) {
    wrenches[row.A].value.head<3>() -= Vec3<double>(contact.p_WC - bodies[contact.A].p_WBcm).cross(J);
    wrenches[row.A].value.tail<3>() -= J;
  }
  if (row.B != kFixed) {
    wrenches[row.B].value.head<3>() += Vec3<double>(contact.p_WC - bodies[contact.B].p_WBcm).cross(J);
    wrenches[row.B].value.tail<3>() += J;
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
          std::isfinite(c.target_velocity))) {
      refuse("contact", k, "a number is not finite; check its point, normal, friction and first guess");
    }
    if (c.mu < 0) refuse("contact", k, "mu is negative; Coulomb's coefficient is 0 or more");
    if (!(std::abs(c.n_W.squaredNorm() - 1) < 1e-6)) refuse("contact", k, "the normal is not a unit vector");
  }
}

// Fills the rows of an island and y from its contacts' first impulses; returns the largest squared speed of a
// contact without impulses.
double CoupledSolver::make_rows(std::int32_t island, std::span<const ContactBody> bodies,
                                std::span<const PairContact> contacts, Team& team) {
  islands_.in_phases(island, team, [&](std::int32_t part, int phase, Islands::Range places) {
    double& squared_speed = parts_[part].squared_speed;
    if (phase == 0) squared_speed = 0;
    for (std::int32_t place = places.begin; place < places.end; ++place) {
      ContactRow& row = rows_[place];
      islands_.prefetch_ahead(contacts, place, places);
      make_row(contacts[islands_.order()[place]], bodies, scales_, row);
      row.A = islands_.place_of_body(row.A);
      row.B = islands_.place_of_body(row.B);
      squared_speed = std::max(squared_speed, row.bias.squaredNorm());
    }
    apply_impulses(rows(places), changes_);
  });
  const Islands::Range all = islands_.parts(island);
  double squared_speed = 0;
  for (std::int32_t part = all.begin; part < all.end; ++part)
    squared_speed = std::max(squared_speed, parts_[part].squared_speed);
  return squared_speed;
}

// Bodies of a part are extrapolated before its first phase, in which it alone touches them.
SweepChange CoupledSolver::sweep_island(std::int32_t island, double ratio, Team& team) {
  islands_.in_phases(island, team, [&](std::int32_t part, int phase, Islands::Range places) {
    SweepChange& change = parts_[part].change;
    if (phase == 0) {
      change = {};
      const Islands::Range own = islands_.body_places(part);
      for (std::int32_t p = own.begin; p < own.end; ++p) extrapolate(ratio, changes_[p]);
    }
    const SweepChange of_phase = sweep(rows(places), ratio, changes_);
    change.largest = std::max(change.largest, of_phase.largest);
    change.total += of_phase.total;
  });
  const Islands::Range all = islands_.parts(island);
  SweepChange change;
  for (std::int32_t part = all.begin; part < all.end; ++part) {
    change.largest = std::max(change.largest, parts_[part].change.largest);
    change.total += parts_[part].change.total;
  }
  return change;
}

double CoupledSolver::violation(std::int32_t island, Team& team) {
  islands_.for_parts(island, team, [&](std::int32_t part) {
    parts_[part].violation = largest_violation(rows(islands_.places_of_part(part)), changes_);
  });
  const Islands::Range all = islands_.parts(island);
  double largest = 0;
  for (std::int32_t part = all.begin; part < all.end; ++part)
    largest = std::max(largest, parts_[part].violation);
  return largest;
}

// Takes the impulses that Newton's method ended at if they leave less than `residual`; returns what is left.
// Where rounding keeps it from its tolerance (a heavy body on a light one) they may still be by far the best.
double CoupledSolver::take(std::span<ContactRow> rows, double residual, const IslandNewton& newton) {
  std::array<Vec3<double>, IslandNewton::kMaxContacts> before;
  for (std::size_t i = 0; i < rows.size(); ++i) before[i] = rows[i].r;
  newton.store(rows);
  for (ContactRow& row : rows) row.r = row.law.into_cone(row.r);
  restart(rows, changes_);
  const double left = largest_violation(rows, changes_);
  if (left < residual) return left;
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].r = before[i];
  restart(rows, changes_);
  return residual;
}

// Newton's method from the impulses so far, and if that fails and `path` asks for it the path, which starts
// from contacts alone; the best impulses are taken. Returns the squared residual, in the units of
// squared_speed.
double CoupledSolver::finish(std::span<ContactRow> rows, double residual, double squared_speed, bool path,
                             IslandNewton& newton) {
  const double tolerance = 0.1 * config_.tolerance;
  newton.load(rows, std::sqrt(squared_speed));
  const bool found = newton.newton(tolerance);
  residual = take(rows, residual, newton);
  if (found || !path) return residual;
  newton.follow_path(tolerance);
  return take(rows, residual, newton);
}

ContactReport CoupledSolver::solve_island(std::int32_t island, double squared_speed, Team& team,
                                          IslandNewton& newton) {
  const std::span<ContactRow> all = rows(islands_.places_of_island(island));
  const double tolerance = config_.tolerance * config_.tolerance * squared_speed;
  const auto m = static_cast<double>(all.size());
  const int limit = config_.iteration_limit +
                    static_cast<int>(std::min<double>(kMaxFurtherSweeps, config_.further_sweeps / (m * m)));
  ContactReport report;
  double residual = std::numeric_limits<double>::infinity();
  int finish_at = first_finish(all, limit);
  const bool may_follow_path = finish_at <= limit && all.size() <= IslandNewton::kMaxOnPath;
  double ratio = kNoRatio, last_total = 0;
  while (residual > tolerance && report.iterations < limit) {
    const SweepChange change = sweep_island(island, ratio, team);
    ++report.iterations;
    // The largest change of a sweep is a good forecast of the residual, which costs nearly a sweep.
    if (change.largest > tolerance && report.iterations < std::min(finish_at, limit)) {
      ratio = last_total > 0 ? change.total / last_total : kNoRatio;
      last_total = change.total;
      continue;
    }
    residual = violation(island, team);
    if (residual > tolerance && report.iterations == finish_at) {
      residual = finish(all, residual, squared_speed, false, newton);
      finish_at = finish_at < 1 << 20 ? 4 * finish_at : std::numeric_limits<int>::max();
    }
    ratio = kNoRatio;
    last_total = 0;
  }
  const double tolerated = std::max(tolerance, config_.path_residual * config_.path_residual * squared_speed);
  if (residual > tolerated && may_follow_path) residual = finish(all, residual, squared_speed, true, newton);
  report.residual = squared_speed > 0 ? std::sqrt(residual / squared_speed) : 0;
  report.status = residual <= tolerance ? Status::kOk : Status::kNotConverged;
  return report;
}

void CoupledSolver::deliver(std::int32_t island, std::span<ContactBody> bodies,
                            std::span<PairContact> contacts, Team& team) {
  islands_.in_phases(island, team, [&](std::int32_t, int, Islands::Range places) {
    for (std::int32_t place = places.begin; place < places.end; ++place) {
      islands_.prefetch_ahead(contacts, place, places);
      deliver_row(rows_[place], bodies, contacts[islands_.order()[place]], wrenches_);
    }
  });
  islands_.for_parts(island, team, [&](std::int32_t part) {
    const Islands::Range own = islands_.body_places(part);
    for (std::int32_t p = own.begin; p < own.end; ++p) {
      const std::int32_t i = islands_.body_order()[p];
      const Vec6<double>& wrench = wrenches_[p].value;
      bodies[i].V_WB_W.head<3>() += bodies[i].inverse_inertia_W * wrench.head<3>();
      bodies[i].V_WB_W.tail<3>() += bodies[i].inverse_mass * wrench.tail<3>();
    }
  });
}

ContactReport CoupledSolver::solve(std::span<ContactBody> bodies, std::span<PairContact> contacts) {
  check_problem(bodies, contacts);
  islands_.build(bodies, contacts);
  scales_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) scales_[i] = body_scale(bodies[i]);
  changes_.assign(bodies.size(), {});
  wrenches_.assign(bodies.size(), {});
  rows_.resize(contacts.size());
  parts_.resize(static_cast<std::size_t>(islands_.parts()));
  reports_.resize(static_cast<std::size_t>(islands_.size()));
  newton_.resize(static_cast<std::size_t>(config_.threads > 0 ? config_.threads : default_threads()));
  islands_.for_each(config_.threads, [&](std::int32_t island, Team& team, int thread) {
    const double squared_speed = make_rows(island, bodies, contacts, team);
    reports_[island] = solve_island(island, squared_speed, team, newton_[thread]);
    deliver(island, bodies, contacts, team);
  });

  for (PairContact& contact : contacts) {  // of no island
    if (islands_.order().size() == contacts.size()) break;
    if (!is_moved(bodies, contact.A) && !is_moved(bodies, contact.B)) contact.J_B_W.setZero();
  }
  ContactReport report;
  report.residual = 0;
  for (const ContactReport& part : reports_) {
    report.iterations = std::max(report.iterations, part.iterations);
    report.residual = std::max(report.residual, part.residual);
    if (part.status != Status::kOk) report.status = part.status;
  }
  return report;
}

}  // namespace abut::dynamics
