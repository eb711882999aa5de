#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/bvh/overlap.h"
#include "runtime/contact/pressure_field.h"
#include "runtime/contact/pressure_field/facet_builders.h"

// Visits the facets of a pair. A sink has X_BA(), law() and add(feature, build), where build(X_BA) makes the
// facet for a pose of numbers or of dual numbers, and `feature` identifies its two pieces. Internal to the
// pressure-field model.
namespace abut::contact {

// The pose X_BA for X_AB exp(xi): exp(-xi) X_BA to first order. T: dual numbers whose first six slopes are
// with respect to xi.
template <class T, class S>
Pose<T> moving(const Pose<S>& X_BA) {
  Pose<T> result;
  for (int k = 0; k < 3; ++k) {
    const Vec3<S> e = Vec3<S>::Unit(k);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        result.R(i, j).value = X_BA.R(i, j);
        result.R(i, j).slopes[k] = -e.cross(Vec3<S>(X_BA.R.col(j)))[i];
      }
      result.p[i].value = X_BA.p[i];
      result.p[i].slopes[k] = -e.cross(X_BA.p)[i];
      result.p[i].slopes[3 + k] = -e[i];
    }
  }
  return result;
}

// Area and centroid of a facet; area 0: it is empty.
template <class T>
struct FacetPlace {
  T area = T(0);  // m^2
  Vec3<T> centroid = Vec3<T>::Zero();
};

template <class T>
FacetPlace<T> place(const Facet<T>& facet) {
  if (facet.polygon.size < 3) return {};
  const PolygonMoments<T> m = moments(facet.polygon, facet.n);
  if (!(m.area > T(0))) return {};
  return {m.area, facet.polygon.corners[0] + m.first / m.area};
}

// Identifies a piece of A (a tetrahedron or a triangle) together with one of B.
inline std::uint64_t feature_of(std::int32_t a, std::int32_t b) {
  return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
}

// For visit_overlaps: a rigid and a compliant body may meet wherever their boxes do.
inline bvh::FourBoxes::Lanes keep_all(std::int32_t, std::int32_t) {
  return bvh::FourBoxes::Lanes::Constant(1);
}

// The facets of a compliant and a rigid body, of which the one that is B does not move.
template <class S>
struct RigidPair {
  const asset::VolumeView& soft;
  const asset::SurfaceView& hard;
  S modulus;
  bool rigid_is_A;
  RateLaw law;

  template <class T>
  Facet<T> facet(std::int32_t tetrahedron, std::int32_t triangle, const Pose<T>& X_BA) const {
    const Pose<T> X_BC = rigid_is_A ? Pose<T>() : X_BA, X_BH = rigid_is_A ? X_BA : Pose<T>();
    return rigid_facet<T>(placed<T>(soft, tetrahedron, T(modulus), X_BC), X_BC,
                          placed_triangle<T>(hard, triangle, X_BH), rigid_is_A, law);
  }
};

// Visits the facets of two compliant bodies.
template <class S, class Sink>
void visit_facets(const asset::VolumeView& A, const asset::VolumeView& B, const PressureFieldConfig& config,
                  PressureFieldWorkspace<S>& workspace, Sink& sink) {
  const S modulus_A = S(config.A.modulus), modulus_B = S(config.B.modulus);
  const Pose<S> X_BA = sink.X_BA();
  PlacedTetrahedron<S> of_A;
  std::int32_t placed_A = -1;
  for (const TetrahedronPair& pair :
       workspace.finder.find(A, config.A.modulus, B, config.B.modulus, X_BA.template cast<double>())) {
    if (pair.a != placed_A) of_A = placed<S>(A, pair.a, modulus_A, X_BA);
    placed_A = pair.a;
    sink.add(feature_of(pair.a, pair.b), [&]<class T>(const Pose<T>& X) {
      const StillTetrahedron<T> of_B{B, pair.b, T(modulus_B)};
      if constexpr (std::is_same_v<T, S>)
        return compliant_facet<S>(of_A, X, of_B, pair.cut, sink.law());
      else
        return compliant_facet<T>(placed<T>(A, pair.a, T(modulus_A), X), X, of_B, pair.cut, sink.law());
    });
  }
}

