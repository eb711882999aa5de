#include "runtime/dynamics/step/parameter_slopes.h"

namespace abut::dynamics {
namespace {

// Of differences: of a material's number, and of a shape's pose, rad or m.
constexpr double kRelativeStep = 1e-3, kPoseStep = 1e-6;

}  // namespace

ParameterSlopes::ParameterSlopes(const SystemTree& tree, std::span<const Parameter> parameters) {
  const Scene& scene = tree.system().scene();
  require_valid(scene, parameters);
  slopes_.setZero(tree.tree().nv(), static_cast<Eigen::Index>(parameters.size()));
  const auto add = [&](Eigen::Index column, double change, const Scene& changed) {
    Tree variant(links_of(changed), scene.gravity);
    TreeScratch scratch(variant);
    variants_.push_back({column, change, std::move(variant), std::move(scratch)});
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Quantity quantity = parameters[i].quantity;
    const auto column = static_cast<Eigen::Index>(i);
    const auto at = static_cast<std::size_t>(parameters[i].body);
    if (of_material(quantity) || of_shape_pose(quantity)) {
      const Body& body = scene.bodies[at];
      const double size = of_material(quantity) ? kRelativeStep * value_of(body, quantity) : kPoseStep;
      of_shapes_.push_back({column, parameters[i], size, body});
      continue;
    }
    if (variants_.empty()) add(-1, 0, scene);
    Scene heavier = scene;
    const double value = value_of(scene.bodies[at], quantity);
    set_value(heavier.bodies[at], quantity, 2 * value);
    add(column, value, heavier);
  }
}

const MatX<double>& ParameterSlopes::evaluate(const Inertia& inertia) {
  slopes_.setZero();
  VecX<double> unchanged;
  for (Variant& variant : variants_) {
    const VecX<double> force = inertia(variant.tree, variant.scratch);
    if (variant.change == 0)
      unchanged = force;
    else
      slopes_.col(variant.column) = (unchanged - force) / variant.change;
  }
  return slopes_;
}

const MatX<double>& ParameterSlopes::evaluate(const SystemTree& tree, CompliantContact& contact,
                                              std::span<const BodyMotion> motions, const TreeScratch& scratch,
                                              const Inertia& inertia) {
  evaluate(inertia);
  for (const OfShapes& part : of_shapes_) add(part, tree, contact, motions, scratch);
  if (!of_shapes_.empty()) {
    wanted_.assign(contact.pairs().size(), 1);
    contact.evaluate(motions, wanted_, contact::Want::kValue);
  }
  return slopes_;
}

void ParameterSlopes::add(const OfShapes& part, const SystemTree& tree, CompliantContact& contact,
                          std::span<const BodyMotion> motions, const TreeScratch& scratch) {
  constexpr double kWeights[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
  wanted_.clear();
  for (const PairForce& pair : contact.pairs()) {
    const std::int32_t on = part.parameter.body;
    wanted_.push_back((pair.A == on || pair.B == on) && pair.contacts > 0 ? 1 : 0);
  }
  const auto index = static_cast<std::size_t>(part.parameter.body);
  Body changed;
  for (int k = 0; k < 5; ++k) {
    if (kWeights[k] == 0) continue;
    changed = part.body;
    change(changed, part.parameter, (k - 2) * part.size);
    contact.set_shapes(index, changed.shapes);
    contact.evaluate(motions, wanted_, contact::Want::kValue);
    add_forces(kWeights[k] / part.size, part.column, tree, contact, scratch);
  }
  contact.set_shapes(index, part.body.shapes);
}

void ParameterSlopes::add_forces(double weight, Eigen::Index column, const SystemTree& tree,
                                 const CompliantContact& contact, const TreeScratch& scratch) {
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (wanted_[i] == 0) continue;
    const PairForce& pair = contact.pairs()[i];
    for (std::size_t member = 0; member < 2; ++member) {
      const std::int32_t index = member == 0 ? pair.A : pair.B;
      if (index == kFixed) continue;
      const BodySlopes slopes = body_slopes(tree, scratch, static_cast<std::size_t>(index));
      const VecX<double> force = slopes.J.transpose() * pair.F_W[member];
      for (std::size_t d = 0; d < slopes.dofs.size(); ++d)
        slopes_(slopes.dofs[d], column) += weight * force[static_cast<Eigen::Index>(d)];
    }
  }
}

}  // namespace abut::dynamics
