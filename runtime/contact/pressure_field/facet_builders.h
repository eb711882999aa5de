#pragma once

#include "runtime/contact/pressure_field/facet.h"

// Makes facets from tetrahedra, triangles and half-spaces. Internal to the pressure-field model.
namespace abut::contact {

// The facet of two compliant tetrahedra; X_BA and `cut` as in equal_pressure_polygon(). The polygon has size
// 0 if there is none.
template <class T>
Facet<T> compliant_facet(const PlacedTetrahedron<T>& of_A, const Pose<T>& X_BA,
                         const StillTetrahedron<T>& of_B, unsigned cut, const RateLaw& law) {
  Facet<T> facet;
  equal_pressure_polygon<T>(of_A, X_BA, of_B, cut, facet.polygon);
  if (facet.polygon.size < 3) return facet;
  const Vec3<T>&gradient_A = of_A.pressure.gradient, &gradient_B = of_B.pressure.gradient;
  const Vec3<T> g = gradient_A - gradient_B;
  const T length = g.norm();
  // Fields that are equal up to rounding have no surface of equal pressure: a body inside its own copy.
  constexpr double kSame = 1e-13;
  if (!(length > T(kSame) * (gradient_A.norm() + gradient_B.norm()))) {
    facet.polygon.size = 0;
    return facet;
  }
  facet.n = g / length;
  // Both pressures are equal there; the one of smaller gradient loses no digits if the other body is far
  // stiffer.
  facet.pressure = gradient_A.squaredNorm() < gradient_B.squaredNorm() ? of_A.pressure : of_B.pressure;
  facet.gradient_A = facet.slope_A = gradient_A;
  facet.gradient_B = gradient_B;
  facet.slope_B = gradient_B / length;
  facet.damping =
      law.dissipation > 0 ? damping<T>(law, facet.n.dot(gradient_A), T(-facet.n.dot(gradient_B))) : T(0);
  facet.share = pushing_share<T>(law, facet.n, facet.gradient_A, facet.gradient_B);
  return facet;
}

template <class T>
Eigen::Matrix<T, 3, 3> placed_triangle(const asset::SurfaceView& surface, std::int32_t t,
                                       const Pose<T>& X_BH) {
  Eigen::Matrix<T, 3, 3> corners;
  for (int k = 0; k < 3; ++k) {
    const double* p = surface.vertices + 3 * std::ptrdiff_t(surface.triangles[3 * std::ptrdiff_t(t) + k]);
    corners.col(k) = X_BH * Vec3<T>(T(p[0]), T(p[1]), T(p[2]));
  }
  return corners;
}

// The facet of a compliant tetrahedron, whose body has the pose X_BC in B, and a triangle of a rigid surface.
template <class T>
Facet<T> rigid_facet(const PlacedTetrahedron<T>& soft, const Pose<T>& X_BC,
                     const Eigen::Matrix<T, 3, 3>& triangle, bool rigid_is_A, const RateLaw& law) {
  Facet<T> facet;
  for (int k = 0; k < 3; ++k) facet.polygon.add(triangle.col(k));
  const Vec3<T> outward =
      (triangle.col(1) - triangle.col(0)).cross(Vec3<T>(triangle.col(2) - triangle.col(0)));
  const T length = outward.norm();
  if (!(length > T(0))) facet.polygon.size = 0;
  facet.n = (rigid_is_A ? T(-1) : T(1)) / length * outward;
  clip_to_faces<T>(facet.polygon, kAllFaces, T(triangle.cwiseAbs().maxCoeff()),
                   [&](int k, Vec3<T>& n, T& d) { face_plane<T>(soft.face_planes, k, X_BC, n, d); });
  facet.pressure = soft.pressure;
  (rigid_is_A ? facet.gradient_B : facet.gradient_A) = soft.pressure.gradient;
  facet.slope_A = rigid_is_A ? facet.n : soft.pressure.gradient;
  facet.slope_B = rigid_is_A ? soft.pressure.gradient : Vec3<T>(-facet.n);
  const T k = facet.n.dot(soft.pressure.gradient);
  facet.damping = damping<T>(law, rigid_is_A ? T(-k) : k);
  facet.share = pushing_share<T>(law, facet.n, facet.gradient_A, facet.gradient_B);
  return facet;
}

// The facet of a compliant tetrahedron of A and the half-space z <= 0, which is rigid or has a pressure that
// rises by `rise` (Pa/m) with depth.
template <class T>
Facet<T> half_space_facet(const PlacedTetrahedron<T>& of_A, bool rigid, const T& rise, const RateLaw& law) {
  Facet<T> facet;
  const Vec3<T> up = Vec3<T>::UnitZ();
  Eigen::Matrix<T, 1, 4> difference = of_A.corners.row(2);
  if (!rigid) difference = of_A.pressures + rise * difference;
  zero_polygon<T>(of_A.corners, difference, facet.polygon);
  if (facet.polygon.size < 3) return facet;
  const Vec3<T> g = rigid ? up : Vec3<T>(of_A.pressure.gradient + rise * up);
  const T length = g.norm();
  if (!(length > T(0))) {
    facet.polygon.size = 0;
    return facet;
  }
  facet.n = g / length;
  facet.pressure = of_A.pressure;
  facet.gradient_A = facet.slope_A = of_A.pressure.gradient;
  if (!rigid) {
    facet.gradient_B = -rise * up;
    // Both pressures are equal there; the one of smaller gradient loses no digits if the other body is far
    // stiffer.
    if (rise * rise < facet.gradient_A.squaredNorm()) facet.pressure = {facet.gradient_B, T(0)};
  }
  facet.slope_B = rigid ? Vec3<T>(-up) : Vec3<T>(-rise / length * up);
  const T k_A = facet.n.dot(of_A.pressure.gradient);
  facet.damping = rigid ? damping<T>(law, k_A) : damping<T>(law, k_A, T(rise * facet.n.z()));
  facet.share = pushing_share<T>(law, facet.n, facet.gradient_A, facet.gradient_B);
  return facet;
}

}  // namespace abut::contact
