#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "python/source/answers.h"
#include "runtime/derivative/estimator.h"
#include "runtime/proximity/distance_model.h"

// Definitions shared by the answers about witness points.
namespace abut::python {

using derivative::PairDerivative;
using Witness = witness::Witness<double>;
using Hessian = derivative::WitnessHessian<double>;

// Witnesses, with bounds of the translational depth of models that have them.
struct Separations : Answers<Witness> {
  using Answers::Answers;
  explicit Separations(Answers<Witness>&& witnesses) : Answers(std::move(witnesses)) {}
  explicit Separations(const Answers<proximity::Separation>& found)
      : Answers(found.items.size(), found.many) {
    std::copy(found.items.begin(), found.items.end(), items.begin());
    for (const proximity::Separation& separation : found.items) bounds.push_back(separation.depth);
  }

  std::vector<proximity::DepthBounds> bounds;  // of each; empty: none
};

// A smoothed witness, with its second derivatives if requested.
struct Smoothed {
  derivative::SmoothedPair pair;
  Hessian hessian;
};

// Second derivatives that were not requested: NaN.
inline Hessian absent_hessian() {
  Hessian none;
  none.d.setConstant(std::numeric_limits<double>::quiet_NaN());
  none.p1_A.fill(none.d);
  none.p2_A.fill(none.d);
  none.n_A.fill(none.d);
  return none;
}

// Defines the members of a witness, found at of(answer), as properties.
template <class Class, class Of>
void define_witness(Class& type, Of of) {
  define<typename Class::type>(
      type, "distance", [of](auto& a) -> auto& { return of(a).distance; }, "(N,) signed distance, m");
  define<typename Class::type>(
      type, "p1", [of](auto& a) -> auto& { return of(a).p1; }, "(N, 3) witness point on A, in A, m");
  define<typename Class::type>(
      type, "p2", [of](auto& a) -> auto& { return of(a).p2; }, "(N, 3) witness point on B, in A, m");
  define<typename Class::type>(
      type, "n", [of](auto& a) -> auto& { return of(a).n; }, "(N, 3) unit normal from A to B, in A");
  define<typename Class::type>(
      type, "lower_bound", [of](auto& a) -> auto& { return of(a).lower_bound; },
      "(N,) m: the true distance is not less");
  define<typename Class::type>(
      type, "upper_bound", [of](auto& a) -> auto& { return of(a).upper_bound; },
      "(N,) m: the true distance is not more");
  define<typename Class::type>(
      type, "iterations", [of](auto& a) -> auto& { return of(a).iterations; }, "(N,) of GJK and EPA");
}

// Defines the members of the simplex that carries the witness points.
template <class Class, class Of>
void define_simplex(Class& type, Of of) {
  define<typename Class::type>(
      type, "simplex_size", [of](auto& a) -> auto& { return of(a).simplex_size; }, "(N,) 1 to 3");
  define<typename Class::type>(
      type, "vertex_A", [of](auto& a) -> auto& { return of(a).vertex_A; },
      "(N, 3) vertices of A's hull whose weighted mean is p1; -1: none");
  define<typename Class::type>(
      type, "vertex_B", [of](auto& a) -> auto& { return of(a).vertex_B; },
      "(N, 3) vertices of B's hull whose weighted mean is p2; -1: none");
  define<typename Class::type>(
      type, "weight", [of](auto& a) -> auto& { return of(a).weight; }, "(N, 3) weights of the vertices");
}

// Defines the members of a derivative, found at of(answer); `by` tells the user how to request derivatives.
template <class Class, class Of>
void define_derivative(Class& type, Of of, const char* by) {
  const Asked asked{kFirst, by};
  const auto add = [&](const char* name, auto get, const char* doc) {
    define_asked<typename Class::type>(
        type, name, asked, [ of, get ](auto& a) -> auto& { return get(of(a)); }, doc);
  };
  add(
      "dp1_A_dxi_B", [](auto& d) -> auto& { return d.dp1_A_dxi_B; }, "(N, 3, 6) m/rad, 1");
  add(
      "dp2_A_dxi_B", [](auto& d) -> auto& { return d.dp2_A_dxi_B; }, "(N, 3, 6) m/rad, 1");
  add(
      "dn_A_dxi_B", [](auto& d) -> auto& { return d.dn_A_dxi_B; }, "(N, 3, 6) 1/rad, 1/m");
  add(
      "dd_dxi_B", [](auto& d) -> auto& { return d.dd_dxi_B; }, "(N, 6) m/rad, 1");
  add(
      "clamped_count", [](auto& d) -> auto& { return d.clamped_count; },
      "(N,) directions without a derivative, 0 to 2");
  add(
      "clamped_A", [](auto& d) -> auto& { return d.clamped_A; }, "(N, 2, 3) those directions, unit, in A");
  define<typename Class::type>(
      type, "status", [of](auto& a) -> auto& { return of(a).status; }, "(N,) of the derivative: Status");
}

}  // namespace abut::python
