#pragma once

#include "runtime/dynamics/tree/tree.h"

// Ways of a tree from coordinates q0, in axes that do not turn along them. A joint of several degrees of
// freedom has got to u = (phi; s) where R = R_0 exp(phi), p = p_0 + R_0 s, and moves there with y = (w;
// ds/dt), w in the axes of its link; joints of one have u = q - q0 and y = v. What nothing acts on keeps y,
// and ds/dt, however fast it spins: v, in the axes of the link, turns.
namespace abut::dynamics {

// A place on a way. Slopes are (nv, nv), a block for each joint: by tangents of q (right perturbations,
// tree.h), by velocities v, accelerations a = dv/dt, and u and y.
class FixedAxes {
 public:
  FixedAxes(const Tree& tree, const VecX<double>& u) : tree_(tree), u_(u) {}

  // q.
  VecX<double> coordinates(const VecX<double>& q0) const;
  struct CoordinateSlopes {
    MatX<double> by_q0, by_u;
  };
  CoordinateSlopes coordinate_slopes() const;

  // v = (w; exp(-phi) ds/dt).
  VecX<double> velocity(const VecX<double>& y) const;
  struct VelocitySlopes {
    MatX<double> by_y, by_u;
  };
  VelocitySlopes velocity_slopes(const VecX<double>& y) const;

  // du/dt = (Jr(phi)^-1 w; exp(phi) v), the former by the series of Jr^-1 up to the fourth power of phi: for
  // turns of much less than a radian, or about one axis.
  VecX<double> way_rate(const VecX<double>& v) const;
  struct WayRateSlopes {
    MatX<double> by_v, by_u;
  };
  WayRateSlopes way_rate_slopes(const VecX<double>& v) const;

  // dy/dt = (a_w; exp(phi) (a_v + w x v)).
  VecX<double> acceleration(const VecX<double>& v, const VecX<double>& a) const;
  struct AccelerationSlopes {
    MatX<double> by_a, by_v, by_u;
  };
  AccelerationSlopes acceleration_slopes(const VecX<double>& v, const VecX<double>& a) const;

 private:
  MatX<double> identity() const { return MatX<double>::Identity(tree_.nv(), tree_.nv()); }
  MatX<double> zero() const { return MatX<double>::Zero(tree_.nv(), tree_.nv()); }

  const Tree& tree_;
  VecX<double> u_;
};

}  // namespace abut::dynamics
