#include "runtime/dynamics/step/adaptive.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/error.h"
#include "runtime/dynamics/collide/placed_shape.h"

namespace abut::dynamics {
namespace {

// Share of the bound for distances: errors of earlier parts may grow in later ones.
constexpr double kSafety = 0.5;

// Reach of a body's shapes from its centre of mass, m; 1 without any.
double reach_of(const Body& body) {
  double reach = body.shapes.empty() ? 1 : 0;
  for (const Shape& shape : body.shapes) {
    const PlacedShape placed(shape);
    reach = std::max(reach, (placed.X_BS * placed.p_SCenter).norm() + placed.half.norm());
  }
  return reach;
}

// Lengths, m, by which the rotations of the bodies are multiplied; negative where a body is not considered: a
// link without mass, unless its armature moves it and nothing it carries has mass.
std::vector<double> radii_of(const System& system) {
  std::vector<double> radii(system.body_count(), -1);
  std::vector<bool> carries(system.body_count());  // whether it has or carries mass
  for (std::size_t i = system.body_count(); i-- > 0;) {
    const Body& body = system.body(i);
    carries[i] = carries[i] || body.mass > 0;
    if (body.mass > 0)
      radii[i] = std::sqrt(body.inertia.maxCoeff() / body.mass);
    else if (!carries[i] && system.first_v(i) < system.first_v(i + 1))
      radii[i] = reach_of(body);
    if (carries[i] && body.joint && body.joint->parent >= 0)
      carries[static_cast<std::size_t>(body.joint->parent)] = true;
  }
  return radii;
}

class AdaptiveStep final : public Integrator {
 public:
  AdaptiveStep(const System& system, const StepConfig& config, const AdaptiveConfig& adaptive, int order,
               MakeIntegrator make)
      : system_(system),
        config_(config),
        adaptive_(adaptive),
        growth_(std::ldexp(1.0, order + 1)),
        make_(std::move(make)),
        radii_(radii_of(system)) {
    part(0);
  }

  const StepReport& step(State& state, const Control& control) override {
    return step(state, control, nullptr);
  }
  const StepReport& step(State& state, const Control& control, StepDerivatives& derivatives) override {
    return step(state, control, &derivatives);
  }
  std::span<const PairContact> contacts() const override { return {}; }
  void contact_forces(std::vector<ContactForce>& forces) const override {
    parts_[last_part_]->contact_forces(forces);
  }

 private:
  // A trial of a part of length dt / 2^halvings.
  struct Trial {
    State end;
    StepReport report;
    bool stable = false;  // and finite
  };

  const StepReport& step(State& state, const Control& control, StepDerivatives* derivatives);
  // Bound of the distance for a part of length dt / 2^halvings.
  double bound(int halvings) const { return std::ldexp(kSafety * adaptive_.error, -halvings); }
  void advance(int halvings, const State& from, const Control& control, Trial& trial);
  void take(int halvings, State& state, const Control& control, StepDerivatives* derivatives);
  void add(const StepReport& report);
  void add(const StepDerivatives& part, StepDerivatives& derivatives) const;
  double distance(const State& one, const State& other) const;
  Integrator& part(int halvings);

