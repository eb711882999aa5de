#pragma once

#include <algorithm>

#include <abut/contact/model.h>

// A mug on a box for equilibrium.cpp: where it starts, and what acts on it.
namespace equilibrium {

using namespace abut;

constexpr double kLength = 0.05;   // m: makes torques forces and turns shifts
constexpr double kDensity = 1100;  // kg/m^3

struct Rest {
  double energy;   // J
  Vec6<double> F;  // (tau / kLength; f) on the mug about its origin, in its axes, N
  Mat6<double> J;  // by (kLength w; v), N/m
};

// Contact and gravity, in the frame of the box.
inline Rest rest(contact::Model& model, const body::Pair& pair, const Vec3<double>& up) {
  const contact::PairWrench contact = model.wrench(pair, contact::Want::kJacobian | contact::Want::kEnergy);
  const asset::MassProperties& mass = pair.B->geometry.mass();
  const Vec3<double> com = Vec3<double>::Map(mass.center_of_mass);
  const Vec3<double> weight = -9.81 * kDensity * mass.volume * up;
  const Vec3<double> f = pair.X_AB.R.transpose() * weight;
  Vec6<double> scale;
  scale << Vec3<double>::Constant(1 / kLength), Vec3<double>::Ones();
  Rest result{contact.energy - weight.dot(pair.X_AB * com), contact.F_BBo_B, contact.dF_dxi_B};
  result.F.head<3>() += com.cross(f);
  result.F.tail<3>() += f;
  result.J.topLeftCorner<3, 3>() += skew(com) * skew(f);  // the mug turns under its weight
  result.J.bottomLeftCorner<3, 3>() += skew(f);
  result.F = scale.cwiseProduct(result.F);
  result.J = scale.asDiagonal() * result.J * scale.asDiagonal();
  return result;
}

inline Vec3<double> centre(const body::Body& b) {
  return Vec3<double>::Map(b.geometry.mass().center_of_mass);
}

// How far a hull reaches from its centre of mass along an axis, m.
inline double reach(const body::Body& b, const Vec3<double>& axis) {
  const asset::ConvexView& hull = b.geometry.convex();
  double farthest = 0;
  for (std::int32_t i = 0; i < hull.vertex_count; ++i)
    farthest = std::max(farthest, axis.dot(Vec3<double>(hull.x[i], hull.y[i], hull.z[i]) - centre(b)));
  return farthest;
}

// The normal of the box's widest face.
inline Vec3<double> widest(const body::Body& box) {
  Vec3<double> up = Vec3<double>::UnitX();
  for (int k = 1; k < 3; ++k)
    if (reach(box, Vec3<double>::Unit(k)) < reach(box, up)) up = Vec3<double>::Unit(k);
  return up;
}

// The mug tilted, 5 mm above the middle of that face.
inline Pose<double> above(const body::Body& box, const body::Body& mug, const Vec3<double>& up) {
  const Mat3<double> upright = shortest_rotation<double>(Vec3<double>::UnitZ(), up);
  Pose<double> X_AB{upright * exp_rotation<double>({0.06, -0.04, 0.4}), {}};
  X_AB.p =
      centre(box) - X_AB.R * centre(mug) + (reach(box, up) + reach(mug, -Vec3<double>::UnitZ()) + 0.005) * up;
  return X_AB;
}

}  // namespace equilibrium
