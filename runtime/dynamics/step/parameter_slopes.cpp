#include "runtime/dynamics/step/parameter_slopes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace abut::dynamics {
namespace {

// Relative step of the differences of a material's number. Within it few points of a patch pass to where
// dissipation removes all pressure, which is a kink; the rounding, 1e-16 over the step, is far below.
constexpr double kRelativeStep = 4e-6;

// Weights of fourth-order differences at `first`, `first` + 1, ... steps.
struct Stencil {
  int first;
  std::array<double, 5> weights;
};
constexpr Stencil kCentral{-2, {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12}};
constexpr Stencil kForward{0, {-25.0 / 12, 4, -3, 4.0 / 3, -1.0 / 4}};

// Changes a body's shapes for the lifetime of this object.
class ChangedShapes {
 public:
  ChangedShapes(CompliantContact& contact, std::size_t index, const Body& body)
      : contact_(contact), index_(index), body_(body) {}
  ~ChangedShapes() { contact_.set_shapes(index_, body_.shapes); }
  ChangedShapes(const ChangedShapes&) = delete;
  ChangedShapes& operator=(const ChangedShapes&) = delete;

  void set(std::span<const Shape> shapes) { contact_.set_shapes(index_, shapes); }

 private:
  CompliantContact& contact_;
  std::size_t index_;
  const Body& body_;
};

}  // namespace

ParameterSlopes::ParameterSlopes(const SystemTree& tree, std::span<const Parameter> parameters) {
  const Scene& scene = tree.system().scene();
  require_valid(scene, parameters);
  slopes_.setZero(tree.tree().nv(), static_cast<Eigen::Index>(parameters.size()));
  // Fourth-order differences: masses move the centres of mass of branches (momentum.h).
  const auto add_variants = [&](Eigen::Index column, std::size_t body, Quantity quantity) {
    constexpr double kShare = 1e-3;  // of the value
    const double value = value_of(scene.bodies[body], quantity);
    for (const auto& [steps, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
      Scene changed = scene;
      set_value(changed.bodies[body], quantity, (1 + steps * kShare) * value);
      Tree variant(links_of(changed), scene.gravity);
      TreeScratch scratch(variant);
      variants_.push_back({column, weight / (12 * kShare * value), std::move(variant), std::move(scratch)});
    }
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
      add_materials(column, parameters[i], scene.bodies[at]);
      continue;
    }
    add_variants(column, at, quantity);
  }
}

// Shapes with an infinite modulus are left out: a rigid shape stays rigid, whatever is added to it.
void ParameterSlopes::add_materials(Eigen::Index column, const Parameter& parameter, const Body& body) {
  std::vector<double> numbers;
  for (const Shape& shape : body.shapes) numbers.push_back(material_number(shape, parameter.quantity));
  const double first = numbers.front();
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const double number : numbers)
    if (std::isfinite(number))
      of_materials_.push_back(
          {column, parameter, number, kRelativeStep * (number > 0 ? number : first), body});
}

const MatX<double>& ParameterSlopes::evaluate(const Inertia& inertia) {
  slopes_.setZero();
  for (Variant& variant : variants_)
    slopes_.col(variant.column) -= variant.weight * inertia(variant.tree, variant.scratch);
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
  wanted_ = touching_;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const PairForce& pair = contact.pairs()[i];
    if (pair.A != part.parameter.body && pair.B != part.parameter.body) wanted_[i] = 0;
  }
  ChangedShapes shapes(contact, static_cast<std::size_t>(part.parameter.body), part.body);
  const Stencil& stencil = part.number > 0 ? kCentral : kForward;
  Body changed;
  for (int k = 0; k < 5; ++k) {
    if (stencil.weights[k] == 0) continue;
    changed = part.body;
    for (Shape& shape : changed.shapes)
      if (double& number = material_number(shape, part.parameter.quantity); number == part.number)
        number += (stencil.first + k) * part.size;
    shapes.set(changed.shapes);
    contact.evaluate(motions, wanted_, contact::Want::kValue);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i] == 0) continue;
      const PairForce& pair = contact.pairs()[i];
      const double weight = stencil.weights[k] / part.size;
      add_force(weight * pair.F_W[0], pair.A, part.column, tree, scratch);
      add_force(weight * pair.F_W[1], pair.B, part.column, tree, scratch);
    }
  }
}

void ParameterSlopes::add_force(const Vec6<double>& F_W, std::int32_t body, Eigen::Index column,
                                const SystemTree& tree, const TreeScratch& scratch) {
  if (body == kFixed) return;
  BodySlopes slopes;
  find_slopes(tree, scratch, static_cast<std::size_t>(body), slopes);
  const VecX<double> force = slopes.J.transpose() * F_W;
  for (std::size_t d = 0; d < slopes.dofs.size(); ++d)
    slopes_(slopes.dofs[d], column) += force[static_cast<Eigen::Index>(d)];
}

}  // namespace abut::dynamics
