#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/frictional/contact_problem.h"

namespace abut::dynamics {

struct StabilisationConfig {
  double share = 0.2;  // of the excess depth taken away in a step, in (0, 1]
  int sweeps = 10;     // of the projection; what they leave is taken away later
};

// Moves overlapping bodies apart without touching their velocities: the least displacement, in the kinetic
// metric, that takes a share of the depth beyond `slop` away, by projected Gauss-Seidel over the contacts'
// normals.
class Stabilisation {
 public:
  explicit Stabilisation(const StabilisationConfig& config = {}) : config_(config) {}

  // Displacements (rotation vector; shift of the centre), rad and m, in the world's axes, one per body; zero
  // where nothing is too deep. The contacts' gaps are those after the bodies moved with their velocities for
  // `time` from where the contacts were found. Returns whether anything moves.
  bool displace(std::span<const ContactBody> bodies, std::span<const PairContact> contacts, double time,
                double slop, std::span<Vec6<double>> displacements);

 private:
  struct Row {
    Vec3<double> r_A, r_B, w_A, w_B;  // arms cross normal; angular response
    double goal, inverse_mass, impulse;
  };
  StabilisationConfig config_;
  std::vector<Row> rows_;
};

}  // namespace abut::dynamics
