#include "runtime/dynamics/step/parameter_slopes.h"

namespace abut::dynamics {
namespace {

constexpr double kRelativeStep = 1e-3;  // of the differences of a material's number

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
    if (of_shape_pose(quantity)) {
      of_poses_.push_back({column, parameters[i]});
      continue;
    }
    if (of_material(quantity)) {
      const Body& body = scene.bodies[at];
      of_materials_.push_back({column, parameters[i], kRelativeStep * value_of(body, quantity), body});
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
  touching_.clear();
  for (const PairForce& pair : contact.pairs()) touching_.push_back(pair.contacts > 0 ? 1 : 0);
  for (const OfPose& part : of_poses_) add(part, tree, contact, motions, scratch);
  for (const OfMaterial& part : of_materials_) add(part, tree, contact, motions, scratch);
  if (!of_materials_.empty()) {
    wanted_.assign(contact.pairs().size(), 1);
    contact.evaluate(motions, wanted_, contact::Want::kValue);
  }
  return slopes_;
}

void ParameterSlopes::add(const OfPose& part, const SystemTree& tree, CompliantContact& contact,
                          std::span<const BodyMotion> motions, const TreeScratch& scratch) {
  const auto body = static_cast<std::size_t>(part.parameter.body),
             shape = static_cast<std::size_t>(part.parameter.shape);
  const int k = static_cast<int>(part.parameter.quantity) - static_cast<int>(Quantity::kShapeTurnX);
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const PairForce& pair = contact.pairs()[i];
    if (touching_[i] == 0 || (pair.A != part.parameter.body && pair.B != part.parameter.body)) continue;
    const std::array<Mat6<double>, 2> dF = contact.slopes_by_shape(motions, i, body, shape);
    add_force(dF[0].col(k), pair.A, part.column, tree, scratch);
    add_force(dF[1].col(k), pair.B, part.column, tree, scratch);
  }
}

void ParameterSlopes::add(const OfMaterial& part, const SystemTree& tree, CompliantContact& contact,
                          std::span<const BodyMotion> motions, const TreeScratch& scratch) {
  constexpr double kWeights[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
  wanted_ = touching_;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const PairForce& pair = contact.pairs()[i];
    if (pair.A != part.parameter.body && pair.B != part.parameter.body) wanted_[i] = 0;
  }
  const auto index = static_cast<std::size_t>(part.parameter.body);
  Body changed;
  for (int k = 0; k < 5; ++k) {
    if (kWeights[k] == 0) continue;
    changed = part.body;
    change(changed, part.parameter, (k - 2) * part.size);
    contact.set_shapes(index, changed.shapes);
    contact.evaluate(motions, wanted_, contact::Want::kValue);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i] == 0) continue;
      const PairForce& pair = contact.pairs()[i];
      const double weight = kWeights[k] / part.size;
      add_force(weight * pair.F_W[0], pair.A, part.column, tree, scratch);
      add_force(weight * pair.F_W[1], pair.B, part.column, tree, scratch);
    }
  }
  contact.set_shapes(index, part.body.shapes);
}

void ParameterSlopes::add_force(const Vec6<double>& F_W, std::int32_t body, Eigen::Index column,
                                const SystemTree& tree, const TreeScratch& scratch) {
  if (body == kFixed) return;
  const BodySlopes slopes = body_slopes(tree, scratch, static_cast<std::size_t>(body));
  const VecX<double> force = slopes.J.transpose() * F_W;
  for (std::size_t d = 0; d < slopes.dofs.size(); ++d)
    slopes_(slopes.dofs[d], column) += force[static_cast<Eigen::Index>(d)];
}

}  // namespace abut::dynamics
