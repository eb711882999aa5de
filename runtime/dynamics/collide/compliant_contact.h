#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/dynamics/collide/broad_phase.h"
#include "runtime/dynamics/collide/contact_source.h"
#include "runtime/dynamics/collide/placed_system.h"
#include "runtime/dynamics/solve/contact_problem.h"

namespace abut::dynamics {

// Pose of a body and twist (w; v) of its frame in the world's axes, rad/s and m/s.
struct BodyMotion {
  Pose<double> X_WB;
  Vec6<double> V_WB_W = Vec6<double>::Zero();
};

// Wrenches that a contact model exerts between two bodies, and their derivatives. Wrenches (moment about the
// centre of mass; force), N m and N, and displacements (rotation; translation of the centre of mass), rad and
// m, are in the world's axes.
struct PairForce {
  std::int32_t A = kFixed, B = kFixed;  // indices of bodies; A is kFixed for a fixed shape
  int contacts = 0;                     // number of pairs of shapes that overlap
  bool converged = true;                // false where the model's status is kNotConverged for any of them
  bool clamped = false;                 // true where the model's status is kClamped for any of them
  std::array<Vec6<double>, 2> F_W;      // on A and on B
  // Of the wrench on one body by displacements and by twists of one: [on][of], 0: A, 1: B.
  std::array<std::array<Mat6<double>, 2>, 2> dF_dx;
  std::array<std::array<Mat6<double>, 2>, 2> dF_dV;
};

// Computes the wrenches between all pairs of bodies of a system, by the contact model that the scene chooses
// for the pair, or else by that of the source.
class CompliantContact {
 public:
  // `stiction` is the slip speed, m/s, at which friction has 0.7 of its full value, for models whose settings
  // do not give it; NaN keeps their defaults. Throws InvalidInput for a model that is unknown or offers no
  // wrench, where an asset of the system lacks a part that it needs, and, naming the bodies, for two shapes
  // of bodies that may collide which their model does not support as a pair.
  CompliantContact(const System& system, const ContactSource& source, int threads,
                   double stiction = std::numeric_limits<double>::quiet_NaN());

  // Finds the pairs, ascending, that may touch within dt, s, from the state on, also under the twists (w; v),
  // rad/s and m/s, that bodies reach meanwhile, where they are known. Allocates only to grow.
  void find(const State& state, const Control& control, double dt,
            std::span<const Vec6<double>> twists_W = {});

  std::span<const PairForce> pairs() const { return forces_; }

  // Status of all pairs at their last evaluation: kNotConverged if any is, else kClamped if any is, else kOk.
  Status status() const;

  // Whether no body moves farther within dt, s, than find() allowed for.
  bool covers(std::span<const BodyMotion> motions, double dt) const;

  // Evaluates the pairs with wanted[pair] at the given motions; the others keep their forces. Results are
  // bit-identical on any number of threads. Derivatives are zero unless `want` includes kJacobian.
  void evaluate(std::span<const BodyMotion> motions, std::span<const std::uint8_t> wanted,
                contact::Want want = contact::Want::kJacobian);

  // Returns the derivatives of the wrenches of a pair, on A and on B as in PairForce, by the pose of one
  // shape of a body: xi of X_BS exp(xi), rad and m, at constant motions of the bodies. They are zero where
  // the shapes do not overlap.
  std::array<Mat6<double>, 2> slopes_by_shape(std::span<const BodyMotion> motions, std::size_t pair,
                                              std::size_t body, std::size_t shape);

  // Sets materials and poses of the shapes of a body for the following evaluations, without a new search for
  // pairs.
  void set_shapes(std::size_t body, std::span<const Shape> shapes);
  // Smooths friction at rest over `factor` times the slip of the settings in the following evaluations.
  // Allocates where a factor is new.
  void smooth_stiction(double factor);
  // Switches friction on or off for the following evaluations.
  void set_friction(bool acts);

  // One of two bodies in contact, in its relation to the wrench of a pair of shapes. B is the frame of B's
  // shape.
  struct Partner {
    double sign;       // of the wrench on it: -1 for A, 1 for B
    Vec3<double> r_W;  // from its centre of mass to Bo, m
    Vec6<double> V_W;  // twist at its centre of mass

    // Returns the map, (6, 6), from a displacement or twist of the body to that of its point at Bo, in B's
    // axes.
    Mat6<double> to_Bo(const Mat3<double>& R_WB) const {
      Mat6<double> T;
      T << R_WB.transpose(), Mat3<double>::Zero(), -(R_WB.transpose() * skew(r_W)), R_WB.transpose();
      return T;
    }
  };
  // Two shapes and the wrench that their model computes.
  struct Meeting {
    Pose<double> X_WA, X_WB;  // of the shapes
    std::array<Partner, 2> partners;
    contact::PairWrench wrench;
  };

 private:
  struct ShapePair {
    std::int32_t A, B;
  };
  Meeting meet(std::span<const BodyMotion> motions, const PairForce& force, const ShapePair& shapes,
               contact::Model& model, contact::Want want) const;
  void evaluate(std::span<const BodyMotion> motions, contact::Want want, std::size_t thread,
                std::size_t pair);
  // Number of models of a thread: the source's, then one for each of the scene's choices.
  std::size_t model_count() const { return system_.scene().contacts.size() + 1; }
  std::size_t model_of(std::size_t placed_A, std::size_t placed_B) const {
    const std::int32_t choice = system_.contact_choice(placed_A, placed_B);
    return choice < 0 ? 0 : static_cast<std::size_t>(choice) + 1;
  }

  using Models = std::vector<std::unique_ptr<contact::Model>>;  // (thread, model)
  Models make_models(double factor) const;

  System system_;
  ContactSource source_;
  int threads_;
  double stiction_;
  std::vector<double> factors_{1};  // factors of stiction requested so far
  std::vector<Models> models_;      // for each factor
  std::size_t acting_ = 0;          // index of the current factor
  PlacedSystem placed_;
  BroadPhase broad_;
  std::vector<PairForce> forces_;
  std::vector<std::size_t> first_;  // index in shapes_ of each pair's first, and the end
  std::vector<std::size_t> model_;  // index of each pair's model
  std::vector<ShapePair> shapes_;
};

}  // namespace abut::dynamics
