#include "runtime/dynamics/step/impulse_slopes.h"

#include <algorithm>
#include <cmath>

#include "runtime/dynamics/step/contact_stage.h"

namespace abut::dynamics {
namespace {

// Distance to the boundary of its law, relative to the island's largest speed without impulses, within which
// a contact is at a kink.
constexpr double kAtBoundary = 1e-6;
constexpr double kDependent = 1e-9;  // relative threshold for dependent equations
constexpr double kLoose = 1e-8;      // relative velocity by undetermined impulses from which these matter
constexpr double kImplied = 1e-6;    // relative tolerance for equations that were not imposed

}  // namespace

Vec3<double> ImpulseSlopes::velocity(const Row& row, VecX<double> MovingPart::*y) const {
  Vec3<double> u = Vec3<double>::Zero();
  for (const Side& side : row.sides) u += side.B * side.part->*y;
  return u;
}

// Returns the slopes (3, N) of the relative velocity B y.
MatX<double> ImpulseSlopes::velocity_slopes(const Row& row, VecX<double> MovingPart::*y,
                                            MatX<double> MovingPart::*dy) const {
  MatX<double> slopes = MatX<double>::Zero(3, inputs_);
  for (const Side& side : row.sides) {
    slopes += side.B * (side.part->*dy);
    if (side.member == nullptr) continue;
    const VecX<double>& of = side.part->*y;
    const Vec3<double> w = side.member->J.topRows<3>() * of;
    slopes += side.sign * (skew(w) * side.darm);
    if (side.member->dJ.empty()) continue;
    const MatX<double> turning = side.part->twist_slopes(*side.member, of);
    slopes += side.sign * (turning.bottomRows<3>() - skew(side.arm) * turning.topRows<3>());
  }
  return slopes;
}

// Returns the slopes (n, N) of B'J with J held.
MatX<double> ImpulseSlopes::impulse_slopes(const Side& side, const Vec3<double>& J) const {
  if (side.member == nullptr) return MatX<double>::Zero(side.part->size(), inputs_);
  MatX<double> slopes = side.member->J.topRows<3>().transpose() * (-skew(J) * side.darm);
  if (!side.member->dJ.empty()) {
    Vec6<double> F;
    F << side.arm.cross(J), J;
    slopes += side.part->impulse_slopes(*side.member, F);
  }
  return side.sign * slopes;
}

// Returns the matrix (3, 3) from an impulse at k to the velocity at i.
Mat3<double> ImpulseSlopes::coupling(const Row& i, const Row& k) const {
  Mat3<double> W = Mat3<double>::Zero();
  for (const Side& a : i.sides)
    for (const Side& b : k.sides)
      if (a.part == b.part) W += a.B * a.part->llt.solve(b.B.transpose());
  return W;
}

ImpulseSlopes::Row ImpulseSlopes::contact_row(std::int32_t index) const {
  const PairContact& c = problem_.contacts[static_cast<std::size_t>(index)];
  const PointSlopes& point = problem_.points[static_cast<std::size_t>(index)];
  Row row;
  row.index = index;
  row.n = c.n_W;
  row.J = c.J_B_W;
  row.mu = c.mu;
  row.gap = c.gap;
  row.target = c.target_velocity;
  MatX<double> of_A = MatX<double>::Zero(6, inputs_), of_B = of_A;  // motions of the shapes about the pivot
  for (const std::int32_t body : {c.A, c.B}) {
    if (body == kFixed) continue;
    const auto i = static_cast<std::size_t>(body);
    if (problem_.part_of_body[i] < 0) continue;
    MovingPart& part = parts_[static_cast<std::size_t>(problem_.part_of_body[i])];
    Side side{&part, &part.member(body), body == c.B ? 1.0 : -1.0, c.p_WC - problem_.bodies[i].p_WBcm, {},
              {}};
    side.B = side.sign * (side.member->J.bottomRows<3>() - skew(side.arm) * side.member->J.topRows<3>());
    MatX<double>& motion = body == c.B ? of_B : of_A;
    motion = side.member->J * part.dx;
    side.darm = -motion.bottomRows<3>();
    motion.bottomRows<3>() -= skew<double>(point.pivot_W - problem_.bodies[i].p_WBcm) * motion.topRows<3>();
    row.sides.push_back(std::move(side));
  }
  row.dmu = MatX<double>::Zero(1, inputs_);
  if (!problem_.of_shapes.empty()) {
    const OfShapes& of_shapes = problem_.of_shapes[static_cast<std::size_t>(index)];
    row.dmu = of_shapes.dmu;
    of_A += of_shapes.of_A;
    of_B += of_shapes.of_B;
  }
  const MatX<double> by_B = point.by_B * (of_B - of_A);
  const MatX<double> dp =
      by_B.topRows<3>() + of_A.bottomRows<3>() - skew<double>(c.p_WC - point.pivot_W) * of_A.topRows<3>();
  row.dn = by_B.middleRows<3>(3) - skew(c.n_W) * of_A.topRows<3>();
  row.dgap = by_B.bottomRows<1>();
  for (Side& side : row.sides) side.darm += dp;
  return row;
}

// A limit is a contact without friction in one degree of freedom; friction below its bound holds the joint
// still.
ImpulseSlopes::Row ImpulseSlopes::joint_row(std::int32_t index) const {
  const JointRow& joint = problem_.joints[static_cast<std::size_t>(index) - problem_.contacts.size()];
  Row row;
  row.index = index;
  MovingPart& part =
      parts_[static_cast<std::size_t>(problem_.part_of_body[static_cast<std::size_t>(joint.body)])];
  row.gap = joint.gap;
  row.target = joint.target_velocity;
  row.J[0] = joint.impulse;
  row.friction_of_joint = joint.bound > 0;
  if (row.friction_of_joint) row.mu = joint.bound;
  Side side{&part, nullptr, 1, Vec3<double>::Zero(), MatX<double>::Zero(3, part.size()), {}};
  side.B(0, joint.dof) = joint.factor;
  row.sides.push_back(std::move(side));
  row.dn = MatX<double>::Zero(3, inputs_);
  row.dmu = MatX<double>::Zero(1, inputs_);
  row.dgap = joint.factor * part.dx.row(joint.dof);
  return row;
}

void ImpulseSlopes::add_kink(StepKink::Kind kind, const Row& row) {
  const bool known = std::any_of(kinks_.begin(), kinks_.end(), [&](const StepKink& kink) {
    return kink.kind == kind && kink.contact == row.index;
  });
  if (!known) kinks_.push_back({kind, row.index});
}

// Adds a kink of the shapes at a contact that affects the motion or the displacement.
void ImpulseSlopes::name_shape(const Row& row) {
  const auto k = static_cast<std::size_t>(row.index);
  if (k < problem_.contacts.size() && !problem_.points[k].smooth) add_kink(StepKink::Kind::kShape, row);
}

// Differentiates the target velocity as ContactStage::pose sets it, and adds kinks where its formula changes.
void ImpulseSlopes::add_target(Row& row, double speed) {
  row.dtarget = MatX<double>::Zero(1, inputs_);
  if (row.friction_of_joint) return;
  const double dt = problem_.dt, near = kAtBoundary * speed;
  double by_gap = row.gap > 0 ? -row.gap / dt : 0;
  bool by_gap_holds = true, kink = false;
  if (static_cast<std::size_t>(row.index) < problem_.contacts.size()) {
    const PairContact& c = problem_.contacts[static_cast<std::size_t>(row.index)];
    const Vec3<double> old = velocity(row, &MovingPart::old);
    const Vec3<double> forced = velocity(row, &MovingPart::free) - old;
    const MatX<double> dold = velocity_slopes(row, &MovingPart::old, &MovingPart::dold);
    const double u = row.n.dot(old);
    const bool one_moves = is_moved(problem_.bodies, c.A) != is_moved(problem_.bodies, c.B);
    const double fall = one_moves ? std::max(0.0, -row.n.dot(forced)) : 0;
    double rounding = 0;
    for (const Side& side : row.sides)
      rounding =
          std::max(rounding, kRounding * std::abs(row.n.dot(side.B * (side.part->free - side.part->old))));
    if (row.gap <= rounding * dt) by_gap = 0;
    const MatX<double> du = row.n.transpose() * dold + old.transpose() * row.dn;
    kink = std::abs(u - by_gap) < near;
    if (u < by_gap) {
      by_gap_holds = false;
      row.dtarget = -c.restitution * du;
    } else if (one_moves && u > rounding) {
      const double back = -std::min(u, fall);
      by_gap_holds = by_gap <= back;
      kink |= fall > 0 && std::abs(by_gap - back) < near;
      if (!by_gap_holds) {
        const MatX<double> dforced = velocity_slopes(row, &MovingPart::free, &MovingPart::dfree) - dold;
        kink |= std::abs(u - fall) < near;
        row.dtarget = u < fall ? MatX<double>(-du)
                               : MatX<double>(row.n.transpose() * dforced + forced.transpose() * row.dn);
      }
    }
  }
  if (by_gap_holds) {
    kink |= std::abs(row.gap) < near * dt;
    if (by_gap < 0) row.dtarget = -row.dgap / dt;
  }
  if (kink) add_kink(StepKink::Kind::kTarget, row);
}

void ImpulseSlopes::classify(Row& row, double speed) {
  const double W = row.inverse_mass, near = kAtBoundary * speed;
  if (row.friction_of_joint) {
    const double slack = (row.mu - std::abs(row.J[0])) * W, slip = std::abs(row.u[0]);
    row.law = slip > slack ? Law::kOpen : Law::kSliding;  // at its bound, or held
    row.weak = std::max(slip, slack) < near;
    row.mu = 0;
    return;
  }
  const double pressed = row.n.dot(row.J) * W, opens = row.n.dot(row.u) - row.target;
  row.weak = std::max(pressed, opens) < near;
  const Vec3<double> u_t = row.u - row.n * row.n.dot(row.u), J_t = row.J - row.n * row.n.dot(row.J);
  if (row.weak && u_t.norm() > near) row.along = u_t.normalized();  // how it would slide if it were loaded
  if (opens >= pressed || row.weak) return;
  row.law = Law::kSliding;
  if (row.mu == 0 && u_t.norm() < near) {
    // More friction would hold it.
    row.weak = row.weak || !row.dmu.isZero(0);
    row.dmu.setZero();
    return;
  }
  const double slack = row.mu * pressed - W * J_t.norm();
  row.slip = u_t.norm();
  if (std::max(row.slip, slack) < near) {
    row.weak = true;
    row.slip = 0;
    row.along = -J_t.normalized();
  } else if (row.slip < slack) {
    row.law = Law::kSticking;
  } else {
    row.along = u_t / row.slip;
  }
}

// Makes the equations, each of the form a.du + b.dJ = known.
ImpulseSlopes::Equations ImpulseSlopes::equations(std::span<Row* const> rows) const {
  const auto count = static_cast<Eigen::Index>(rows.size());
  Equations of{MatX<double>(3 * count, 3 * count), MatX<double>(3 * count, 3 * count),
               MatX<double>(3 * count, inputs_), VecX<double>(count)};
  MatX<double>&K = of.K, &W = of.W, &known = of.known;
  VecX<double>& root = of.root;
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index k = 0; k < count; ++k)
      W.block<3, 3>(3 * i, 3 * k) =
          coupling(*rows[static_cast<std::size_t>(i)], *rows[static_cast<std::size_t>(k)]);
    root[i] = std::sqrt(W.block<3, 3>(3 * i, 3 * i).trace() / 3);
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    const Row& row = *rows[static_cast<std::size_t>(i)];
    const Vec3<double> t1 = row.along.isZero(0) ? row.n.unitOrthogonal() : row.along, t2 = row.n.cross(t1);
    const auto equation = [&](int k, const Vec3<double>& a, const Vec3<double>& b,
                              const MatX<double>& right) {
      const double scale = 1 / (a.norm() * root[i] + b.norm() / root[i]);
      K.row(3 * i + k) = scale * a.transpose() * W.middleRows(3 * i, 3);
      K.block<1, 3>(3 * i + k, 3 * i) += scale * b.transpose();
      known.row(3 * i + k) = scale * (right - a.transpose() * row.du);
    };
    const Vec3<double> none = Vec3<double>::Zero();
    if (row.sticks()) {
      int k = 0;
      for (const Vec3<double>& e : {row.n, t1, t2})
        equation(k++, e, none, e.dot(row.n) * row.dtarget + row.target * (e.transpose() * row.dn));
      continue;
    }
    const double J_n = row.n.dot(row.J), turning = row.slip > 0 ? row.mu * J_n / row.slip : 0;
    equation(0, row.n, none, row.dtarget - row.u.transpose() * row.dn);
    equation(1, none, t1 + row.mu * row.n,
             J_n * (t1.transpose() * row.dn - row.dmu) - row.mu * (row.J.transpose() * row.dn));
    equation(2, turning * t2, t2, (J_n + turning * row.n.dot(row.u)) * (t2.transpose() * row.dn));
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    K.middleCols(3 * i, 3) /= root[i];
    W.middleCols(3 * i, 3) /= root[i];
    W.middleRows(3 * i, 3) /= root[i];
  }
  return of;
}

