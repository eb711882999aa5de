#pragma once

#include <cstring>
#include <type_traits>

#include "runtime/core/simd.h"
#include "runtime/witness/difference.h"

// Vector lanes (several numbers processed at a time) for the planes of an expanding polytope (epa.h).
namespace abut::witness {

// The numbers processed at a time: as many as fit the vector instructions that the pair's query is compiled
// for (separation.cpp). The result does not depend on it.
using TwoLanes = double __attribute__((vector_size(16)));
template <class S, class D>
struct PlaneLanes {
  using type = std::conditional_t<std::is_same_v<S, double>, TwoLanes, S>;
};
template <>
struct PlaneLanes<double, Difference<double, asset::ConvexView>> {
  using type = simd::Four;
};

// Operations on several numbers at a time; a scalar has a single lane.
template <class S, class L>
struct Lanes {
  static constexpr std::int32_t kCount =
      sizeof(L) / sizeof(S);  // NOLINT(bugprone-sizeof-expression): L may be S
  // A 3-vector per lane.
  struct Vector {
    L x, y, z;
  };
  static ABUT_INLINE void set(std::int32_t lane, S value, L& to) {
    if constexpr (kCount > 1)
      to[lane] = value;
    else
      to = value;
  }
  static ABUT_INLINE S get(const L& from, std::int32_t lane) {
    if constexpr (kCount > 1)
      return from[lane];
    else
      return from;
  }
  static ABUT_INLINE void load(const S* from, L& to) { std::memcpy(&to, from, sizeof to); }
  static ABUT_INLINE void store(const L& from, S* to) { std::memcpy(to, &from, sizeof from); }
  static ABUT_INLINE void square_root(const L& x, L& to) {
    using std::sqrt;
    if constexpr (kCount == 4)
      to = L{sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
    else if constexpr (kCount == 2)
      to = L{sqrt(x[0]), sqrt(x[1])};
    else
      to = sqrt(x);
  }

  // Given two edges p and q from one corner of a face, and the third edge q - p, replaces them by the two
  // shorter ones such that their cross product stays the same: on a long and thin face the cross product of
  // the long edges suffers from cancellation.
  static ABUT_INLINE void take_short_edges(Vector& p, Vector& q) {
    const Vector r{q.x - p.x, q.y - p.y, q.z - p.z};
    const L pp = p.x * p.x + p.y * p.y + p.z * p.z, qq = q.x * q.x + q.y * q.y + q.z * q.z,
            rr = r.x * r.x + r.y * r.y + r.z * r.z;
    const auto p_longest = (pp > qq) & (pp > rr);
    const auto r_longest = (rr > qq) & (rr >= pp);
    const Vector e{p_longest ? q.x : p.x, p_longest ? q.y : p.y, p_longest ? q.z : p.z};
    q = {r_longest ? q.x : r.x, r_longest ? q.y : r.y, r_longest ? q.z : r.z};
    p = e;
  }
};

}  // namespace abut::witness
