#include "runtime/dynamics/system/parameter.h"

#include <cmath>
#include <string_view>

#include "runtime/core/error.h"
#include "runtime/core/table.h"

namespace abut::dynamics {
namespace {

// One row for each Quantity, in its order.
struct Row {
  std::string_view name;
  double body::Material::*material;  // null for a quantity of the body itself
};
constexpr Row kRows[] = {
    {"mass", nullptr},
    {"moment_x", nullptr},
    {"moment_y", nullptr},
    {"moment_z", nullptr},
    {"friction", &body::Material::friction},
    {"modulus", &body::Material::modulus},
    {"dissipation", &body::Material::dissipation},
    {"shape_turn_x", nullptr},
    {"shape_turn_y", nullptr},
    {"shape_turn_z", nullptr},
    {"shape_shift_x", nullptr},
    {"shape_shift_y", nullptr},
    {"shape_shift_z", nullptr},
};

const Row& row_of(Quantity quantity) { return kRows[static_cast<std::size_t>(quantity)]; }

double& inertial(Body& body, Quantity quantity) {
  if (quantity == Quantity::kMass) return body.mass;
  return body.inertia[static_cast<int>(quantity) - static_cast<int>(Quantity::kMomentX)];
}

void require_number(const Body& body, Quantity quantity) {
  if (!of_shape_pose(quantity)) return;
  throw InvalidInput("parameter: " + std::string(row_of(quantity).name) + " of body '" + body.name +
                     "' is a pose, which has no one number to read or to set");
}

}  // namespace

Quantity find_quantity(std::string_view name) {
  return static_cast<Quantity>(&find_row(std::span<const Row>(kRows), "quantity of a body", name) - kRows);
}

bool of_material(Quantity quantity) { return row_of(quantity).material != nullptr; }

bool of_shape_pose(Quantity quantity) { return quantity >= Quantity::kShapeTurnX; }

double& material_number(Shape& shape, Quantity quantity) { return shape.material.*row_of(quantity).material; }

double material_number(const Shape& shape, Quantity quantity) {
  return shape.material.*row_of(quantity).material;
}

double value_of(const Body& body, Quantity quantity) {
  require_number(body, quantity);
  if (of_material(quantity)) return material_number(body.shapes.front(), quantity);
  Body copy = body;
  return inertial(copy, quantity);
}

void set_value(Body& body, Quantity quantity, double value) {
  require_number(body, quantity);
  if (!of_material(quantity)) {
    inertial(body, quantity) = value;
    return;
  }
  const double first = value_of(body, quantity);
  for (Shape& shape : body.shapes) {
    double& number = material_number(shape, quantity);
    number = number == first ? value : number + (value - first);
  }
}

void change(Body& body, const Parameter& parameter, double by) {
  if (!of_shape_pose(parameter.quantity)) {
    set_value(body, parameter.quantity, value_of(body, parameter.quantity) + by);
    return;
  }
  const int k = static_cast<int>(parameter.quantity) - static_cast<int>(Quantity::kShapeTurnX);
  Pose<double>& X_BS = body.shapes[static_cast<std::size_t>(parameter.shape)].X_BS;
  X_BS = X_BS * exp<double>(by * Vec6<double>::Unit(k));
}

void require_valid(const Scene& scene, std::span<const Parameter> parameters) {
  for (const Parameter& parameter : parameters) {
    if (static_cast<std::size_t>(parameter.quantity) >= std::size(kRows))
      throw InvalidInput("parameter: there is no such quantity");
    const std::string what(row_of(parameter.quantity).name);
    if (parameter.body < 0 || static_cast<std::size_t>(parameter.body) >= scene.bodies.size())
      throw InvalidInput("parameter: " + what + " of body " + std::to_string(parameter.body) +
                         ", but there are " + std::to_string(scene.bodies.size()));
    const Body& body = scene.bodies[static_cast<std::size_t>(parameter.body)];
    if (of_material(parameter.quantity) && body.shapes.empty())
      throw InvalidInput("parameter: " + what + " of body '" + body.name + "', which has no shapes");
    if (of_shape_pose(parameter.quantity)) {
      if (parameter.shape < 0 || static_cast<std::size_t>(parameter.shape) >= body.shapes.size())
        throw InvalidInput("parameter: " + what + " of body '" + body.name + "', which has no shape " +
                           std::to_string(parameter.shape));
      continue;
    }
    const double value = value_of(body, parameter.quantity);
    if (!(value > 0 && std::isfinite(value)))
      throw InvalidInput("parameter: " + what + " of body '" + body.name +
                         "' is not positive and finite: there is no derivative by it");
  }
}

}  // namespace abut::dynamics
