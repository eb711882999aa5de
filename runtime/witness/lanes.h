#pragma once

#include <cstring>
#include <type_traits>

#include "runtime/core/simd.h"
#include "runtime/witness/difference.h"

// Several numbers worked on at a time, for the planes of an expanding polytope (epa.h).
namespace abut::witness {

// Numbers that are worked on at a time: as many as the instructions have room for that the pair's query is
// compiled for (separation.cpp). The answer does not depend on it.
using TwoLanes = double __attribute__((vector_size(16)));
template <class S, class D>
struct PlaneLanes {
  using type = std::conditional_t<std::is_same_v<S, double>, TwoLanes, S>;
};
template <>
struct PlaneLanes<double, Difference<double, asset::ConvexView, asset::ConvexView>> {
  using type = simd::Four;
};

// Reading and writing lane by lane; a scalar is its only lane.
template <class S, class L>
struct Lanes {
  static constexpr std::int32_t kCount =
      sizeof(L) / sizeof(S);  // NOLINT(bugprone-sizeof-expression): L may be S
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
};

}  // namespace abut::witness
