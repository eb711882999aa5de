#include "runtime/body/body.h"

#include <algorithm>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/settings.h"

namespace abut::body {

namespace {

[[noreturn]] void refuse(const char* who, const std::string& what) {
  throw InvalidInput(std::string(who) + ": " + what);
}

void require_parts(const Geometry& geometry, unsigned needs, const char* who, const char* name) {
  if (const char* missing = geometry.missing_part(needs))
    refuse(who, std::string(name) + " ('" + geometry.name() + "') " + missing);
}

void require_body(const Body* body, unsigned needs, const char* who, const char* name) {
  if (body == nullptr) refuse(who, std::string(name) + " is missing");
  require_parts(body->geometry, needs, who, name);
}

// Bound of material numbers, so that products of a few of them neither overflow nor vanish.
constexpr double kGreatestRatio = 1e12;  // of friction, dissipation (s) and patch (m)

// The harmonic mean of two numbers >= 0, exact if they are equal.
double harmonic_mean(double a, double b) {
  if (a == b) return a;
  return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

}  // namespace

double pair_friction(const Material& A, const Material& B) { return harmonic_mean(A.friction, B.friction); }

double pair_restitution(const Material& A, const Material& B) {
  return harmonic_mean(A.restitution, B.restitution);
}

double pair_patch(const Material& A, const Material& B) { return std::max(A.patch, B.patch); }

void require_valid(const Pair& pair, unsigned needs_A, unsigned needs_B, const char* who) {
  require_body(pair.A, needs_A, who, "body A");
  require_body(pair.B, needs_B, who, "body B");
  if (!pair.X_AB.finite()) refuse(who, "the pose X_AB has an entry that is NaN or infinite");
  if (!(rotation_error(pair.X_AB.R) <= kRotationTolerance))
    refuse(who, "R_AB of the pose is not a rotation; normalise it (or its quaternion) first");
  if (!pair.V_AB_B.allFinite()) refuse(who, "the twist V_AB_B has an entry that is NaN or infinite");
}

void require_valid(const Geometry& geometry, unsigned needs, const char* who) {
  require_parts(geometry, needs, who, "the geometry");
}

void require_valid(const Material& material, const char* who, const char* body) {
  const auto number = [](double value) { return abut::number_text(value); };
  const std::string of = std::string(" of ") + body + " is ";
  if (material.modulus != kRigid &&
      !(material.modulus >= kLeastModulus && material.modulus <= kGreatestModulus))
    refuse(who, "the modulus" + of + number(material.modulus) +
                    " Pa; it must be from 1e-18 to 1e18, or its body rigid");
  if (!(material.dissipation >= 0 && material.dissipation <= kGreatestRatio))
    refuse(who, "the dissipation" + of + number(material.dissipation) + "; it must be from 0 to 1e12");
  if (!(material.friction >= 0 && material.friction <= kGreatestRatio))
    refuse(who, "the friction" + of + number(material.friction) + "; it must be from 0 to 1e12");
  if (!(material.restitution >= 0 && material.restitution <= 1))
    refuse(who, "the restitution" + of + number(material.restitution) + "; it must be from 0 to 1");
  if (!(material.patch >= 0 && material.patch <= kGreatestRatio))
    refuse(who, "the patch" + of + number(material.patch) + " m; it must be from 0 to 1e12");
}

}  // namespace abut::body
