#pragma once

#include <algorithm>

#include "runtime/contact/pressure_field.h"
#include "runtime/core/random.h"
#include "tests/support/worst_of.h"

// The derivatives of pressure-field contact, by pose and by twist, against differences of the wrench in
// extended precision.
namespace abut::test {

using Jacobian = Eigen::Matrix<double, 6, 12>;  // by xi, by V

// What motion adds to two bodies alike.
struct Law {
  const char* name;
  double chi, mu;
  bool fade;
};
inline constexpr Law kLaws[] = {{"dissipation", 0.5, 0, false},
                                {"friction", 0, 0.5, false},
                                {"fading", 0, 0, true},
                                {"all of them", 0.5, 0.5, true}};

inline contact::PressureFieldConfig settings(const Law& law, double modulus_A, double modulus_B) {
  contact::PressureFieldConfig config;
  config.A.modulus = modulus_A;
  config.B.modulus = modulus_B;
  config.A.dissipation = config.B.dissipation = law.chi;
  config.A.friction = config.B.friction = law.mu;
  config.fade_pulls = law.fade;
  return config;
}

// Two bodies as the settings have them: compliant, or one rigid.
struct Contact {
  const asset::AssetView &A, &B;
  contact::PressureFieldConfig config;

  template <class S>
  contact::SurfaceSums<S> operator()(const Pose<S>& X_AB, const Vec6<S>& V, contact::Want want) const {
    if (config.A.modulus == contact::kRigid)
      return contact::contact_surface<S>(A.surface, B.volume, X_AB, V, config, want);
    if (config.B.modulus == contact::kRigid)
      return contact::contact_surface<S>(A.volume, B.surface, X_AB, V, config, want);
    static contact::PressureFieldWorkspace<S> workspace;
    return contact::contact_surface<S>(A.volume, B.volume, X_AB, V, config, want, workspace);
  }
};

struct OnHalfSpace {
  const asset::AssetView& A;
  contact::PressureFieldConfig config;

  template <class S>
  contact::SurfaceSums<S> operator()(const Pose<S>& X_AB, const Vec6<S>& V, contact::Want want) const {
    return contact::contact_surface<S>(A.volume, body::HalfSpace<double>{}, X_AB, V, config, want);
  }
};

template <class Ask>
Jacobian derivative(const Ask& ask, const Pose<double>& X_AB, const Vec6<double>& V) {
  const contact::SurfaceSums<double> sums = ask(X_AB, V, contact::Want::kJacobian);
  Jacobian J;
  J << sums.dF_dxi_B, sums.dF_dV_AB_B;
  return J;
}

// Column k of it in extended precision, by differences over `step` to one side and to both.
struct Differences {
  Vec6<double> left, right, both;
};

template <class Ask>
Differences differences(const Ask& ask, const Pose<double>& X_AB, const Vec6<double>& V, int k,
                        long double step) {
  const Vec6<long double> V0 = V.cast<long double>();
  const auto at = [&](int steps) -> Vec6<long double> {
    Vec6<long double> xi = Vec6<long double>::Zero(), dV = xi;
    (k < 6 ? xi : dV)[k % 6] = steps * step;
    return ask(Pose<long double>(X_AB.cast<long double>() * exp(xi)), Vec6<long double>(V0 + dV),
               contact::Want::kValue)
        .F_BBo_B;
  };
  const Vec6<long double> l2 = at(-2), l1 = at(-1), r1 = at(1), r2 = at(2), middle = at(0);
  const auto to = [&](const Vec6<long double>& sum, long double over) -> Vec6<double> {
    return (sum / (over * step)).template cast<double>();
  };
  return {to(3 * middle - 4 * l1 + l2, 2), to(4 * r1 - r2 - 3 * middle, 2),
          to(8 * (r1 - l1) - (r2 - l2), 12)};
}

// How far ours is from the differences, over the largest entry of the block by pose or by twist. At a kink,
// which differences to the left and to the right at ever smaller steps prove, from the range between them.
struct Error {
  double largest = 0;
  int kinks = 0;  // columns

  void add(const Error& other) {
    largest = test::worst_of(largest, other.largest);
    kinks += other.kinks;
  }
};

template <class Ask>
Error error_of(const Ask& ask, const Pose<double>& X_AB, const Vec6<double>& V, double bound) {
  const Jacobian J = derivative(ask, X_AB, V);
  Error error;
  for (int k = 0; k < 12; ++k) {
    const double largest = J.middleCols<6>(k < 6 ? 0 : 6).cwiseAbs().maxCoeff();
    const double scale = largest > 0 ? largest : 1;  // 0: exactly, as where dissipation leaves no pressure
    const auto far = [&](const Vec6<double>& low, const Vec6<double>& high) {
      return std::max((low - J.col(k)).maxCoeff(), (J.col(k) - high).maxCoeff()) / scale;
    };
    double least = 1e300, outside = 0;
    bool kink = true;
    for (const long double step : {1e-7L, 1e-9L, 1e-10L, 1e-11L}) {
      const Differences by = differences(ask, X_AB, V, k, step);
      least = std::min(least, far(by.both, by.both));
      if (least <= bound) break;
      kink = kink && (by.right - by.left).cwiseAbs().maxCoeff() > bound * scale;
      outside = far(by.left.cwiseMin(by.right), by.left.cwiseMax(by.right));
    }
    kink = kink && least > bound;
    error.add({std::max(0.0, kink ? outside : least), kink ? 1 : 0});
  }
  return error;
}

inline Vec6<double> random_twist(Random& random) {
  Vec6<double> V;
  for (int k = 0; k < 6; ++k) V[k] = random.uniform(-1, 1) * (k < 3 ? 1.5 : 0.15);
  return V;
}

}  // namespace abut::test
