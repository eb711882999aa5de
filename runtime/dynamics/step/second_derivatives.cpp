#include "runtime/dynamics/step/second_derivatives.h"

#include <string>

#include "runtime/core/error.h"
#include "runtime/dynamics/tree/tangent.h"

namespace abut::dynamics {
namespace {

// Derivatives of a step from x, transformed to the charts about a fixed state and the state after it; those
// of the step itself are in the charts about its own start and end.
class Chart {
 public:
  Chart(Integrator& integrator, const SystemTree& tree, const State& state, const Control& control)
      : integrator_(integrator),
        tree_(tree),
        scratch_(tree.tree()),
        state_(state),
        next_(state),
        control_(control) {
    tree_.coordinates(state_, q_, v_);
    contacts_ = integrator_.step(next_, control_).contacts;
  }

  // Returns the step of the differences, rad, m, rad/s or m/s.
  double step() const { return differenced_ ? 1e-4 : 1e-6; }

  StepDerivatives at(const VecX<double>& x) {
    const MatX<double>& G = tree_.independent();
    const Eigen::Index ni = G.cols();
    const VecX<double> u = G * x.head(ni);
    VecX<double> q;
    tree_.tree().integrate(q_, u, q);
    State state = state_;
    tree_.place(q, v_ + G * x.tail(ni), scratch_, state);
    StepDerivatives result;
    const StepReport& report = integrator_.step(state, control_, result);
    if (parts_ == 0) parts_ = report.substeps;
    if (report.substeps != parts_ || (differenced_ && report.contacts != contacts_))
      result.status = Status::kNotConverged;
    const VecX<double> after = G * tree_.difference(next_, state).head(ni);
    result.state.leftCols(ni) =
        (result.state.leftCols(ni) * independent(exponential_slopes(tree_.tree(), u).right)).eval();
    const MatX<double> out = independent(inverse_right_slope(tree_.tree(), after));
    for (MatX<double>* part : {&result.state, &result.force, &result.parameter})
      part->topRows(ni) = (out * part->topRows(ni)).eval();
    return result;
  }

 private:
  // Selects the independent degrees of freedom. Joints that mimic others have one degree of freedom, for
  // which these blocks are 1.
  MatX<double> independent(const MatX<double>& blocks) const {
    const std::vector<int>& places = tree_.mimics().independent_velocities();
    return blocks(places, places);
  }

  Integrator& integrator_;
  const SystemTree& tree_;
  TreeScratch scratch_;
  State state_, next_;
  const Control& control_;
  VecX<double> q_, v_;
  bool differenced_ = integrator_.derivative_error() > 1e-12;  // whether first derivatives are differences
  int contacts_ = 0;                                           // of the step from the state
  int parts_ = 0;  // number of parts of the first step with derivatives
};

}  // namespace

StepDerivatives second_derivatives(Integrator& integrator, const SystemTree& tree, const State& state,
                                   const Control& control, const VecX<double>& direction) {
  constexpr double kWeights[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
  constexpr double kWeightsOfSecondOrder[] = {0, -0.5, 0, 0.5, 0};
  constexpr double kSmooth = 1e-2;  // difference of the two orders, relative to the largest entry
  const Eigen::Index size = 2 * tree.independent().cols();
  if (direction.size() != size || !direction.allFinite())
    throw InvalidInput("second derivatives: the direction must have " + std::to_string(size) +
                       " finite entries");
  const double greatest = direction.cwiseAbs().maxCoeff();
  Chart chart(integrator, tree, state, control);
  const double step = chart.step() / (greatest > 0 ? greatest : 1);
  StepDerivatives sum;
  sum.state.setZero(size, size);
  MatX<double> second_order = MatX<double>::Zero(size, size);
  sum.force.setZero(size, tree.tree().nv());
  for (int k = 0; k < 5; ++k) {
    if (kWeights[k] == 0) continue;
    const StepDerivatives at = chart.at((k - 2) * step * direction);
    const double weight = kWeights[k] / step;
    if (k == 0) sum.parameter.setZero(size, at.parameter.cols());
    sum.state += weight * at.state;
    second_order += kWeightsOfSecondOrder[k] / step * at.state;
    sum.force += weight * at.force;
    sum.parameter += weight * at.parameter;
    add_status(at, sum);
  }
  const double largest = sum.state.cwiseAbs().maxCoeff();
  if (!((sum.state - second_order).cwiseAbs().maxCoeff() <= kSmooth * largest))
    sum.status = Status::kNotConverged;
  return sum;
}

}  // namespace abut::dynamics
