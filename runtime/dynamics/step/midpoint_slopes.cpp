#include "runtime/dynamics/step/midpoint_slopes.h"

#include <algorithm>

#include "runtime/dynamics/step/free_motion.h"

namespace abut::dynamics {

namespace {

// Derivative of body::pair_friction, 2 a b / (a + b), with respect to a.
double friction_slope(double a, double b) { return a + b > 0 ? 2 * b * b / ((a + b) * (a + b)) : 0; }

bool is_moment(Quantity quantity) { return quantity >= Quantity::kMomentX && quantity <= Quantity::kMomentZ; }

Vec3<double> moment_axis(Quantity quantity) {
  return Vec3<double>::Unit(static_cast<int>(quantity) - static_cast<int>(Quantity::kMomentX));
}

}  // namespace

MidpointSlopes::MidpointSlopes(const System& system, double dt, const StabilisationConfig& stabilisation,
                               std::span<const Parameter> parameters)
    : system_(system),
      dt_(dt),
      stabilisation_(stabilisation),
      parameters_(parameters.begin(), parameters.end()),
      coordinates_(system),
      dofs_(coordinates_.independent().cols()),
      inputs_(2 * dofs_ + coordinates_.tree().nv() + static_cast<Eigen::Index>(parameters.size())) {}

Eigen::Index MidpointSlopes::pose_column(std::size_t body) const {
  const std::vector<int>& places = coordinates_.mimics().independent_velocities();
  const int first = coordinates_.tree().first_v(static_cast<int>(body));
  return std::lower_bound(places.begin(), places.end(), first) - places.begin();
}

// Returns the columns of the inputs of one of the stage's trees.
TreeSlopes::Columns MidpointSlopes::columns_of(const SystemTree& tree) const {
  TreeSlopes::Columns columns;
  columns.count = inputs_;
  const std::vector<int>& places = coordinates_.mimics().independent_velocities();
  std::vector<int> of_system;  // for each degree of freedom of the tree, that of the system
  for (std::size_t i = 0; i < tree.bodies().size(); ++i) {
    const int first = coordinates_.tree().first_v(static_cast<int>(tree.body_index(i)));
    const auto link = static_cast<int>(i);
    for (int d = tree.tree().first_v(link); d < tree.tree().end_v(link); ++d)
      of_system.push_back(first + d - tree.tree().first_v(link));
  }
  for (const int d : of_system) columns.force.push_back(2 * dofs_ + d);
  for (const int d : tree.mimics().independent_velocities()) {
    const auto place = std::lower_bound(places.begin(), places.end(), of_system[static_cast<std::size_t>(d)]);
    columns.pose.push_back(place - places.begin());
    columns.velocity.push_back(dofs_ + columns.pose.back());
  }
  return columns;
}

std::vector<TreeSlopes::Variants> MidpointSlopes::variants_of(const SystemTree& tree) const {
  constexpr double kSize = 1e-3;  // step of the differences, relative to the number
  std::vector<std::int32_t> bodies;
  for (std::size_t i = 0; i < tree.bodies().size(); ++i)
    bodies.push_back(static_cast<std::int32_t>(tree.body_index(i)));
  std::vector<TreeSlopes::Variants> variants;
  for (const std::int32_t body : bodies) {
    for_parameters(static_cast<std::size_t>(body), [&](Eigen::Index column, Quantity quantity) {
      const double size = kSize * value_of(system_.body(static_cast<std::size_t>(body)), quantity);
      const auto with = [&](double by) {
        Scene scene = system_.scene();
        change(scene.bodies[static_cast<std::size_t>(body)], {quantity, body, 0}, by);
        return TreeMotion(System(scene), bodies);
      };
      variants.push_back({column, size, with(-2 * size), with(-size), with(size), with(2 * size)});
    });
  }
  return variants;
}

void MidpointSlopes::add_trees(const Trace& trace, const Control& control, const ContactStage& stage) {
  trees_.clear();
  for (std::size_t t = 0; t < stage.trees().size(); ++t) {
    const TreeMotion& tree = stage.trees()[t];
    if (variants_.size() == t) variants_.push_back(variants_of(tree.coordinates()));
    trees_.emplace_back(tree, trace.start, control, dt_, columns_of(tree.coordinates()), variants_[t]);
    for (std::size_t i = 0; i < tree.coordinates().bodies().size(); ++i)
      if (tree.carries(i))
        part_of_body_[tree.coordinates().body_index(i)] = static_cast<std::int32_t>(parts_.size());
    parts_.push_back(trees_.back().middle(trace.trees[t], system_.body_count()));
  }
}

// A = diag(I, m), P = (L + h tau; m v + h f) in the world's axes; x is the rotation and shift of the body.
void MidpointSlopes::add_free_body(std::size_t body, const Trace& trace, const ContactStage& stage) {
  const BodyState &start = trace.start.bodies[body], &middle = trace.middle.bodies[body];
  const Body& of = system_.body(body);
  const Mat3<double> R0 = start.q_WB.toRotationMatrix(), R = middle.q_WB.toRotationMatrix();
  const Mat3<double> I_W = in_world(middle.q_WB, of.inertia);
  const Eigen::Index pose = pose_column(body), velocity = velocity_column(body);
  const TurnSlopes turn = turn_slopes(start.q_WB, start.L_W, of.inertia, dt_ / 2);
  MovingPart part;
  part.members.push_back({static_cast<std::int32_t>(body), TreeJacobian::Identity(6, 6), {}});
  part.A = MatX<double>::Zero(6, 6);
  part.A.topLeftCorner<3, 3>() = I_W;
  part.A.bottomRightCorner<3, 3>().diagonal().setConstant(of.mass);
  part.llt.compute(part.A);
  for (int k = 0; k < 3; ++k) {
    const Mat3<double> axis = skew<double>(Vec3<double>::Unit(k));
    part.dA.push_back(MatX<double>::Zero(6, 6));
    part.dA.back().topLeftCorner<3, 3>() = axis * I_W - I_W * axis;
  }
  part.free = trace.free[body];
  part.old = part.free - stage.force_changes()[body];
  part.y = trace.bodies[body].V_WB_W;
  // Slopes at the start: rotation, shift, L, v.
  MatX<double> dL = MatX<double>::Zero(3, inputs_), dv = dL, dturn = dL, dshift = dL;
  dturn.middleCols<3>(pose) = R0;
  dshift.middleCols<3>(pose + 3) = R0;
  dL.middleCols<3>(pose) = -skew(start.L_W) * R0;
  dL.middleCols<3>(velocity) = R0 * of.inertia.asDiagonal();
  dv.middleCols<3>(pose) = -skew(start.v_WB) * R0;
  dv.middleCols<3>(velocity + 3) = R0;
  add_inertia_slopes(body, trace, dL, part);
  dturn = (turn.by_turn * dturn + turn.by_momentum * dL).eval();
  add_moment_slopes(body, turn.by_moments, dturn);
  dshift += dt_ / 2 * dv;
  part.dx.resize(6, inputs_);
  part.dx << dturn, dshift;
  part.dP.resize(6, inputs_);
  part.dP << dL, of.mass * dv;
  for_parameters(body, [&](Eigen::Index column, Quantity quantity) {
    if (quantity == Quantity::kMass) part.dP.col(column).tail<3>() += start.v_WB;
  });
  part.dold = part.llt.solve(part.dP - part.inertia_slopes(part.old));
  const Eigen::Index force = 2 * dofs_ + coordinates_.tree().first_v(static_cast<int>(body));
  for_parameters(body, [&](Eigen::Index column, Quantity quantity) {
    if (quantity == Quantity::kMass) part.dP.col(column).tail<3>() += dt_ * system_.scene().gravity;
  });
  part.dP.block<3, 3>(0, force) = dt_ * R;
  part.dP.block<3, 3>(3, force + 3) = dt_ * R;
  part_of_body_[body] = static_cast<std::int32_t>(parts_.size());
  parts_.push_back(std::move(part));
}

// Derivatives of A, and of L = R I w at the start with w held.
void MidpointSlopes::add_inertia_slopes(std::size_t body, const Trace& trace, MatX<double>& dL,
                                        MovingPart& part) const {
  const BodyState& start = trace.start.bodies[body];
  for_parameters(body, [&](Eigen::Index column, Quantity quantity) {
    MatX<double> dA = MatX<double>::Zero(6, 6);
    if (quantity == Quantity::kMass) {
      dA.bottomRightCorner<3, 3>().setIdentity();
    } else {
      const Vec3<double> axis = moment_axis(quantity), w_B = angular_velocity_B(start, body);
      dL.col(column) += start.q_WB * axis * axis.dot(w_B);
      const Vec3<double> axis_W = trace.middle.bodies[body].q_WB * axis;
      dA.topLeftCorner<3, 3>() = axis_W * axis_W.transpose();
    }
    part.dA_of_inputs.push_back({column, std::move(dA)});
  });
}

void MidpointSlopes::add_moment_slopes(std::size_t body, const Mat3<double>& by_moments,
                                       MatX<double>& slopes) const {
  for_parameters(body, [&](Eigen::Index column, Quantity quantity) {
    if (is_moment(quantity)) slopes.col(column) += by_moments * moment_axis(quantity);
  });
}

Vec3<double> MidpointSlopes::angular_velocity_B(const BodyState& state, std::size_t body) const {
  return system_.body(body).inertia.cwiseInverse().cwiseProduct(state.q_WB.conjugate() * state.L_W);
}

// Fills of_shapes_: friction, and motions of shapes in their bodies.
void MidpointSlopes::add_shape_slopes(const Trace& trace, const ContactStage& stage) {
  of_shapes_.clear();
  if (parameters_.empty()) return;
  for (std::size_t c = 0; c < trace.contacts.size(); ++c) {
    const PairContact& contact = trace.contacts[c];
    ImpulseSlopes::OfShapes of{MatX<double>::Zero(1, inputs_), MatX<double>::Zero(6, inputs_),
                               MatX<double>::Zero(6, inputs_)};
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const Parameter& parameter = parameters_[k];
      for (const bool is_B : {false, true}) {
        if (parameter.body != (is_B ? contact.B : contact.A)) continue;
        const std::uint32_t shape = is_B ? contact.key.shape_B : contact.key.shape_A;
        const body::Material &own = system_.shape(shape).material,
                             &other =
                                 system_.shape(is_B ? contact.key.shape_A : contact.key.shape_B).material;
        if (parameter.quantity == Quantity::kFriction)
          of.dmu(0, parameter_column(k)) += friction_slope(own.friction, other.friction);
        const Body& body = system_.body(static_cast<std::size_t>(parameter.body));
        if (!of_shape_pose(parameter.quantity) ||
            &system_.shape(shape) != &body.shapes[static_cast<std::size_t>(parameter.shape)])
          continue;
        const int axis = static_cast<int>(parameter.quantity) - static_cast<int>(Quantity::kShapeTurnX);
        const Pose<double>& X_WS = stage.shape_pose(shape);
        Vec6<double> motion = Vec6<double>::Zero();
        motion.segment<3>(axis < 3 ? 0 : 3) = X_WS.R.col(axis % 3);
        motion.tail<3>() += motion.head<3>().cross(points_[c].pivot_W - X_WS.p);
        (is_B ? of.of_B : of.of_A).col(parameter_column(k)) += motion;
      }
    }
    of_shapes_.push_back(std::move(of));
  }
}

