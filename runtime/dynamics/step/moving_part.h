#pragma once

#include <vector>

#include "runtime/dynamics/solve/contact_problem.h"

// A part that moves by itself between contacts, in the middle of a step of midpoint.h, and its derivatives
// with respect to the inputs of the step: a free body, or the bodies of one tree.
namespace abut::dynamics {

// Impulses F_i on the bodies change the generalised velocities y (n): A y' = P + sum J_i' F_i, with J_i the
// Jacobian of body i. A and the J_i depend on n coordinates with tangent x, and the bodies' twists due to
// dx/dt are J_i dx/dt. Slopes are derivatives with respect to all N inputs of the step, one column each.
struct MovingPart {
  struct Member {
    std::int32_t body = 0;         // index of the body
    TreeJacobian J;                // (6, n): V_WB_W = J y
    std::vector<TreeJacobian> dJ;  // with respect to each of x; empty: constant
  };
  std::vector<Member> members;
  MatX<double> A;                // (n, n)
  std::vector<MatX<double>> dA;  // with respect to each of x
  struct OfInput {
    Eigen::Index column;
    MatX<double> dA;
  };
  std::vector<OfInput> dA_of_inputs;  // with respect to parameters, x held
  Eigen::LLT<MatX<double>> llt;       // factors of A
  VecX<double> old, free, y;          // (n) before the forces; after them; after the impulses
  MatX<double> dx, dold, dP;          // (n, N)
  MatX<double> dfree, dy;             // (n, N)

  Eigen::Index size() const { return A.rows(); }
  const Member& member(std::int32_t body) const {
    for (const Member& m : members)
      if (m.body == body) return m;
    return members.front();
  }

  // (n, N) slopes of A a, with a held.
  MatX<double> inertia_slopes(const VecX<double>& a) const {
    MatX<double> sum = MatX<double>::Zero(size(), dx.cols());
    for (std::size_t k = 0; k < dA.size(); ++k) sum += (dA[k] * a) * dx.row(static_cast<Eigen::Index>(k));
    for (const OfInput& of : dA_of_inputs) sum.col(of.column) += of.dA * a;
    return sum;
  }
  // (6, N) slopes of the twist J y of a member, with y held.
  MatX<double> twist_slopes(const Member& m, const VecX<double>& of) const {
    MatX<double> sum = MatX<double>::Zero(6, dx.cols());
    for (std::size_t k = 0; k < m.dJ.size(); ++k)
      sum += (m.dJ[k] * of) * dx.row(static_cast<Eigen::Index>(k));
    return sum;
  }
  // (n, N) slopes of the generalised impulse J' F of a member, with F held.
  MatX<double> impulse_slopes(const Member& m, const Vec6<double>& F) const {
    MatX<double> sum = MatX<double>::Zero(size(), dx.cols());
    for (std::size_t k = 0; k < m.dJ.size(); ++k)
      sum += (m.dJ[k].transpose() * F) * dx.row(static_cast<Eigen::Index>(k));
    return sum;
  }
};

}  // namespace abut::dynamics
