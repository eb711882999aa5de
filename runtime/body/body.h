#pragma once

#include <limits>
#include <span>
#include <string>

#include "runtime/body/geometry.h"
#include "runtime/core/error.h"

// Bodies and pairs of them: the input of every contact query.
//
//   const body::Body mug{body::Geometry(asset::load("assets/025_mug.h5")), {.modulus = 1e6, .friction =
//   0.5}}; const body::Body finger{body::Geometry(body::Sphere<double>{0.008}), {.modulus = body::kRigid}};
//   const body::Pair pair{&mug, &finger, X_AB};
//   const contact::PairWrench w = contact::contact_wrench("pressure_field", pair);
namespace abut::body {

// The modulus of a rigid body.
inline constexpr double kRigid = std::numeric_limits<double>::infinity();

// Material of a body. Each contact model uses the members that appear in its law.
struct Material {
  double modulus = 1e7;    // E, Pa, > 0: the pressure where the extent is 1; or kRigid
  double dissipation = 0;  // chi of [Elandt2019, Eq. 3], s, >= 0
  double friction = 0;     // mu, >= 0
  double restitution = 0;  // speed after over speed before an impact (Newton), in [0, 1]: only rigid contact
  // Radius of the contact patch of a contact at a point or along a line, m, >= 0: it resists rolling with a
  // torque of up to N patch and spinning with up to mu N patch, where N is the normal force. 0: no
  // resistance. Only for rigid contact.
  double patch = 0;
};

// Friction of a pair: the harmonic mean of both coefficients, 0 if either is 0. The rule keeps the
// coefficient of equal materials and otherwise stays closer to that of the more slippery one.
double pair_friction(const Material& A, const Material& B);
// Restitution of a pair, by the same rule.
double pair_restitution(const Material& A, const Material& B);
// Patch of a pair: the larger of the two, which is that of the softer body.
double pair_patch(const Material& A, const Material& B);

// A body in a contact query. It has no mass: bodies that move are dynamics::Body.
struct Body {
  Geometry geometry;       // its shape, in the body's frame
  Material material = {};  // 10 MPa, without dissipation and friction
};

// Two bodies in relative pose and motion. The bodies must outlive the pair.
struct Pair {
  const Body* A = nullptr;                     // results are in its frame unless stated otherwise
  const Body* B = nullptr;                     // derivatives are with respect to its pose in A
  Pose<double> X_AB;                           // pose of B in A
  Vec6<double> V_AB_B = Vec6<double>::Zero();  // twist of B in A, at Bo, in B: rad/s, m/s
};

// Largest entry of R'R - I allowed for a pose: a rotation given in single precision passes.
inline constexpr double kRotationTolerance = 1e-5;

// Throws InvalidInput, naming `who` (and the body at fault, if any), unless both bodies are present and have
// the parts needed, the pose is finite with a rotation, and the twist is finite. Allocates only to throw.
void require_valid(const Pair& pair, unsigned needs_A, unsigned needs_B, const char* who);
// The same where both bodies need the same parts.
inline void require_valid(const Pair& pair, unsigned needs, const char* who) {
  require_valid(pair, needs, needs, who);
}

// Checks every pair of a batch: rethrows the InvalidInput of check(pair) with the pair's number, and throws
// InvalidInput, naming `who`, if `room` is not the number of pairs.
template <class Check>
void require_valid_batch(std::span<const Pair> pairs, std::size_t room, const char* who, Check&& check) {
  if (pairs.size() != room)
    throw InvalidInput(std::string(who) + ": " + std::to_string(pairs.size()) + " pairs but room for " +
                       std::to_string(room) + " results");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    try {
      check(pairs[i]);
    } catch (const InvalidInput& error) {
      throw InvalidInput("pair " + std::to_string(i) + ": " + error.what());
    }
  }
}

// Throws InvalidInput, naming `who` and the geometry, unless the geometry has the parts needed.
void require_valid(const Geometry& geometry, unsigned needs, const char* who);

inline constexpr double kLeastModulus = 1e-18, kGreatestModulus = 1e18;  // of a compliant body, Pa

// Throws InvalidInput, naming `who` and the body, unless the modulus is from 1e-18 to 1e18 Pa or kRigid,
// dissipation, friction and patch are from 0 to 1e12, and restitution is from 0 to 1.
void require_valid(const Material& material, const char* who, const char* body);

}  // namespace abut::body