// Visits the facets of a compliant and a rigid body, either of which may be A.
template <class S, class Sink>
void visit_facets(const RigidPair<S>& pair, Sink& sink) {
  const bvh::TreeView &A = pair.rigid_is_A ? pair.hard.tree : pair.soft.tree,
                      &B = pair.rigid_is_A ? pair.soft.tree : pair.hard.tree;
  const auto leaf = [&](std::int32_t first_A, std::int32_t count_A, std::int32_t first_B,
                        std::int32_t count_B) {
    for (std::int32_t a = first_A; a < first_A + count_A; ++a)
      for (std::int32_t b = first_B; b < first_B + count_B; ++b)
        sink.add(feature_of(a, b), [&]<class T>(const Pose<T>& X_BA) {
          return pair.rigid_is_A ? pair.facet(b, a, X_BA) : pair.facet(a, b, X_BA);
        });
  };
  bvh::visit_overlaps(A, B, sink.X_BA().template cast<double>(), keep_all, leaf);
}

// Visits the facets of a compliant body and a half-space.
template <class S, class Sink>
void visit_facets(const asset::VolumeView& A, const body::HalfSpace<double>& B,
                  const PressureFieldConfig& config, Sink& sink) {
  const S rise = S(config.B.modulus) / S(B.thickness);
  for (std::int32_t t = 0; t < A.tetrahedron_count; ++t)
    sink.add(feature_of(t, 0), [&]<class T>(const Pose<T>& X_BA) {
      const PlacedTetrahedron<T> of_A = placed<T>(A, t, T(S(config.A.modulus)), X_BA);
      return half_space_facet<T>(of_A, config.B.modulus == kRigid, T(rise), sink.law());
    });
}

// The rate law of a pair whose finer body has so many tetrahedra or, if it is rigid, triangles: facets of two
// primitives, a box of 12 or a cylinder of 284, are large.
inline RateLaw rate_law(const PressureFieldConfig& config, std::int32_t elements) {
  const int divisions = elements < 100 ? 4 : elements < 300 ? 2 : 1;
  return {config.A.dissipation / config.A.modulus + config.B.dissipation / config.B.modulus,
          body::pair_friction(config.A, config.B), config.stiction_speed, config.fade_pulls, divisions};
}

// The same of a pair of bodies.
inline RateLaw rate_law(const body::Pair& pair, const PressureFieldConfig& config) {
  const auto elements = [](const body::Geometry& geometry, double modulus) {
    if (geometry.half_space() != nullptr) return 0;
    return modulus == kRigid ? geometry.surface().triangle_count : geometry.volume().tetrahedron_count;
  };
  return rate_law(config, std::max(elements(pair.A->geometry, config.A.modulus),
                                   elements(pair.B->geometry, config.B.modulus)));
}

// Visits the facets of a valid pair whose body A is not a half-space.
template <class Sink>
void visit_facets(const body::Pair& pair, const PressureFieldConfig& config,
                  PressureFieldWorkspace<double>& workspace, Sink& sink) {
  const body::Geometry &A = pair.A->geometry, &B = pair.B->geometry;
  if (const auto* half_space = B.half_space())
    visit_facets<double>(A.volume(), *half_space, config, sink);
  else if (config.A.modulus == kRigid)
    visit_facets<double>(RigidPair<double>{B.volume(), A.surface(), config.B.modulus, true, sink.law()},
                         sink);
  else if (config.B.modulus == kRigid)
    visit_facets<double>(RigidPair<double>{A.volume(), B.surface(), config.A.modulus, false, sink.law()},
                         sink);
  else
    visit_facets<double>(A.volume(), B.volume(), config, workspace, sink);
}

// The same pair with the names of the bodies exchanged.
inline body::Pair exchanged(const body::Pair& pair) {
  return {pair.B, pair.A, pair.X_AB.inverse(), -(adjoint(pair.X_AB) * pair.V_AB_B)};
}

}  // namespace abut::contact