// After the drift that follows the impulses come the displacement (rotation by Cayley's transform; shift) and
// the change to the axes at the end.
MatX<double> MidpointSlopes::end_of_free_body(std::size_t body, const MovingPart& part, const Trace& trace,
                                              const ImpulseSlopes::Displacement& displacement) const {
  const BodyState &middle = trace.middle.bodies[body], &end = trace.end.bodies[body];
  const Body& of = system_.body(body);
  const MatX<double> dP = part.A * part.dy + part.inertia_slopes(part.y);
  const MatX<double> dL = dP.topRows<3>(), dv = part.dy.bottomRows<3>();
  const TurnSlopes turn = turn_slopes(middle.q_WB, end.L_W, of.inertia, dt_ / 2);
  MatX<double> dturn = turn.by_turn * part.dx.topRows<3>() + turn.by_momentum * dL;
  add_moment_slopes(body, turn.by_moments, dturn);
  MatX<double> dshift = part.dx.bottomRows<3>() + dt_ / 2 * dv;
  const Vec3<double> half = displacement.value.head<3>() / 2;
  const Eigen::Quaterniond moved = Eigen::Quaterniond(1, half.x(), half.y(), half.z()).normalized();
  dturn = (moved.toRotationMatrix() * dturn + 1 / (1 + half.squaredNorm()) *
                                                  (Mat3<double>::Identity() + skew(half)) *
                                                  displacement.slopes.topRows<3>())
              .eval();
  dshift += displacement.slopes.bottomRows<3>();
  const Mat3<double> to_B = end.q_WB.conjugate().toRotationMatrix();
  const Mat3<double> J = of.inertia.cwiseInverse().asDiagonal();
  MatX<double> slopes(12, inputs_);
  slopes << to_B * dturn, to_B * dshift, J * to_B * (dL + skew(end.L_W) * dturn),
      to_B * (dv + skew(end.v_WB) * dturn);
  const Mat3<double> w_by_moments = (-J * angular_velocity_B(end, body).asDiagonal());
  for_parameters(body, [&](Eigen::Index column, Quantity quantity) {
    if (is_moment(quantity)) slopes.block<3, 1>(6, column) += w_by_moments * moment_axis(quantity);
  });
  return slopes;
}

