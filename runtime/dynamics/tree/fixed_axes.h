#pragma once

#include "runtime/dynamics/tree/tree.h"

// Paths of a tree from coordinates q0, in axes that do not rotate along the path. A joint of several degrees
// of freedom is at u = (phi; s), where R = R_0 exp(phi) and p = p_0 + R_0 s, and moves with y = (w; ds/dt), w
// in the axes of its link; joints of one have u = q - q0 and y = v. A free body with its frame in the centre
// of mass that nothing acts on keeps ds/dt constant however fast it spins, whereas v, in the link's axes,
// rotates.
namespace abut::dynamics {

// A point u on such a path, at first its start. Slopes are derivatives by tangents of q (right perturbations,
// tree.h), velocities v, accelerations a = dv/dt, u and y: (nv, nv), block-diagonal with a block for each
// joint.
class FixedAxes {
 public:
  explicit FixedAxes(const Tree& tree) : tree_(tree), u_(VecX<double>::Zero(tree.nv())) {}

  // Moves to part * u.
  void move_to(double part, const VecX<double>& u) { u_ = part * u; }

  // Computes q at this point; q may be q0.
  void coordinates(const VecX<double>& q0, VecX<double>& q);
  struct CoordinateSlopes {
    MatX<double> by_q0, by_u;
  };
  CoordinateSlopes coordinate_slopes() const;

  // Computes v = (w; exp(-phi) ds/dt) from y.
  void velocity(const VecX<double>& y, VecX<double>& v) const;
  struct VelocitySlopes {
    MatX<double> by_y, by_u;
  };
  VelocitySlopes velocity_slopes(const VecX<double>& y) const;

  // Computes du/dt = (Jr(phi)^-1 w; exp(phi) v). Jr^-1 is its series up to the fourth power of phi, for
  // rotations of much less than a radian or about one fixed axis.
  void way_rate(const VecX<double>& v, VecX<double>& rate) const;
  struct WayRateSlopes {
    MatX<double> by_v, by_u;
  };
  WayRateSlopes way_rate_slopes(const VecX<double>& v) const;

  // Computes dy/dt = (a_w; exp(phi) (a_v + w x v)), with a_w and a_v the angular and linear parts of a.
  void acceleration(const VecX<double>& v, const VecX<double>& a, VecX<double>& rate) const;
  struct AccelerationSlopes {
    MatX<double> by_a, by_v, by_u;
  };
  AccelerationSlopes acceleration_slopes(const VecX<double>& v, const VecX<double>& a) const;

 private:
  MatX<double> identity() const { return MatX<double>::Identity(tree_.nv(), tree_.nv()); }
  MatX<double> zero() const { return MatX<double>::Zero(tree_.nv(), tree_.nv()); }

  const Tree& tree_;
  VecX<double> u_;
  VecX<double> turn_, shift_;  // scratch of coordinates()
};

}  // namespace abut::dynamics
