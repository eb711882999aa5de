#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/collide/point_slopes.h"
#include "runtime/dynamics/solve/islands.h"
#include "runtime/dynamics/solve/stabilisation.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/moving_part.h"

namespace abut::dynamics {

// Derivatives of the impulses of a step of midpoint.h, and of what follows from them, with respect to the
// inputs of the step: by the implicit function theorem on the equations that each contact obeys in its state,
//   open:     J = 0
//   sticking: u = target n
//   sliding:  n.u = target, J_t = -mu J_n u_t / |u_t|,
// where all contacts of an island are coupled by u = B y. Where there are more equations than motions (four
// corners on a floor) the smallest change of the impulses is taken; where the motion depends on this choice,
// there is a kink of the kind kShare.
class ImpulseSlopes {
 public:
  // Changes of a contact with the inputs other than through the motion of its bodies.
  struct OfShapes {
    MatX<double> dmu;         // (1, N)
    MatX<double> of_A, of_B;  // (6, N) motions of the shapes in their bodies, about PointSlopes::pivot_W
  };
  // The solved contact problem of a step.
  struct Problem {
    std::span<const ContactBody> bodies;    // where the contacts were found
    std::span<const PairContact> contacts;  // with the impulses that solve the problem
    std::span<const PointSlopes> points;    // of the contacts
    std::span<const OfShapes> of_shapes;    // of the contacts; empty: no such changes
    std::span<const JointRow> joints;
    std::span<const std::int32_t> part_of_body;  // index of its part; -1: nothing moves it
    const Islands* islands;
    double dt;
  };

  // Completes `parts` by dfree and dy; adds the kinks to `kinks`.
  ImpulseSlopes(const Problem& problem, std::span<MovingPart> parts, std::vector<StepKink>& kinks);

  // Scales the impulses of an island down where they would add energy, as the step does: y and dy of its
  // parts become those after it.
  void hold_energy(std::int32_t island);

  // Displacement (n) of a part by Stabilisation, and its slopes (n, N); `displace` returns that of each part.
  struct Displacement {
    VecX<double> value;
    MatX<double> slopes;
  };
  std::vector<Displacement> displace(const StabilisationConfig& config, double slop);

 private:
  // The side of a contact or joint on one part: B y, with B (3, n), is the part's share of the relative
  // velocity.
  struct Side {
    MovingPart* part;
    const MovingPart::Member* member;  // null for a joint
    double sign;
    Vec3<double> arm = Vec3<double>::Zero();  // from the centre of mass, m
    MatX<double> B, darm;                     // (3, N)
  };
  enum class Law : std::uint8_t { kOpen, kSticking, kSliding };
  // A contact or joint with its impulse, velocity, law, and their slopes.
  struct Row {
    std::int32_t index = 0;  // of the contact, or, counted on, of the joint
    Vec3<double> n = Vec3<double>::UnitX(), J = Vec3<double>::Zero(), u = Vec3<double>::Zero();
    double mu = 0, gap = 0, target = 0, inverse_mass = 0;  // inverse_mass: n.W n; 0: nothing moves along n
    bool friction_of_joint = false;
    MatX<double> dn, dgap, dtarget, dmu, du, dJ;  // (3, N) or (1, N); du with J held
    std::vector<Side> sides;
    Law law = Law::kOpen;
    bool weak = false;                          // whether it is at the boundary of its law
    Vec3<double> along = Vec3<double>::Zero();  // unit direction of sliding
    double slip = 0;                            // |u_t|, m/s; 0: the direction is held

    bool touches() const { return weak && law == Law::kOpen && !friction_of_joint; }
    bool sticks() const { return law == Law::kSticking || (touches() && mu > 0 && along.isZero(0)); }
  };
  // The linear equations K x = known, three rows per contact, with x = root dJ and `root` the inverse square
  // root of the effective mass at each contact; W maps x to changes of velocity times 1/root.
  struct Equations {
    MatX<double> K, W, known;
    VecX<double> root;
  };

  Vec3<double> velocity(const Row& row, VecX<double> MovingPart::*y) const;
  MatX<double> velocity_slopes(const Row& row, VecX<double> MovingPart::*y,
                               MatX<double> MovingPart::*dy) const;
  MatX<double> impulse_slopes(const Side& side, const Vec3<double>& J) const;
  Mat3<double> coupling(const Row& i, const Row& k) const;

  Row contact_row(std::int32_t index) const;
  Row joint_row(std::int32_t index) const;
  void add_target(Row& row, double speed);
  void classify(Row& row, double speed);
  Equations equations(std::span<Row* const> rows) const;
  bool shares_freely(const Equations& of) const;
  void solve_island(std::span<Row* const> rows, std::span<Row* const> touching);
  void check_weak(const Row& row, double speed);
  void add_kink(StepKink::Kind kind, const Row& row);
  void name_shape(const Row& row);

  Problem problem_;
  std::span<MovingPart> parts_;
  std::vector<StepKink>& kinks_;
  Eigen::Index inputs_ = 0;
  std::vector<Row> rows_;
};

}  // namespace abut::dynamics
