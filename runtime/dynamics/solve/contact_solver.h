#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/core/settings.h"
#include "runtime/dynamics/solve/contact_problem.h"
#include "runtime/dynamics/solve/tree_rows.h"

// Contact solvers behind one table. To add one: a file with a class derived from ContactSolver, and a row in
// contact_solver.cpp; commands, integrators and tests iterate the table.
//
//   const auto solver = dynamics::make_contact_solver("coupled", {{"tolerance", 1e-8}});
//   const dynamics::ContactReport report = solver->solve(bodies, contacts);
namespace abut::dynamics {

// A problem as solvers see it: its islands and its rows in their order.
struct ContactRows {
  Islands islands;                // of the contacts, and their order
  std::vector<BodyScale> scales;  // of each body
  std::vector<ContactRow> rows;   // by place; A and B are places of bodies, or sides on trees
  TreeRows trees;                 // columns of the sides on trees

  // Checks a problem as ContactSolver::solve says; finds its islands and scales, and makes the rows on trees.
  // The others are left as they are.
  void begin(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
             const ContactJoints& joints = {});
};

// A reusable solver with its memory: one per simulation. Allocates only for a problem larger than any before.
class ContactSolver {
 public:
  virtual ~ContactSolver() = default;

  // Updates V_WB_W of the bodies, J_B_W of the contacts and what moves of the joints in place; J_B_W given in
  // is the first guess. Bodies on no tree with inverse mass and inertia zero keep their twist. The same bits
  // on any number of threads. Throws InvalidInput, naming the body, contact or joint and before anything is
  // changed, on numbers that are not finite, negative masses or mu, normals that are not unit and indices out
  // of range; on joints where the solver's row takes none.
  virtual ContactReport solve(std::span<ContactBody> bodies, std::span<PairContact> contacts,
                              const ContactJoints& joints) = 0;
  // Without joints.
  ContactReport solve(std::span<ContactBody> bodies, std::span<PairContact> contacts) {
    return solve(bodies, contacts, {});
  }

  // Of the last problem.
  virtual const ContactRows& rows() const = 0;
};

// What the table says of a contact solver.
struct ContactSolverRow {
  std::string_view name;                   // for command lines
  std::string_view summary;                // one line for people
  bool takes_joints;                       // bodies on trees, limits and friction
  bool has_derivatives;                    // steps of midpoint with it have
  std::vector<SettingInfo> (*settings)();  // made from words
  // On up to `threads` threads, 0 for all there are. Throws InvalidInput for an unknown setting and for one
  // out of range.
  std::unique_ptr<ContactSolver> (*make)(const SettingValues& settings, int threads);
};

// All rows, in a fixed order; the first is the default.
std::span<const ContactSolverRow> contact_solvers();

// Row by name. Throws InvalidInput, naming the solvers that there are, for an unknown one.
const ContactSolverRow& find_contact_solver(std::string_view name);

// Solver by name. Throws as find_contact_solver and ContactSolverRow::make.
std::unique_ptr<ContactSolver> make_contact_solver(std::string_view name, const SettingValues& settings = {},
                                                   int threads = 1);

}  // namespace abut::dynamics
