#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/solve/contact_solver.h"
#include "runtime/dynamics/solve/least_squares.h"

namespace abut::dynamics {

// Settings of PublishedSolver.
struct PublishedConfig {
  // Number of directions in which a contact's friction is bounded; 0: all of them, a circle.
  int friction_directions = 0;
};
std::span<const Setting<PublishedConfig>> settings_of(const PublishedConfig&);

// Fast frictional dynamics as published [Kaufman2005]: every body separately, by two projections in its
// kinetic metric. It serves as the reference for comparisons; for physically right impulses see
// CoupledSolver.
//
// Stage 1 moves the twist to the nearest one that satisfies every contact's normal bound. Against a fixed
// partner the bound is target_velocity; against a moving one it is the velocity of both points after a
// perfectly inelastic impact of their effective masses, (m_A v_A + m_B v_B)/(m_A + m_B) along the normal,
// plus a share of target_velocity. Where no twist satisfies all bounds (a body is squeezed) they are lowered
// by the least sum of squares, weighted with effective masses. Stage 2 adds the friction y that reduces the
// tangential velocities most, in the kinetic metric, among combinations of the contacts' tangents with s'y <=
// mu n'r for every unit tangent s, and n'y >= 0, at every contact that does not open; r is the change made by
// stage 1, and all are changes of velocity at the contact. So mu bounds the change of velocity, not the
// impulse, and partners do not receive opposite impulses. Known consequences: a sliding box whose centre is
// above its contacts gets no friction, a sliding ball gets 2/7 of mu g, a spinning coin half its
// deceleration, and momentum is not conserved.
//
// Differs from [Kaufman2005]: there friction reduces the body's whole twist as much as it can, as if every
// partner stood still, and would brake a body that rides on a moving one. Against a moving partner ours aims
// at no sliding: each body takes its share, by effective mass, of the relative velocity, as in stage 1 along
// the normal. Against a fixed partner the two are the same.
class PublishedSolver final : public ContactSolver {
 public:
  static constexpr const char* kName = "published";

  // Solves bodies in parallel on up to `threads` threads. Throws InvalidInput for a setting that is out of
  // range.
  explicit PublishedSolver(const PublishedConfig& config = {}, int threads = 1);

  // The returned J_B_W is the impulse of B's own projections, or the opposite of A's if B is fixed; friction
  // is shared among the contacts of a body with the least sum of squares. The report's residual is the
  // largest lowering of a bound, m/s, with kNotConverged unless it is 0.
  using ContactSolver::solve;
  ContactReport solve(std::span<ContactBody> bodies, std::span<PairContact> contacts,
                      const ContactJoints& joints) override;
  const ContactRows& rows() const override { return problem_; }

 private:
  // One contact seen from one of its bodies.
  struct Side {
    std::int32_t contact;
    bool reports;                   // whether this side's impulse is returned as the contact's
    bool closing;                   // whether it does not open before the contacts act
    Vec6<double> n;                 // the normal velocity changes by n'y
    Eigen::Matrix<double, 6, 2> t;  // and the tangential velocity by t'y
    double u_n;                     // this body's share of the normal velocity, less that of target_velocity
    Eigen::Vector2d u_t;            // this body's share of the tangential velocity
    double mu;
    double bound;  // bound of friction, m/s
  };
  struct Workspace {
    std::vector<Side> sides;
    std::vector<Vec6<double>> a;
    std::vector<double> d;
    LeastDistance<double> projection;
  };

  static Side side_of(const ContactRow& row, std::int32_t contact, bool is_B);
  double solve_body(std::int32_t body, Workspace& work);
  double stage_1(Workspace& work, Vec6<double>& y);
  void stage_2(Workspace& work, const Vec6<double>& y_1, Vec6<double>& y_2);
  void bound_friction(Workspace& work, const Vec6<double>& goal, Vec6<double>& y) const;
  void list_contacts(std::size_t bodies);

  PublishedConfig config_;
  int threads_;
  ContactRows problem_;
  std::vector<std::int32_t> begin_, of_body_;  // rows of each body, by the body's place
  std::vector<Vec6<double>> y_;
  std::vector<double> lowered_;
  std::vector<Workspace> work_;
};

}  // namespace abut::dynamics
