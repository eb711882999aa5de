#pragma once

#include "runtime/dynamics/tree/tree.h"

// Ways of a tree from coordinates q0, in axes that do not turn along them. A joint of several degrees of
// freedom has got to u = (phi; s) where R = R_0 exp(phi), p = p_0 + R_0 s, and moves there with y = (w;
// ds/dt), w in the axes of its link; joints of one have u = q - q0 and y = v. What nothing acts on keeps y,
// and ds/dt, however fast it spins: v, in the axes of the link, turns.
namespace abut::dynamics {

// A place on a way, at first its start. Slopes are (nv, nv), a block for each joint: by tangents of q (right
// perturbations, tree.h), by velocities v, accelerations a = dv/dt, and u and y.
class FixedAxes {
 public:
  explicit FixedAxes(const Tree& tree) : tree_(tree), u_(VecX<double>::Zero(tree.nv())) {}

  // To part * u.
  void move_to(double part, const VecX<double>& u) { u_ = part * u; }

  // q, which may be q0.
  void coordinates(const VecX<double>& q0, VecX<double>& q);
  struct CoordinateSlopes {
    MatX<double> by_q0, by_u;
  };
  CoordinateSlopes coordinate_slopes() const;

  // v = (w; exp(-phi) ds/dt).
  void velocity(const VecX<double>& y, VecX<double>& v) const;
  struct VelocitySlopes {
    MatX<double> by_y, by_u;
  };
  VelocitySlopes velocity_slopes(const VecX<double>& y) const;

  // du/dt = (Jr(phi)^-1 w; exp(phi) v), the former by the series of Jr^-1 up to the fourth power of phi: for
  // turns of much less than a radian, or about one axis.
  void way_rate(const VecX<double>& v, VecX<double>& rate) const;
  struct WayRateSlopes {
    MatX<double> by_v, by_u;
  };
  WayRateSlopes way_rate_slopes(const VecX<double>& v) const;

  // dy/dt = (a_w; exp(phi) (a_v + w x v)).
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
  VecX<double> turn_, shift_;  // of u, for coordinates()
};

}  // namespace abut::dynamics
