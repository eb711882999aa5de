#pragma once

#include "runtime/witness/witness.h"

namespace abut::test {

// What derivatives need of a witness, in another scalar.
template <class S, class T>
witness::Witness<S> cast_witness(const witness::Witness<T>& w) {
  witness::Witness<S> result{};
  result.p1 = w.p1.template cast<S>();
  result.p2 = w.p2.template cast<S>();
  result.n = w.n.template cast<S>();
  result.distance = static_cast<S>(w.distance);
  result.status = w.status;
  return result;
}

}  // namespace abut::test
