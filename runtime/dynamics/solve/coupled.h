#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/solve/contact_problem.h"
#include "runtime/dynamics/solve/contact_row.h"
#include "runtime/dynamics/solve/contact_sweep.h"
#include "runtime/dynamics/solve/islands.h"
#include "runtime/dynamics/solve/newton.h"

namespace abut::dynamics {

struct CoupledConfig {
  double tolerance = 1e-10;  // of the residual, see CoupledSolver
  // Sweeps over the contacts of one island. 10 do for a pile that only has to look right; a large one is
  // brought to rest over the steps, not in one.
  int iteration_limit = 20;
  // Further sweeps for an island of m contacts: this over m^2, at most kMaxFurtherSweeps. Small islands (a
  // stack) are then solved to the tolerance, at a cost that does not count beside that of large ones.
  double further_sweeps = 0;
  // Newton's path (newton.h), which costs as much as thousands of sweeps, is followed where these leave a
  // larger residual than this (and than the tolerance).
  double path_residual = 0;
  // Islands are solved in parallel, and large ones in parts (islands.h); 0: all there are. The
  // answer's bits do not depend on it.
  int threads = 1;
};

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
class CoupledSolver {
 public:
  explicit CoupledSolver(const CoupledConfig& config = {}) : config_(config) {}

  // Updates V_WB_W of the bodies and J_B_W of the contacts in place; J_B_W given in is the first guess.
  // Bodies with inverse mass and inertia zero keep their twist. Allocates only for a problem larger than any
  // before. Throws InvalidInput, naming the body or contact and before anything is changed, on numbers that
  // are not finite, negative masses or mu, normals that are not unit and indices out of range.
  ContactReport solve(std::span<ContactBody> bodies, std::span<PairContact> contacts);

  // Of the last call: its islands, and how each ended.
  const Islands& islands() const { return islands_; }
  std::span<const ContactReport> reports() const { return reports_; }
  std::span<const ContactRow> rows() const { return rows_; }     // in the islands' order
  std::span<const BodyScale> scales() const { return scales_; }  // of each body
  // Of all contacts on each body that is moved, in the islands' order.
  std::span<const BodyWrench> wrenches() const { return wrenches_; }

 private:
  // Of one part of an island, on cache lines of its own: threads write neighbours.
  struct alignas(64) PartState {
    double squared_speed = 0;  // largest of any contact without impulses
    double violation = 0;      // largest of any contact, squared
    SweepChange change;        // of the last sweep
  };

  std::span<ContactRow> rows(Islands::Range places) {
    return {rows_.data() + places.begin, rows_.data() + places.end};
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
               Team& team);

  CoupledConfig config_;
  Islands islands_;
  std::vector<BodyScale> scales_;
  std::vector<BodyChange> changes_;  // of each body, in the islands' order
  std::vector<BodyWrench> wrenches_;
  std::vector<ContactRow> rows_;  // by place in the islands' order
  std::vector<PartState> parts_;
  std::vector<IslandNewton> newton_;  // by thread
  std::vector<ContactReport> reports_;
};

// The checks of CoupledSolver::solve.
void check_problem(std::span<const ContactBody> bodies, std::span<const PairContact> contacts);

}  // namespace abut::dynamics
