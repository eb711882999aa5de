#include "runtime/dynamics/step/implicit_slopes.h"

#include <Eigen/SparseLU>
#include <limits>

#include "runtime/dynamics/tree/kinematics.h"

namespace abut::dynamics {

ImplicitSlopes::ImplicitSlopes(const System& system, std::span<const Parameter> parameters)
    : tree_(system), parameters_(tree_, parameters), scratch_(tree_.tree()) {}

void ImplicitSlopes::begin() {
  const auto nv = static_cast<Eigen::Index>(tree_.tree().nv());
  q_ = v_ = MatX<double>::Zero(nv, 3 * nv + parameters_.count());
  q_.leftCols(nv).setIdentity();
  v_.middleCols(nv, nv).setIdentity();
}

ImplicitSlopes::Turn ImplicitSlopes::turn_of(const State& start, const ImplicitBodies& bodies,
                                             std::size_t i) const {
  return {start.bodies[i].q_WB.toRotationMatrix(), bodies.trials()[i].X_WB.R,
          tree_.tree().first_v(static_cast<int>(i))};
}

void ImplicitSlopes::advance(const State& start, const ImplicitBodies& bodies,
                             std::span<const ImplicitIsland> islands, CompliantContact& contact) {
  const std::vector<std::uint8_t> all(contact.pairs().size(), 1);
  carry(start, bodies);
  contact.evaluate(bodies.trials(), all);
  if (parameters_.count() > 0) {
    add_parameters(start, bodies, contact);
    contact.evaluate(bodies.trials(), all);
  }
  for (const ImplicitIsland& island : islands) solve(bodies, island, contact);
  turn_back(start, bodies);
}

// Carries the slopes to the end of the part with the twists there held. With L = R I w, w in the axes of the
// body, dL = dphi x L + R I dw, and likewise for v; the rotation of the body at the start is carried on by
// that of the step, R' R^T.
void ImplicitSlopes::carry(const State& start, const ImplicitBodies& bodies) {
  for (MatX<double>* part : {&carried_, &residual_, &twist_}) part->resizeLike(q_);
  const Eigen::Index nv = q_.rows();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto [R, R_end, at] = turn_of(start, bodies, i);
    const Body& body = tree_.system().body(i);
    const BodyState& from = start.bodies[i];
    const MatX<double> turn = R * q_.middleRows(at, 3);
    carried_.middleRows(at, 3) = R_end * q_.middleRows(at, 3);
    carried_.middleRows(at + 3, 3) = R * q_.middleRows(at + 3, 3);
    residual_.middleRows(at, 3) =
        skew(from.L_W) * turn - R * body.inertia.asDiagonal() * v_.middleRows(at, 3);
    residual_.middleRows(at + 3, 3) = body.mass * (skew(from.v_WB) * turn - R * v_.middleRows(at + 3, 3));
    residual_.middleRows(at, 3) += bodies.momentum_slope_by_turn(i) * carried_.middleRows(at, 3);
    for (int half = 0; half < 6; half += 3)
      residual_.block(at + half, 2 * nv + at + half, 3, 3) -= bodies.duration() * R_end;
  }
}