// Returns whether impulses that the equations leave undetermined move anything.
bool ImpulseSlopes::shares_freely(const Equations& of) const {
  Eigen::CompleteOrthogonalDecomposition<MatX<double>> solver;
  solver.setThreshold(kDependent);
  solver.compute(of.K);
  if (solver.rank() == of.K.rows()) return false;
  const MatX<double> loose = MatX<double>::Identity(of.K.rows(), of.K.rows()) - solver.pseudoInverse() * of.K;
  return (of.W * loose).cwiseAbs().maxCoeff() > kLoose;
}

// Contacts in `touching`, which touch without a load, take no part of the change, but could share the load of
// the others.
void ImpulseSlopes::solve_island(std::span<Row* const> rows, std::span<Row* const> touching) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  const Equations of = equations(rows);
  Eigen::CompleteOrthogonalDecomposition<MatX<double>> solver;
  solver.setThreshold(kDependent);
  solver.compute(of.K);
  const MatX<double> dJ = solver.solve(of.known);
  const bool inconsistent = solver.rank() < 3 * count && (of.K * dJ - of.known).cwiseAbs().maxCoeff() >
                                                             kImplied * of.known.cwiseAbs().maxCoeff();
  std::vector<Row*> all(rows.begin(), rows.end());
  all.insert(all.end(), touching.begin(), touching.end());
  if (inconsistent || shares_freely(touching.empty() ? of : equations(all)))
    add_kink(StepKink::Kind::kShare, *rows.front());
  for (Eigen::Index i = 0; i < count; ++i) {
    Row& row = *rows[static_cast<std::size_t>(i)];
    row.dJ = dJ.middleRows(3 * i, 3) / of.root[i];
    for (const Side& side : row.sides)
      side.part->dy += side.part->llt.solve(MatX<double>(side.B.transpose() * row.dJ));
  }
}

