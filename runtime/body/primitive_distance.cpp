#include "runtime/body/primitive_distance.h"

#include <type_traits>

namespace abut::body {

template <class S>
PrimitiveDistance<S> primitive_distance(const Primitive& primitive, const Vec3<S>& p_Q, int order) {
  return std::visit(
      [&](const auto& shape) {
        if constexpr (std::is_same_v<S, double>)
          return kind_of(shape).distance(shape, p_Q, order);
        else
          return kind_of(shape).precise_distance(shape, p_Q, order);
      },
      primitive);
}

template <class S>
S primitive_value(const Primitive& primitive, const Vec3<S>& p_Q) {
  return std::visit(
      [&](const auto& shape) {
        if constexpr (std::is_same_v<S, double>)
          return kind_of(shape).value(shape, p_Q);
        else
          return kind_of(shape).precise_value(shape, p_Q);
      },
      primitive);
}

template PrimitiveDistance<double> primitive_distance(const Primitive&, const Vec3<double>&, int);
template PrimitiveDistance<long double> primitive_distance(const Primitive&, const Vec3<long double>&, int);
template double primitive_value(const Primitive&, const Vec3<double>&);
template long double primitive_value(const Primitive&, const Vec3<long double>&);

}  // namespace abut::body