// Each body's inertial force, in its axes, is linear in its mass and moments.
void ImplicitSlopes::add_parameters(const State& start, const ImplicitBodies& bodies,
                                    CompliantContact& contact) {
  State end = start;
  bodies.take(end);
  VecX<double> q, v;
  tree_.coordinates(end, q, v);
  move_links<double>(tree_.tree(), q, v, scratch_);
  const double h = bodies.duration();
  const System& system = tree_.system();
  const auto inertia = [&](const Tree& of, TreeScratch&) {
    VecX<double> force(v.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto [R, R_end, at] = turn_of(start, bodies, i);
      const LinkInertia& link = of.link(static_cast<int>(i)).inertia;
      const Vec6<double>& V = bodies.trials()[i].V_WB_W;
      const Vec3<double> L = R * link.I_LLcm_L * R.transpose() * system.angular_velocity(start, i);
      const Vec3<double> dv = V.tail<3>() - start.bodies[i].v_WB - h * system.scene().gravity;
      force.segment<3>(at) = (link.I_LLcm_L * R_end.transpose() * V.head<3>() - R_end.transpose() * L) / h;
      force.segment<3>(at + 3) = link.mass / h * (R_end.transpose() * dv);
    }
    return force;
  };
  const MatX<double>& slopes = parameters_.evaluate(tree_, contact, bodies.trials(), scratch_, inertia);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto [R, R_end, at] = turn_of(start, bodies, i);
    for (const Eigen::Index half : {at, at + 3})
      residual_.middleRows(half, 3).rightCols(slopes.cols()) -= h * R_end * slopes.middleRows(half, 3);
  }
}

void ImplicitSlopes::solve(const ImplicitBodies& bodies, const ImplicitIsland& island,
                           const CompliantContact& contact) {
  const auto rows_of = [&](std::int32_t body) {
    return static_cast<Eigen::Index>(tree_.tree().first_v(body));
  };
  for (const std::int32_t p : island.pairs()) {
    const PairForce& force = contact.pairs()[static_cast<std::size_t>(p)];
    const std::int32_t members[] = {force.A, force.B};
    for (std::size_t on = 0; on < 2; ++on)
      for (std::size_t of = 0; of < 2; ++of)
        if (members[on] != kFixed && members[of] != kFixed)
          residual_.middleRows(rows_of(members[on]), 6) -=
              bodies.duration() * force.dF_dx[on][of] * carried_.middleRows(rows_of(members[of]), 6);
  }
  Eigen::MatrixXd right(6 * island.bodies().size(), residual_.cols());
  Eigen::Index row = 0;
  for (const std::int32_t body : island.bodies()) {
    right.middleRows(row, 6) = -residual_.middleRows(rows_of(body), 6);
    row += 6;
  }
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> slope(island.residual_slope(bodies, contact.pairs()));
  const bool solved = slope.info() == Eigen::Success;
  if (solved) right = slope.solve(right).eval();
  if (!solved) right.setConstant(std::numeric_limits<double>::quiet_NaN());
  row = 0;
  for (const std::int32_t body : island.bodies()) {
    twist_.middleRows(rows_of(body), 6) = right.middleRows(row, 6);
    row += 6;
  }
}

// Transforms the slopes to the axes of the bodies, which rotate by dphi: d(R'^T V') = R'^T (dV' + V' x dphi).
void ImplicitSlopes::turn_back(const State& start, const ImplicitBodies& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto [R, R_end, at] = turn_of(start, bodies, i);
    const Vec6<double>& V = bodies.trials()[i].V_WB_W;
    const MatX<double> moved =
        carried_.middleRows(at, 6) + bodies.displacement_slope(i) * twist_.middleRows(at, 6);
    for (int half = 0; half < 6; half += 3) {
      q_.middleRows(at + half, 3) = R_end.transpose() * moved.middleRows(half, 3);
      v_.middleRows(at + half, 3) = R_end.transpose() * (twist_.middleRows(at + half, 3) +
                                                         skew<double>(V.segment<3>(half)) * moved.topRows(3));
    }
  }
}

void ImplicitSlopes::write(StepDerivatives& derivatives) const {
  const Eigen::Index nv = q_.rows();
  const auto columns = [&](Eigen::Index first, Eigen::Index count) {
    MatX<double> both(2 * nv, count);
    both << q_.middleCols(first, count), v_.middleCols(first, count);
    return both;
  };
  derivatives.state = columns(0, 2 * nv);
  derivatives.force = columns(2 * nv, nv);
  derivatives.parameter = columns(3 * nv, parameters_.count());
}

}  // namespace abut::dynamics
