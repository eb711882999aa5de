#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/solve/contact_solver.h"

namespace abut::dynamics {

inline constexpr double kJointSlop = 1e-6;  // tolerated violation of a joint's limit, rad or m

// Settings of Stabilisation.
struct StabilisationConfig {
  double share = 0.2;  // share of the excess depth removed in a step, in (0, 1]
  int sweeps = 10;     // of the projection; the rest is removed in later steps
};

// Joints may let bodies separate only by sliding far along one another: a displacement that opens a contact
// by d then moves it by `sideways` d along the surface, sideways = |W_nt|/W_nn. Returns the factor of the
// share that bounds this to kGreatestSideways times the opening that is removed without such a bound.
inline double sideways_factor(double sideways) {
  constexpr double kGreatestSideways = 10;
  return sideways > kGreatestSideways ? kGreatestSideways / sideways : 1;
}

// Calls sweep() repeatedly for the projection of an island of `contacts`; sweep returns the largest change of
// a displacement at a contact, m. Small islands are swept until that change is negligible: the least
// displacement is unique, and so does not depend on the order of the contacts.
template <class Sweep>
void sweep_displacements(const StabilisationConfig& config, std::int32_t contacts, Sweep&& sweep) {
  constexpr double kNothing = 1e-10;  // relative to the first sweep's change
  constexpr int kMaxFurther = 500;
  const double squares = static_cast<double>(contacts) * contacts;
  const int limit =
      config.sweeps + (config.sweeps > 0 ? static_cast<int>(std::min(1.0 * kMaxFurther, 72e3 / squares)) : 0);
  double first = 0;
  for (int k = 0; k < limit; ++k) {
    const double change = sweep();
    if (k == 0) first = change;
    if (change <= kNothing * first) return;
  }
}

// Moves overlapping bodies apart without changing their velocities: by the least displacement, in the kinetic
// metric, that removes a share of the depth beyond a slop, less where joints let bodies separate only by
// sliding (sideways_factor), computed by projected Gauss-Seidel over the contacts' normals. Displacements are
// computed in the coordinates in which every moved body has unit inertia (contact_row.h), with the rows of
// the contact solver.
class Stabilisation {
 public:
  Stabilisation(const StabilisationConfig& config, int threads) : config_(config), threads_(threads) {}

  // Computes displacements (rotation vector; shift of the centre), rad and m, in the world's axes, one per
  // body; zero in islands where no contact's gap is below -`slop`, m. The depths to remove are those after
  // the bodies have moved with their velocities for `time`, s, from where the contacts were found.
  // `of_solver` has a solver's rows of these contacts and joints. Displacements of trees, in the coordinates
  // of their velocities, are then in trees(). The result is bit-identical for any number of threads.
  void displace(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
                const ContactJoints& joints, const ContactRows& of_solver, double time, double slop,
                std::span<Vec6<double>> displacements);
  std::span<const VecX<double>> trees() const { return y_trees_; }
  const StabilisationConfig& config() const { return config_; }

 private:
  struct Row {
    Spatial N_A, N_B;     // opening = N_A'y_A + N_B'y_B, m
    double goal;          // required opening, m
    double inverse_mass;  // N_A'N_A + N_B'N_B, 1/kg; 0: nothing moves
    double impulse;       // impulse of the displacement, kg m
    std::int32_t A, B;    // as in ContactRow
  };
  struct alignas(64) Part {
    bool deep;  // whether any contact is deep
  };
  struct alignas(64) Unit {
    double change;  // largest of the last sweep, m
  };

  static double sweep(Row* rows, std::size_t count, Spatial* y, const TreeRows& trees,
                      std::span<VecX<double>> y_trees);
  bool make_row(std::int32_t place, std::span<const ContactBody> bodies,
                std::span<const PairContact> contacts, const ContactJoints& joints,
                const ContactRows& of_solver, double time, double slop);

  StabilisationConfig config_;
  int threads_;
  std::vector<Spatial> y_;  // scaled displacement by place of the body in the islands' order
  std::vector<VecX<double>> y_trees_;
  std::vector<Row> rows_;
  std::vector<Part> parts_;
  std::vector<Unit> units_;
};

}  // namespace abut::dynamics
