#include "runtime/dynamics/solve/coupled.h"

#include <algorithm>
#include <array>
#include <limits>

namespace abut::dynamics {

namespace {

constexpr double kNoRatio = 2;  // ratio at which extrapolate and sweep drop all search directions

constexpr Setting<CoupledConfig> kCoupledSettings[] = {
    {"tolerance", "", kPositive, "residual at which an island is solved",
     setting<CoupledConfig, &CoupledConfig::tolerance>},
    {"iteration_limit", "", from_to(1, 1e6), "sweeps over the contacts of one island",
     setting<CoupledConfig, &CoupledConfig::iteration_limit>},
    {"further_sweeps", "", kNonNegative, "further ones for an island of m contacts, times m^2, up to 500",
     setting<CoupledConfig, &CoupledConfig::further_sweeps>},
    {"path_residual", "", kNonNegative, "residual from which small islands are solved by a path",
     setting<CoupledConfig, &CoupledConfig::path_residual>},
};

// Number of sweeps after which Newton's method is first tried: about as many as cost the same as it does.
int first_finish(std::span<const ContactRow> rows, int limit) {
  const auto regular = [](const ContactRow& row) { return row.law.W_nn > 0; };
  if (rows.size() > IslandNewton::kMaxContacts || !std::all_of(rows.begin(), rows.end(), regular))
    return std::numeric_limits<int>::max();
  if (rows.size() <= IslandNewton::kMaxOnPath) return std::min(16, limit);
  const auto m = static_cast<int>(rows.size());
  return m * m / 4;
}

// Recomputes y of an island's bodies and trees from the impulses.
void restart(std::span<const ContactRow> rows, std::span<BodyChange> bodies, TreeRows& trees) {
  for (const ContactRow& row : rows) {
    for (const std::int32_t side : {row.A, row.B}) {
      if (side >= 0) bodies[side].y.setZero();
      if (on_tree(side)) trees.restart(side);
    }
  }
  apply_impulses(rows, bodies, trees);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Squared speed of a row without impulses, for the largest one of its island; 0 for a joint limit that is
// already satisfied.
double squared_speed_of(const ContactRow& row, bool joint) {
  return joint && row.A != kJointFriction && row.bias[0] > 0 ? 0 : row.bias.squaredNorm();
}

// The same of a contact with its own velocity where it would open, not relative to the target velocity.
double squared_own_speed_of(const ContactRow& row, const PairContact& contact) {
  Vec3<double> u = row.bias;
  if (u[0] > 0) u[0] = std::min(u[0], std::abs(u[0] + contact.target_velocity));
  return u.squaredNorm();
}

// Writes an impulse back to its contact and adds it, equal and opposite at one point, to its bodies and
// trees.
void deliver_row(const ContactRow& row, std::span<const ContactBody> bodies, PairContact& contact,
                 std::span<BodyWrench> wrenches, TreeRows& trees) {
  const Vec3<double> J = row.R_WC * row.r;
  contact.J_B_W = J;
  for (const std::int32_t side : {row.A, row.B})
    if (on_tree(side)) trees.deliver(side, row.r.data());
  if (row.A >= 0) {
    wrenches[row.A].value.head<3>() -= Vec3<double>(contact.p_WC - bodies[contact.A].p_WBcm).cross(J);
    wrenches[row.A].value.tail<3>() -= J;
  }
  if (row.B >= 0) {
    wrenches[row.B].value.head<3>() += Vec3<double>(contact.p_WC - bodies[contact.B].p_WBcm).cross(J);
    wrenches[row.B].value.tail<3>() += J;
  }
}

}  // namespace

std::span<const Setting<CoupledConfig>> settings_of(const CoupledConfig&) { return kCoupledSettings; }

CoupledSolver::CoupledSolver(const CoupledConfig& config, int threads) : config_(config), threads_(threads) {
  require_valid<CoupledConfig>(kCoupledSettings, config, kName);
}

// Fills the rows of an island, and y from its contacts' initial impulses.
CoupledSolver::SquaredSpeeds CoupledSolver::make_rows(std::int32_t island,
                                                      std::span<const ContactBody> bodies,
                                                      std::span<const PairContact> contacts, Team& team) {
  const Islands& islands = problem_.islands;
  const TreeRows& trees = problem_.trees;
  islands.for_units(island, team, [&](std::int32_t unit, Islands::Range places) {
    SquaredSpeeds speeds;
    units_[unit].on_trees = false;
    for (std::int32_t place = places.begin; place < places.end; ++place) {
      ContactRow& row = problem_.rows[place];
      islands.prefetch_ahead(contacts, place, places);
      const auto k = static_cast<std::size_t>(islands.order()[place]);
      const bool joint = k >= contacts.size();
      if (trees.empty() || (!joint && !touches_tree(contacts[k], bodies))) {
        make_row(contacts[k], bodies, problem_.scales, row);
        row.A = islands.place_of_body(row.A);
        row.B = islands.place_of_body(row.B);
      }
      units_[unit].on_trees = units_[unit].on_trees || joint || on_tree(row.A) || on_tree(row.B);
      const double square = squared_speed_of(row, joint);
      keep_largest(speeds.with_targets, square);
      keep_largest(speeds.own, joint ? square : squared_own_speed_of(row, contacts[k]));
    }
    units_[unit].speeds = speeds;
    apply_impulses(rows(places), changes_, trees_of(unit));
  });
  const Islands::Range all = islands.units(island);
  SquaredSpeeds speeds;
  for (std::int32_t unit = all.begin; unit < all.end; ++unit) {
    speeds.with_targets = std::max(speeds.with_targets, units_[unit].speeds.with_targets);
    speeds.own = std::max(speeds.own, units_[unit].speeds.own);
  }
  return speeds;
}

// The bodies of a part are extrapolated in the part's own unit, which is the first to touch them.
SweepChange CoupledSolver::sweep_island(std::int32_t island, double ratio, Team& team) {
  const Islands& islands = problem_.islands;
  islands.for_units(island, team, [&](std::int32_t unit, Islands::Range places) {
    const Islands::Range own = islands.body_places_of_unit(unit);
    for (std::int32_t p = own.begin; p < own.end; ++p) extrapolate(ratio, changes_[p]);
    problem_.trees.for_each_in(own, [&](std::size_t t) { extrapolate(ratio, problem_.trees.change(t)); });
    units_[unit].change = sweep(rows(places), ratio, changes_, trees_of(unit));
  });
  const Islands::Range all = islands.units(island);
  SweepChange change;
  for (std::int32_t unit = all.begin; unit < all.end; ++unit) {
    change.largest = std::max(change.largest, units_[unit].change.largest);
    change.total += units_[unit].change.total;
  }
  return change;
}

double CoupledSolver::violation(std::int32_t island, Team& team) {
  const Islands& islands = problem_.islands;
  islands.for_parts(island, team, [&](std::int32_t part) {
    parts_[part].violation = largest_violation(rows(islands.places_of_part(part)), changes_, problem_.trees);
  });
  const Islands::Range all = islands.parts(island);
  double largest = 0;
  for (std::int32_t part = all.begin; part < all.end; ++part)
    largest = std::max(largest, parts_[part].violation);
  return largest;
}

// Takes over the impulses at which Newton's method ended if their squared residual is less than `residual`;
// returns the squared residual that is left. Also impulses that rounding keeps from the tolerance (a heavy
// body on a light one) may be by far the best.
double CoupledSolver::take(std::span<ContactRow> rows, double residual, const IslandNewton& newton) {
  std::array<Vec3<double>, IslandNewton::kMaxContacts> before;
  for (std::size_t i = 0; i < rows.size(); ++i) before[i] = rows[i].r;
  newton.store(rows);
  for (ContactRow& row : rows) {
    if (row.A == kJointFriction)
      row.r[0] = std::clamp(row.r[0], -row.law.mu, row.law.mu);
    else
      row.r = row.law.into_cone(row.r);
  }
  restart(rows, changes_, problem_.trees);
  const double left = largest_violation(rows, changes_, problem_.trees);
  if (left < residual) return left;
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].r = before[i];
  restart(rows, changes_, problem_.trees);
  return residual;
}

// Runs Newton's method from the impulses so far and, if that fails and nothing else follows (`last`), what
// costs more: proximal points and, where the residual is large and they fail, the path. Keeps the best
// impulses and returns their squared residual, in the units of squared_speed.
double CoupledSolver::finish(std::span<ContactRow> rows, double residual, double squared_speed, bool last,
                             IslandNewton& newton) {
  const double tolerance = 0.1 * config_.tolerance;
  newton.load(rows, problem_.trees, std::sqrt(squared_speed));
  bool found = newton.newton(tolerance);
  residual = take(rows, residual, newton);
  if (found || !last) return residual;
  const bool follow = rows.size() <= IslandNewton::kMaxOnPath &&
                      residual > config_.path_residual * config_.path_residual * squared_speed;
  newton.load(rows, problem_.trees, std::sqrt(squared_speed));
  found = newton.proximal_points(tolerance);
  residual = take(rows, residual, newton);
  if (found || !follow) return residual;
  newton.follow_path(tolerance);
  return take(rows, residual, newton);
}

ContactReport CoupledSolver::solve_island(std::int32_t island, const SquaredSpeeds& speeds, Team& team,
                                          IslandNewton& newton) {
  const double squared_speed = speeds.own;
  const std::span<ContactRow> all = rows(problem_.islands.places_of_island(island));
  const double tolerance = config_.tolerance * config_.tolerance * squared_speed;
  const auto m = static_cast<double>(all.size());
  const int limit = config_.iteration_limit +
                    static_cast<int>(std::min<double>(kMaxFurtherSweeps, config_.further_sweeps / (m * m)));
  ContactReport report;
  if (squared_speed == kInfinity) {  // not solvable: a speed is NaN or has overflowed
    report.residual = kInfinity;
    report.status = Status::kNotConverged;
    return report;
  }
  report.status = Status::kOk;
  if (squared_speed == 0) {  // no speed without impulses: zero impulses solve the law, whatever the guess
    for (ContactRow& row : all) row.r.setZero();
    restart(all, changes_, problem_.trees);
    report.residual = 0;
    return report;
  }
  double residual = kInfinity;
  int finish_at = first_finish(all, limit);
  const bool may_finish = finish_at <= limit;
  double ratio = kNoRatio, last_total = 0;
  while (residual > tolerance && report.iterations < limit) {
    const SweepChange change = sweep_island(island, ratio, team);
    ++report.iterations;
    // The largest change made by a sweep is a good estimate of the residual, whose evaluation costs nearly a
    // sweep.
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
  if (residual > tolerance && may_finish) residual = finish(all, residual, squared_speed, true, newton);
  report.residual = std::sqrt(residual / speeds.with_targets);
  if (!(residual <= tolerance)) report.status = Status::kNotConverged;
  return report;
}

void CoupledSolver::deliver(std::int32_t island, std::span<ContactBody> bodies,
                            std::span<PairContact> contacts, const ContactJoints& joints, Team& team) {
  const Islands& islands = problem_.islands;
  islands.for_units(island, team, [&](std::int32_t, Islands::Range places) {
    for (std::int32_t place = places.begin; place < places.end; ++place) {
      islands.prefetch_ahead(contacts, place, places);
      const ContactRow& row = problem_.rows[place];
      const auto k = static_cast<std::size_t>(islands.order()[place]);
      if (k < contacts.size()) {
        deliver_row(row, bodies, contacts[k], wrenches_, problem_.trees);
      } else {
        joints.rows[k - contacts.size()].impulse = row.r[0];
        problem_.trees.deliver(row.B, row.r.data());
      }
    }
  });
  islands.for_parts(island, team, [&](std::int32_t part) {
    const Islands::Range own = islands.body_places(part);
    for (std::int32_t p = own.begin; p < own.end; ++p) {
      const std::int32_t i = islands.body_order()[p];
      const Vec6<double>& wrench = wrenches_[p].value;
      bodies[i].V_WB_W.head<3>() += bodies[i].inverse_inertia_W * wrench.head<3>();
      bodies[i].V_WB_W.tail<3>() += bodies[i].inverse_mass * wrench.tail<3>();
    }
    deliver_trees(own, bodies, joints);
  });
}

void CoupledSolver::deliver_trees(Islands::Range places, std::span<ContactBody> bodies,
                                  const ContactJoints& joints) {
  problem_.trees.for_each_in(places, [&](std::size_t t) {
    VecX<double>& change = problem_.trees.change(t).total;
    joints.trees[t].inertia.matrixU().solveInPlace(change);
    joints.trees[t].v += change;
    for (std::int32_t p = places.begin; p < places.end; ++p) {
      ContactBody& body = bodies[problem_.islands.body_order()[p]];
      if (body.tree == static_cast<std::int32_t>(t)) body.V_WB_W.noalias() = *body.J_W * joints.trees[t].v;
    }
  });
}

ContactReport CoupledSolver::solve(std::span<ContactBody> bodies, std::span<PairContact> contacts,
                                   const ContactJoints& joints) {
  problem_.begin(bodies, contacts, joints);
  Islands& islands = problem_.islands;
  changes_.assign(bodies.size(), {});
  wrenches_.assign(bodies.size(), {});
  units_.resize(static_cast<std::size_t>(islands.unit_count()));
  parts_.resize(static_cast<std::size_t>(islands.part_count()));
  reports_.resize(static_cast<std::size_t>(islands.size()));
  newton_.resize(static_cast<std::size_t>(threads_ > 0 ? threads_ : default_threads()));
  islands.for_each(threads_, [&](std::int32_t island, Team& team, int thread) {
    const SquaredSpeeds speeds = make_rows(island, bodies, contacts, team);
    reports_[island] = solve_island(island, speeds, team, newton_[thread]);
    deliver(island, bodies, contacts, joints, team);
  });

  for (PairContact& contact : contacts) {  // contacts that belong to no island
    if (islands.order().size() == problem_.rows.size()) break;
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
