#pragma once

#include <memory>
#include <vector>

#include "runtime/dynamics/solve/stabilisation.h"
#include "runtime/dynamics/step/contact_stage.h"
#include "runtime/dynamics/step/impulse_slopes.h"
#include "runtime/dynamics/step/tree_slopes.h"

namespace abut::dynamics {

// Derivatives of a step of midpoint.h, computed from its trace: exact for the free motion and the sweeps of
// the stabilisation, by the implicit function theorem for the impulses (impulse_slopes.h), by fourth-order
// differences for contact points (point_slopes.h) and trees (tree_slopes.h).
class MidpointSlopes {
 public:
  // Intermediate results of a step that was made.
  struct Trace {
    State start, middle, end;
    std::vector<PairContact> contacts;  // after the solver, before energy is held
    std::vector<ContactBody> bodies;
    std::vector<Vec6<double>> free;   // twists after all forces except contact
    std::vector<VecX<double>> trees;  // velocities of the trees after the solver
  };

  // Throws InvalidInput for a system with too many degrees of freedom for matrices of derivatives.
  // `parameters` must be valid for the scene.
  MidpointSlopes(const System& system, double dt, const StabilisationConfig& stabilisation,
                 std::span<const Parameter> parameters);

  // Computes the derivatives and kinks of the step with this trace; does not set the status.
  void differentiate(const Trace& trace, const Control& control, ContactStage& stage,
                     StepDerivatives& derivatives);

 private:
  // First column of a body without joint: of its tangent at the start (velocity_column: of its velocity), in
  // its axes.
  Eigen::Index pose_column(std::size_t body) const;
  TreeSlopes::Columns columns_of(const SystemTree& tree) const;
  Eigen::Index velocity_column(std::size_t body) const { return dofs_ + pose_column(body); }
  Eigen::Index parameter_column(std::size_t k) const {
    return inputs_ - static_cast<Eigen::Index>(parameters_.size() - k);
  }
  void add_free_body(std::size_t body, const Trace& trace, const ContactStage& stage);
  // Calls visit(column, quantity) for the masses and moments of a body that are among the parameters.
  template <class Visit>
  void for_parameters(std::size_t body, Visit&& visit) const {
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      if (static_cast<std::size_t>(parameters_[k].body) == body &&
          parameters_[k].quantity <= Quantity::kMomentZ)
        visit(parameter_column(k), parameters_[k].quantity);
  }
  void add_inertia_slopes(std::size_t body, const Trace& trace, MatX<double>& dL, MovingPart& part) const;
  void add_moment_slopes(std::size_t body, const Mat3<double>& by_moments, MatX<double>& slopes) const;
  Vec3<double> angular_velocity_B(const BodyState& state, std::size_t body) const;
  void add_shape_slopes(const Trace& trace, const ContactStage& stage);
  std::vector<TreeSlopes::Variants> variants_of(const SystemTree& tree) const;
  void add_trees(const Trace& trace, const Control& control, const ContactStage& stage);
  // Slopes (12, N) of (tangent; velocity) at the end of the step.
  MatX<double> end_of_free_body(std::size_t body, const MovingPart& part, const Trace& trace,
                                const ImpulseSlopes::Displacement& displacement) const;

  System system_;
  double dt_;
  StabilisationConfig stabilisation_;
  std::vector<Parameter> parameters_;
  SystemTree coordinates_;
  Eigen::Index dofs_, inputs_;
  std::vector<MovingPart> parts_;  // of bodies without joints, then of trees
  std::vector<TreeSlopes> trees_;
  std::vector<std::vector<TreeSlopes::Variants>> variants_;  // for each tree
  std::vector<std::int32_t> part_of_body_;
  std::vector<PointSlopes> points_;
  std::vector<ImpulseSlopes::OfShapes> of_shapes_;
};

}  // namespace abut::dynamics
