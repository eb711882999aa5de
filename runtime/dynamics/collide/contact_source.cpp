#include "runtime/dynamics/collide/contact_source.h"

#include "runtime/core/error.h"

namespace abut::dynamics {

namespace {

struct Sampling {
  const char* name;
  ContactSampling sampling;
};

constexpr Sampling kSamplings[] = {{"vertex", ContactSampling::kVertex},
                                   {"patch", ContactSampling::kPatch},
                                   {"pieces", ContactSampling::kPieces}};

}  // namespace

std::vector<std::string> contact_source_names() {
  std::vector<std::string> names;
  for (const Sampling& row : kSamplings) names.emplace_back(row.name);
  for (const contact::ModelRow& row : contact::models()) names.emplace_back(row.name);
  return names;
}

ContactSource contact_source(const std::string& name, const SettingValues& settings) {
  for (const Sampling& row : kSamplings)
    if (name == row.name) return {.sampling = row.sampling, .settings = settings};
  return {.model = name, .settings = settings};
}

void require_parts(const System& system, unsigned needs) {
  const Scene& scene = system.scene();
  const auto check = [&](const Shape& shape, const std::string& who) {
    const char* missing = shape.geometry.primitive() ? nullptr : shape.geometry.missing_part(needs);
    if (missing) throw InvalidInput("simulation: the asset of " + who + " " + missing);
  };
  for (const Shape& shape : scene.fixed) check(shape, "a fixed shape");
  for (const Body& body : scene.bodies)
    for (const Shape& shape : body.shapes) check(shape, "body '" + body.name + "'");
}

}  // namespace abut::dynamics
