#pragma once

#include <span>
#include <vector>

#include "runtime/core/settings.h"
#include "runtime/ssdf/field.h"

// The soft signed distance with kernels other than the isotropic Gaussian [Beker2025, Eq. 10]:
//   value = sum B_i g_i / sum B_i,  B_i a function of r = p - p_i and of the plane, g_i = n_i . r.
namespace abut::ssdf {

// The weight B_i of a plane.
enum class KernelKind {
  kGaussian,  // exp(-|r|^2 / eps1), as everywhere else: the default
  kQuad,      // exp(-(r . M_i r) / eps1): M_i stretches the quad to a square of the cloud's mean area
  kCompact,  // (1 - |r|^2 / (4 eps1))^3 up to |r| = 2 sqrt(eps1), 0 beyond: twice continuously differentiable
  kWall,     // exp(-|r|^2 / eps1 - psi(g)): a plane that p lies behind counts less, see wall_penalty
  kTwoStage,  // two_stage.h: one sum picks the face, a second one runs over planes with similar normals;
              // neither eps1 nor tolerance has an effect
};

// For kWall: psi(g) = kWallWeight s^3 / (1 + s^3), s = max(-g, 0) / (kWallDepth spacing), with the constants
// of block_sums.h. Points in front of a thin wall lie behind its back, and points in a convex edge behind
// both of its sides: there the plane that they lie less far behind should count. psi is bounded, because deep
// inside a body points lie far behind all planes; it is twice continuously differentiable.

inline constexpr double kWallFar = 1e3;  // in depths behind a plane

// psi and its first two derivatives with respect to g; `depth` = kWallDepth spacing, m.
template <class S>
struct WallPenalty {
  S value, first, second;  // psi, d/dg: 1/m, d2/dg2: 1/m^2
};
template <class S>
WallPenalty<S> wall_penalty(S g, S depth) {
  if (!(g < S(0))) return {S(0), S(0), S(0)};
  const S s = -g / depth, weight = S(kWallWeight);
  if (s > S(kWallFar)) {  // in terms of t = 1/s: cubes of s may overflow
    const S t = 1 / s, cube = t * t * t, under = 1 / (1 + cube), t4 = cube * t;
    return {weight * under, -weight / depth * 3 * t4 * under * under,
            weight / (depth * depth) * 6 * t4 * t * (cube - 2) * under * under * under};
  }
  const S cube = s * s * s, under = 1 / (1 + cube);
  return {weight * cube * under, -weight / depth * 3 * s * s * under * under,
          weight / (depth * depth) * 6 * s * (1 - 2 * cube) * under * under * under};
}

// A point cloud prepared for a kernel. Views the points, which must outlive it.
class KernelField {
 public:
  // eps1 > 0, m^2. kQuad needs the quads of the cloud. Throws InvalidInput for a cloud without points, for
  // kQuad without quads or with a degenerate one (a line), and for eps1 out of range.
  KernelField(const asset::PointsView& points, KernelKind kind, double eps1);

  // Value and derivatives at p_Q (m, in the frame of the points) to a tolerance as in `soft_distance`;
  // tolerance 0 gives the dense sum. kNoOverlap: p_Q is outside every support (kCompact), every number is
  // NaN. Also returns kInvalidInput where a requested number would overflow, and beyond 1e10 spacings for
  // kQuad and 1e8 for kTwoStage.
  template <class S>
  SoftDistance<S> distance(const Vec3<S>& p_Q, Order order = Order::kHessian,
                           S tolerance = S(kTolerance)) const;

  // Distances of many points, bit-identical for any number of threads.
  void distances(std::span<const Vec3<double>> p_Q, Order order, std::span<SoftDistance<double>> results,
                 double tolerance = kTolerance, int threads = 0) const;

  KernelKind kind() const { return kind_; }  // of the weights in the sums
  double eps1() const { return eps1_; }      // m^2

 private:
  asset::PointsView points_;
  KernelKind kind_;
  double eps1_;
  std::vector<double> metrics_;             // kQuad: (points, 6), M_i: xx, xy, xz, yy, yz, zz
  double least_stretch_ = 1, stretch_ = 1;  // least and greatest eigenvalue of all M_i
};

// The part of an asset to which the distance is measured.
enum class FieldKind {
  kPoints,  // its oriented points, with a kernel
  kGrid,    // its distance grid (grid_field.h); the other settings have no effect
};

// Settings of a soft distance, in units that suit any object.
struct SoftDistanceConfig {
  double eps1 = kSmoothing;                   // over spacing^2
  KernelKind kernel = KernelKind::kGaussian;  // of oriented points
  double tolerance = kTolerance;              // see field.h
  FieldKind field = FieldKind::kPoints;       // of an asset; for a primitive the distance is exact
};

// Name, unit, range and meaning of each setting.
std::span<const Setting<SoftDistanceConfig>> soft_distance_settings();
// Returns the defaults, overridden by `values`. Throws InvalidInput for a setting that is unknown or out of
// range.
SoftDistanceConfig soft_distance_config(const SettingValues& values);

// Throws InvalidInput for a setting that is out of range.
void require_valid(const SoftDistanceConfig& config);

}  // namespace abut::ssdf
