#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/core/settings.h"
#include "runtime/dynamics/solve/contact_problem.h"
#include "runtime/dynamics/solve/tree_rows.h"

// Contact solvers, registered in one table. To add one, write a file with a class derived from ContactSolver
// and add a row to contact_solver.cpp; commands, integrators and tests iterate over the table.
//
//   const auto solver = dynamics::make_contact_solver("coupled", {{"tolerance", 1e-8}});
//   const dynamics::ContactReport report = solver->solve(bodies, contacts);
namespace abut::dynamics {

// A problem in the form that solvers use: its islands, and its rows in the islands' order.
struct ContactRows {
  Islands islands;                // of the contacts, with their order
  std::vector<BodyScale> scales;  // of each body
  // By place in islands.order(); A and B are places of bodies, or sides on trees.
  std::vector<ContactRow> rows;
  TreeRows trees;  // Jacobian columns of the sides on trees

  // Checks a problem as described at ContactSolver::solve, finds its islands and scales, and makes the rows
  // on trees. Leaves all other rows to the solver.
  void begin(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
             const ContactJoints& joints = {});
};

// A contact solver with its working memory; keep one per simulation. Allocates only for a problem larger than
// any before.
class ContactSolver {
 public:
  virtual ~ContactSolver() = default;

  // Updates in place V_WB_W of the bodies, J_B_W of the contacts, and the velocities and impulses of the
  // joints; the given J_B_W is the first guess. Bodies on no tree with zero inverse mass and inertia keep
  // their twist. The result is bit-identical for any number of threads. Throws InvalidInput, which names the
  // body, contact or joint, before anything is changed: for numbers that are not finite, negative masses or
  // mu, normals that are not unit vectors and indices out of range; for joints if the solver takes none.
  virtual ContactReport solve(std::span<ContactBody> bodies, std::span<PairContact> contacts,
                              const ContactJoints& joints) = 0;
  // Solves a problem without joints.
  ContactReport solve(std::span<ContactBody> bodies, std::span<PairContact> contacts) {
    return solve(bodies, contacts, {});
  }

  // The islands and rows of the last problem.
  virtual const ContactRows& rows() const = 0;
};

// Entry of a contact solver in the table.
struct ContactSolverRow {
  std::string_view name;     // for command lines
  std::string_view summary;  // one line for users
  // Whether it solves problems with trees, limits and friction of joints.
  bool takes_joints;
  bool has_derivatives;                    // whether steps of `midpoint` with it have derivatives
  std::vector<SettingInfo> (*settings)();  // descriptions for users
  // Makes a solver that uses up to `threads` threads; 0: default_threads(). Throws InvalidInput for a setting
  // that is unknown or out of range.
  std::unique_ptr<ContactSolver> (*make)(const SettingValues& settings, int threads);
};

// Returns all rows, in a fixed order; the first is the default.
std::span<const ContactSolverRow> contact_solvers();

// Returns the row of a solver. Throws InvalidInput, which lists the existing solvers, for an unknown name.
const ContactSolverRow& find_contact_solver(std::string_view name);

// Makes a solver by name. Throws like find_contact_solver and ContactSolverRow::make.
std::unique_ptr<ContactSolver> make_contact_solver(std::string_view name, const SettingValues& settings = {},
                                                   int threads = 1);

}  // namespace abut::dynamics
