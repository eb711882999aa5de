#pragma once

#include "runtime/ssdf/point_lattice.h"
#include "runtime/ssdf/taylor.h"

// The field of a point lattice, with derivatives.
namespace abut::ssdf::internal {

// The field at p (m), one point per lane of T: simd::Four with kOrder 1 to 3, or long double, the reference.
// Where the field is surely `limit` (m) or more, the value is `limit` and derivatives are 0; returns false if
// this holds for all points.
template <int kOrder, class T, class S>
bool lattice_field(const PointLattice& lattice, const T* p, S limit, Taylor<T, kOrder>& phi);

// Returns false where the field is surely `limit` (m) or more at all points.
template <class T, class S>
bool lattice_felt(const PointLattice& lattice, const T* p, S limit);

}  // namespace abut::ssdf::internal
