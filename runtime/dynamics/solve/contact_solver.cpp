#include "runtime/dynamics/solve/contact_solver.h"

#include <cmath>
#include <string>

#include "runtime/core/error.h"
#include "runtime/core/table.h"
#include "runtime/dynamics/solve/coupled.h"
#include "runtime/dynamics/solve/published.h"

namespace abut::dynamics {
namespace {

template <class Solver, class Config>
constexpr ContactSolverRow row(std::string_view name, std::string_view summary, bool takes_joints,
                               bool has_derivatives) {
  return {name,
          summary,
          takes_joints,
          has_derivatives,
          [] { return describe<Config>(settings_of(Config{})); },
          [](const SettingValues& values, int threads) -> std::unique_ptr<ContactSolver> {
            Config config;
            apply<Config>(settings_of(config), values, config, Solver::kName);
            return std::make_unique<Solver>(config, threads);
          }};
}

constexpr ContactSolverRow kContactSolvers[] = {
    row<CoupledSolver, CoupledConfig>(CoupledSolver::kName, "Coulomb's law for all bodies together", true,
                                      true),
    row<PublishedSolver, PublishedConfig>(
        PublishedSolver::kName, "every body by itself, as the paper has it [Kaufman2005]", false, false),
};

[[noreturn]] void refuse(const char* what, std::size_t index, const char* why) {
  throw InvalidInput(std::string(what) + " " + std::to_string(index) + ": " + why);
}

// The checks of ContactSolver::solve.
void check_problem(std::span<const ContactBody> bodies, std::span<const PairContact> contacts) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const ContactBody& b = bodies[i];
    if (!(b.p_WBcm.allFinite() && b.inverse_inertia_W.allFinite() && b.V_WB_W.allFinite() &&
          std::isfinite(b.inverse_mass))) {
      refuse("body", i, "a number is not finite; check its mass, inertia, pose and velocity");
    }
    if (b.inverse_mass < 0 || b.inverse_inertia_W.diagonal().minCoeff() < 0) {
      refuse("body", i, "inverse mass or inertia is negative; give 0 for a body that nothing moves");
    }
  }
  const auto count = static_cast<std::int64_t>(bodies.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const PairContact& c = contacts[k];
    if (c.A < kFixed || c.A >= count || c.B < kFixed || c.B >= count || c.A == c.B) {
      refuse("contact", k, "needs two different bodies: indices of the list, or kFixed for one");
    }
    if (!(c.p_WC.allFinite() && c.n_W.allFinite() && c.J_B_W.allFinite() && std::isfinite(c.mu) &&
          std::isfinite(c.target_velocity))) {
      refuse("contact", k, "a number is not finite; check its point, normal, friction and first guess");
    }
    if (c.mu < 0) refuse("contact", k, "mu is negative; Coulomb's coefficient is 0 or more");
    if (!(std::abs(c.n_W.squaredNorm() - 1) < 1e-6)) refuse("contact", k, "the normal is not a unit vector");
  }
}

void check_joints(std::span<const ContactBody> bodies, const ContactJoints& joints) {
  const auto count = static_cast<std::int64_t>(joints.trees.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::int32_t tree = bodies[i].tree;
    if (tree < 0) continue;
    if (tree >= count || bodies[i].J_W == nullptr || bodies[i].J_W->cols() != joints.trees[tree].v.size())
      refuse("body", i, "is on a tree that there is not, or its Jacobian has not the tree's size");
    if (!bodies[i].J_W->allFinite()) refuse("body", i, "its Jacobian is not finite");
  }
  for (std::size_t t = 0; t < joints.trees.size(); ++t) {
    const ContactTree& tree = joints.trees[t];
    if (tree.inertia.rows() != tree.v.size()) refuse("tree", t, "its inertia has not the tree's size");
    const bool factored = tree.inertia.info() == Eigen::Success;
    if (!factored && tree.inertia.matrixLLT().allFinite())
      refuse("tree", t, "some of its joints move no inertia where they are; give them armature");
    if (!factored || !tree.v.allFinite())
      refuse("tree", t, "a velocity is not finite; take a smaller time step");
  }
  for (std::size_t k = 0; k < joints.rows.size(); ++k) {
    const JointRow& row = joints.rows[k];
    if (row.tree < 0 || row.tree >= count || row.dof < 0 || row.dof >= joints.trees[row.tree].v.size() ||
        row.body < 0 || row.body >= static_cast<std::int64_t>(bodies.size()) ||
        bodies[row.body].tree != row.tree)
      refuse("joint", k, "is of a tree, a body or a degree of freedom that there is not");
    if (!(std::isfinite(row.factor) && std::isfinite(row.target_velocity) && std::isfinite(row.impulse) &&
          row.bound >= 0 && std::isfinite(row.bound)))
      refuse("joint", k, "a number is not finite");
  }
}

}  // namespace

std::span<const ContactSolverRow> contact_solvers() { return kContactSolvers; }

const ContactSolverRow& find_contact_solver(std::string_view name) {
  return find_row(contact_solvers(), "contact solver", name);
}

std::unique_ptr<ContactSolver> make_contact_solver(std::string_view name, const SettingValues& settings,
                                                   int threads) {
  return find_contact_solver(name).make(settings, threads);
}

void ContactRows::begin(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
                        const ContactJoints& joints) {
  check_problem(bodies, contacts);
  check_joints(bodies, joints);
  islands.build(bodies, contacts, joints.rows);
  scales.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) scales[i] = body_scale(bodies[i]);
  rows.resize(contacts.size() + joints.rows.size());
  trees.make(bodies, contacts, joints, islands, scales, rows);
}

}  // namespace abut::dynamics
