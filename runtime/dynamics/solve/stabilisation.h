#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dynamics/solve/contact_solver.h"

namespace abut::dynamics {

inline constexpr double kJointSlop = 1e-6;  // rad or m beyond a joint's limit that is left alone

struct StabilisationConfig {
  double share = 0.2;  // of the excess depth taken away in a step, in (0, 1]
  int sweeps = 10;     // of the projection; what they leave is taken away later
};

// Calls sweep() for the projection of an island of `contacts`: it returns the largest change of a
// displacement at a contact, m. Small islands are swept on until that is next to nothing: the least
// displacement is unique, and so does not depend on the order of the contacts.
template <class Sweep>
void sweep_displacements(const StabilisationConfig& config, std::int32_t contacts, Sweep&& sweep) {
  constexpr double kNothing = 1e-10;  // of the first sweep's
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

// Moves overlapping bodies apart without touching their velocities: the least displacement, in the kinetic
// metric, that takes a share of the depth beyond a slop away, by projected Gauss-Seidel over the contacts'
// normals. Displacements are sought in the coordinates in which every moved body has unit inertia
// (contact_row.h), with the rows of the contact solver.
class Stabilisation {
 public:
  Stabilisation(const StabilisationConfig& config, int threads) : config_(config), threads_(threads) {}

  // Displacements (rotation vector; shift of the centre), rad and m, in the world's axes, one per body; zero
  // where nothing of its island is deeper than `slop`, m. The contacts' gaps are those after the bodies moved
  // with their velocities for `time` from where the contacts were found, and the rows are a solver's of these
  // contacts and joints. Those of trees, tangents of their velocities' coordinates, are in trees(). The bits
  // do not depend on the number of threads.
  void displace(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
                const ContactJoints& joints, const ContactRows& of_solver, double time, double slop,
                std::span<Vec6<double>> displacements);
  std::span<const VecX<double>> trees() const { return y_trees_; }
  const StabilisationConfig& config() const { return config_; }

 private:
  struct Row {
    Spatial N_A, N_B;     // opened = N_A'y_A + N_B'y_B
    double goal;          // of what is opened, m
    double inverse_mass;  // N_A'N_A + N_B'N_B, 1/kg; 0: nothing moves
    double impulse;       // of displacement, kg m
    std::int32_t A, B;    // as ContactRow
  };
  struct alignas(64) Part {
    bool deep;  // whether any contact is
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
  std::vector<Spatial> y_;  // displacement of each body, in the islands' order
  std::vector<VecX<double>> y_trees_;
  std::vector<Row> rows_;
  std::vector<Part> parts_;
  std::vector<Unit> units_;
};

}  // namespace abut::dynamics
