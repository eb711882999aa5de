#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/dynamics/system/scene.h"

// Parameters of a scene's bodies with respect to which a step can be differentiated.
namespace abut::dynamics {

// The kinds of parameters.
enum class Quantity : std::uint8_t {
  kMass,         // kg, at constant moments of inertia
  kMomentX,      // principal moment of inertia about x of the body's frame, kg m^2
  kMomentY,      // the same about y
  kMomentZ,      // the same about z
  kFriction,     // coefficient of friction of all shapes of the body
  kModulus,      // elastic modulus of all shapes of the body, Pa
  kDissipation,  // dissipation of all shapes of the body, s
  // The pose of one shape of the body: xi of X_BS exp(xi), rad and m. The body's inertia does not change.
  kShapeTurnX,
  kShapeTurnY,
  kShapeTurnZ,
  kShapeShiftX,
  kShapeShiftY,
  kShapeShiftZ,
};

// A parameter of one body, or of one of its shapes.
struct Parameter {
  Quantity quantity = Quantity::kMass;  // kind of the parameter
  std::int32_t body = 0;                // index of the body
  std::int32_t shape = 0;               // index of the shape in the body, for the pose of a shape
};

// Returns the quantity of a name, such as mass, moment_x, friction, shape_turn_x or shape_shift_x. Throws
// InvalidInput, listing the known names, for an unknown one.
Quantity find_quantity(std::string_view name);

// Whether a quantity belongs to the material of the shapes, or to the pose of a shape; otherwise it belongs
// to the body.
bool of_material(Quantity quantity);
bool of_shape_pose(Quantity quantity);  // a rotation or a translation of the shape

// Get and set a quantity in its unit; of a material it is that of the body's first shape. Setting it changes
// the materials of the other shapes by the same amount. Both throw InvalidInput for the pose of a shape,
// which is not a single number.
double value_of(const Body& body, Quantity quantity);
void set_value(Body& body, Quantity quantity, double value);  // sets the first shape's; see above
// Return a quantity of one shape's material; `quantity` must be one of a material.
double& material_number(Shape& shape, Quantity quantity);
double material_number(const Shape& shape, Quantity quantity);  // read-only

// Adds `by` to a parameter, or moves a shape by `by` along the tangent of its pose.
void change(Body& body, const Parameter& parameter, double by);

// Throws InvalidInput, naming the body, for a body or shape that does not exist, a material parameter of a
// body without shapes, and a value (of materials the first shape's) that is not positive and finite.
// Friction has only a one-sided derivative at 0, towards larger values, which is what other shapes of the
// body get there.
void require_valid(const Scene& scene, std::span<const Parameter> parameters);

}  // namespace abut::dynamics
