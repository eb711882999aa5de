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

// Where a body is and how it moves: twist (w; v) of its frame in the world's axes, rad/s and m/s.
struct BodyMotion {
  Pose<double> X_WB;
  Vec6<double> V_WB_W = Vec6<double>::Zero();
};

// What a contact model exerts between two bodies, and its derivatives. Wrenches (moment about the centre of
// mass; force) and displacements (turn; shift of the centre of mass) in the world's axes: N m, N; rad, m.
struct PairForce {
  std::int32_t A = kFixed, B = kFixed;  // indices of bodies; A kFixed for a fixed shape
  int contacts = 0;                     // pairs of shapes that overlap
  bool converged = true;  // whether the model's answers hold for all of them; kNotConverged: they do not
  bool clamped = false;   // whether derivatives of any of them are of a clamped direction
  std::array<Vec6<double>, 2> F_W;                   // on A and on B
  std::array<std::array<Mat6<double>, 2>, 2> dF_dx;  // of the wrench on one by displacements of the other:
  std::array<std::array<Mat6<double>, 2>, 2> dF_dV;  // [on][of], 0: A, 1: B; and by twists
};

// The wrenches between all pairs of bodies of a system, of the contact model that the scene chooses for the
// pair, or else the source's.
class CompliantContact {
 public:
  // `stiction`: the slip at which friction is 0.7 of its value, m/s, for models whose settings say none; NaN:
  // their defaults.
  // Throws InvalidInput for a model that is unknown or offers no wrench, where an asset of the system lacks
  // what it needs, and, naming their bodies, for two shapes of bodies that may meet which their model cannot
  // take together.
  CompliantContact(const System& system, const ContactSource& source, int threads,
                   double stiction = std::numeric_limits<double>::quiet_NaN());

  // Finds the pairs that may touch within dt (s) of the state, also with the twists (w; v; rad/s, m/s) that
  // bodies get meanwhile, where they are known; ascending. Allocates only to grow.
  void find(const State& state, const Control& control, double dt,
            std::span<const Vec6<double>> twists_W = {});

  std::span<const PairForce> pairs() const { return forces_; }

  // Of all pairs as they were evaluated last: kNotConverged, or else kClamped, if one's is.
  Status status() const;

  // Whether no body moves farther within dt than the search foresaw.
  bool covers(std::span<const BodyMotion> motions, double dt) const;

  // The forces of pairs between bodies that move so, where wanted[pair]; the others keep theirs. The same
  // bits on any number of threads.
  // Without `want` kJacobian the derivatives are zero.
  void evaluate(std::span<const BodyMotion> motions, std::span<const std::uint8_t> wanted,
                contact::Want want = contact::Want::kJacobian);

  // Derivatives of the wrenches of a pair, on A and on B as in PairForce, by the pose of one shape of a body:
  // xi of X_BS exp(xi), rad and m, the bodies held. Where the shapes do not overlap they are zero.
  std::array<Mat6<double>, 2> slopes_by_shape(std::span<const BodyMotion> motions, std::size_t pair,
                                              std::size_t body, std::size_t shape);

  // Gives the shapes of a body their materials and their poses in it, for what is evaluated next; the pairs
  // stay those that were found.
  void set_shapes(std::size_t body, std::span<const Shape> shapes);
  // Friction at rest is smoothed over `factor` times the slip that the settings say, in what is evaluated
  // next. Allocates where a factor is new.
  void smooth_stiction(double factor);
  // Whether there is friction in what is evaluated next.
  void set_friction(bool acts);

  // One of two bodies in contact, as the wrench of a pair of shapes sees it.
  struct Partner {
    double sign;       // of the wrench on it: -1 for A
    Vec3<double> r_W;  // from its centre of mass to Bo, m
    Vec6<double> V_W;  // twist at its centre of mass

    // (6, 6): displacement of it, or twist, to that of its point at Bo, in B.
    Mat6<double> to_Bo(const Mat3<double>& R_WB) const {
      Mat6<double> T;
      T << R_WB.transpose(), Mat3<double>::Zero(), -(R_WB.transpose() * skew(r_W)), R_WB.transpose();
      return T;
    }
  };
  // Two shapes, and what their model says of them.
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
  void require_pairs() const;
  void require_pair(const Shape& a, std::size_t placed_A, const Shape& b, std::size_t placed_B) const;
  void evaluate(std::span<const BodyMotion> motions, contact::Want want, std::size_t thread,
                std::size_t pair);
  // The models of a thread: the source's, then those of the scene's choices.
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
  std::vector<double> factors_{1};  // of stiction that were asked for
  std::vector<Models> models_;      // for each of these
  std::size_t acting_ = 0;          // of these
  PlacedSystem placed_;
  BroadPhase broad_;
  std::vector<PairForce> forces_;
  std::vector<std::size_t> first_;  // of each pair its first pair of shapes, and the end
  std::vector<std::size_t> model_;  // of each pair
  std::vector<ShapePair> shapes_;
};

}  // namespace abut::dynamics
