#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/solve/contact_solver.h"
#include "runtime/dynamics/solve/least_squares.h"

namespace abut::dynamics {

struct PublishedConfig {
  // Directions in which a contact's friction is bounded; 0: all of them, the circle.
  int friction_directions = 0;
};
std::span<const Setting<PublishedConfig>> settings_of(const PublishedConfig&);

// Fast frictional dynamics as published [Kaufman2005]: every body by itself, with two projections in its
// kinetic metric. The reference; for physically right impulses see CoupledSolver.
//
// Stage 1 moves the twist to the nearest one that satisfies every contact's normal bound. Against a fixed
// partner that is target_velocity; against a moving one the velocity of both points after a perfectly
// inelastic impact of their effective masses, (m_A v_A + m_B v_B)/(m_A + m_B) along the normal, and a share
// of target_velocity. Where no twist satisfies all bounds (a body is squeezed) they are lowered as little as
// possible, in the sum of squares weighted with effective masses. Stage 2 adds the friction y that takes most
// of the tangential velocities away, in the kinetic metric, among combinations of the contacts' tangents with
// s'y <= mu n'r for every tangent s and n'y >= 0 at every contact that does not open, where r is what stage 1
// added: all are changes of velocity at the contact. So what is bounded by mu is the change of velocity, not
// the impulse, and partners are not given opposite impulses. Known consequences: a sliding box whose centre
// is above its contacts gets no friction, a sliding ball 2/7 of mu g, a spinning coin half its deceleration,
// and momentum is not kept.
//
// Differs from [Kaufman2005]: there friction takes away as much as it can of the body's whole twist, as if
// every partner stood still, and would brake a body that rides on a moving one. Against a moving partner ours
// aims at no sliding: each body at its share, by effective mass, of the velocity between the two, as stage 1
// does along the normal. Against a fixed partner the two are the same.
class PublishedSolver final : public ContactSolver {
 public:
  static constexpr const char* kName = "published";

  // Bodies are solved in parallel. Throws InvalidInput for a setting that is out of range.
  explicit PublishedSolver(const PublishedConfig& config = {}, int threads = 1);

  // J_B_W is what B's own projections gave, or if B is fixed the opposite of A's; friction is shared among
  // the contacts of a body with the least sum of squares. The report's residual is the largest lowering of a
  // bound, m/s; kNotConverged if it is not 0.
  using ContactSolver::solve;
  ContactReport solve(std::span<ContactBody> bodies, std::span<PairContact> contacts,
                      const ContactJoints& joints) override;
  const ContactRows& rows() const override { return problem_; }

 private:
  // One contact seen from one of its bodies.
  struct Side {
    std::int32_t contact;
    bool reports;                   // its impulse is the contact's
    bool closing;                   // does not open before the contacts act
    Vec6<double> n;                 // change of the normal velocity by y is n'y
    Eigen::Matrix<double, 6, 2> t;  // and of the tangential velocity
    double u_n;                     // this body's part of the normal velocity, less that of target_velocity
    Eigen::Vector2d u_t;            // and of the tangential velocity
    double mu;
    double bound;  // of friction, m/s
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
  std::vector<std::int32_t> begin_, of_body_;  // rows of each body, by its place
  std::vector<Vec6<double>> y_;
  std::vector<double> lowered_;
  std::vector<Workspace> work_;
};

}  // namespace abut::dynamics
