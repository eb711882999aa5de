#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/solve/contact_solver.h"
#include "runtime/dynamics/solve/contact_sweep.h"
#include "runtime/dynamics/solve/newton.h"

namespace abut::dynamics {

// Small islands are solved to the tolerance, piles over the steps.
struct CoupledConfig {
  double tolerance = 1e-10;  // of the residual, see CoupledSolver
  // Sweeps over the contacts of one island. 10 do for a pile that only has to look right; a large one is
  // brought to rest over the steps, not in one.
  int iteration_limit = 18;
  // Further sweeps for an island of m contacts: this over m^2, at most kMaxFurtherSweeps. Small islands (a
  // stack) are then solved to the tolerance, at a cost that does not count beside that of large ones.
  double further_sweeps = 720000;
  // Newton's path (newton.h), which costs as much as thousands of sweeps, is followed where these leave a
  // larger residual than this (and than the tolerance).
  double path_residual = 1e-6;
};
std::span<const Setting<CoupledConfig>> settings_of(const CoupledConfig&);

inline constexpr int kMaxFurtherSweeps = 500;

// (Moment about the centre of mass; impulse) on a body, N m s and N s.
struct alignas(64) BodyWrench {
  Vec6<double> value = Vec6<double>::Zero();
};

// Impulses of all contacts at once under Coulomb's law with circular cones (contact_problem.h): the coupled
// mode of fast frictional dynamics.
//
// Sweeps over the contacts of an island; each contact in its turn is solved exactly with all others held
// (coulomb_contact.h), a block Gauss-Seidel method on the law itself, so that nothing is relaxed: sliding
// contacts do not dilate. A small island that takes many sweeps is finished by Newton's method, one whose
// sweeps are used up by its path (newton.h).
// Residual: the largest violation of the law at any contact, as a velocity (CoulombContact::violation), over
// the largest speed at any contact of its island without impulses. Impulses are equal and opposite at one
// point, and the returned twists are made from them at the end, so linear and angular momentum of free bodies
// are kept to rounding. Differs from [Kaufman2008]: contacts, not the two kinds of impulses, are staggered;
// the fixed points are the same, and one sweep costs what one projection's sweep does.
class CoupledSolver final : public ContactSolver {
 public:
  static constexpr const char* kName = "coupled";

  // Islands are solved in parallel, and large ones in parts (islands.h). Throws InvalidInput for a setting
  // that is out of range.
  explicit CoupledSolver(const CoupledConfig& config = {}, int threads = 1);

  using ContactSolver::solve;
  ContactReport solve(std::span<ContactBody> bodies, std::span<PairContact> contacts,
                      const ContactJoints& joints) override;
  const ContactRows& rows() const override { return problem_; }

  // Of the last problem: how each island ended.
  std::span<const ContactReport> reports() const { return reports_; }

 private:
  // Of one unit or part of an island, on cache lines of its own: threads write neighbours.
  struct alignas(64) UnitState {
    double squared_speed = 0;  // largest of any contact without impulses
    SweepChange change;        // of the last sweep
  };
  struct alignas(64) PartState {
    double violation = 0;  // largest of any contact, squared
  };

  std::span<ContactRow> rows(Islands::Range places) {
    return {problem_.rows.data() + places.begin, problem_.rows.data() + places.end};
  }
  double make_rows(std::int32_t island, std::span<const ContactBody> bodies,
                   std::span<const PairContact> contacts, Team& team);
  SweepChange sweep_island(std::int32_t island, double ratio, Team& team);
  double violation(std::int32_t island, Team& team);
  double take(std::span<ContactRow> rows, double residual, const IslandNewton& newton);
  double finish(std::span<ContactRow> rows, double residual, double squared_speed, bool path,
                IslandNewton& newton);
  ContactReport solve_island(std::int32_t island, double squared_speed, Team& team, IslandNewton& newton);
  void deliver(std::int32_t island, std::span<ContactBody> bodies, std::span<PairContact> contacts,
               const ContactJoints& joints, Team& team);
  void deliver_trees(Islands::Range places, std::span<ContactBody> bodies, const ContactJoints& joints);

  CoupledConfig config_;
  int threads_;
  ContactRows problem_;
  std::vector<BodyChange> changes_;  // of each body, in the islands' order
  std::vector<BodyWrench> wrenches_;
  std::vector<UnitState> units_;
  std::vector<PartState> parts_;
  std::vector<IslandNewton> newton_;  // by thread
  std::vector<ContactReport> reports_;
};

}  // namespace abut::dynamics