// A contact at the boundary of its law may satisfy the equations of the other side anyway, due to the
// equations of others; if not, it is a kink.
void ImpulseSlopes::check_weak(const Row& row, double speed) {
  const MatX<double> du = velocity_slopes(row, &MovingPart::y, &MovingPart::dy);
  const double scale = kImplied * std::max(du.cwiseAbs().maxCoeff(), speed * row.dn.cwiseAbs().maxCoeff());
  const bool open = row.law == Law::kOpen;
  const MatX<double> off =
      open ? MatX<double>(row.n.transpose() * du + row.u.transpose() * row.dn - row.dtarget)
           : MatX<double>(du - row.n * row.dtarget - row.target * row.dn);
  if (off.cwiseAbs().maxCoeff() > scale)
    add_kink(open ? StepKink::Kind::kOpening : StepKink::Kind::kSliding, row);
}

ImpulseSlopes::ImpulseSlopes(const Problem& problem, std::span<MovingPart> parts,
                             std::vector<StepKink>& kinks)
    : problem_(problem), parts_(parts), kinks_(kinks) {
  if (!parts.empty()) inputs_ = parts.front().dx.cols();
  for (MovingPart& part : parts_) part.dfree = part.llt.solve(part.dP - part.inertia_slopes(part.free));
  const auto contacts = static_cast<std::int32_t>(problem_.contacts.size());
  const auto count = contacts + static_cast<std::int32_t>(problem_.joints.size());
  for (std::int32_t k = 0; k < count; ++k) rows_.push_back(k < contacts ? contact_row(k) : joint_row(k));
  for (MovingPart& part : parts_) part.dy = part.dP - part.inertia_slopes(part.y);
  for (const Row& row : rows_)
    for (const Side& side : row.sides) side.part->dy += impulse_slopes(side, row.J);
  for (MovingPart& part : parts_) part.dy = part.llt.solve(part.dy).eval();
  const Islands& islands = *problem_.islands;
  for (std::int32_t island = 0; island < islands.size(); ++island) {
    double speed = 0;
    std::vector<Row*> active, touching;
    for (const std::int32_t k : islands.contacts(island))
      speed = std::max(speed, velocity(rows_[static_cast<std::size_t>(k)], &MovingPart::free).norm());
    for (const std::int32_t k : islands.contacts(island)) {
      Row& row = rows_[static_cast<std::size_t>(k)];
      const Mat3<double> W = coupling(row, row);
      const double inverse_mass = row.n.dot(W * row.n);
      if (!(inverse_mass > 1e-14 * W.trace())) continue;
      row.inverse_mass = inverse_mass;
      row.u = velocity(row, &MovingPart::y);
      classify(row, speed);
      if (row.law == Law::kOpen && !row.weak) continue;
      add_target(row, speed);
      row.du = velocity_slopes(row, &MovingPart::y, &MovingPart::dy);
      name_shape(row);
      if (row.law != Law::kOpen) active.push_back(&row);
      if (row.touches()) touching.push_back(&row);
    }
    if (!active.empty()) solve_island(active, touching);
    for (const std::int32_t k : islands.contacts(island))
      if (rows_[static_cast<std::size_t>(k)].weak) check_weak(rows_[static_cast<std::size_t>(k)], speed);
  }
}

