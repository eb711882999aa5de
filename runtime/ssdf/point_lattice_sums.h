#pragma once

#include "runtime/ssdf/point_lattice.h"
#include "runtime/ssdf/taylor.h"

// The field of a point lattice, with derivatives.
namespace abut::ssdf::internal {

// At p (m), a place to a lane of T: simd::Four with kOrder 1 to 3, and the reference, long double. Where it
// surely is `limit` (m) or more that is the value, and derivatives are 0; false where it is at all places.
template <int kOrder, class T, class S>
bool lattice_field(const PointLattice& lattice, const T* p, S limit, Taylor<T, kOrder>& phi);

// False where it surely is `limit` (m) or more at all places.
template <class T, class S>
bool lattice_felt(const PointLattice& lattice, const T* p, S limit);

}  // namespace abut::ssdf::internal