void MidpointSlopes::differentiate(const Trace& trace, const Control& control, ContactStage& stage,
                                   StepDerivatives& derivatives) {
  parts_.clear();
  part_of_body_.assign(system_.body_count(), -1);
  for (std::size_t i = 0; i < system_.body_count(); ++i)
    if (!stage.is_jointed(i)) add_free_body(i, trace, stage);
  const std::size_t free_bodies = parts_.size();
  add_trees(trace, control, stage);
  stage.slopes(points_);
  add_shape_slopes(trace, stage);
  derivatives.kinks.clear();
  ImpulseSlopes impulses({trace.bodies, trace.contacts, points_, of_shapes_, stage.joints().rows,
                          part_of_body_, &stage.rows().islands, dt_},
                         parts_, derivatives.kinks);
  for (std::int32_t island = 0; island < stage.rows().islands.size(); ++island) impulses.hold_energy(island);
  const std::vector<ImpulseSlopes::Displacement> displacements =
      impulses.displace(stabilisation_, stage.slop());
  MatX<double> slopes = MatX<double>::Zero(2 * dofs_, inputs_);
  for (std::size_t p = 0; p < free_bodies; ++p) {
    const auto body = static_cast<std::size_t>(parts_[p].members.front().body);
    const MatX<double> of_body = end_of_free_body(body, parts_[p], trace, displacements[p]);
    slopes.middleRows<6>(pose_column(body)) = of_body.topRows<6>();
    slopes.middleRows<6>(velocity_column(body)) = of_body.bottomRows<6>();
  }
  bool at_limit = false;
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const std::size_t p = free_bodies + t;
    const MatX<double> of_tree = trees_[t].end(parts_[p], displacements[p].value, displacements[p].slopes);
    at_limit = at_limit || trees_[t].at_energy_limit();
    const Eigen::Index n = parts_[p].size();
    slopes(trees_[t].columns().pose, Eigen::all) = of_tree.topRows(n);
    slopes(trees_[t].columns().velocity, Eigen::all) = of_tree.bottomRows(n);
  }
  if (at_limit) derivatives.kinks.push_back({StepKink::Kind::kEnergy, -1});
  const Eigen::Index forces = coordinates_.tree().nv();
  derivatives.state = slopes.leftCols(2 * dofs_);
  derivatives.force = slopes.middleCols(2 * dofs_, forces);
  derivatives.parameter = slopes.rightCols(inputs_ - 2 * dofs_ - forces);
}

}  // namespace abut::dynamics
