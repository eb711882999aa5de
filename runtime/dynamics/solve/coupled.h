#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/solve/contact_solver.h"
#include "runtime/dynamics/solve/contact_sweep.h"
#include "runtime/dynamics/solve/newton.h"

namespace abut::dynamics {

// Settings of CoupledSolver. With the defaults small islands are solved to the tolerance within a step, and
// piles over several steps.
struct CoupledConfig {
  double tolerance = 1e-10;  // largest residual of a solved island, see CoupledSolver
  // Sweeps over the contacts of one island. 10 suffice for a pile that only has to look right; a large pile
  // comes to rest over several steps, not in one.
  int iteration_limit = 18;
  // Further sweeps for an island of m contacts: this number over m^2, at most kMaxFurtherSweeps. They solve
  // small islands (a stack) to the tolerance at a cost that is negligible next to that of large ones.
  double further_sweeps = 720000;
  // The path of newton.h, which costs as much as thousands of sweeps, is followed where the sweeps leave a
  // residual above this and proximal points fail.
  double path_residual = 1e-6;
};
std::span<const Setting<CoupledConfig>> settings_of(const CoupledConfig&);

inline constexpr int kMaxFurtherSweeps = 500;

// Accumulated impulse on a body (moment about the centre of mass; impulse), N m s and N s.
struct alignas(64) BodyWrench {
  Vec6<double> value = Vec6<double>::Zero();
};

// Solves for the impulses of all contacts together under Coulomb's law with circular cones
// (contact_problem.h): the coupled mode of fast frictional dynamics.
//
// The method sweeps over the contacts of an island; each contact in turn is solved exactly with all others
// held (coulomb_contact.h). This is a block Gauss-Seidel method on the law itself, without convex relaxation:
// sliding contacts do not dilate. A small island that takes many sweeps is finished by Newton's method, and
// by proximal points or a path where the sweeps reach their limit (newton.h). Residual: the largest
// violation of the law at any contact, as a velocity (CoulombContact::violation), over the largest speed at
// any contact of its island without impulses, relative to the target velocities. An island is solved (kOk)
// within the tolerance of the contacts' own velocities: the target velocity of one that would open may be
// any, such as -gap/dt of a wide gap. Impulses are equal and opposite at one point, and the returned twists
// are computed from them at the end, so that linear and angular momentum of free bodies are conserved to
// rounding. Differs from [Kaufman2008]: contacts are staggered rather than the two kinds of impulses; the
// fixed points are the same, and one sweep costs what a sweep of one of its projections costs.
class CoupledSolver final : public ContactSolver {
 public:
  static constexpr const char* kName = "coupled";

  // Solves islands in parallel on up to `threads` threads, large ones in parts (islands.h). Throws
  // InvalidInput for a setting that is out of range.
  explicit CoupledSolver(const CoupledConfig& config = {}, int threads = 1);

  using ContactSolver::solve;
  ContactReport solve(std::span<ContactBody> bodies, std::span<PairContact> contacts,
                      const ContactJoints& joints) override;
  const ContactRows& rows() const override { return problem_; }

  // How each island of the last problem ended.
  std::span<const ContactReport> reports() const { return reports_; }

 private:
  // Of an island: squares of the largest speed of any contact without impulses.
  struct SquaredSpeeds {
    double with_targets = 0;  // relative to the target velocities
    double own = 0;           // of contacts that would open without them
  };
  // State of one unit or part of an island, on cache lines of its own, as threads write to neighbours in
  // memory.
  struct alignas(64) UnitState {
    SquaredSpeeds speeds;
    bool on_trees;       // whether any of its rows is of a tree or a joint
    SweepChange change;  // made by the last sweep
  };
  struct alignas(64) PartState {
    double violation = 0;  // largest of any contact, squared
  };

  std::span<ContactRow> rows(Islands::Range places) {
    return {problem_.rows.data() + places.begin, problem_.rows.data() + places.end};
  }
  // The trees, or none for a unit without rows on them, whose sweeps are faster.
  TreeRows& trees_of(std::int32_t unit) { return units_[unit].on_trees ? problem_.trees : no_trees_; }
  SquaredSpeeds make_rows(std::int32_t island, std::span<const ContactBody> bodies,
                          std::span<const PairContact> contacts, Team& team);
  SweepChange sweep_island(std::int32_t island, double ratio, Team& team);
  double violation(std::int32_t island, Team& team);
  double take(std::span<ContactRow> rows, double residual, const IslandNewton& newton);
  double finish(std::span<ContactRow> rows, double residual, double squared_speed, bool last,
                IslandNewton& newton);
  ContactReport solve_island(std::int32_t island, const SquaredSpeeds& speeds, Team& team,
                             IslandNewton& newton);
  void deliver(std::int32_t island, std::span<ContactBody> bodies, std::span<PairContact> contacts,
               const ContactJoints& joints, Team& team);
  void deliver_trees(Islands::Range places, std::span<ContactBody> bodies, const ContactJoints& joints);

  CoupledConfig config_;
  int threads_;
  ContactRows problem_;
  TreeRows no_trees_;
  std::vector<BodyChange> changes_;  // by place of the body in the islands' order
  std::vector<BodyWrench> wrenches_;
  std::vector<UnitState> units_;
  std::vector<PartState> parts_;
  std::vector<IslandNewton> newton_;  // by thread
  std::vector<ContactReport> reports_;
};

}  // namespace abut::dynamics
