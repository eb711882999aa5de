#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "runtime/bvh/overlap.h"
#include "runtime/contact/facet_builders.h"
#include "runtime/contact/pressure_field.h"

// Every facet of a pair goes to a sink with X_BA(), law() and add(build), where build(X_BA) makes the facet
// for a pose of numbers or of dual numbers. Internal to the pressure-field model.
namespace abut::contact {

// Pressure intervals below the slots of two trees: bodies whose pressures cannot be equal share no surface.
struct PressureCulling {
  const float* ranges_A;  // (nodes, 2, 4) of the extent, rounded outward
  const float* ranges_B;
  float modulus_A_over_B;

  FourLanes operator()(std::int32_t slot_A, std::int32_t node_B) const {
    constexpr float kRounding = 1e-6f;  // of a product of two rounded numbers
    const float* range = ranges_A + std::ptrdiff_t(slot_A / bvh::kWidth) * 2 * bvh::kWidth;
    const float low = modulus_A_over_B * range[slot_A % bvh::kWidth];
    const float high = modulus_A_over_B * range[bvh::kWidth + slot_A % bvh::kWidth];
    const float* of_B = ranges_B + std::ptrdiff_t(node_B) * 2 * bvh::kWidth;
    const Eigen::Map<const FourLanes> low_B(of_B), high_B(of_B + bvh::kWidth);
    return (high * (1 + kRounding) - low_B).min(high_B - low * (1 - kRounding));
  }
};

// Bodies of which one is rigid meet wherever their boxes do.
inline FourLanes keep_all(std::int32_t, std::int32_t) { return FourLanes::Constant(1); }

// The facets of a compliant and a rigid body in poses X_BC and X_BH, one of which does not move.
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
    return rigid_facet<T>(placed<T>(soft, tetrahedron, T(modulus), X_BC),
                          soft.face_planes + 16 * std::ptrdiff_t(tetrahedron), X_BC,
                          placed_triangle<T>(hard, triangle, X_BH), rigid_is_A, law);
  }
};

// Two compliant bodies.
template <class S, class Sink>
void visit_facets(const asset::VolumeView& A, const asset::VolumeView& B, const PressureFieldConfig& config,
                  PressureFieldWorkspace<S>& workspace, Sink& sink) {
  const S modulus_A = S(config.A.modulus), modulus_B = S(config.B.modulus);
  const Pose<S> X_BA = sink.X_BA();
  workspace.A.begin(A, modulus_A, &X_BA);
  workspace.B.begin(B, modulus_B, nullptr);
  const auto meet = [&](const PreparedTetrahedron<S>& of_A, const PreparedTetrahedron<S>& of_B) {
    unsigned cut_A, cut_B;
    if (pressures_differ(of_A.filter, of_B.filter) || pressures_differ(of_B.filter, of_A.filter) ||
        outside_a_face(of_A.filter, of_B.filter, cut_B) || outside_a_face(of_B.filter, of_A.filter, cut_A))
      return;
    const double* planes = B.face_planes + 16 * std::ptrdiff_t(of_B.index);
    sink.add([&]<class T>(const Pose<T>& X) {
      if constexpr (std::is_same_v<T, S>)
        return compliant_facet<S>(of_A.exact, of_B.exact.pressure, planes, cut_B, sink.law());
      else
        return compliant_facet<T>(placed<T>(A, of_A.index, T(modulus_A), X),
                                  pressure_of<T>(B, of_B.index, T(modulus_B)), planes, cut_B, sink.law());
    });
  };
  const auto leaf_of_four = [&](std::int32_t first_A, std::int32_t count_A, std::int32_t first_B,
                                std::int32_t count_B) {
    const auto& leaf_A = workspace.A.leaf(first_A, count_A);
    const auto& leaf_B = workspace.B.leaf(first_B, count_B);
    if (!leaf_A.box.meets(leaf_B.box)) return;
    for (std::int32_t i = 0; i < count_A; ++i) {
      unsigned near = meeting(workspace.A[leaf_A.first + i].box, leaf_B);
      for (; near != 0; near &= near - 1)
        meet(workspace.A.complete(leaf_A.first + i),
             workspace.B.complete(leaf_B.first + std::countr_zero(near)));
    }
  };
  const auto leaf = [&](std::int32_t first_A, std::int32_t count_A, std::int32_t first_B,
                        std::int32_t count_B) {
    for (std::int32_t a = 0; a < count_A; a += 4)
      for (std::int32_t b = 0; b < count_B; b += 4)
        leaf_of_four(first_A + a, std::min(count_A - a, 4), first_B + b, std::min(count_B - b, 4));
  };
  const PressureCulling keep{A.tree_extent_ranges, B.tree_extent_ranges,
                             static_cast<float>(config.A.modulus / config.B.modulus)};
  bvh::visit_overlaps(A.tree, B.tree, X_BA.template cast<double>(), keep, leaf);
}

// A compliant body, whose tree is called A's or B's, and a rigid one.
template <class S, class Sink>
void visit_facets(const RigidPair<S>& pair, Sink& sink) {
  const bvh::TreeView &A = pair.rigid_is_A ? pair.hard.tree : pair.soft.tree,
                      &B = pair.rigid_is_A ? pair.soft.tree : pair.hard.tree;
  const auto leaf = [&](std::int32_t first_A, std::int32_t count_A, std::int32_t first_B,
                        std::int32_t count_B) {
    for (std::int32_t a = first_A; a < first_A + count_A; ++a)
      for (std::int32_t b = first_B; b < first_B + count_B; ++b)
        sink.add([&]<class T>(const Pose<T>& X_BA) {
          return pair.rigid_is_A ? pair.facet(b, a, X_BA) : pair.facet(a, b, X_BA);
        });
  };
  bvh::visit_overlaps(A, B, sink.X_BA().template cast<double>(), keep_all, leaf);
}

// A compliant body and a half-space.
template <class S, class Sink>
void visit_facets(const asset::VolumeView& A, const HalfSpace& B, const PressureFieldConfig& config,
                  Sink& sink) {
  const S rise = S(config.B.modulus) / S(B.thickness);
  for (std::int32_t t = 0; t < A.tetrahedron_count; ++t)
    sink.add([&]<class T>(const Pose<T>& X_BA) {
      const PlacedTetrahedron<T> of_A = placed<T>(A, t, T(S(config.A.modulus)), X_BA);
      return half_space_facet<T>(of_A, config.B.modulus == kRigid, T(rise), sink.law());
    });
}

// The law of a pair.
inline RateLaw rate_law(const PressureFieldConfig& config) {
  const double mu_A = config.A.friction, mu_B = config.B.friction;
  return {config.A.dissipation / config.A.modulus + config.B.dissipation / config.B.modulus,
          mu_A + mu_B > 0 ? 2 * mu_A * mu_B / (mu_A + mu_B) : 0, config.stiction_speed};
}

}  // namespace abut::contact
