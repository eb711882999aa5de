#pragma once

#include <string>

#include "runtime/contact/model.h"
#include "runtime/ssdf/kernel.h"

// Functions that the contact models with soft distances share.
namespace abut::contact::internal {

// Throws InvalidInput, naming `who`, unless the pair is finite, has valid materials, each geometry has the
// parts needs(geometry) (a half-space needs none), and the bodies are not two half-spaces.
template <class Needs>
void require_soft_pair(const body::Pair& pair, Needs&& needs, const char* who) {
  body::require_valid(pair, body::kNoPart, who);
  const body::Geometry &A = pair.A->geometry, &B = pair.B->geometry;
  const bool plane_A = A.half_space() != nullptr, plane_B = B.half_space() != nullptr;
  if (plane_A && plane_B) throw InvalidInput(std::string(who) + ": two half-spaces have no contact");
  body::require_valid(pair, plane_A ? body::kNoPart : needs(A), plane_B ? body::kNoPart : needs(B), who);
  body::require_valid(pair.A->material, who, "A");
  body::require_valid(pair.B->material, who, "B");
}

// Returns the highest order of derivatives of the wrench that `want` requires.
inline ssdf::Order order_of(Want want) {
  if (has(want, Want::kHessian)) return ssdf::Order::kHessian;
  return has(want, Want::kJacobian) ? ssdf::Order::kGradient : ssdf::Order::kValue;
}

// Extracts the value and the requested derivatives from `found`, a SoftMinimum or a SoftPotential.
template <class Found>
PairWrench pair_wrench(const Found& found, Want want, WrenchHessian* hessian) {
  PairWrench result;
  result.F_BBo_B = found.F_BBo_B;
  if (has(want, Want::kJacobian)) {
    result.dF_dxi_B = found.jacobian.template leftCols<6>();
    result.dF_dV_AB_B = found.jacobian.template rightCols<6>();
  }
  if (has(want, Want::kHessian)) *hessian = found.hessian;
  return result;
}

}  // namespace abut::contact::internal