  System system_;
  StepConfig config_;
  AdaptiveConfig adaptive_;
  double growth_;  // factor by which the distance grows where a part is twice as long
  MakeIntegrator make_;
  std::vector<double> radii_;  // of the bodies, from radii_of()
  // Integrators for parts of dt / 2^k; null: not needed so far.
  std::vector<std::unique_ptr<Integrator>> parts_;
  std::size_t last_part_ = 0;  // index of the integrator of the last part of the step
  Trial coarse_, halves_[2];
  StepDerivatives of_part_;
  StepReport report_;
};

Integrator& AdaptiveStep::part(int halvings) {
  const auto k = static_cast<std::size_t>(halvings);
  if (k >= parts_.size()) parts_.resize(k + 1);
  if (!parts_[k]) {
    StepConfig config = config_;
    config.dt = std::ldexp(config_.dt, -halvings);
    parts_[k] = make_(system_, config);
  }
  return *parts_[k];
}

void AdaptiveStep::advance(int halvings, const State& from, const Control& control, Trial& trial) {
  trial.end = from;
  try {
    trial.report = part(halvings).step(trial.end, control);
    trial.stable = trial.report.stable();
  } catch (const InvalidInput&) {  // a number is not finite
    trial.stable = false;
  }
}

double AdaptiveStep::distance(const State& one, const State& other) const {
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();  // relative, of positions
  double most = 0;
  for (std::size_t i = 0; i < system_.body_count(); ++i) {
    const double r = radii_[i];
    if (r < 0) continue;
    const BodyState &a = one.bodies[i], &b = other.bodies[i];
    const Vec3<double> dw = system_.angular_velocity(one, i) - system_.angular_velocity(other, i);
    most = std::max(most, (a.p_WB - b.p_WB).norm() + r * a.q_WB.angularDistance(b.q_WB) +
                              config_.dt * ((a.v_WB - b.v_WB).norm() + r * dw.norm()) -
                              kRounding * a.p_WB.norm());
  }
  return most;
}

void AdaptiveStep::add(const StepReport& report) {
  StepReport sum = report;
  sum.substeps += report_.substeps;
  sum.control_work += report_.control_work;
  sum.solver.iterations += report_.solver.iterations;
  if (report_.substeps > 0) sum.solver.residual += report_.solver.residual;
  sum.missed_contacts = report.missed_contacts || report_.missed_contacts;
  sum.turned_too_far = report.turned_too_far || report_.turned_too_far;
  if (report_.solver.status != Status::kOk) sum.solver.status = report_.solver.status;
  sum.stable_dt = std::min(report.stable_dt, report_.stable_dt);
  report_ = sum;
}

void AdaptiveStep::add(const StepDerivatives& part, StepDerivatives& derivatives) const {
  if (report_.substeps == 0) {
    derivatives = part;
    return;
  }
  derivatives.state = (part.state * derivatives.state).eval();
  derivatives.force = (part.state * derivatives.force + part.force).eval();
  derivatives.parameter = (part.state * derivatives.parameter + part.parameter).eval();
  add_status(part, derivatives);
}

// Advances the state by the two halves, which were accepted or are kept regardless.
void AdaptiveStep::take(int halvings, State& state, const Control& control, StepDerivatives* derivatives) {
  for (const Trial& half : halves_) {
    if (derivatives == nullptr && half.stable) {
      state = half.end;
      add(half.report);
      continue;
    }
    Integrator& integrator = part(halvings);
    const StepReport& report =
        derivatives != nullptr ? integrator.step(state, control, of_part_) : integrator.step(state, control);
    if (derivatives != nullptr) add(of_part_, *derivatives);
    add(report);
  }
}

// `done` counts parts of the smallest length.
const StepReport& AdaptiveStep::step(State& state, const Control& control, StepDerivatives* derivatives) {
  system_.require_valid(state);
  system_.require_valid(control);
  report_ = {};
  report_.substeps = 0;
  const std::int64_t all = std::int64_t{1} << adaptive_.halvings;
  bool bound_kept = true;
  int k = 0;
  for (std::int64_t done = 0; done < all;) {
    advance(k, state, control, coarse_);
    bool accepted = false;
    double apart = INFINITY;
    for (;; ++k) {
      advance(k + 1, state, control, halves_[0]);
      halves_[1].stable = false;
      if (coarse_.stable && halves_[0].stable) advance(k + 1, halves_[0].end, control, halves_[1]);
      if (halves_[1].stable) apart = distance(coarse_.end, halves_[1].end);
      accepted = apart <= bound(k);
      if (accepted || k == adaptive_.halvings) break;
      std::swap(coarse_, halves_[0]);
      apart = INFINITY;
    }
    bound_kept = bound_kept && accepted;
    take(k + 1, state, control, derivatives);
    last_part_ = static_cast<std::size_t>(k) + 1;
    done += all >> k;
    if (k > 0 && growth_ * apart <= bound(k - 1) && done % (all >> (k - 1)) == 0) --k;
  }
  if (!bound_kept) {
    report_.solver.status = Status::kNotConverged;
    if (derivatives != nullptr) derivatives->status = Status::kNotConverged;
  }
  return report_;
}

}  // namespace

std::unique_ptr<Integrator> make_adaptive(const System& system, const StepConfig& config,
                                          const AdaptiveConfig& adaptive, int order, MakeIntegrator make) {
  if (!(adaptive.error > 0)) return make(system, config);
  return std::make_unique<AdaptiveStep>(system, config, adaptive, order, std::move(make));
}

}  // namespace abut::dynamics
