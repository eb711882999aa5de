#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/body/primitives/box.h"
#include "runtime/body/primitives/capsule.h"
#include "runtime/body/primitives/cone.h"
#include "runtime/body/primitives/cylinder.h"
#include "runtime/body/primitives/ellipsoid.h"
#include "runtime/body/primitives/half_space.h"
#include "runtime/body/primitives/sphere.h"

// All kinds of primitives behind one table. To add one, write its header and source in primitives/ and add it
// to the alternatives of Primitive (docs/architecture.md, "one more").
namespace abut::body {

// Any primitive; the alternatives of the variant are the table.
using Primitive = std::variant<Sphere<double>, Ellipsoid<double>, Box<double>, Capsule<double>,
                               Cylinder<double>, Cone<double>, HalfSpace<double>>;

// What command lines and messages know about a kind of primitive (primitives/kind.h).
struct PrimitiveRow {
  std::string_view name;                             // "cylinder", for command lines and messages
  std::string_view sizes;                            // what follows the name on a command line, m: "R:H"
  std::string_view help;                             // what the sizes are
  std::size_t size_count;                            // how many numbers `sizes` names
  Primitive (*make)(std::span<const double> sizes);  // from `size_count` sizes, m; does not check them
};

// All rows, in the order of the variant's alternatives.
std::span<const PrimitiveRow> primitives();
const PrimitiveRow& row_of(const Primitive& primitive);  // the row of its kind

// Parses a primitive such as "cylinder:0.03:0.1". Throws InvalidInput, listing the known kinds, for a text
// that does not name one, and as require_valid does.
Primitive parse_primitive(const std::string& text);

// Throws InvalidInput, naming the primitive and the size, unless all sizes are positive and finite (a
// capsule's half length may be 0).
void require_valid(const Primitive& primitive);

// The sizes in the order of the primitive's row, m.
std::vector<double> sizes(const Primitive& primitive);

// Mass properties of the solid about its centre of mass, in closed form; all 0 for a half-space.
asset::MassProperties mass_properties(const Primitive& primitive);

}  // namespace abut::body
