#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/dynamics/system/scene.h"

// Numbers of a scene's bodies that the derivatives of a step may be taken by.
namespace abut::dynamics {

// The numbers that the derivatives of a step may be taken by.
enum class Quantity : std::uint8_t {
  kMass,         // kg, the moments held
  kMomentX,      // kg m^2, principal, about x of the body's frame
  kMomentY,      //
  kMomentZ,      //
  kFriction,     // mu of all its shapes
  kModulus,      // Pa, of all its shapes
  kDissipation,  // s, of all its shapes
  // The pose of one of its shapes, whatever the body weighs there: xi of X_BS exp(xi), rad and m.
  kShapeTurnX,
  kShapeTurnY,
  kShapeTurnZ,
  kShapeShiftX,
  kShapeShiftY,
  kShapeShiftZ,
};

// A number of one body, or of one of its shapes.
struct Parameter {
  Quantity quantity = Quantity::kMass;  // which number of it
  std::int32_t body = 0;                // index
  std::int32_t shape = 0;               // index there; for the pose of a shape
};

// By name, as mass, moment_x, friction, shape_turn_x or shape_shift_x. Throws InvalidInput, naming
// those that there are, for an unknown one.
Quantity find_quantity(std::string_view name);

// Whether it is a number of the shapes' material, whether it is one of a shape's pose; else it is a number of
// the body.
bool of_material(Quantity quantity);
bool of_shape_pose(Quantity quantity);  // a turn or a shift of the shape

// Of a number, in its unit: of a body's shapes the first one's. To set it changes those of the other shapes
// by as much. Both throw InvalidInput for a pose, which has no one number.
double value_of(const Body& body, Quantity quantity);
void set_value(Body& body, Quantity quantity, double value);  // of the first shape; see above
// Of one shape's material; `quantity` is a number of materials.
double& material_number(Shape& shape, Quantity quantity);
double material_number(const Shape& shape, Quantity quantity);  // the same, to read

// Makes a number larger, or moves a shape along the tangent of its pose.
void change(Body& body, const Parameter& parameter, double by);

// Throws InvalidInput, naming the body, for one that there is not, one without shapes where the material is
// asked for, without the shape whose pose is, and numbers, of materials the first shape's, that are not
// positive and finite: friction has no derivative at 0, but one towards more, which other shapes have there.
void require_valid(const Scene& scene, std::span<const Parameter> parameters);

}  // namespace abut::dynamics
