#include "runtime/dynamics/collide/required_pairs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/core/error.h"

namespace abut::dynamics {
namespace {

// Shapes that a model cannot tell apart.
struct Kind {
  const Shape* shape;
  std::size_t contact_class;
  std::vector<std::size_t> owners;  // placed bodies with such a shape
};

std::vector<Kind> kinds_of(const System& system) {
  std::vector<Kind> kinds;
  for (std::size_t i = 0; i < system.shape_count(); ++i) {
    const Shape& shape = system.shape(i);
    const std::size_t owner = system.placed_body_of_shape(i), contact_class = system.contact_class(owner);
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) {
      return k.contact_class == contact_class && k.shape->geometry.id() == shape.geometry.id() &&
             k.shape->material.modulus == shape.material.modulus;
    });
    if (kind == kinds.end()) kind = kinds.insert(kind, {&shape, contact_class, {}});
    if (kind->owners.empty() || kind->owners.back() != owner) kind->owners.push_back(owner);
  }
  return kinds;
}

std::string name_of(const System& system, std::size_t placed) {
  return placed < system.fixed_count() ? "fixed shape " + std::to_string(placed)
                                       : "body '" + system.body(placed - system.fixed_count()).name + "'";
}

void require_pair(const System& system, const Shape& a, std::size_t placed_A, const Shape& b,
                  std::size_t placed_B, const ModelOfShapes& model_of) {
  const contact::Model* const model = model_of(a, placed_A, b, placed_B);
  if (model == nullptr) return;
  const body::Body A{a.geometry, a.material}, B{b.geometry, b.material};
  try {
    model->require_valid({&A, &B, {}});
  } catch (const InvalidInput& error) {
    throw InvalidInput("simulation: " + name_of(system, placed_A) + " and " + name_of(system, placed_B) +
                       ": " + error.what());
  }
}

}  // namespace

void require_pairs(const System& system, const ModelOfShapes& model_of) {
  const std::vector<Kind> kinds = kinds_of(system);
  const std::size_t fixed = system.fixed_count();
  const auto require = [&](const Kind& A, const Kind& B) {
    for (const std::size_t a : A.owners)
      for (const std::size_t b : B.owners)
        if (a != b && (a >= fixed || b >= fixed) && system.may_meet(a, b))
          return require_pair(system, *A.shape, a, *B.shape, b, model_of);
  };
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) require(kinds[k], kinds[i]);
}

}  // namespace abut::dynamics
