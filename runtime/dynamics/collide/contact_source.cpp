#include "runtime/dynamics/collide/contact_source.h"

#include "runtime/core/error.h"

namespace abut::dynamics {

void require_parts(const System& system, const contact::ModelRow& model) {
  const Scene& scene = system.scene();
  const auto check = [&](const Shape& shape, const std::string& who) {
    const char* missing = shape.geometry.primitive() ? nullptr : shape.geometry.missing_part(model.needs);
    if (missing) throw InvalidInput("simulation: the asset of " + who + " " + missing);
  };
  for (const Shape& shape : scene.fixed) check(shape, "a fixed shape");
  for (const Body& body : scene.bodies)
    for (const Shape& shape : body.shapes) check(shape, "body '" + body.name + "'");
}

}  // namespace abut::dynamics