// As Midpoint::hold_energy: impulses times s, where s linear + s^2 quadratic = 0.
void ImpulseSlopes::hold_energy(std::int32_t island) {
  double linear = 0, quadratic = 0;
  MatX<double> dlinear = MatX<double>::Zero(1, inputs_), dquadratic = dlinear;
  std::vector<MovingPart*> of_island;
  for (const std::int32_t body : problem_.islands->bodies(island)) {
    MovingPart& part =
        parts_[static_cast<std::size_t>(problem_.part_of_body[static_cast<std::size_t>(body)])];
    if (part.members.front().body == body) of_island.push_back(&part);
  }
  for (const MovingPart* part : of_island) {
    const VecX<double> change = part->y - part->free, between = (part->free + part->old) / 2;
    const VecX<double> momentum = part->A * change;
    linear += momentum.dot(between);
    quadratic += momentum.dot(change) / 2;
    const MatX<double> dchange = part->dy - part->dfree;
    dlinear += (part->A * between).transpose() * dchange +
               momentum.transpose() * (part->dfree + part->dold) / 2 +
               change.transpose() * part->inertia_slopes(between);
    dquadratic += momentum.transpose() * dchange + change.transpose() * part->inertia_slopes(change) / 2;
  }
  if (!(quadratic > 0)) return;
  const double excess = linear + quadratic;
  if (std::abs(excess) < kAtBoundary * quadratic) kinks_.push_back({StepKink::Kind::kEnergy, -1});
  if (!(excess > 0)) return;
  const double scale = std::max(0.0, -linear / quadratic);
  const MatX<double> dscale =
      scale > 0 ? MatX<double>(-(dlinear + scale * dquadratic) / quadratic) : MatX<double>::Zero(1, inputs_);
  for (MovingPart* part : of_island) {
    const VecX<double> change = part->y - part->free;
    part->dy = (part->dfree + scale * (part->dy - part->dfree) + change * dscale).eval();
    part->y = part->free + scale * change;
  }
}

}  // namespace abut::dynamics
