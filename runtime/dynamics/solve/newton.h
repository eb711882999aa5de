#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/dynamics/solve/tree_rows.h"

namespace abut::dynamics {

// Solves all contacts of a small island together, for cases in which sweeps converge slowly or cycle: by
// Newton's method on the equations of [Alart1991] and, if that fails, through problems with contacts that
// are a little soft or by following a path from a problem whose solution is known.
//
// Unknowns are x_n = W_nn r_n and x_t = W_tt r_t, velocities u = W r + b + (1 - lambda) lift, all in units of
// the island's largest speed. With d = x - u, the positive part p(d_n) and the bound c = mu (W_tt/W_nn)
// p(d_n),
//   F_n = x_n - p(d_n),   F_t = x_t - d_t c/max(|d_t|, c)
// vanish where Coulomb's law holds; p and max are rounded by tau: p = (d_n + sqrt(d_n^2 + tau^2))/2. The
// friction of a joint has F_n = x_n - (p(d_n + bound) - p(d_n - bound) - bound) and F_t = x_t.
//   Newton: lambda = 1, tau = 0; steps are halved until the sum of squares falls.
//   Proximal points: with velocities u + rho (x - x_k) and rho > 0 the matrix of a step is regular, and
//   Newton's method finds the solution x_k+1. From the last impulses, and then from none, rho falls while
//   x_k+1 is found, and else less fast, until x_k+1 obeys the law without rho. Redundant contacts whose
//   targets differ by rounding obey it only for few choices of those that carry, which Newton's method alone
//   misses.
//   Path: at lambda = 0 all contacts open and x is nearly 0. From there the curve F = 0 in (x, lambda) is
//   followed by its arc length, so that it may turn back in lambda, with tau falling to nearly zero at
//   lambda = 1, where Newton's method starts with the states of all contacts identified. The curve cannot run
//   to infinity while no target_velocity is positive, as in [Stewart1996]'s proof that a solution exists;
//   contacts that are jammed by friction and required to separate may have no solution.
// Redundant contacts make the matrix of a step singular. Newton's method then takes the minimum-norm step, so
// that of all impulses that obey the law it finds those near the initial ones, which depend continuously on
// the problem. On the path a small shift of W in the matrix, but not in F, selects one.
class IslandNewton {
 public:
  // For islands with more contacts this costs more than further sweeps; for the path the limit is lower.
  static constexpr std::size_t kMaxContacts = 40;
  static constexpr std::size_t kMaxOnPath = 12;

  // Allocates all workspace for islands of up to kMaxContacts.
  IslandNewton();

  // Loads an island of at most kMaxContacts rows, none with W_nn = 0. `speed` > 0 is the unit of velocity,
  // m/s.
  void load(std::span<const ContactRow> rows, const TreeRows& trees, double speed);

  // All search for an x at which the violation of every contact is at most `tolerance` (coulomb_contact.h,
  // relative to `speed`) and return whether they found one. `newton` starts from the rows' impulses or the
  // last x; `follow_path` from lambda = 0; `proximal_points` from the last x, and then from 0.
  bool newton(double tolerance);
  bool follow_path(double tolerance);
  bool proximal_points(double tolerance);

  // Writes the impulses of x to the rows; they may lie outside the cone by as much as the equations are
  // violated.
  void store(std::span<ContactRow> rows) const;

 private:
  struct Contact {
    double mu_t;          // mu W_tt / W_nn
    double bound;         // largest |x_n|, for the friction of a joint; 0: a contact
    double per_n, per_t;  // impulse per unit of x
    Vec3<double> b;
  };

  enum class Step { kOn, kLost, kEnded };

  double evaluate(const std::vector<double>& x, double lambda, double tau);  // fills d_, F_; returns |F|^2
  double worst() const;                                                      // largest |F| of a contact
  void differentiate(double tau, std::size_t stride);                        // fills J_ from d_
  // Steps of newton: the first two set step_, the third moves x_.
  bool exact_step(double least);
  bool least_step();
  bool descend(double& value);
  int shifted_newton(double tolerance);
  bool approach(double first, int limit, double tolerance);
  bool bordered_solve(const std::vector<double>& z, const std::vector<double>& border);
  bool back_to_path(std::vector<double>& z);
  Step advance(double& length, double tolerance);

  std::size_t n_ = 0;  // 3 x contacts
  int attempt_ = 0;    // number of the current attempt of follow_path
  double shift_ = 0;   // rho; 0 outside of proximal_points
  std::vector<Contact> contacts_;
  std::vector<double> W_;        // n x n, row-major: u = W x + b
  std::vector<double> J_;        // row-major
  std::vector<double> squares_;  // J'J
  std::vector<double> F_, d_, x_, trial_, start_, step_;
  std::vector<double> center_;          // x_k
  std::vector<double> path_, tangent_;  // (n + 1) point (x, lambda) of the curve, and its direction there
};

}  // namespace abut::dynamics
