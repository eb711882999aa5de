#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "runtime/core/random.h"
#include "tests/runtime/dynamics/step/step_differences.h"
#include "tests/support/tree_scenes.h"
#include "tests/support/worst_of.h"

// Random states of piles under rigid contact with friction, and how far derivatives of their steps are from
// differences.
namespace abut::test {

inline Vec3<double> random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// Boxes, balls and cylinders of 4 to 10 cm, or the shapes of `objects`, turned anyhow, over a floor.
inline Scene random_pile(Random& random, int bodies, std::span<const body::Geometry> objects = {}) {
  Scene scene;
  scene.gravity = kGravity;
  scene.fixed.push_back(floor_at(0));
  for (int k = 0; k < bodies; ++k) {
    const Vec3<double> half(random.uniform(0.02, 0.05), random.uniform(0.02, 0.05),
                            random.uniform(0.02, 0.05));
    Body body = free_box("body" + std::to_string(k), half, random.uniform(0.3, 1),
                         {random.uniform(-0.06, 0.06), random.uniform(-0.06, 0.06), 0.06 + 0.07 * k});
    const std::uint64_t kind = random.below(3);
    if (kind == 1) body.shapes.front().geometry = body::Geometry(body::Sphere<double>{half.x()});
    if (kind == 2) body.shapes.front().geometry = body::Geometry(body::Cylinder<double>{half.x(), half.y()});
    if (!objects.empty())
      body.shapes.front().geometry = objects[static_cast<std::size_t>(k) % objects.size()];
    const Eigen::Quaterniond q =
        Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
    body.q_WB = {q.w(), q.x(), q.y(), q.z()};
    body.v_WB = random_vector(random, 0.5);
    body.w_WB_W = random_vector(random, 3);
    scene.bodies.push_back(std::move(body));
  }
  scene.set_material({.friction = random.uniform(0.1, 0.8), .restitution = random.below(2) == 0 ? 0 : 0.4});
  return scene;
}

// A tree of boxes on joints, every third one floating, every second one with drives, limits and friction,
// over a floor, on which every second pair of them has a box to strike.
inline Scene random_arm(Random& random, unsigned seed) {
  Scene scene;
  scene.gravity = kGravity;
  scene.fixed.push_back(floor_at(0));
  const bool floats = seed % 3 == 2;
  add(scene,
      floats ? random_tree(seed, {kFree, kRevolute, kPrismatic, kRevolute}, true)
             : random_tree(seed, {kRevolute, kSpherical, kRevolute}, false),
      {0, 0, random.uniform(0.2, 0.5)});
  for (Body& body : scene.bodies) {
    Joint& joint = body.joint->joint;
    if (seed % 2 == 0 || (joint.type != kRevolute && joint.type != kPrismatic)) continue;
    joint.damping = 0.05;
    joint.friction = joint.type == kRevolute ? 0.1 : 0;
    joint.stiffness = 3;
    joint.lower = -0.6;
    joint.upper = 0.7;
  }
  if (seed % 4 >= 2) scene.bodies.push_back(free_box("box", {0.1, 0.08, 0.06}, 0.3, {0, 0, 0.07}));
  scene.set_material({.friction = random.uniform(0.2, 0.7)});
  return scene;
}

// Some steps after the start, and then moved by up to 0.1 mm or mrad and 10 mm/s or mrad/s in each freedom:
// what is at rest has gaps of zero, and stands at a kink.
inline State pile_state(Random& random, StepDifferences& differences, const System& system, bool settled) {
  State state = system.initial_state();
  for (auto steps = random.below(250); steps > 0; --steps) differences.integrator().step(state, {});
  if (settled) return state;
  VecX<double> x(differences.size());
  for (double& entry : x) entry = random.uniform(-1, 1);
  x.head(x.size() / 2) *= 1e-4;
  x.tail(x.size() / 2) *= 1e-2;
  return differences.moved(state, x);
}

enum class DerivativeVerdict {
  kRight,         // within 1e-6 of differences, block by block
  kNamed,         // at a kink, and named
  kNotConverged,  // as the solver says
  kNearKink,      // differences of two sizes say different things
  kWrong,
};

struct DerivativeCheck {
  DerivativeVerdict verdict = DerivativeVerdict::kRight;
  double error = 0;  // state_gap of the worst column
  StepDerivatives derivatives;
};

// Block by block, places and velocities by places and velocities: of the block's largest entry, and of what
// differences of `size` resolve: velocities are solved to 1e-13 m/s.
inline double state_gap(const MatX<double>& J, const VecX<double>& slope, Eigen::Index column) {
  constexpr double kResolved[] = {1e-2, 1};  // of places, of velocities
  const Eigen::Index half = J.rows() / 2, first = column < half ? 0 : half;
  double gap = 0;
  for (const Eigen::Index row : {Eigen::Index{0}, half}) {
    const double scale = J.block(row, first, half, half).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    const double error =
        (J.col(column) - slope).segment(row, half).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    gap = worst_of(gap, error / (scale + kResolved[row > 0]));
  }
  return gap;
}

inline DerivativeCheck check_derivatives(StepDifferences& differences, const State& state) {
  constexpr double kError = 1e-6, kSizes[] = {1e-7, 4e-7};
  DerivativeCheck check;
  State stepped = state;
  differences.integrator().step(stepped, {}, check.derivatives);
  const MatX<double>& J = check.derivatives.state;
  double apart = 0;
  for (Eigen::Index k = 0; k < differences.size(); ++k) {
    const VecX<double> direction = VecX<double>::Unit(differences.size(), k);
    const VecX<double> slopes[] = {differences.slope(state, direction, kSizes[0]),
                                   differences.slope(state, direction, kSizes[1])};
    check.error = worst_of(check.error, std::min(state_gap(J, slopes[0], k), state_gap(J, slopes[1], k)));
    const VecX<double> between = J.col(k) - slopes[0] + slopes[1];
    apart = worst_of(apart, state_gap(J, between, k));
  }
  using enum DerivativeVerdict;
  if (check.derivatives.status == Status::kNotConverged)
    check.verdict = kNotConverged;
  else if (check.derivatives.status != Status::kOk)
    check.verdict = kNamed;
  else if (!(check.error < kError))
    check.verdict = apart > kError ? kNearKink : kWrong;
  return check;
}

}  // namespace abut::test
