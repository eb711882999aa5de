#pragma once

#include <memory>

#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/system/system_tree.h"

namespace abut::test {

using namespace dynamics;

// Of forces that act smoothly, of contact models; rigid contact has none.
inline bool has_smooth_derivatives(const IntegratorRow& row) {
  return row.has_derivatives && row.name != "midpoint";
}

// Where a system is, in the coordinates of its tree.
struct Coordinates {
  VecX<double> q, v;
};

// After a step of another scene of the same joints, from where `scene` is in a state.
inline Coordinates stepped_as(const Scene& other, const Scene& scene, const State& start,
                              const StepConfig& config) {
  Coordinates at;
  SystemTree(System(scene)).coordinates(start, at.q, at.v);
  const System system(other);
  const SystemTree tree(system);
  TreeScratch scratch(tree.tree());
  State state = start;
  tree.place(at.q, at.v, scratch, state);
  make_integrator(system, config)->step(state, {});
  tree.coordinates(state, at.q, at.v);
  return at;
}

// States moved by independent (dq; dv), stepped, and compared.
class StepDifferences {
 public:
  StepDifferences(const System& system, const StepConfig& config)
      : coordinates_(system), integrator_(make_integrator(system, config)), scratch_(coordinates_.tree()) {}

  State moved(const State& state, const VecX<double>& x) {
    VecX<double> q, v;
    coordinates_.coordinates(state, q, v);
    const MatX<double>& G = coordinates_.independent();
    coordinates_.tree().integrate(q, G * x.head(G.cols()), q);
    v += G * x.tail(G.cols());
    State result = state;
    coordinates_.place(q, v, scratch_, result);
    return result;
  }

  VecX<double> between(const State& from, const State& to) const { return coordinates_.difference(from, to); }

  State next(const State& state) {
    State result = state;
    integrator_->step(result, {});
    return result;
  }

  // Central differences of the fourth order of the next state by direction x.
  VecX<double> slope(const State& state, const VecX<double>& x, double size) {
    const State middle = next(state);
    const auto at = [&](double t) -> VecX<double> { return between(middle, next(moved(state, t * x))); };
    return (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size);
  }

  // The same of the second derivative along x.
  VecX<double> curvature(const State& state, const VecX<double>& x, double size) {
    const State middle = next(state);
    const auto at = [&](double t) -> VecX<double> { return between(middle, next(moved(state, t * x))); };
    return (16 * (at(size) + at(-size)) - (at(2 * size) + at(-2 * size))) / (12 * size * size);
  }

  const SystemTree& coordinates() const { return coordinates_; }
  Eigen::Index size() const { return 2 * coordinates_.independent().cols(); }
  Integrator& integrator() { return *integrator_; }

 private:
  SystemTree coordinates_;
  std::unique_ptr<Integrator> integrator_;
  TreeScratch scratch_;
};

}  // namespace abut::test
